"""A run: what is measured, in which order, and how often."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.search import endings, lag, rivals, solving, speed
from bench.search.endings import Endings
from bench.search.lag import Delay
from bench.search.rivals import Contest, Rivalry
from bench.search.solving import Solving
from bench.search.speed import Racer, Speed

PARTS = ("solve", "speed", "rivals", "endings", "live")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run measures."""

    parts: tuple[str, ...]
    sets: tuple[str, ...]
    limit: int | None
    """At most so many positions of each set, and so many endings."""
    data: Path | None
    fresh: bool
    nodes: int
    """Of each search where speed is measured."""
    rounds: int
    quick: bool


@dataclass(slots=True)
class Found:
    """All that was measured."""

    solving: list[Solving] = field(default_factory=list)
    speed: list[Speed] = field(default_factory=list)
    rivals: list[Rivalry] = field(default_factory=list)
    endings: Endings | None = None
    live: list[Delay] = field(default_factory=list)


Progress = Callable[[str, int], Callable[[], None]]
"""Told what begins and of how many steps it is; gives what is to be called after each."""


def run(plan: Plan, progress: Progress) -> Found:
    """Measure one part after the other. Raises `BenchError`."""
    found = Found()
    # What is missing should be said before minutes were spent.
    data = solving.folder(plan.data) if "solve" in plan.parts else None
    if "speed" in plan.parts:
        found.speed = _speed(plan, progress)
    if "endings" in plan.parts:
        count = endings.COUNT if plan.limit is None else min(plan.limit, endings.COUNT)
        step = progress(f"reversi, {endings.EMPTY} empty", count)
        found.endings = endings.solve(endings.endings(count), step)
    if "rivals" in plan.parts:
        found.rivals = _rivals(plan, progress)
    if "live" in plan.parts:
        found.live = _live(plan, progress)
    if data is not None:
        for name in plan.sets:
            given = solving.positions(data / f"{name}.txt", plan.limit)
            step = progress(f"solve {name}", len(given))
            whole = plan.limit is None
            found.solving.append(solving.solve(name, given, whole=whole, fresh=plan.fresh, progress=step))
    return found


def _speed(plan: Plan, progress: Progress) -> list[Speed]:
    racers = [Racer(name, plan.nodes) for name in speed.GOALS]
    step = progress("nodes a second", plan.rounds * len(racers))
    for _ in range(plan.rounds):
        for racer in racers:
            racer.round()
            step()
    return [racer.speed for racer in racers]


def _rivals(plan: Plan, progress: Progress) -> list[Rivalry]:
    contests = [Contest(game, rival, quick=plan.quick) for game, rival in rivals.DEPTHS]
    rounds = min(plan.rounds, 2) if plan.quick else plan.rounds
    step = progress("against others", rounds * len(contests))
    for _ in range(rounds):
        for contest in contests:
            contest.round()
            step()
    return [contest.found for contest in contests]


def _live(plan: Plan, progress: Progress) -> list[Delay]:
    amount = lag.QUICK if plan.quick else lag.Amount()
    ended: list[Callable[[], None]] = []

    def next_one(what: str) -> None:
        for end in ended:
            end()
        ended[:] = [progress(what, 1)]

    delays = lag.delays(amount, next_one)
    for end in ended:
        end()
    return delays
