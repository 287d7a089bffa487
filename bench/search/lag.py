"""How soon a search stops, what it costs the event loop, how long a move and a start take.

Everything runs as in a server: a scheduler with two workers, on a loop that has other things to do.
Times are those of the clock, for waiting is what is measured; trust them on a quiet machine only.
"""

import asyncio
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import uvloop

from bench import BenchError
from bench.search.positions import middle
from parlour_protocol.views.reports import Report
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.analysis.worker import Job
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.kernels import compiled
from parlour_server.search.levels import parse_bot

GAMES = ("connect4", "reversi", "gomoku", "ultimate")
WORKERS = 2
LONG = parse_bot("engine:time=3600")
ASKER = Requester("seat")
HARD = parse_bot("hard")

STOP_AFTER = 0.05
"""Seconds that a search runs before it is told to stop."""
TICK = 0.001
"""Seconds between two looks at how late the loop is."""
ROOM_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Delay:
    """How long something takes, in milliseconds."""

    what: str
    samples: int
    p50_ms: float
    high_ms: float
    """The percentile that the goal is for."""
    percentile: int
    worst_ms: float
    goal_ms: float
    met: bool


@dataclass(frozen=True, slots=True)
class Amount:
    """How often everything is done."""

    stops: int = 40
    loop_seconds: float = 10.0
    moves: int = 20
    """In each game."""
    starts: int = 5


QUICK = Amount(stops=20, loop_seconds=4.0, moves=3, starts=3)

Progress = Callable[[str], None]
"""Told what is measured next."""


def delays(amount: Amount, progress: Progress) -> list[Delay]:
    """Measure all of it: about a minute and a half. Raises `BenchError`."""
    for name in GAMES:
        progress(f"{name}: machine code")
        if (fault := asyncio.run(KernelCompiler().compile(name, lambda compiling: None))) is not None:
            raise BenchError(f"{name} can't be compiled: {fault}")
    return [*uvloop.run(_at_the_desk(amount, progress)), *_starts(amount.starts, progress)]


async def _at_the_desk(amount: Amount, progress: Progress) -> list[Delay]:
    found = []
    progress("the loop while the first bot's code loads")
    first = [lag for _ in range(amount.starts) for lag in await _first_bot_lags()]
    found.append(_delay("loop lag, first bot loads", first, 99, 5.0))
    async with _scheduler() as scheduler:
        progress("stopping")
        found.append(_delay("told to stop", await _stops(scheduler, amount.stops), 99, 10.0))
        progress("stopping, all cores busy")
        with _busy_cores():
            late = await _stops(scheduler, amount.stops)
        found.append(_delay("told to stop, cores busy", late, 99, 100.0))
        for name in GAMES:
            progress(f"the loop beside two searches of {name}")
            lags = await _lags(scheduler, find_game(name), amount.loop_seconds / len(GAMES))
            found.append(_delay(f"loop lag, {name} twice", lags, 99, 5.0))
        for name in GAMES:
            progress(f"moves at hard in {name}")
            moves = await _moves(scheduler, find_game(name), amount.moves)
            found.append(_delay(f"move at hard, {name}", moves, 95, 600.0))
    return found


@contextlib.asynccontextmanager
async def _scheduler() -> AsyncIterator[SearchScheduler]:
    scheduler = SearchScheduler(workers=WORKERS, longest=ROOM_SECONDS, kernels=compiled)
    try:
        yield scheduler
    finally:
        await scheduler.close()


async def _first_bot_lags() -> list[float]:
    """How many seconds late the loop comes back from short sleeps until a server's first bot has moved."""
    late = []
    game = find_game("connect4")
    async with _scheduler() as scheduler:
        move = asyncio.create_task(_answer(scheduler, Job(game.name, game.initial(), HARD, 0)))
        while not move.done():
            start = perf_counter()
            await asyncio.sleep(TICK)
            late.append(perf_counter() - start - TICK)
        await move
    return late


async def _stops(scheduler: SearchScheduler, number: int) -> list[float]:
    """How many seconds after its time a search's answer comes."""
    game = find_game("reversi")
    job = Job("reversi", game.initial(), LONG, 0, seconds=STOP_AFTER)
    late = []
    for _ in range(number):
        start = perf_counter()
        await _answer(scheduler, job)
        late.append(perf_counter() - start - STOP_AFTER)
    return late


async def _lags(scheduler: SearchScheduler, game: Game[Any], seconds: float) -> list[float]:
    """How many seconds late the loop comes back from short sleeps, with all workers searching."""
    late = []
    job = Job(game.name, game.initial(), LONG, 0)
    searches = [
        scheduler.search(job, ASKER, lambda report: None, lambda report: None) for _ in range(WORKERS)
    ]
    end = perf_counter() + seconds
    while (start := perf_counter()) < end:
        await asyncio.sleep(TICK)
        late.append(perf_counter() - start - TICK)
    for search in searches:
        search.cancel()
    return late


async def _moves(scheduler: SearchScheduler, game: Game[Any], number: int) -> list[float]:
    """Seconds for a move at `hard`, while another search runs."""
    beside = scheduler.search(
        Job(game.name, game.initial(), LONG, 0), ASKER, lambda report: None, lambda report: None
    )
    took = []
    for seed in range(number):
        _, position = middle(game, seed % 20, seed)
        start = perf_counter()
        await _answer(scheduler, Job(game.name, position, HARD, seed))
        took.append(perf_counter() - start)
    beside.cancel()
    return took


async def _answer(scheduler: SearchScheduler, job: Job) -> Report:
    answered: asyncio.Future[Report | None] = asyncio.get_running_loop().create_future()
    scheduler.search(job, ASKER, answered.set_result, lambda report: None)
    report = await answered
    if report is None or report.best is None:
        raise BenchError(f"{job.bot} found no move in {job.game}.")
    return report


@contextlib.contextmanager
def _busy_cores() -> Iterator[None]:
    """A process on every core that does nothing as fast as it can."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _starts(number: int, progress: Progress) -> list[Delay]:
    """From the start of the server's process to its ready line."""
    warm, cold = [], []
    for _ in range(number):
        progress("starting")
        warm.append(_start(dict(os.environ)))
        with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
            cold.append(_start({**os.environ, "PARLOUR_CACHE": folder}))
    return [
        _delay("ready, code in the cache", warm, 50, 1000.0),
        _delay("ready, nothing compiled", cold, 50, 1000.0),
    ]


def _start(environment: dict[str, str]) -> float:
    start = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "parlour_server", "--json", "--port", "0", "--data", ":memory:"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        took = perf_counter() - start
        if "url" not in json.loads(line or b"{}"):
            raise BenchError("The server did not start.")
        return took
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _delay(what: str, seconds: Sequence[float], percentile: int, goal_ms: float) -> Delay:
    ranked = sorted(1000 * one for one in seconds)
    high = ranked[min(len(ranked) - 1, math.ceil(len(ranked) * percentile / 100) - 1)]
    return Delay(what, len(ranked), median(ranked), high, percentile, ranked[-1], goal_ms, high <= goal_ms)
