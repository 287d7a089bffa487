"""Sequential tests of which of two hypotheses about the bots' difference is true, as few games as that takes.

A generalised sequential probability ratio test: after each pair of games the log-likelihood ratio of the
two hypotheses is compared with Wald's bounds. The likelihoods are the greatest that any distribution of the
pairs' points has under each hypothesis (Van den Bergh, https://www.cantate.be/Fishtest/GSPRT_approximation.pdf).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal, get_args

from parlour_client.sdk.match_result import NORMALISED, Count

Model = Literal["normalised", "logistic", "bayesian"]
"""What the hypotheses are: normalised Elo, Elo, or BayesElo's points, which take the draws out."""
MODELS: tuple[Model, ...] = get_args(Model)

POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What a pair may bring, as a share."""
GREATEST: dict[Model, float] = {"normalised": 200, "logistic": 1000, "bayesian": 1000}
"""Differences that can be asked for; beyond that a normalised one leaves no room for draws."""
UNSEEN = 1e-3
"""So often what never happened is taken to have happened: a likelihood of 0 would decide everything."""
CLOSE = 1e-12
ROUNDS = 10
"""Of the search for the likeliest distribution of a given normalised Elo, which then changes no more."""

Verdict = Literal["stronger", "not_stronger", "open"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of `elo1` against `elo0`, the first bot's advantage; errors of both kinds are bounded."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often `elo1` is accepted where `elo0` is true."""
    beta: float = 0.05
    """How often `elo0` is accepted where `elo1` is true."""
    model: Model = "normalised"

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[float], games: Count) -> float:
        """The log-likelihood ratio of pairs by their half points, 0 to 4; of BayesElo that of the games."""
        if self.model == "bayesian":
            return _bayesian(games, self.elo0, self.elo1)
        if not sum(pairs):
            return 0.0
        seen = [count or UNSEEN for count in pairs]
        number = sum(seen)
        shares = [count / number for count in seen]
        likeliest = _of_normalised if self.model == "normalised" else _of_elo
        under0, under1 = likeliest(shares, self.elo0), likeliest(shares, self.elo1)
        return number * sum(
            share * log(one / zero) for share, zero, one in zip(shares, under0, under1, strict=True)
        )

    def verdict(self, ratio: float) -> Verdict:
        """What a log-likelihood ratio shows."""
        lower, upper = self.bounds
        return "stronger" if ratio >= upper else "not_stronger" if ratio <= lower else "open"


def score_of(elo: float) -> float:
    """The share of the points that a difference in Elo points stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


def _of_elo(shares: Sequence[float], elo: float) -> list[float]:
    """The likeliest distribution whose mean is the score of this difference."""
    score = score_of(elo)
    return _tilted(shares, [points - score for points in POINTS])


def _of_normalised(shares: Sequence[float], elo: float) -> list[float]:
    """The likeliest distribution whose mean lies so many standard deviations above a half."""
    # A pair's points vary by a root of two less than a game's.
    distance = sqrt(2) * elo / NORMALISED
    found = [1 / len(POINTS)] * len(POINTS)
    # Where nearly all pairs end alike a step may lead to where none has that distance: the last one stands.
    for _ in range(ROUNDS):
        mean = sum(share * points for share, points in zip(found, POINTS, strict=True))
        spread = sqrt(sum(share * (points - mean) ** 2 for share, points in zip(found, POINTS, strict=True)))
        offsets = [
            points - 0.5 - 0.5 * distance * spread * (1 + ((points - mean) / spread) ** 2)
            for points in POINTS
        ]
        if not min(offsets) < 0 < max(offsets):
            break
        found = _tilted(shares, offsets)
    return found


def _tilted(shares: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The distribution of the greatest likelihood for which these offsets have a mean of 0."""

    both = list(zip(shares, offsets, strict=True))
    low, high, tilt = -1 / max(offsets), -1 / min(offsets), 0.0
    # Their mean falls from one end to the other: Newton steps, half of what is left where they lead out.
    while True:
        parts = [(share, offset / (1 + tilt * offset)) for share, offset in both]
        mean = sum(share * part for share, part in parts)
        low, high = (tilt, high) if mean > 0 else (low, tilt)
        better = tilt + mean / sum(share * part**2 for share, part in parts)
        better = better if low < better < high else (low + high) / 2
        if abs(better - tilt) <= CLOSE * abs(tilt) or better in (low, high):
            return [share / (1 + better * offset) for share, offset in both]
        tilt = better


def _bayesian(games: Count, elo0: float, elo1: float) -> float:
    """The ratio of single games by BayesElo's model, its `drawelo` from the games played."""
    if not (games.wins and games.losses and games.draws):
        return 0.0
    won, lost = games.wins / games.games, games.losses / games.games
    draws = 200 * log((1 - lost) / lost * (1 - won) / won) / log(10)

    def chances(elo: float) -> tuple[float, float, float]:
        win, loss = score_of(elo - draws), score_of(-elo - draws)
        return win, 1 - win - loss, loss

    counts = (games.wins, games.draws, games.losses)
    return sum(
        count * log(one / zero) for count, zero, one in zip(counts, chances(elo0), chances(elo1), strict=True)
    )
