"""Rooms that run: actors over their logs, the directory that has them, what is around their tables."""
