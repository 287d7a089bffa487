"""Connect Four on 7x6, solved: exact scores of every position, from a solver and an opening book.

A score here is the solver's (see `solver.py`), but for reports, which have the project's points. The book
needs no numba; the solver does, and comes with the game's kernel.
"""

from parlour_server.search.connect4.exact import from_book, knows, probe, solve

__all__ = ["from_book", "knows", "probe", "solve"]
