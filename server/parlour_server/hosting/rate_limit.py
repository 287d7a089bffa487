"""A token bucket: how often somebody may do something."""

import math


class Bucket:
    """Holds `burst` tokens at most, and gains `rate` of them a second. A rate of zero: no limit."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, now

    def take(self, now: float) -> float:
        """Take a token; 0 where there was one, else the seconds until there is, in whole milliseconds."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        # Rounded up: after so long there is one.
        return (math.floor(1000 * (1 - self._tokens) / self._rate) + 1) / 1000

    def is_full(self, now: float) -> bool:
        """Is it as it was at first, so that it need not be kept?"""
        return self._tokens + (now - self._at) * self._rate >= self._burst
