"""Token buckets: how often somebody may do something."""

import math

BURST_MINUTES = 2
"""What is limited by the minute may be had for so many minutes at once."""


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

    def charge(self, cost: float) -> None:
        """Take what was spent already, even where there is less: the rest is owed."""
        if self._rate:
            self._tokens -= cost

    def give_back(self, cost: float) -> None:
        """Undo a part of what was taken; what is above the burst is lost when it is next asked for."""
        if self._rate:
            self._tokens += cost

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
        return self._bucket(key, now).take(now, cost)

    def wait(self, key: str, now: float, cost: float = 1.0) -> float:
        """See `Bucket.wait`."""
        return self._bucket(key, now).wait(now, cost)

    def charge(self, key: str, now: float, cost: float) -> None:
        """See `Bucket.charge`."""
        self._bucket(key, now).charge(cost)

    def give_back(self, key: str, cost: float) -> None:
        """See `Bucket.give_back`."""
        # Who is forgotten already has a full one.
        if key in self._buckets:
            self._buckets[key].give_back(cost)

    def _bucket(self, key: str, now: float) -> Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self._rate, self._burst, now)
        return bucket

    def sweep(self, now: float) -> None:
        """Forget everyone who has taken nothing for a while."""
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}


def buckets_per_minute(number: float) -> Buckets:
    """Buckets for what each may do so often a minute in the long run; 0: no limit."""
    return Buckets(number / 60, max(1.0, BURST_MINUTES * number))


def bucket_per_minute(number: float, now: float) -> Bucket:
    """The same for one alone."""
    return Bucket(number / 60, max(1.0, BURST_MINUTES * number), now)
