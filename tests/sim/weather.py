"""How bad a run is: drawn from its seed, from calm to dreadful."""

import random
from dataclasses import dataclass

CLUSTERS = 0.3
"""The share of runs in which several nodes serve, or one of which there might be several."""


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
    """The share of breaks that nobody is notified of: half-open lines that swallow everything."""
    repeats: float
    """How likely a client says something twice."""
    unreachable: float
    """How likely a try to connect fails."""
    commit: tuple[float, float]
    """Seconds until an append is durable, from and to; and again until that is answered."""
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
    nodes: int
    """How many nodes share a database; 0: one server has a disk to itself."""
    lost_hints: float
    """How likely a node misses what another tells it."""
    hints: tuple[float, float]
    """Seconds that this takes otherwise, from and to."""
    lost_calls: float
    """How likely a node gets no answer from the database, though it may have done what was asked."""
    cuts: int
    """How often a node is cut off from the database, and not from its clients."""
    outages: int
    """How often the database is down for all; after some it has forgotten all but the log."""
    pauses: int
    """How often a node is stopped for a while, its connections open."""
    early: int
    """How often all leases end before their time."""
    clocks: tuple[float, float]
    """Seconds by which a node's clock is off, and seconds that it gains or loses in one."""


def draw(dice: random.Random) -> Weather:
    """A run's weather."""
    calm = dice.random() < 0.1
    slow = dice.choice((0.005, 0.02, 0.02, 0.1, 0.4))
    commit = dice.choice((0.0005, 0.003, 0.01, 0.1))
    weather = Weather(
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
        nodes=0,
        lost_hints=0,
        hints=(0.0, 0.0),
        lost_calls=0,
        cuts=0,
        outages=0,
        pauses=0,
        early=0,
        clocks=(0.0, 0.0),
    )
    if dice.random() < CLUSTERS:
        _draw_cluster(weather, dice, calm)
    return weather


def _draw_cluster(weather: Weather, dice: random.Random, calm: bool) -> None:
    """Let several nodes serve, and what goes wrong among them."""
    weather.nodes = dice.choice((1, 2, 2, 2, 3, 3))
    late = dice.choice((0.002, 0.02, 0.2, 1.0))
    weather.hints = (late / 10, late)
    weather.clocks = dice.choice((0.0, 1.0, 5.0)), dice.choice((0.0, 0.0002, 0.01))
    if not calm:
        weather.lost_hints = dice.choice((0.0, 0.0, 0.1, 0.5, 1.0))
        weather.lost_calls = dice.choice((0.0, 0.0, 0.0, 0.02, 0.1))
        weather.cuts = dice.choice((0, 0, 1, 2))
        weather.outages = dice.choice((0, 0, 0, 0, 1))
        weather.pauses = dice.choice((0, 0, 1, 2))
        weather.early = dice.choice((0, 0, 0, 1))


def calm(weather: Weather) -> None:
    """End the storm, so that everyone can come to rest."""
    weather.latency = (0.001, 0.01)
    weather.commit = (0.001, 0.002)
    weather.stall = weather.unreachable = weather.not_saved = weather.bad_searches = 0.0
    weather.cut_bytes, weather.full_disk = None, False
    weather.lost_hints = weather.lost_calls = 0.0
    weather.hints = (0.001, 0.01)
