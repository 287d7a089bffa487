"""The command line: `python -m bench`."""

import argparse
import asyncio
import math
import signal
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import uvloop
from rich.progress import Progress, TimeElapsedColumn

from bench.frame import carry_out
from bench.kinds import BOARDGAME, COLYSEUS, COMPILING, DURABLE, ECHO, MEMORY, PEERS, peers_installed
from bench.report import as_json, figures, show
from bench.results import Samples
from bench.run import Plan, measure

_OWN = (ECHO, MEMORY, DURABLE)
_ALL = (COLYSEUS, MEMORY, DURABLE, ECHO, BOARDGAME)
_PACED = (COLYSEUS, MEMORY, DURABLE, COMPILING, ECHO)
"""boardgame.io can't make 2,000 moves a second."""
_DEFAULT = Plan(rounds=5, seconds=2.0, kinds=_OWN, rooms=(50, 200), paced=_OWN)
_PEERS = replace(_DEFAULT, kinds=_ALL, rooms=(50, 200, 500), paced=_PACED, bots=(), idle=_ALL)
_QUICK_ROUNDS, _QUICK_SECONDS = 2, 0.5
_MOST_ROUNDS = 100
_LEAST_SECONDS, _MOST_SECONDS = 0.2, 60.0


def main(arguments: list[str], *, peers: bool = False) -> int:
    """Measure and report. 0: measured, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser(peers).parse_args(arguments)
    if peers and not peers_installed():
        print(f"The others are not installed: npm install --prefix {PEERS}", file=sys.stderr)
        return 1
    plan = _PEERS if peers else _DEFAULT
    if options.quick:
        plan = replace(plan, rounds=_QUICK_ROUNDS, seconds=_QUICK_SECONDS)
    plan = replace(plan, rounds=options.rounds or plan.rounds, seconds=options.seconds or plan.seconds)
    yardstick = COLYSEUS if peers else ECHO
    return carry_out(
        lambda bar: figures(_measure(plan, bar), yardstick.name),
        time=TimeElapsedColumn(),
        alone=True,
        as_json=partial(as_json, plan) if options.json else None,
        show=lambda console, found: show(console, plan, found),
    )


def _measure(plan: Plan, bar: Progress) -> Samples:
    task = bar.add_task("starting", total=plan.phases)
    begun = False

    def progress(what: str) -> None:
        nonlocal begun
        bar.update(task, advance=int(begun), description=what, refresh=True)
        begun = True

    async def run(folder: Path) -> Samples:
        main_task = asyncio.current_task()
        assert main_task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, main_task.cancel)
        return await measure(plan, folder, progress)

    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
        samples = uvloop.run(run(Path(folder)))
    bar.update(task, completed=plan.phases, description="done", refresh=True)
    return samples


def _parser(peers: bool) -> argparse.ArgumentParser:
    command = "python -m bench peers" if peers else "python -m bench"
    beside = "Colyseus, boardgame.io and a stock echo server" if peers else "a stock echo server"
    parser = argparse.ArgumentParser(
        prog=command,
        description=f"Measure Parlour beside {beside}; docs/benchmarks.md tells how to read it.",
        epilog=f"example: {command} --rounds 3 --seconds 1 --json > figures.json",
    )
    parser.add_argument("--quick", action="store_true", help="a short run, to see that all works")
    parser.add_argument("--rounds", type=_rounds, metavar="N", help=f"rounds (default {_DEFAULT.rounds})")
    parser.add_argument(
        "--seconds", type=_seconds, metavar="S", help=f"seconds for each phase (default {_DEFAULT.seconds:g})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of tables")
    return parser


def _rounds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_ROUNDS:
        raise argparse.ArgumentTypeError(f"a number from 1 to {_MOST_ROUNDS}, please")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{_LEAST_SECONDS:g} to {_MOST_SECONDS:g}, please")
    return seconds
