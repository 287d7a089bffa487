"""Wording and sanitising: the only sentences."""
