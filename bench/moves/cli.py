"""The command line: `python -m bench moves`."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench import BenchError
from bench.frame import carry_out
from bench.options import count, end_on_sigterm, some
from bench.tables import lean, word

GAMES = ("tictactoe", "mnk:7,7,4", "connect4", "reversi", "gomoku", "ultimate", "mancala")
"""`mancala` stands for the games of others: it says nothing of its own about what a move changes."""
ROUNDS, MOVES = 5, 2000
GOAL_US = 26.0
"""Of tic-tac-toe."""
GOAL_RATIO = 1.3
"""No other game takes more, in parts of tic-tac-toe."""
_ROOT = Path(__file__).parents[2]
_SCRIPT = Path(__file__).with_name("played.py")

Row = dict[str, float]


@dataclass(frozen=True, slots=True)
class Line:
    """What a move of one game takes: the median of the rounds. `beside`: the same of the other checkout."""

    game: str
    us: float
    calls: float
    """Functions in Python that a move calls."""
    ratio: float
    """The microseconds, in parts of tic-tac-toe's."""
    beside_us: float | None = None
    beside_calls: float | None = None
    beside_ratio: float | None = None
    """Ours in parts of the other's, taken in each round."""

    @property
    def met(self) -> bool:
        """Is it as quick as it should be?"""
        return self.us <= GOAL_US if self.game == GAMES[0] else self.ratio <= GOAL_RATIO


def main(arguments: list[str]) -> int:
    """Measure and report. 0: measured, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser().parse_args(arguments)
    end_on_sigterm()
    # What the others are measured by is always there.
    games = tuple(name for name in GAMES if name == GAMES[0] or name in options.games)

    def measure(bars: Progress) -> list[Line]:
        task = bars.add_task("rounds", total=options.rounds)
        bars.refresh()
        done = partial(bars.update, task, advance=1, refresh=True)
        return lines(games, *_rounds(games, options, done))

    return carry_out(
        measure,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=partial(_as_json, options.rounds) if options.json else None,
        show=partial(_show, options.rounds),
    )


def _rounds(
    games: tuple[str, ...], options: argparse.Namespace, done: Callable[[], object]
) -> tuple[list[dict[str, Row]], list[dict[str, Row]]]:
    """The rounds of this checkout, and those of the other one, by turns."""
    ours, others = [], []
    for _ in range(options.rounds):
        ours.append(_measured(_ROOT, sys.executable, games, options.moves))
        if options.beside is not None:
            python = options.beside / ".venv/bin/python"
            others.append(_measured(options.beside, str(python), games, options.moves))
        done()
    return ours, others


def _measured(checkout: Path, python: str, games: tuple[str, ...], moves: int) -> dict[str, Row]:
    """One round of a checkout, in a process of its own. Raises `BenchError`."""
    # The same script for both: it meets what the checkout's Python has installed.
    command = [python, str(_SCRIPT), json.dumps({"games": games, "moves": moves})]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    try:
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise BenchError(f"{checkout} has no Python that runs: {error}.") from None
    if done.returncode:
        raise BenchError(f"The moves of {checkout} broke:\n{done.stderr.strip()}")
    found: dict[str, Row] = json.loads(done.stdout)
    return found


def lines(games: tuple[str, ...], ours: list[dict[str, Row]], others: list[dict[str, Row]]) -> list[Line]:
    """Sum the rounds up; what is compared is compared within a round."""

    def of(rounds: list[dict[str, Row]], game: str, what: str) -> float | None:
        return median(one[game][what] for one in rounds) if rounds else None

    found = []
    for game in games:
        us, calls = of(ours, game, "us"), of(ours, game, "calls")
        assert us is not None and calls is not None, "there is a round at least"
        ratio = median(one[game]["us"] / one[GAMES[0]]["us"] for one in ours)
        pairs = zip(ours, others, strict=False)
        beside = median(one[game]["us"] / other[game]["us"] for one, other in pairs) if others else None
        found.append(Line(game, us, calls, ratio, of(others, game, "us"), of(others, game, "calls"), beside))
    return found


def _as_json(rounds: int, found: list[Line]) -> dict[str, Any]:
    return {"rounds": rounds, "moves": [asdict(line) | {"met": line.met} for line in found]}


def _show(rounds: int, console: Console, found: list[Line]) -> None:
    compared = found[0].beside_us is not None
    numbers = ["us", "calls", "ratio"]
    if compared:
        numbers += ["beside: us", "calls", "ours"]
    table = lean("A move's way through the server, without sockets", "game", numbers=numbers, after=["goal"])
    for line in found:
        goal = f"{GOAL_US:g} us" if line.game == GAMES[0] else f"{GOAL_RATIO:g}"
        cells = [f"{line.us:.1f}", f"{line.calls:.0f}", f"{line.ratio:.2f}"]
        if compared:
            cells += [f"{line.beside_us:.1f}", f"{line.beside_calls:.0f}", f"{line.beside_ratio:.2f}"]
        table.add_row(line.game, *cells, f"{goal} {word(line.met)}")
    table.caption = (
        "CPU and calls of Python functions for each move, and its CPU in parts of tic-tac-toe's. "
        f"Medians of {rounds} rounds."
    )
    if compared:
        table.caption += " Beside: the other checkout, and our CPU in parts of its."
    console.print(table)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench moves",
        description="Measure what a move of each game takes in the server; docs/benchmarks.md tells more.",
        epilog="example: python -m bench moves --beside ../parlour-before --games gomoku",
    )
    parser.add_argument("--games", type=some(GAMES), default=GAMES, help=f"some of {', '.join(GAMES)}")
    parser.add_argument(
        "--rounds", type=count, default=ROUNDS, metavar="N", help=f"rounds (default {ROUNDS})"
    )
    parser.add_argument(
        "--moves", type=count, default=MOVES, metavar="N", help=f"of each game (default {MOVES})"
    )
    parser.add_argument(
        "--beside",
        type=_checkout,
        metavar="PATH",
        help="another checkout with its .venv, by turns with this one",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of a table")
    return parser


def _checkout(text: str) -> Path:
    path = Path(text).resolve()
    if not (path / ".venv/bin/python").exists():
        raise argparse.ArgumentTypeError(f"{text} is no checkout with a .venv")
    return path
