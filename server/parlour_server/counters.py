"""What a server counts while it runs: plain numbers on one object, which `metrics` reads when it is asked.

They stand in the path of every move, so to count is one addition: no lock, no label to look up.
Each number is written by one thread alone.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

MILLISECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Bounds for what should take a moment, in seconds."""
SECONDS = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Bounds for what people wait for, in seconds."""
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Histogram:
    """How many observations were at most as large as each bound."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Iterable[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        """For each bound what lies above the one before it; the last is what lies above them all."""
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


@dataclass(slots=True, eq=False)
class Counters:
    """All of one server's. What merely is (rooms, players, the queue) is read from where it is kept."""

    connections: int = 0
    """TCP connections accepted."""
    connections_refused: Counter[str] = field(default_factory=Counter)
    """Connections turned away before a session began, by reason."""
    connections_cut: Counter[str] = field(default_factory=Counter)
    """Connections ended by the server, by reason."""
    bytes_in: int = 0
    bytes_out: int = 0
    """Of connections, below TLS's encryption."""
    files: int = 0
    """Answers to browsers with a file of the page, or that it is unchanged."""
    sessions: int = 0
    """Connections that were welcomed."""
    players_new: int = 0
    """Players that were added to the store."""
    commands: Counter[str] = field(default_factory=Counter)
    """Messages that could be read, by their type."""
    refusals: Counter[str] = field(default_factory=Counter)
    """Commands refused, by code."""
    budgets_refused: Counter[str] = field(default_factory=Counter)
    """What was refused since a budget or a rate limit was spent, by its name."""
    events: Counter[type] = field(default_factory=Counter)
    """Events that are durable, by class: `MovePlayed` counts the moves."""
    crashes: Counter[str] = field(default_factory=Counter)
    """Errors in our own code at which an actor started again from its log, by what it is: `room`."""
    searches: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Searches that a worker has ended with, by who asked and by outcome: done, cancelled, failed."""
    searches_refused: int = 0
    """For a full queue."""
    search_waits: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    """Seconds from the request to its worker."""
    search_times: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    """Seconds with a worker."""
    commit_times: Histogram = field(default_factory=lambda: Histogram(MILLISECONDS))
    """Seconds that a commit took. Written by the store's thread, as are the next two."""
    commit_sizes: Histogram = field(default_factory=lambda: Histogram(SIZES))
    """Records in a commit."""
    commits_failed: int = 0
    loop_lag: Histogram = field(default_factory=lambda: Histogram(MILLISECONDS))
    """Seconds by which a timer of the event loop came late."""
