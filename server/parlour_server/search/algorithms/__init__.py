"""The searches: minimax and alpha-beta as they are taught, and the engine, which deepens step by step."""
