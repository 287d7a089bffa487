"""What a match has shown: its games counted, the score, and how far chance may have made it.

The two games of a pair begin at the same position with colours swapped, so they depend on each other: what is
counted as one trial is the pair (the pentanomial model of engine testing:
https://www.chessprogramming.org/Match_Statistics).
"""

from collections import Counter
from dataclasses import dataclass, field
from math import inf, log10, sqrt

from parlour_protocol.ids import Seat

Z = 1.959963984540054
"""The normal distribution's quantile for 95%, on both sides."""


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

    def add(self, pair: int, starter: Seat, winner: Seat | None, moves: int) -> None:
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
        return self.all.points / self.all.games

    @property
    def interval(self) -> tuple[float, float]:
        """Between what bounds the score would be after very many games: right 95 times in 100.

        Wilson's score interval (1927), which is sensible for few games and clear results, with pairs as its
        trials. These vary less than trials that are won or lost; by how much is taken from the pairs played,
        and from as many more as Wilson's interval adds, which vary in full. There must be a game.
        """
        score = self.score
        # A pair of which one game is missing is half a trial.
        trials = [(float(count), half_points / 4) for half_points, count in self._pairs.items()]
        trials += [(0.5, half_points / 2) for half_points in self._halves.values()]
        number = sum(weight for weight, _ in trials)
        if 0 < score < 1:
            squares = sum(weight * (points - score) ** 2 for weight, points in trials)
            varies = (squares / (score * (1 - score)) + Z * Z) / (number + Z * Z)
            number /= varies
        middle = (number * score + Z * Z / 2) / (number + Z * Z)
        reach = Z * sqrt(number * score * (1 - score) + Z * Z / 4) / (number + Z * Z)
        # What rounding adds is taken off.
        return max(0.0, middle - reach), min(1.0, middle + reach)


def elo(score: float) -> float:
    """The difference in strength that a score stands for, in Elo points; infinite for 0 and 1."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))
