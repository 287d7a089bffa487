"""From the rounds' samples to the figures of a run, their goals, and what keeps them from being exact.

Each figure is the median of its rounds. A ratio is taken within a round first, where both servers
met the same machine, and is then the median of those.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.load import Paced, Usage, percentile
from bench.searches import Search

RATE_GOALS = {
    ("echo", "memory", 50): 0.60,
    ("echo", "memory", 200): 0.60,
    ("echo", "durable", 50): 0.45,
    ("echo", "durable", 200): 0.45,
    ("colyseus", "memory", 200): 0.85,
    ("colyseus", "durable", 200): 0.75,
}
"""The least part of the first one's rate that the second is to reach, with so many rooms."""
DURABLE = ("durable", "compiling")
SYNCS_OF_P99 = 2.0
"""A durable server's p99 is at most so many times that of the disk alone."""
IDLE_GOALS = {"memory": 18.0}
"""KiB at most for each idle connection."""
SEARCH_GOALS = {"minimax": 1000.0, "alphabeta": 30.0}
"""Milliseconds, and less than them."""

BUSY = 0.95
"""From here on a core counts as busy: what is missing goes to interrupts and to the machine's owner."""
_LATE_MS = 0.5
"""A generator that is later than this makes up much of what it measures."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """A server with all its rooms playing as fast as they can."""

    server: str
    rooms: int
    moves_per_second: float
    cpu_us_per_move: float
    server_busy: float
    generator_busy: float
    ratio: float
    """Its rate, in parts of the yardstick's."""
    ratio_range: tuple[float, float]
    """The lowest and the highest of the rounds."""
    cpu_ratio: float
    """The yardstick's CPU time a move, in parts of this server's: what a busy machine moves least."""
    goal: float | None
    met: bool | None
    lower_bound: bool
    """The generator, not the server, set the rate."""
    note: str | None
    rounds: list[float]
    """Moves a second, round by round."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the opponent waits for a move at a fixed rate."""

    server: str
    rooms: int
    offered_per_second: float
    moves_per_second: float
    p50_ms: float
    p99_ms: float
    sent_late_p99_ms: float
    cpu_us_per_move: float
    server_busy: float
    generator_busy: float
    goal_ms: float | None
    met: bool | None
    note: str | None
    rounds_p99_ms: list[float]


@dataclass(frozen=True, slots=True)
class Thought:
    """A bot's first move of a game."""

    bot: str
    milliseconds: float
    nodes: int
    goal_ms: float
    met: bool
    rounds_ms: list[float]


@dataclass(frozen=True, slots=True)
class Idle:
    """The memory that a connection takes which does nothing."""

    server: str
    kib: float
    goal_kib: float | None
    met: bool | None


@dataclass(frozen=True, slots=True)
class Played:
    """A game with all its rooms playing as fast as they can, on Parlour in memory."""

    game: str
    moves_per_second: float
    cpu_us_per_move: float
    ratio: float
    """Its CPU time a move, in parts of the first game's."""
    rounds: list[float]
    """Moves a second, round by round."""


@dataclass(slots=True)
class Samples:
    """All that was measured, round by round."""

    saturated: dict[tuple[str, int], list[Usage]] = field(default_factory=dict)
    games: dict[str, list[Usage]] = field(default_factory=dict)
    paced: dict[str, list[Paced]] = field(default_factory=dict)
    searches: dict[str, list[Search]] = field(default_factory=dict)
    syncs: list[list[float]] = field(default_factory=list)
    """Seconds that the disk took for each `fdatasync`, after each phase at a set rate."""
    idle_bytes: dict[str, float] = field(default_factory=dict)


def saturations(samples: Samples, yardstick: str) -> list[Saturation]:
    """A line for each load and server, measured by one of them."""
    return [
        _saturation(server, rooms, usages, yardstick, samples.saturated[yardstick, rooms])
        for (server, rooms), usages in samples.saturated.items()
    ]


def played(samples: Samples) -> list[Played]:
    """A line for each game, measured by the first one."""
    found = []
    for game, usages in samples.games.items():
        of, first = _medians(usages), next(iter(samples.games.values()))
        pairs = zip(usages, first, strict=True)
        found.append(
            Played(
                game,
                of(lambda usage: usage.moves_per_second),
                of(lambda usage: usage.cpu_us_per_move),
                median(ours.cpu_us_per_move / its.cpu_us_per_move for ours, its in pairs),
                [usage.moves_per_second for usage in usages],
            )
        )
    return found


