"""Anything that strangers may send, to a whole server in this process: see `conversation.py`."""
