"""Ratings of all who met each other, from all their games at once: the Bradley-Terry model, in points of Elo.

The likeliest strengths, found by Newton's method; a draw counts as half a win. So that who won or lost all
games has a rating, too, everyone is taken to have drawn a game with somebody of average strength. (Hunter,
"MM algorithms for generalized Bradley-Terry models", 2004, has the model and when its maximum exists.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, sqrt

ELO = 400 / log(10)
"""Points of Elo in a strength's natural logarithm."""
REACH = 1.959963984540054
"""Standard deviations to either side that hold 95%."""
DRAWN_BEFORE = 1.0
ROUNDS = 100
CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating, 0 being the average, and how far to either side it may be off in 95 of 100 cases."""

    elo: float
    reach: float


def ratings(
    entrants: int, points: Mapping[tuple[int, int], float], drawn_before: float = DRAWN_BEFORE
) -> list[Rating]:
    """The ratings of entrants 0, 1, ... from the `points` that one took from another.

    `drawn_before`: so many games each is taken to have drawn with an average player.
    """
    games = [
        [points.get((one, other), 0.0) + points.get((other, one), 0.0) for other in range(entrants)]
        for one in range(entrants)
    ]
    won = [sum(points.get((one, other), 0.0) for other in range(entrants)) for one in range(entrants)]
    strengths = [0.0] * entrants
    for _ in range(ROUNDS):
        slope = [taken + drawn_before / 2 for taken in won]
        curve = [[0.0] * entrants for _ in range(entrants)]
        for one, mine in enumerate(strengths):
            for other, theirs in enumerate(strengths):
                if number := games[one][other]:
                    share = _share(mine - theirs)
                    slope[one] -= number * share
                    curve[one][one] += number * share * (1 - share)
                    curve[one][other] -= number * share * (1 - share)
            share = _share(mine)
            slope[one] -= drawn_before * share
            curve[one][one] += drawn_before * share * (1 - share)
        inverse = _inverse(curve)
        steps = [sum(row * by for row, by in zip(line, slope, strict=True)) for line in inverse]
        # Far from the maximum a whole step may lead beyond it.
        shorter = min(1.0, 1 / max(map(abs, steps), default=1.0)) if any(steps) else 1.0
        strengths = [mine + shorter * step for mine, step in zip(strengths, steps, strict=True)]
        if max(map(abs, steps), default=0.0) < CLOSE:
            break
    if not entrants:
        return []
    middle = sum(strengths) / entrants
    # How far they vary together says nothing: what is known is the distance from their mean.
    means = [sum(row) / entrants for row in inverse]
    spread = sum(means) / entrants
    return [
        Rating(
            ELO * (mine - middle),
            REACH * ELO * sqrt(max(0.0, inverse[one][one] - 2 * means[one] + spread)),
        )
        for one, mine in enumerate(strengths)
    ]


def _share(ahead: float) -> float:
    return 1 / (1 + exp(-ahead))


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """The inverse of a symmetric, positive definite matrix, by elimination."""
    size = len(matrix)
    rows = [[*row, *(float(at == number) for at in range(size))] for number, row in enumerate(matrix)]
    for at in range(size):
        pivot = rows[at][at]
        rows[at] = [one / pivot for one in rows[at]]
        for other in range(size):
            if other != at and (by := rows[other][at]):
                rows[other] = [mine - by * theirs for mine, theirs in zip(rows[other], rows[at], strict=True)]
    return [row[size:] for row in rows]
