"""`python -m bench dask`: searches on Dask workers beside those in pools of the server's own.

Everything runs on this machine, so what is measured is what the way there costs. In each round the pools and
clusters of 1, 2 and 4 workers have their turns one after the other.
"""

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass, field
from statistics import median
from time import perf_counter, process_time

import structlog
import uvloop
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench import BenchError
from bench.frame import carry_out
from bench.options import count, end_on_sigterm
from bench.tables import lean
from parlour_protocol.views.reports import Report
from parlour_server.analysis.dask_pool import DaskPool
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import Search, SearchScheduler
from parlour_server.analysis.worker import Job
from parlour_server.games import all_games, find_game
from parlour_server.search import machine_code
from parlour_server.search.levels import parse_bot

KINDS = (("pools", 2), ("dask", 1), ("dask", 2), ("dask", 4))
ROUNDS, SECONDS, SINGLES, STOPS = 3, 4.0, 40, 15
START_SECONDS = 60.0
GAME = find_game("reversi")
SHORT, LONG = "engine:nodes=1000", "engine:nodes=2000000"
"""Searches of about 1 ms, and of about 0.3 s."""
PLAIN = "minimax:depth=16"
"""In plain Python, which holds the interpreter's lock; without an end."""
ASKER = Requester("question")


@dataclass(slots=True)
class Figures:
    """What was measured of one kind, of all rounds; times in milliseconds."""

    kind: str
    workers: int
    short_a_second: list[float] = field(default_factory=list)
    long_a_second: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    """CPU time of the server's process for one short search; of pools, that of the search with it."""
    answer: list[float] = field(default_factory=list)
    """From asking for a short search to its report."""
    stop: list[float] = field(default_factory=list)
    """From cancelling a search to its worker being free."""
    stop_plain: list[float] = field(default_factory=list)
    report: list[float] = field(default_factory=list)
    """From the moment when a report is due, 0.1 s after the search has begun, until it is here."""


def main(arguments: list[str]) -> int:
    """Measure and report. 0: measured; 1: the run broke; 130: interrupted."""
    parser = argparse.ArgumentParser(prog="python -m bench dask", description=__doc__)
    parser.add_argument("--rounds", type=count, default=ROUNDS, metavar="N", help=f"(default {ROUNDS})")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of a table")
    options = parser.parse_args(arguments)
    end_on_sigterm()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("error"))

    def run(bars: Progress) -> list[Figures]:
        for game in all_games():
            machine_code.prepare(game)
        found = [Figures(*kind) for kind in KINDS]
        for _ in bars.track(range(options.rounds), description="rounds"):
            for figures in found:
                uvloop.run(_measure(figures))
        return found

    return carry_out(
        run,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=(lambda found: [asdict(one) for one in found]) if options.json else None,
        show=_show,
    )


def _show(console: Console, found: list[Figures]) -> None:
    rates = ["1 ms: a second", "of pools", "CPU ms", "0.3 s: a second", "of pools"]
    table = lean("Searches", "workers", numbers=rates, after=())
    for one in found:
        table.add_row(
            f"{one.kind} {one.workers}",
            f"{median(one.short_a_second):,.0f}",
            _ratio(one.short_a_second, found[0].short_a_second),
            f"{median(one.cpu_ms):.1f}",
            f"{median(one.long_a_second):.1f}",
            _ratio(one.long_a_second, found[0].long_a_second),
        )
    console.print(table, "")
    times = ["answer", "stop", "stop, plain Python", "report"]
    table = lean("Milliseconds, p50 / p99", "workers", numbers=times, after=())
    for one in found:
        samples = (one.answer, one.stop, one.stop_plain, one.report)
        cells = (f"{_percentile(each, 50):.0f} / {_percentile(each, 99):.0f}" for each in samples)
        table.add_row(f"{one.kind} {one.workers}", *cells)
    console.print(table)


def _ratio(ours: list[float], theirs: list[float]) -> str:
    return f"{median(one / other for one, other in zip(ours, theirs, strict=True)):.2f}"


