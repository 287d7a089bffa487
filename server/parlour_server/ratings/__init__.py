"""Ratings: how strong players are, by the games that they have finished. Pure functions.

`glicko2` is the arithmetic, `table` what follows from one finished game after the other.
"""
