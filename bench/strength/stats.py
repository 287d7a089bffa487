"""What a match's score says about strength, and how surely."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance

Z = 1.959964
"""Standard deviations on either side of the middle that hold 95%."""


def interval(pairs: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the true score, from 0 to 1, by the scores of pairs of games from one opening.

    The two games of a pair hang together, so that pairs are the trials, and their own scatter tells what
    each is worth: Wilson's interval (1927) for as many trials as would scatter like that, never fewer
    than there are pairs nor more than there are games. (0, 1) for no pairs.
    """
    if not pairs:
        return 0.0, 1.0
    score, count = fmean(pairs), len(pairs)
    scatter = variance(pairs) if count > 1 else 0.0
    even = score * (1 - score)
    trials = min(2.0 * count, max(float(count), even / (scatter / count) if scatter else 2.0 * count))
    middle = (score + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials) * sqrt(even / trials + (Z / (2 * trials)) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)