def _percentile(samples: list[float], percent: int) -> float:
    return sorted(samples)[min(len(samples) - 1, len(samples) * percent // 100)]


# ---------------------------------------------------------------- one turn


class _Asked:
    """A search, and what comes of it."""

    def __init__(self, scheduler: SearchScheduler, bot: str) -> None:
        self.done = asyncio.Event()
        self.reported: list[float] = []
        job = Job(GAME.name, GAME.initial(), parse_bot(bot), 0)
        self.search: Search = scheduler.search(job, ASKER, self._done, self._report)

    def _done(self, report: Report | None) -> None:
        if report is None:
            raise BenchError("A search failed.")
        self.done.set()

    def _report(self, report: Report) -> None:
        if report.queued is None and report.nodes:
            self.reported.append(perf_counter())

    async def begun(self) -> None:
        """Until a worker has it."""
        await _until(lambda: self.search.slot is not None and self.search.waits_since is None)


async def _measure(figures: Figures) -> None:
    async with _scheduler(figures.kind, figures.workers) as scheduler:
        await _Asked(scheduler, SHORT).done.wait()
        cpu = process_time()
        figures.short_a_second.append(rate := await _rate(scheduler, SHORT))
        figures.cpu_ms.append(1000 * (process_time() - cpu) / (rate * SECONDS))
        figures.long_a_second.append(await _rate(scheduler, LONG))
        for _ in range(SINGLES):
            asked_at = perf_counter()
            await _Asked(scheduler, SHORT).done.wait()
            figures.answer.append(1000 * (perf_counter() - asked_at))
        for bot, stops in (("engine:time=60", figures.stop), (PLAIN, figures.stop_plain)):
            for _ in range(STOPS):
                one = _Asked(scheduler, bot)
                await one.begun()
                begun_at = perf_counter()
                await asyncio.sleep(0.15)
                if bot != PLAIN and one.reported:
                    figures.report.append(1000 * (one.reported[0] - begun_at - 0.1))
                told_at = perf_counter()
                one.search.cancel()
                await _until(lambda: not scheduler.running)
                stops.append(1000 * (perf_counter() - told_at))


async def _until(what: Callable[[], bool]) -> None:
    while not what():  # noqa: ASYNC110 - nothing tells us
        await asyncio.sleep(0.0005)


async def _rate(scheduler: SearchScheduler, bot: str) -> float:
    """Searches a second while there are always enough to do."""
    done, ends = 0, perf_counter() + SECONDS

    async def ask() -> None:
        nonlocal done
        while perf_counter() < ends:
            await _Asked(scheduler, bot).done.wait()
            done += 1

    await asyncio.gather(*(ask() for _ in range(scheduler.workers)))
    return done / SECONDS


@contextlib.asynccontextmanager
async def _scheduler(kind: str, workers: int) -> AsyncIterator[SearchScheduler]:
    with _cluster(workers) if kind == "dask" else contextlib.nullcontext() as address:
        scheduler = SearchScheduler(cluster=address, workers=workers, longest=60.0, kernels=machine_code)
        try:
            scheduler.warm()
            async with asyncio.timeout(START_SECONDS):
                # Once all of them are there.
                pool = scheduler._for_plain
                await _until(lambda: not isinstance(pool, DaskPool) or len(pool._fitting) == workers)
            yield scheduler
        except TimeoutError:
            raise BenchError("The Dask workers did not become ready.") from None
        finally:
            await scheduler.close()


@contextlib.contextmanager
def _cluster(workers: int) -> Iterator[str]:
    """A Dask cluster on this machine; gives its scheduler's address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address, here = f"tcp://127.0.0.1:{port}", ("--host", "127.0.0.1", "--no-dashboard")
    preload = ("--nthreads", "1", "--no-nanny", "--preload", "parlour_server.analysis.dask_worker")
    commands = [("scheduler", "--port", port, *here), *[("worker", address, *here, *preload)] * workers]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.environ.get("TMPDIR", "/tmp"),
        )
        for what, *options in commands
    ]
    try:
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()
