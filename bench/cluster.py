"""`python -m bench cluster`: one server with SQLite, and one, two and three nodes over one PostgreSQL.

Where there are several nodes, the players of a room are connected to the same of them, or to different ones.
All of them share one core with PostgreSQL, so what counts is the CPU time that a move takes in all: of the
nodes, and of the database. Every load is put on one set of nodes right after the other, and the whole is done
several times.
"""

import argparse
import contextlib
import itertools
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import asyncpg
import uvloop
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench.frame import carry_out
from bench.kinds import DURABLE, parlour
from bench.load import Paced, Usage, pace, percentile, saturate
from bench.play import ParlourRoom
from bench.rooms import Tally
from bench.servers import SERVER_CORE, Kind, Server, pin_generator, running
from bench.tables import lean
from tests.support.postgres import Server as Database
from tests.support.postgres import running as postgres

ROOMS = (10, 100, 1000)
SETS = {
    "SQLite": (0, False),
    "PostgreSQL, 1 node": (1, False),
    "2 nodes, together": (2, False),
    "2 nodes, apart": (2, True),
    "3 nodes, apart": (3, True),
}
"""How many nodes, and whether the players of a room are connected to different ones."""
ONE = "PostgreSQL, 1 node"
RATE = 1000.0
"""Moves a second for latencies, over a hundred rooms."""
PACED_ROOMS = 100
MOST_NODES_CPU = 1.5
"""So many times the CPU time of one node a move may take with several."""
TICK = 1 / os.sysconf("SC_CLK_TCK")


class SpreadRoom(ParlourRoom):
    """A room whose players are connected to the same node, or to different ones."""

    shown: list[float] = []  # noqa: RUF012 - all rooms of a phase share it
    """Seconds from the mover's answer until the opponent was shown the move."""
    _numbers = itertools.count()

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self._number = next(self._numbers)
        self._accepted_at: float | None = None

    async def connect(self, server: Server) -> int:
        """See `Room.connect`."""
        assert isinstance(server, Nodes)
        for seat, player in enumerate(self._players):
            await player.enter(server.nodes[(self._number + seat * server.apart) % len(server.nodes)])
        return len(self._players)

    def accepted(self) -> None:
        """A player's move was, or an earlier command."""
        self._accepted_at = perf_counter()

    def received(self) -> None:
        """The opponent was shown the move; perhaps before the mover had the answer."""
        self.shown.append(0.0 if self._accepted_at is None else perf_counter() - self._accepted_at)
        super().received()

    def _move(self) -> None:
        self._accepted_at = None
        super()._move()


@dataclass(frozen=True, slots=True)
class Nodes(Server):
    """Several servers and their database, as one."""

    nodes: tuple[Server, ...] = ()
    apart: bool = False
    """Are the players of a room connected to different nodes?"""
    database: int = 0
    """The process of PostgreSQL that all its others are children of; 0: there is none."""

    def cpu_seconds(self) -> float:
        """Of all nodes."""
        return sum(node.cpu_seconds() for node in self.nodes)

    def store_seconds(self) -> float:
        """CPU time of all of PostgreSQL's processes, in steps of ten milliseconds."""
        return sum(map(_seconds, [self.database, *_children(self.database)])) if self.database else 0.0


def _children(parent: int) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(one) for one in text.split()]


def _seconds(process: int) -> float:
    with contextlib.suppress(OSError):
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return TICK * (int(times[11]) + int(times[12]))
    return 0.0


@dataclass(slots=True)
class Samples:
    """What was measured of one set of nodes, round by round."""

    saturated: dict[int, list[Usage]] = field(default_factory=dict)
    """By the number of rooms."""
    paced: list[Paced] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Line:
    """A set of nodes with so many rooms that play as fast as they can: medians of the rounds."""

    nodes: str
    rooms: int
    moves_per_second: float
    cpu_us_per_move: float
    """Of all nodes together."""
    database_us_per_move: float
    of_one_node: float | None
    """Both together in parts of what one node takes with its database, within the same round."""


@dataclass(frozen=True, slots=True)
class Latency:
    """What opponents waited at a set rate, and how long after the mover's answer they were shown a move."""

    nodes: str
    p50_ms: float
    p99_ms: float
    shown_p50_ms: float | None
    shown_p99_ms: float | None


@contextlib.asynccontextmanager
async def _nodes(count: int, apart: bool, folder: Path, database: Database) -> AsyncIterator[Nodes]:
    """So many nodes over a fresh database; none: a server with SQLite."""
    async with contextlib.AsyncExitStack() as stack:
        if count == 0:
            one = await stack.enter_async_context(running(DURABLE, folder))
            yield Nodes(DURABLE, one.pid, one.host, one.port, (one,))
            return
        name = f"bench{secrets.token_hex(6)}"
        connection = await asyncpg.connect(database.url())
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()
        kind = Kind("postgres", lambda _: parlour(database.url(name)), SpreadRoom)
        nodes = [
            await stack.enter_async_context(running(kind, folder / f"node-{number}"))
            for number in range(count)
        ]
        first = nodes[0]
        yield Nodes(kind, first.pid, first.host, first.port, tuple(nodes), apart, database.process.pid)


