"""How bad a run is: drawn from its seed, from calm to dreadful."""

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Weather:
    """What may go wrong, and how often."""

    latency: tuple[float, float]
    """Seconds that a message takes, from and to."""
    stall: float
    """How likely a message, and all behind it, is held up for seconds."""
    cut_bytes: float | None
    """A line breaks after so many bytes, on average; None: never."""
    silent: float
    """The share of breaks that nobody is told of: half-open lines that swallow everything."""
    repeats: float
    """How likely a client says something twice."""
    unreachable: float
    """How likely a try to connect fails."""
    commit: tuple[float, float]
    """Seconds until an append is durable, from and to; and again until that is told."""
    not_saved: float
    """How likely a commit fails."""
    crashes: int
    restarts: int
    """How often the server is killed, and how often stopped and started."""
    strangers: int
    """How often another server writes to a room's log, too."""
    full_disk: bool
    """Is there a time in which nothing can be saved?"""
    bad_searches: float
    """How likely a search fails, or finds the scheduler full."""
    idle_seconds: float
    """After how long a room that nobody comes to retires."""
    seconds: float
    """How long people play."""
    people: int


def draw(dice: random.Random) -> Weather:
    """A run's weather."""
    calm = dice.random() < 0.1
    slow = dice.choice((0.005, 0.02, 0.02, 0.1, 0.4))
    commit = dice.choice((0.0005, 0.003, 0.01, 0.1))
    return Weather(
        latency=(slow / 4, slow),
        stall=0 if calm else dice.choice((0, 0, 0.005, 0.02)),
        cut_bytes=None if calm else dice.choice((None, 2_000, 5_000, 20_000, 60_000)),
        silent=dice.choice((0.0, 0.2, 0.5)),
        repeats=dice.choice((0.0, 0.0, 0.03)),
        unreachable=0 if calm else dice.choice((0, 0, 0.2)),
        commit=(commit / 4, commit),
        not_saved=0 if calm else dice.choice((0, 0, 0.02, 0.1)),
        crashes=0 if calm else dice.choice((0, 0, 1, 1, 2, 3)),
        restarts=0 if calm else dice.choice((0, 0, 1, 2)),
        strangers=dice.choice((0, 0, 0, 3)),
        full_disk=not calm and dice.random() < 0.15,
        bad_searches=0 if calm else dice.choice((0, 0.05, 0.2)),
        idle_seconds=dice.choice((2.0, 45.0, 3600.0)),
        seconds=dice.uniform(6, 26),
        people=dice.choice((2, 2, 3, 3, 4)),
    )


def calm(weather: Weather) -> None:
    """End the storm, so that everyone can come to rest."""
    weather.latency = (0.001, 0.01)
    weather.commit = (0.001, 0.002)
    weather.stall = weather.unreachable = weather.not_saved = weather.bad_searches = 0.0
    weather.cut_bytes, weather.full_disk = None, False
