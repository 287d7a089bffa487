"""Token buckets: how often somebody may do something."""

import math


class Bucket:
    """Holds `burst` tokens at most, and gains `rate` of them a second. A rate of zero: no limit."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, now

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take `cost` tokens; 0 where there were enough, else the seconds until there are, in milliseconds.

        What costs more than the bucket holds is had for a full one.
        """
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        cost = min(cost, self._burst)
        if self._tokens >= cost:
            self._tokens -= cost
            return 0.0
        # Rounded up: after so long there are enough.
        return (math.floor(1000 * (cost - self._tokens) / self._rate) + 1) / 1000

    def is_full(self, now: float) -> bool:
        """Is it as it was at first, so that it need not be kept?"""
        return self._tokens + (now - self._at) * self._rate >= self._burst


class Buckets:
    """A bucket for each player, or each address. Those that are full are forgotten by `sweep`."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: dict[str, Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str, now: float, cost: float = 1.0) -> float:
        """See `Bucket.take`."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self._rate, self._burst, now)
        return bucket.take(now, cost)

    def sweep(self, now: float) -> None:
        """Forget everyone who has taken nothing for a while."""
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}