async def _measure(
    rounds: int, seconds: float, folder: Path, database: Database, bar: Progress
) -> dict[str, Samples]:
    samples = {name: Samples() for name in SETS}
    task = bar.add_task("starting", total=rounds * len(samples) * (len(ROOMS) + 1))

    def begin(number: int, what: str) -> None:
        bar.update(task, description=f"round {number + 1}: {what}", refresh=True)

    for number in range(rounds):
        async with contextlib.AsyncExitStack() as stack:
            sets = {
                name: await stack.enter_async_context(
                    _nodes(count, apart, folder / f"{number}-{count}-{apart}", database)
                )
                for name, (count, apart) in SETS.items()
            }
            for nodes in sets.values():
                await saturate(nodes, 20, seconds / 2)
            for rooms in ROOMS:
                for name, nodes in sets.items():
                    begin(number, f"{name}, {rooms} rooms")
                    usage = await saturate(nodes, rooms, seconds)
                    samples[name].saturated.setdefault(rooms, []).append(usage)
                    bar.advance(task)
            for name, nodes in sets.items():
                begin(number, f"{name}, {RATE:,.0f} moves/s")
                SpreadRoom.shown.clear()
                samples[name].paced.append(await pace(nodes, PACED_ROOMS, RATE, seconds))
                samples[name].shown += SpreadRoom.shown
                bar.advance(task)
    return samples


def _run(rounds: int, seconds: float, bar: Progress) -> tuple[list[Line], list[Latency]]:
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as name, postgres(Path(name)) as database:
        for process in [database.process.pid, *_children(database.process.pid)]:
            # Some are there for its start alone.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(process, {SERVER_CORE})
        pin_generator()
        return _lines(uvloop.run(_measure(rounds, seconds, Path(name), database, bar)))


def _lines(samples: dict[str, Samples]) -> tuple[list[Line], list[Latency]]:
    lines, latencies = [], []
    one = samples[ONE]
    for name, found in samples.items():
        for rooms, usages in found.saturated.items():
            ratios = [
                _cpu(usage) / _cpu(its) for usage, its in zip(usages, one.saturated[rooms], strict=True)
            ]
            lines.append(
                Line(
                    name,
                    rooms,
                    median(usage.moves_per_second for usage in usages),
                    median(usage.cpu_us_per_move for usage in usages),
                    median(usage.store_us_per_move for usage in usages),
                    median(ratios) if found is not one else None,
                )
            )
        shown = [percentile(found.shown, percent) * 1000 if found.shown else None for percent in (50, 99)]
        waits = [median(getattr(paced, which) for paced in found.paced) * 1000 for which in ("p50", "p99")]
        latencies.append(Latency(name, waits[0], waits[1], shown[0], shown[1]))
    return lines, latencies


def _cpu(usage: Usage) -> float:
    return usage.cpu_us_per_move + usage.store_us_per_move


def _show(console: Console, found: tuple[list[Line], list[Latency]]) -> None:
    lines, latencies = found
    table = lean(
        "As fast as they can, on one core",
        "nodes",
        numbers=("rooms", "moves/s", "us", "database us", "of one node"),
    )
    for line in lines:
        ratio = "" if line.of_one_node is None else f"{line.of_one_node:.2f}"
        table.add_row(
            line.nodes,
            f"{line.rooms:,}",
            f"{line.moves_per_second:,.0f}",
            f"{line.cpu_us_per_move:.0f}",
            f"{line.database_us_per_move:.0f}",
            ratio,
            _verdict(line),
        )
    console.print(table)
    table = lean(
        f"{RATE:,.0f} moves a second in {PACED_ROOMS} rooms",
        "nodes",
        numbers=("p50 ms", "p99 ms", "shown p50", "p99"),
    )
    for one in latencies:
        shown = ["" if it is None else f"{it:.2f}" for it in (one.shown_p50_ms, one.shown_p99_ms)]
        table.add_row(one.nodes, f"{one.p50_ms:.2f}", f"{one.p99_ms:.2f}", *shown, "")
    console.print(table)


def _verdict(line: Line) -> str:
    if line.of_one_node is None or line.nodes == "SQLite":
        return ""
    return "met" if line.of_one_node <= MOST_NODES_CPU else "MISSED"


def _as_json(found: tuple[list[Line], list[Latency]]) -> Any:
    return {"saturated": [asdict(line) for line in found[0]], "paced": [asdict(line) for line in found[1]]}


def main(arguments: Sequence[str]) -> int:
    """Measure and report: see `frame.carry_out`."""
    parser = argparse.ArgumentParser(prog="python -m bench cluster", description="Measure several nodes.")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds (default 3)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="for each phase (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of tables")
    options = parser.parse_args(arguments)
    return carry_out(
        lambda bar: _run(options.rounds, options.seconds, bar),
        time=TimeElapsedColumn(),
        alone=True,
        as_json=_as_json if options.json else None,
        show=_show,
    )
