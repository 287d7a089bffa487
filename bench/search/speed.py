"""How many positions a second the engine visits, as machine code."""

from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import thread_time
from typing import Any

from bench.search.positions import middle
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels.compiled import prepare
from parlour_server.search.kernels.inner_search import TableMemory

GOALS = {
    "connect4": 15.0,
    "reversi": 8.0,
    "gomoku": 3.0,
    "ultimate": None,
    "kalah": 1.0,
    "checkers": 1.0,
    "isolation": 1.0,
    "breakthrough": 1.0,
    "morris": 1.0,
    "konane": None,
    "dots": None,
    "hex": None,
    "go": None,
}
"""Millions of positions a second, at least."""

PLIES = {
    "connect4": (0, 6, 12, 18),
    "reversi": (0, 12, 24, 36),
    "gomoku": (0, 6, 12, 20),
    "ultimate": (0, 10, 20, 30),
    "kalah": (0, 6, 12, 18),
    "checkers": (0, 8, 18, 30),
    "isolation": (0, 4, 8, 12),
    "breakthrough": (0, 8, 16, 24),
    "morris": (0, 8, 16, 24),
    "konane": (0, 6, 12, 18),
    "dots": (0, 6, 12, 15),
    "hex": (0, 8, 16, 24),
    "go": (0, 4, 8, 12),
}
"""After how many plies the positions stand."""


@dataclass(slots=True)
class Speed:
    """A game's speed, round by round."""

    game: str
    goal: float | None
    rounds: list[float] = field(default_factory=list)
    """Millions of positions for each second of CPU time."""
    depths: list[int] = field(default_factory=list)
    """How deep each position was searched."""

    @property
    def millions(self) -> float:
        """The median of the rounds."""
        return median(self.rounds)

    @property
    def met(self) -> bool | None:
        """Was the goal reached?"""
        return None if self.goal is None else self.millions >= self.goal


class Racer:
    """One game's positions, ready to be searched round after round."""

    def __init__(self, name: str, nodes: int) -> None:
        self.game: Game[Any] = find_game(name)
        prepare(self.game)
        self.nodes = nodes
        self.positions = [
            middle(self.game, plies, seed=1)[1] if plies else self.game.initial() for plies in PLIES[name]
        ]
        self.control = Control(compiled=True, memory=TableMemory())
        self.speed = Speed(name, GOALS[name])

    def round(self) -> None:
        """Search every position once, each from an empty table."""
        visited, spent, depths = 0, 0.0, []
        for position in self.positions:
            start = thread_time()
            report = engine(self.game, position, rng=Random(1), control=self.control, nodes=self.nodes)
            spent += thread_time() - start
            visited += report.nodes
            depths.append(report.depth)
        self.speed.rounds.append(visited / spent / 1e6)
        self.speed.depths = depths
