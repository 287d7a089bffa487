"""What every search shares: what it is given, what it is told from outside, how it scores an end.

Scores are the mover's, in points: a win in n plies is worth `top - n`, a loss in n plies `n - top`, a
draw 0, so that the fastest win and the slowest loss are the best. `top` is 100, as in the textbooks,
for games that last less than 50 plies, and grows with longer ones so that every win stays above every
estimate. Where a game counts by how much one wins, a win by m is worth `50 + m` and a loss `-50 - m`.

Inside a search scores are whole hundredths of a point: so an estimate can be finer than a point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parlour_protocol.ids import Side
from parlour_protocol.views import Report
from parlour_server.games.game import Game, Move, Outcome, PositionT
from parlour_server.search.machine import Memory

POINT = 100
"""What one point is inside a search."""

INFINITY = 1_000_000_000
"""Beyond every score."""

POLL_EVERY = 64
"""Positions between two looks at whether to stop, in plain Python."""

SHORT_GAME = 9
"""Games of so many plies are searched to their end without more ado."""

ESTIMATE_LIMIT = 50
"""In points. Estimates stay within -50 and 50: below every win, above every loss."""


MOST_COUNTED = 9_900
"""Plies. What the engine packs into its table has room for the scores of no longer games."""


class Stopped(Exception):
    """Raised inside a search that was told to stop; its report so far stands."""


@dataclass(slots=True)
class Control:
    """A search's line to the outside, which has the clock, the stop flag and the audience."""

    stopped: Callable[[], bool] = lambda: False
    """Asked every few nodes: true once the search is no longer wanted."""
    publish: Callable[[Report], None] = lambda report: None
    """Takes a report in the making, after each root move."""
    due: Callable[[], bool] = lambda: True
    """Would a report be shown now? Making one takes a while, and most are too soon after the last."""
    clock: Callable[[], float] = lambda: 0.0
    """Seconds from any fixed moment."""
    flag: Any = None
    """A writable buffer of one byte: not 0 once the search is no longer wanted. Machine code looks at it,
    every 1,024 nodes, since it can't ask `stopped`."""
    compiled: bool = False
    """May machine code be used, where it is ready?"""
    memory: Memory | None = None
    """A table to be used again, where one worker searches one position after the other."""


def top_score(game: Game[Any]) -> int:
    """The score that a win now would have: a win in n plies is worth n less.

    Longer games than MOST_COUNTED are scored as if they ended there, which no search comes near.
    """
    return max(100, min(game.max_plies, MOST_COUNTED) + ESTIMATE_LIMIT + 1)


def decided(score: int) -> bool:
    """Is a score, in hundredths, a win or a loss? Draws and estimates lie between them."""
    return abs(score) > ESTIMATE_LIMIT * POINT


def points(score: int) -> int | float:
    """A score in points, as people see it: a whole number where it is one."""
    whole, rest = divmod(score, POINT)
    return score / POINT if rest else whole


def end_score(game: Game[PositionT], position: PositionT, outcome: Outcome, ply: int, side: Side) -> int:
    """What a game that ended `ply` plies from the root is worth to a side, in hundredths."""
    if outcome.winner is None:
        return 0
    worth = ESTIMATE_LIMIT + game.margin(position) if game.margins else top_score(game) - ply
    return POINT * (worth if outcome.winner == side else -worth)


def root_moves(
    game: Game[PositionT], position: PositionT, *, full: bool, also: Move | None = None
) -> list[Move]:
    """The moves that a search compares, the likely best first; with `full` all that are legal.

    A game's `search_order` leaves out what is surely no better, but who asks for every move's score wants to
    hear how bad it is. What is left out for being too many, where the game is selective, stays out, but
    for the move that is `also` to be judged.
    """
    order = list(game.search_order(position))
    if full and not game.selective(position):
        order += [move for move in game.legal_moves(position) if move not in order]
    return order if also is None or also in order else [*order, also]
