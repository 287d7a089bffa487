"""Reversi endings with fourteen empty cells, solved to the last disc."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import thread_time
from typing import Any

from bench import BenchError
from bench.search.positions import sought
from parlour_server.games import find_game
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels.compiled import prepare
from parlour_server.search.kernels.inner_search import TableMemory

EMPTY, COUNT = 14, 50
GOAL_MS = 150.0


@dataclass(frozen=True, slots=True)
class Endings:
    """All of them, solved."""

    positions: int
    mean_ms: float
    """CPU time of a position."""
    longest_ms: float
    mean_nodes: float
    margins: list[int]
    """By how many discs the side to move wins, or loses where it is negative."""
    goal_ms: float
    met: bool


def endings(count: int) -> list[Any]:
    """Positions in which the side to move has a choice, from as many games. The same ones each time."""
    game = find_game("reversi")
    prepare(game)

    def wanted(position: Any, ply: int) -> bool:
        return game.plies_left(position) == EMPTY and len(game.legal_moves(position)) > 1

    return [sought(game, seed, wanted)[1] for seed in range(count)]


def solve(positions: list[Any], progress: Callable[[], None]) -> Endings:
    """The best move's margin in each. Raises `BenchError` where the engine calls none exact."""
    game = find_game("reversi")
    times, nodes, margins = [], 0, []
    control = Control(compiled=True, memory=TableMemory())
    for position in positions:
        start = thread_time()
        report = engine(game, position, rng=Random(1), control=control)
        times.append(thread_time() - start)
        best = report.candidates[0]
        if best.score.kind != "exact":
            raise BenchError(f"The engine ended its search of {position} without an exact score.")
        nodes += report.nodes
        margins.append((best.score.margin or 0) * (1 if best.score.points > 0 else -1))
        progress()
    mean_ms = 1000 * sum(times) / len(times)
    return Endings(
        len(times), mean_ms, 1000 * max(times), nodes / len(times), margins, GOAL_MS, mean_ms <= GOAL_MS
    )
