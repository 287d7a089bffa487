"""Waiting times of millions of moves, in a few hundred numbers."""

from collections import Counter
from dataclasses import dataclass, field
from math import ceil, floor, log

_STEP = log(1.01)
_LEAST = 1e-6


@dataclass(slots=True)
class Histogram:
    """Counts of times in seconds, in buckets one percent wide; what is below a microsecond is one."""

    buckets: Counter[int] = field(default_factory=Counter)
    """How many fell into each bucket: bucket n ends at 1.01 ** n microseconds."""
    greatest: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.buckets[ceil(log(max(seconds, _LEAST) / _LEAST) / _STEP)] += 1
        if seconds > self.greatest:
            self.greatest = seconds

    def merge(self, other: "Histogram") -> None:
        """Count all of another's."""
        self.buckets.update(other.buckets)
        self.greatest = max(self.greatest, other.greatest)

    @property
    def count(self) -> int:
        """How many were counted."""
        return self.buckets.total()

    def percentile(self, percent: float) -> float | None:
        """What `percent` of the times do not exceed (nearest rank), at most 1% too high; None of none."""
        rank, seen = ceil(self.count * percent / 100), 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= rank:
                return min(_LEAST * 1.01**bucket, self.greatest)
        return None

    def bars(self, count: int) -> list[tuple[float, int]]:
        """At most `count` ranges that hold them all, each twice or more as wide as the one before.

        For each the seconds at which it ends, and how many are in it.
        """
        if not self.buckets:
            return []
        least, most = min(self.buckets), max(self.buckets)
        doubling = max(log(2) / _STEP, (most - least + 1) / count)
        held: Counter[int] = Counter()
        for bucket, many in self.buckets.items():
            held[floor((bucket - least) / doubling)] += many
        return [
            (min(_LEAST * 1.01 ** (least + (one + 1) * doubling), self.greatest), held[one])
            for one in range(max(held) + 1)
        ]
