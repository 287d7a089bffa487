"""How a search scores positions, and what its scores mean.

Scores are the mover's, in points: a win in n plies is worth `top - n`, a loss in n plies `n - top`, a
draw 0, so that the fastest win and the slowest loss are the best. `top` is 100, as in the textbooks,
for games that last less than 50 plies, and grows with longer ones so that every win stays above every
estimate. Where a game counts by how much one wins, a win by m is worth `50 + m` and a loss `-50 - m`.

People read estimates as a chance to win, on a curve that is fitted to played games: see `chance`.

Inside a search a score is a value: a whole number of hundredths of a point, so that an estimate can be finer
than a point. `make_score` turns it into the protocol's `Score`.
"""

from math import exp
from typing import Any

from parlour_protocol.views.reports import (
    CHANCE_DECIMALS,
    GREATEST_CHANCE,
    LEAST_CHANCE,
    Bound,
    Result,
    Score,
    ScoreKind,
)
from parlour_server.games.game import Game

POINT = 100
"""What one point is inside a search."""

INFINITY = 1_000_000_000
"""Beyond every value."""

ESTIMATE_LIMIT = 50
"""In points. Estimates stay within -50 and 50: below every win, above every loss."""

_DECIDED = ESTIMATE_LIMIT * POINT

MOST_COUNTED = 9_900
"""Plies. What the engine packs into its table has room for the scores of no longer games."""


def top_score(game: Game[Any]) -> int:
    """The points that a win now would have: a win in n plies is worth n less.

    Longer games than MOST_COUNTED are scored as if they ended there, which no search comes near.
    """
    return max(100, min(game.max_plies, MOST_COUNTED) + ESTIMATE_LIMIT + 1)


def decided(value: int) -> bool:
    """Is a value a win or a loss? Draws and estimates lie between them."""
    return not -_DECIDED <= value <= _DECIDED


def points(value: int) -> int | float:
    """A value in points: a whole number where it is one."""
    whole, rest = divmod(value, POINT)
    return value / POINT if rest else whole


def chance(game: Game[Any], points: float) -> float:
    """The chance to win, in percent, of a side that is ahead by an estimate in points; a draw counts half.

    The logistic curve is Elo's; `Game.estimate_scale` is fitted by `scripts/fit_chances.py`.
    """
    share = 100 / (1 + exp(min(-points / game.estimate_scale, 700)))
    return max(LEAST_CHANCE, min(round(share, CHANCE_DECIMALS), GREATEST_CHANCE))


def shared_score(share: float) -> Score:
    """The score of a move after which a side won so large a share, from 0 to 1, of the games tried."""
    percent = max(LEAST_CHANCE, min(round(100 * share, CHANCE_DECIMALS), GREATEST_CHANCE))
    return Score(round(2 * ESTIMATE_LIMIT * (share - 0.5), 2), "estimate", chance=percent)


def make_score(
    game: Game[Any],
    value: int,
    kind: ScoreKind,
    *,
    bound: Bound | None = None,
    draw_plies: int | None = None,
) -> Score:
    """The score that a value stands for: how far it is proven, what it leads to, how soon or by how much.

    `bound` is for an estimate that is one; `draw_plies` the plies to the end of a draw, where they are known.
    """
    result: Result | None = None
    plies = margin = None
    # That it is at most a win, or at least a loss, says nothing of what it is.
    if decided(value) and kind in ("exact", "at_least" if value > 0 else "at_most"):
        result = "win" if value > 0 else "loss"
        if not game.margins:
            # Where a side may move twice running, the other's passes are counted, which aren't shown.
            plies = None if not game.alternates else top_score(game) - abs(value) // POINT
        elif kind == "exact":
            margin = abs(value) // POINT - ESTIMATE_LIMIT
            margin = margin if value > 0 else -margin
    elif kind == "exact":
        result, plies = "draw", draw_plies
    worth = points(value)
    return Score(
        worth, kind, result, plies, margin, bound, chance(game, worth) if kind == "estimate" else None
    )
