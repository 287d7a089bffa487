"""What a load test does, and what came of it: the data that its processes exchange."""

from collections import Counter
from dataclasses import dataclass, field, fields

from pydantic import TypeAdapter

from parlour_client.load.histogram import Histogram


@dataclass(frozen=True, slots=True)
class Plan:
    """What one process, or all of them, are to do."""

    server: str
    rooms: int
    seconds: float
    moves_per_second: float | None
    """Over all rooms, at set times; None: each move follows the one before at once."""
    spectators: int
    """In each room."""
    bots: bool
    """Does a bot sit in every second room?"""
    game: str
    first_room: int = 0
    """The number of this process's first room."""


@dataclass(slots=True)
class Outcome:
    """What was counted and timed; `merge` adds up what the processes found."""

    moves: int = 0
    """Moves that the other side has seen, while it was measured."""
    seconds: float = 0.0
    latency: Histogram = field(default_factory=Histogram)
    """From when a move was due until the other side saw it, in seconds."""
    late: Histogram = field(default_factory=Histogram)
    """From when a move was due until it was sent: what is not the server's."""
    bot_answers: Histogram = field(default_factory=Histogram)
    """From when a player saw their own move until they saw the bot's."""
    games: int = 0
    rooms: int = 0
    """Rooms in which a game began."""
    spectators: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Refusals by code; `http_503` and the like are refused connections."""
    lost: Counter[str] = field(default_factory=Counter)
    """Connections that were lost while it was measured, by their reason. Players come back by themselves."""
    lost_on_time: int = 0
    missing: int = 0
    """Commands that were never answered, though their player came back."""
    faults: list[str] = field(default_factory=list)
    """What must never be: an acceptance without its move, a version left out or repeated, another board."""
    checked_games: int = 0
    """Games whose acceptances were held against their moves."""
    cpu_seconds: float = 0.0
    """Of the load's own processes."""
    busiest: float = 0.0
    """How much of a core the busiest of these had."""
    loop_lag: Histogram = field(default_factory=Histogram)
    """How late the load's own loops came back from sleeps."""

    def merge(self, other: "Outcome") -> None:
        """Add what another process found meanwhile."""
        for name, mine in [(one.name, getattr(self, one.name)) for one in fields(self)]:
            theirs = getattr(other, name)
            if isinstance(mine, Histogram):
                mine.merge(theirs)
            elif isinstance(mine, Counter):
                mine.update(theirs)
            else:
                setattr(self, name, max(mine, theirs) if name in ("seconds", "busiest") else mine + theirs)


OUTCOME = TypeAdapter(Outcome)
"""From one process to the other it goes as JSON."""
