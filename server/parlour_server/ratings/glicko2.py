"""Glicko-2: a player's rating, how sure it is, and how much it moves, after a period of games.

By Mark Glickman, "Example of the Glicko-2 system" (2022), http://www.glicko.net/glicko/glicko2.pdf, whose
steps are numbered here as there.
"""

from collections.abc import Sequence
from math import exp, log, pi, sqrt
from typing import NamedTuple

SCALE = 173.7178
"""How many points of a rating are one of Glicko-2's own."""
TAU = 0.5
"""How much a volatility may change: small, since a game of chance is none of ours."""
LARGEST_DEVIATION = 350.0
"""Nobody is less known than who has not played."""
SUREST = 10.0
"""No expectation is surer than 22,000 to 1, which some 1,700 points are: nothing is divided by zero."""
_EXACT = 1e-6


class Rating(NamedTuple):
    """What is known of a player's strength."""

    rating: float = 1500.0
    deviation: float = LARGEST_DEVIATION
    """The true strength lies within two of these in 95 of 100 cases."""
    volatility: float = 0.06
    """How much the strength itself is expected to change from one period to the next."""


Result = tuple[Rating, float]
"""An opponent as rated before the period, and what was scored against them: 1, 0.5 or 0."""


def rested(player: Rating, periods: float) -> Rating:
    """A player who has not played for so many periods, or parts of one: less is known of them."""
    phi = sqrt((player.deviation / SCALE) ** 2 + periods * player.volatility**2)
    return player._replace(deviation=min(LARGEST_DEVIATION, SCALE * phi))


def rated(player: Rating, results: Sequence[Result]) -> Rating:
    """A player after a period with these results, one at least."""
    # Step 2
    mu, phi = (player.rating - 1500) / SCALE, player.deviation / SCALE
    # Steps 3 and 4
    information = gain = 0.0
    for opponent, score in results:
        g = 1 / sqrt(1 + 3 * (opponent.deviation / SCALE / pi) ** 2)
        ahead = g * (mu - (opponent.rating - 1500) / SCALE)
        expected = 1 / (1 + exp(max(-SUREST, min(SUREST, -ahead))))
        information += g * g * expected * (1 - expected)
        gain += g * (score - expected)
    variance = 1 / information
    # Steps 5 to 7
    volatility = _volatility(player.volatility, phi, variance, variance * gain)
    phi = 1 / sqrt(1 / (phi * phi + volatility * volatility) + information)
    mu += phi * phi * gain
    # Step 8
    return Rating(SCALE * mu + 1500, SCALE * phi, volatility)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Step 5: the root of `f`, by the Illinois algorithm."""
    a = log(sigma * sigma)

    def f(x: float) -> float:
        square = phi * phi + variance + exp(x)
        return exp(x) * (delta * delta - square) / (2 * square * square) - (x - a) / (TAU * TAU)

    low = a
    if delta * delta > phi * phi + variance:
        high = log(delta * delta - phi * phi - variance)
    else:
        high = a - TAU
        while f(high) < 0:
            high -= TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _EXACT:
        x = low + (low - high) * f_low / (f_high - f_low)
        f_x = f(x)
        if f_x * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = x, f_x
    return exp(low / 2)
