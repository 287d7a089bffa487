"""Bots that think: minimax in its forms, the report that they all give, and the levels for people."""
