"""A token bucket: how often something may be done."""

import math


class Bucket:
    """Holds `burst` tokens at most, and gains `rate` of them a second. A rate of zero: no limit."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, now

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take `cost` tokens; 0 where there were enough, else as `wait`.

        What costs more than the bucket holds is had for a full one.
        """
        if not self._rate:
            return 0.0
        wait = self.wait(now, cost)
        if not wait:
            self._tokens -= min(cost, self._burst)
        return wait

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Seconds until there are `cost` tokens, in milliseconds; 0: there are."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        lacking = min(cost, self._burst) - self._tokens
        # Rounded up: after so long there are enough.
        return 0.0 if lacking <= 0 else (math.floor(1000 * lacking / self._rate) + 1) / 1000

    def charge(self, now: float, cost: float) -> None:
        """Take what was spent already, even where there is less: the rest is owed.

        Less than nothing is given back; what is above the burst then is lost when it is next asked for.
        """
        if self._rate:
            self.wait(now)
            self._tokens -= cost

    def is_full(self, now: float) -> bool:
        """Is it as it was at first, so that it need not be kept?"""
        return self._tokens + (now - self._at) * self._rate >= self._burst
