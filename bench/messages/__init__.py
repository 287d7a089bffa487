"""How long one message keeps the event loop, and so everybody else: each command at its worst."""
