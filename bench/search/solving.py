"""Connect Four solved exactly: six well-known sets of positions, which are not part of Parlour."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import thread_time

from bench import BenchError
from bench.exact import Exact, Node, read

GOALS = {"L3_R1": 0.02, "L2_R1": 0.06, "L2_R2": 4.5, "L1_R1": 0.35, "L1_R2": 115.0, "L1_R3": 2600.0}
"""Milliseconds a position on average, at most."""

STAGES = {
    "L3_R1": "end, easy",
    "L2_R1": "middle, easy",
    "L2_R2": "middle, medium",
    "L1_R1": "begin, easy",
    "L1_R2": "begin, medium",
    "L1_R3": "begin, hard",
}

VARIABLE = "PARLOUR_BENCH_DATA"
BESIDE = Path(__file__).parents[3] / "shared" / "data" / "connect4"

WARM_UP = "44444457"
"""Solved before anything is timed, so that loading machine code is not."""


@dataclass(frozen=True, slots=True)
class Solving:
    """One set of positions."""

    name: str
    positions: int
    right: int
    mean_ms: float
    """CPU time of a position."""
    longest_ms: float
    mean_nodes: float
    goal_ms: float
    met: bool | None
    """None where not the whole set was solved."""


def folder(given: Path | None) -> Path:
    """Where the sets are. Raises `BenchError` with a sentence that says how to give them."""
    for place in (given, Path(os.environ[VARIABLE]) if VARIABLE in os.environ else None, BESIDE):
        if place is not None:
            if all((place / f"{name}.txt").is_file() for name in GOALS):
                return place
            if place is not BESIDE:
                raise BenchError(f"{place} does not hold the six files {', '.join(GOALS)}, each .txt.")
    raise BenchError(
        f"The Connect Four sets are not here. Give the folder of {', '.join(GOALS)} (each .txt, lines of "
        f"moves in columns 1 to 7, a space and the score) by --data or {VARIABLE}, or leave them out by "
        "--parts."
    )


def positions(path: Path, limit: int | None) -> list[tuple[Node, int]]:
    """The positions of a file with their scores, at most so many. Raises `BenchError`."""
    found = []
    for number, line in enumerate(path.read_text().splitlines()[:limit], start=1):
        moves, _, score = line.partition(" ")
        try:
            found.append((read(moves), int(score)))
        except ValueError:
            raise BenchError(f"{path}, line {number}: {line!r} is not moves, a space and a score.") from None
    return found


def solve(
    name: str, given: list[tuple[Node, int]], *, whole: bool, fresh: bool, progress: Callable[[], None]
) -> Solving:
    """Solve a set. It begins with an empty table; with `fresh` every position does."""
    solver = Exact()
    solver.solve(read(WARM_UP))
    solver.clear()
    times, nodes, right = [], 0, 0
    for node, score in given:
        if fresh:
            solver.clear()
        start = thread_time()
        solved = solver.solve(node)
        times.append(thread_time() - start)
        nodes += solved.nodes
        right += solved.score == score
        progress()
    count = len(given)
    mean_ms = 1000 * sum(times) / count
    met = (mean_ms <= GOALS[name] and right == count) if whole or right < count else None
    return Solving(name, count, right, mean_ms, 1000 * max(times), nodes / count, GOALS[name], met)