def latencies(samples: Samples, rooms: int, rate: float) -> list[Latency]:
    """A line for each server."""
    goal = SYNCS_OF_P99 * sync_p99_ms(samples)
    return [
        _latency(server, rooms, rate, paced, goal if server in DURABLE else None)
        for server, paced in samples.paced.items()
    ]


def sync_p99_ms(samples: Samples) -> float:
    """The p99 of the disk alone, in milliseconds: the median of all phases."""
    return median(percentile(took, 99) for took in samples.syncs) * 1000


def idles(samples: Samples) -> list[Idle]:
    """A line for each server."""
    found = []
    for server, size in samples.idle_bytes.items():
        goal, kilobytes = IDLE_GOALS.get(server), size / 1024
        found.append(Idle(server, kilobytes, goal, None if goal is None else kilobytes <= goal))
    return found


def thoughts(samples: Samples) -> list[Thought]:
    """A line for each bot."""
    lines = []
    for bot, searches in samples.searches.items():
        rounds = [search.seconds * 1000 for search in searches]
        goal, took = SEARCH_GOALS[bot], median(rounds)
        lines.append(Thought(bot, took, searches[-1].nodes, goal, took < goal, rounds))
    return lines


def _saturation(
    server: str, rooms: int, usages: Sequence[Usage], yardstick: str, its: Sequence[Usage]
) -> Saturation:
    of, pairs = _medians(usages), list(zip(usages, its, strict=True))
    ratios = [ours.moves_per_second / one.moves_per_second for ours, one in pairs]
    cpu_ratios = [one.cpu_us_per_move / ours.cpu_us_per_move for ours, one in pairs]
    server_busy, generator_busy = of(lambda usage: usage.server_busy), of(lambda usage: usage.generator_busy)
    goal, ratio, cpu_ratio = RATE_GOALS.get((yardstick, server, rooms)), median(ratios), median(cpu_ratios)
    lower_bound = server_busy < BUSY and generator_busy > server_busy
    return Saturation(
        server=server,
        rooms=rooms,
        moves_per_second=of(lambda usage: usage.moves_per_second),
        cpu_us_per_move=of(lambda usage: usage.cpu_us_per_move),
        server_busy=server_busy,
        generator_busy=generator_busy,
        ratio=ratio,
        ratio_range=(min(ratios), max(ratios)),
        cpu_ratio=cpu_ratio,
        goal=goal,
        # By the lower ratio: a yardstick that was kept from its core must not make a goal look met.
        met=None if goal is None else min(ratio, cpu_ratio) >= goal,
        lower_bound=lower_bound,
        note=_doubt(server_busy, lower_bound),
        rounds=[usage.moves_per_second for usage in usages],
    )


def _doubt(server_busy: float, lower_bound: bool) -> str | None:
    if lower_bound:
        return "the generator was the bottleneck: the rate is a lower bound"
    if server_busy < BUSY:
        return "the server waited for its disk, or for others on this machine: trust the CPU times"
    return None


def _latency(server: str, rooms: int, rate: float, paced: Sequence[Paced], goal: float | None) -> Latency:
    of = _medians([sample.usage for sample in paced])
    p99s = [sample.p99 * 1000 for sample in paced]
    late = median(sample.late * 1000 for sample in paced)
    p99 = median(p99s)
    received = of(lambda usage: usage.moves_per_second)
    return Latency(
        server=server,
        rooms=rooms,
        offered_per_second=rate,
        moves_per_second=received,
        p50_ms=median(sample.p50 * 1000 for sample in paced),
        p99_ms=p99,
        sent_late_p99_ms=late,
        cpu_us_per_move=of(lambda usage: usage.cpu_us_per_move),
        server_busy=of(lambda usage: usage.server_busy),
        generator_busy=of(lambda usage: usage.generator_busy),
        goal_ms=goal,
        met=None if goal is None else p99 <= goal,
        note=_latency_doubt(received / rate, late),
        rounds_p99_ms=p99s,
    )


def _latency_doubt(kept_up: float, late: float) -> str | None:
    if late > _LATE_MS:
        return "the generator's lateness makes up much of p99"
    if kept_up < BUSY:
        return f"the server kept up with {kept_up:.0%} of the moves, and the rest waited ever longer"
    return None


def _medians(usages: Sequence[Usage]) -> Callable[[Callable[[Usage], float]], float]:
    def of(figure: Callable[[Usage], float]) -> float:
        return median(map(figure, usages))

    return of


def verdicts(lines: Iterable[Saturation | Latency | Thought | Idle]) -> tuple[int, int]:
    """How many goals were met, and how many there are."""
    known = [line.met for line in lines if line.met is not None]
    return sum(known), len(known)
