"""Tournaments that run: the actors of their logs, which have games played in rooms."""
