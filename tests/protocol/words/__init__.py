"""The catalogue of sentences: its parts, and that each language has all of it."""
