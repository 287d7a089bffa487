"""What a match has shown: its games counted, the score, and how far chance may have made it.

The two games of a pair begin at the same position with colours swapped, so they depend on each other: what is
counted as one trial is the pair (the pentanomial model of engine testing:
https://www.chessprogramming.org/Match_Statistics).
"""

from collections import Counter
from dataclasses import dataclass, field
from math import copysign, inf, log, log10, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that a command line knows a test of them before it needs the wire
    from parlour_protocol.ids import Seat

NORMAL = NormalDist()
Z = NORMAL.inv_cdf(0.975)
"""The normal distribution's quantile for 95%, on both sides."""
NORMALISED = 800 / log(10)
"""Normalised Elo points of a score that lies one standard deviation of a game above a half."""
PRIOR = 1.0
"""How many pairs that vary in full are taken to have been played before."""


@dataclass(slots=True)
class Count:
    """Games, from the view of one bot."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one, a draw a half."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """The share of the points, from 0 to 1; 0 where there is no game."""
        return self.points / self.games if self.games else 0.0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def reversed(self) -> "Count":
        """The same games from the other's view."""
        return Count(self.losses, self.draws, self.wins)


@dataclass(slots=True)
class MatchResult:
    """The games of a match so far, from the view of its first bot."""

    began: Count = field(default_factory=Count)
    """Those that the first bot began."""
    replied: Count = field(default_factory=Count)
    """Those that the second bot began."""
    moves: int = 0
    """Those of the bots, without the openings'."""
    _halves: dict[int, int] = field(default_factory=dict)
    """The half points of those pairs of which one game is played."""
    _pairs: Counter[int] = field(default_factory=Counter)
    """How many pairs brought so many half points: 0 to 4."""

    def add(self, pair: int, starter: "Seat", winner: "Seat | None", moves: int) -> None:
        """Count a game: the bots are 0 and 1, and no winner is a draw."""
        count = self.began if starter == 0 else self.replied
        half_points = 1 if winner is None else 2 * (winner == 0)
        count.wins += half_points == 2
        count.draws += half_points == 1
        count.losses += half_points == 0
        self.moves += moves
        if pair in self._halves:
            self._pairs[self._halves.pop(pair) + half_points] += 1
        else:
            self._halves[pair] = half_points

    @property
    def all(self) -> Count:
        """All games."""
        return self.began + self.replied

    @property
    def pairs(self) -> list[int]:
        """How many whole pairs brought the first bot 0, 1/2, 1, 3/2 and 2 points."""
        return [self._pairs[half_points] for half_points in range(5)]

    @property
    def score(self) -> float:
        """The share of the points that the first bot has, from 0 to 1. There must be a game."""
        return self.all.score

    @property
    def interval(self) -> tuple[float, float]:
        """Between what bounds the score would be after very many games: right 95 times in 100.

        Wilson's score interval (1927), which is sensible for few games and clear results, with pairs as its
        trials. These vary less than trials that are won or lost; by how much is taken from the pairs played,
        and from one more that varies in full: in simulated matches of 5 to 500 pairs the interval then holds
        the truth in 94% to 100%. There must be a game.
        """
        score, number, squares = self._trials()
        if 0 < score < 1:
            number *= (number + PRIOR) / (squares / (score * (1 - score)) + PRIOR)
        middle = (number * score + Z * Z / 2) / (number + Z * Z)
        reach = Z * sqrt(number * score * (1 - score) + Z * Z / 4) / (number + Z * Z)
        # What rounding adds is taken off.
        return max(0.0, middle - reach), min(1.0, middle + reach)

    @property
    def normalised_elo(self) -> tuple[float, float]:
        """The score's distance from a half in a game's standard deviations, as Elo, and its 95% reach.

        Unlike Elo it does not grow with fewer draws: how many games it takes to see it depends on it alone
        (Van den Bergh, https://www.cantate.be/Fishtest/normalized_elo.pdf). Infinite where all pairs ended
        alike, and not in a draw. There must be a game.
        """
        score, number, squares = self._trials()
        # A pair is two games.
        reach = Z * NORMALISED / sqrt(2 * number)
        if not squares:
            return (0.0 if score == 0.5 else copysign(inf, score - 0.5)), reach
        return (score - 0.5) / sqrt(2 * squares / number) * NORMALISED, reach

    @property
    def likely_superior(self) -> float:
        """How likely it is that the first bot is the stronger one, from 0 to 1. There must be a game."""
        score, number, squares = self._trials()
        if not squares:
            return 0.5 if score == 0.5 else float(score > 0.5)
        return NORMAL.cdf((score - 0.5) * number / sqrt(squares))

    def _trials(self) -> tuple[float, float, float]:
        """The score, the number of pairs, and the sum of their squared distances from the score."""
        score = self.score
        pairs = [(count, half_points / 4 - score) for half_points, count in self._pairs.items()]
        squares = sum(count * off**2 for count, off in pairs)
        # Of a pair one game may be missing: half a trial, and a game varies twice as much as a pair's mean.
        squares += sum((half_points / 2 - score) ** 2 / 4 for half_points in self._halves.values())
        return score, sum(self._pairs.values()) + len(self._halves) / 2, squares


def elo(score: float) -> float:
    """The difference in strength that a score stands for, in Elo points; infinite for 0 and 1."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))
