"""An idea for the search against what it was: this working tree, and a revision of its repository, by turns.

Both search the same positions to the same depths, each in a process of its own. Nodes say what was searched,
the CPU time what it cost, and the best moves with their scores whether the result is the same.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from bench import BenchError
from bench.search.positions import middle
from bench.tables import lean
from parlour_server.games import find_game
from parlour_server.search.kernels.compiled import prepare

DEPTHS = {"connect4": 14, "reversi": 11, "gomoku": 8, "ultimate": 11}
"""To which each game's positions are searched: some tenths of a second for most of them."""
PLIES = {
    "connect4": (0, 4, 8, 12, 16, 20),
    "reversi": (0, 8, 16, 24, 32, 40),
    "gomoku": (0, 6, 12, 18, 24, 30),
    "ultimate": (0, 8, 16, 24, 32, 40),
}
"""After how many plies the positions stand."""
PACKAGES = ("protocol", "server")
_ROOT = Path(__file__).parents[2]
_SCRIPT = Path(__file__).with_name("searched.py")


@dataclass(frozen=True, slots=True)
class Place:
    """A position, by the moves that lead to it."""

    game: str
    moves: str
    depth: int


@dataclass(frozen=True, slots=True)
class Searched:
    """One search: the positions that it visited, its CPU time, and its best move with the score."""

    nodes: int
    seconds: float
    result: str


@dataclass(slots=True)
class Compared:
    """A game's positions, searched by the revision and by the working tree."""

    game: str
    depth: int
    positions: int = 0
    before_nodes: int = 0
    nodes: int = 0
    ratios: list[float] = field(default_factory=list)
    """Of each round: the working tree's CPU time in parts of the revision's."""
    before_ms: list[float] = field(default_factory=list)
    """Of each round, for all positions."""
    differing: list[str] = field(default_factory=list)
    """The positions whose results are not the same, in words."""


Search = Callable[[Place], Searched]


def compare(
    revision: str, games: Sequence[str], rounds: int, progress: Callable[[str, int], Callable[[], None]]
) -> list[Compared]:
    """Measure every game's positions, round after round. Raises `BenchError`."""
    places = {game: [_place(game, plies) for plies in PLIES[game]] for game in games}
    with ExitStack() as open_:
        before = open_.enter_context(_searcher(open_.enter_context(_checkout(revision))))
        after = open_.enter_context(_searcher(_ROOT))
        step = progress("machine code", 2 * len(games))
        for game in games:
            for search in (before, after):
                search(Place(game, "", 1))
                step()
        found = [Compared(game, DEPTHS[game], len(places[game])) for game in games]
        step = progress(f"{revision} and the working tree", rounds * sum(map(len, places.values())))
        for number in range(rounds):
            for line in found:
                _round(line, places[line.game], number, before, after, step)
    return found


def _round(
    line: Compared,
    places: list[Place],
    number: int,
    before: Search,
    after: Search,
    step: Callable[[], None],
) -> None:
    pairs = []
    for place in places:
        # Who comes first finds other caches: that is each of them by turns.
        if number % 2:
            mine, theirs = after(place), before(place)
        else:
            theirs, mine = before(place), after(place)
        pairs.append((theirs, mine))
        if number == 0 and theirs.result != mine.result:
            line.differing.append(f"{place.moves or 'the start'}: {theirs.result}, now {mine.result}")
        step()
    line.before_nodes, line.nodes = (sum(pair[side].nodes for pair in pairs) for side in (0, 1))
    spent, spends = (sum(pair[side].seconds for pair in pairs) for side in (0, 1))
    line.before_ms.append(1000 * spent)
    line.ratios.append(spends / spent)


def _place(name: str, plies: int) -> Place:
    game = find_game(name)
    prepare(game)
    moves = middle(game, plies, seed=1)[0] if plies else []
    written, position = [], game.initial()
    for move in moves:
        written.append(game.format(position, move))
        position = game.play(position, move)
    return Place(name, " ".join(written), DEPTHS[name])


@contextmanager
def _checkout(revision: str) -> Iterator[Path]:
    """A revision's packages, in a folder of their own while it is entered."""
    command = ["git", "archive", revision, *PACKAGES]
    packed = subprocess.run(command, cwd=_ROOT, capture_output=True, check=False)
    if packed.returncode:
        raise BenchError(f"There is no {revision} here: {packed.stderr.decode(errors='replace').strip()}")
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


@contextmanager
def _searcher(tree: Path) -> Iterator[Search]:
    """A process that searches by the code of a tree, while it is entered."""
    paths = [str(tree / package) for package in PACKAGES]
    process = subprocess.Popen(
        [sys.executable, "-P", str(_SCRIPT)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    into, out, errors = process.stdin, process.stdout, process.stderr

    def answer() -> dict[str, Any]:
        line = out.readline()
        if not line:
            raise BenchError(f"The search of {tree} broke:\n{errors.read().strip()}")
        said: dict[str, Any] = json.loads(line)
        return said

    def search(place: Place) -> Searched:
        with suppress(BrokenPipeError):  # why it ended, its answer says
            into.write(json.dumps(asdict(place)) + "\n")
            into.flush()
        return Searched(**answer())

    try:
        code = answer()["code"]
        if not Path(code).is_relative_to(tree):
            raise BenchError(f"What was to search by {tree} searches by {code}.")
        yield search
    finally:
        process.kill()
        process.communicate()


def as_json(revision: str, found: list[Compared]) -> dict[str, Any]:
    """The comparison as one JSON value."""
    return {"revision": revision, "games": [asdict(line) for line in found]}


def show(revision: str, console: Console, found: list[Compared]) -> None:
    """Print a table, and the positions whose results differ."""
    numbers = ("depth", "nodes", "ratio", "ms", "ratio", "low-high", "same")
    table = lean(f"The working tree beside {revision}", "game", numbers=numbers, after=())
    for line in found:
        table.add_row(
            line.game,
            str(line.depth),
            f"{line.before_nodes:,}",
            f"{line.nodes / line.before_nodes:.2f}",
            f"{median(line.before_ms):,.0f}",
            f"{median(line.ratios):.2f}",
            f"{min(line.ratios):.2f}-{max(line.ratios):.2f}",
            f"{line.positions - len(line.differing)}/{line.positions}",
        )
    table.caption = (
        "Nodes and CPU milliseconds of the revision for all positions, ours in parts of its; the time's "
        "ratio is the median of the rounds'."
    )
    console.print(table)
    for line in found:
        for position in line.differing:
            console.print(f"{line.game}, {position}", markup=False, highlight=False)
