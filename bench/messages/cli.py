"""The command line: `python -m bench messages`."""

import argparse
import asyncio
import gc
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench.frame import carry_out
from bench.messages.stays import Stay, measured_stays
from bench.messages.worst import cases, world
from bench.options import count, end_on_sigterm
from bench.tables import lean, word
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.store.sqlite import SqliteStore

ROUNDS = 5
GOAL_MS = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """How long one command kept the loop at most, in milliseconds: the median of the rounds."""

    command: str
    cpu_ms: float
    wall_ms: float
    largest: int
    """The largest message that its sender got, in bytes."""

    @property
    def met(self) -> bool:
        """Did its own work take no longer than it should?"""
        return self.cpu_ms <= GOAL_MS


def main(arguments: list[str]) -> int:
    """Measure and report. 0: measured, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser().parse_args(arguments)
    end_on_sigterm()

    def measure(bars: Progress) -> list[Line]:
        task = bars.add_task("rounds", total=options.rounds + 1)
        bars.refresh()
        return asyncio.run(_measure(options.rounds, lambda: bars.update(task, advance=1, refresh=True)))

    return carry_out(
        measure,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=partial(_as_json, options.rounds) if options.json else None,
        show=partial(_show, options.rounds),
    )


async def _measure(rounds: int, done: Callable[[], None]) -> list[Line]:
    stays: dict[str, list[Stay]] = defaultdict(list)
    largest: dict[str, int] = defaultdict(int)
    # The first round is not counted: what is built when it is first needed is there afterwards.
    for number in range(rounds + 1):
        for command, stay, size in await _round():
            if number:
                stays[command].append(stay)
            largest[command] = max(largest[command], size)
        done()
    return [
        Line(
            command,
            1000 * median(stay.cpu for stay in found),
            1000 * median(stay.wall for stay in found),
            largest[command],
        )
        for command, found in stays.items()
    ]


async def _round() -> list[tuple[str, Stay, int]]:
    """Every command once; of one that is sent in several ways the longest stay counts."""
    longest: dict[str, tuple[Stay, int]] = {}
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder, measured_stays() as stays:
        store = await SqliteStore.open(Path(folder) / "rooms.db")
        async with world(store, SearchScheduler(workers=1, longest=1.0)) as found:
            # As `App.start` does.
            gc.collect()
            gc.freeze()
            gc.set_threshold(20_000, 20, 20)
            await found.rest()
            for case in cases():
                stays.take()
                size = max(map(len, await found.send(case)))
                stay, before = stays.take(), longest.get(case.type)
                if before is not None:
                    stay = Stay(max(stay.wall, before[0].wall), max(stay.cpu, before[0].cpu))
                    size = max(size, before[1])
                longest[case.type] = stay, size
    return [(command, stay, size) for command, (stay, size) in longest.items()]


def _as_json(rounds: int, lines: list[Line]) -> dict[str, Any]:
    return {
        "rounds": rounds,
        "goal_ms": GOAL_MS,
        "commands": [asdict(line) | {"met": line.met} for line in lines],
    }


def _show(rounds: int, console: Console, lines: list[Line]) -> None:
    numbers = ("CPU ms", "ms", "largest message")
    table = lean("The longest stay on the event loop", "command", numbers=numbers, after=["goal"])
    for line in sorted(lines, key=lambda line: -line.cpu_ms):
        size = f"{line.largest:,}"
        table.add_row(line.command, f"{line.cpu_ms:.2f}", f"{line.wall_ms:.2f}", size, word(line.met))
    table.caption = "CPU ms: of the loop's thread, without its waiting for a core. In bytes."
    console.print(table, "")
    met = sum(line.met for line in lines)
    console.print(f"{met} of {len(lines)} within {GOAL_MS:g} ms. Medians of {rounds} interleaved rounds.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench messages",
        description="Measure how long each command at its worst keeps the server's event loop.",
        epilog="example: python -m bench messages --rounds 3 --json > stays.json",
    )
    add = parser.add_argument
    add("--rounds", type=count, default=ROUNDS, metavar="N", help=f"interleaved rounds (default {ROUNDS})")
    add("--json", action="store_true", help="print one JSON value instead of a table")
    return parser
