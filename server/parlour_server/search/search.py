"""What every search shares: what it is given, what it is told from outside, how it scores an end.

Scores are the mover's: a win in n plies is worth `top - n`, a loss in n plies `n - top`, a draw 0, so
that the fastest win and the slowest loss are the best. `top` is 100, as in the textbooks, for
games that last less than 50 plies, and grows with longer ones so that every win stays above
every estimate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parlour_protocol.views import Report
from parlour_server.games.game import Game

ESTIMATE_LIMIT = 50
"""Estimates stay within -50 and 50: below every win, above every loss."""


class Stopped(Exception):
    """Raised inside a search that was told to stop; its report so far stands."""


@dataclass(slots=True)
class Control:
    """A search's line to the outside, which has the clock, the stop flag and the audience."""

    stopped: Callable[[], bool] = lambda: False
    """Asked every 1,024 nodes: true once the search is no longer wanted."""
    publish: Callable[[Report], None] = lambda report: None
    """Takes a report in the making, after each root move."""
    clock: Callable[[], float] = lambda: 0.0
    """Seconds from any fixed moment."""


def top_score(game: Game[Any]) -> int:
    """The score that a win now would have: a win in n plies is worth n less."""
    return max(100, game.max_plies + ESTIMATE_LIMIT + 1)
