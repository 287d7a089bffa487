"""Who plays in a match: a bot of ours, or OpenSpiel's Monte Carlo tree search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Timer
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from bench import spiel
from parlour_server.games.game import Game, Move
from parlour_server.search.control import Control
from parlour_server.search.kernels.compiled import prepare
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.levels import kind_of, parse_bot, with_seed
from parlour_server.search.thinking import think, uses_machine_code

MOST_SECONDS = 60.0
"""For bots without a bound of their own, as a server has one too."""

UCT_C = 2.0
"""OpenSpiel's own choice in its examples."""


@dataclass(slots=True)
class Effort:
    """What a player's moves took."""

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0

    def add(self, seconds: float, nodes: int) -> None:
        """Count one more move."""
        self.moves += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.nodes += nodes

    def merge(self, other: "Effort") -> None:
        """Count another's moves too."""
        self.moves += other.moves
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.nodes += other.nodes


class Player(Protocol):
    """Chooses moves in one game."""

    effort: Effort

    def choose(self, game: Game[Any], position: Any, moves: Sequence[Move]) -> Move:
        """The move in the position that `moves` led to."""


@dataclass(slots=True)
class Bot:
    """A bot of ours, stopped by a flag when its time is over, as a server stops it."""

    text: str
    seed: int
    effort: Effort = field(default_factory=Effort)
    memory: TableMemory = field(default_factory=TableMemory)

    def choose(self, game: Game[Any], position: Any, moves: Sequence[Move]) -> Move:
        """As in the contract."""
        spec = with_seed(parse_bot(self.text), self.seed)
        machine_code = uses_machine_code(game, spec)
        if machine_code:
            prepare(game)
        flag = bytearray(1)

        def stop() -> None:
            flag[0] = 1

        start = perf_counter()
        timer = Timer(kind_of(spec).time or MOST_SECONDS, stop)
        timer.start()
        try:
            control = Control(
                stopped=lambda: bool(flag[0]),
                clock=perf_counter,
                flag=flag,
                compiled=machine_code,
                memory=self.memory,
            )
            report = think(game, position, spec, move_number=len(moves), control=control)
        finally:
            timer.cancel()
        self.effort.add(perf_counter() - start, report.nodes)
        if report.best is None:
            # Stopped before any move was scored: the desk would do the same.
            return game.legal_moves(position)[0]
        return game.parse(position, report.best)


@dataclass(slots=True)
class Mcts:
    """OpenSpiel's Monte Carlo tree search with random rollouts, in C++, or in Python where asked for."""

    simulations: int
    seed: int
    python: bool = False
    effort: Effort = field(default_factory=Effort)

    def choose(self, game: Game[Any], position: Any, moves: Sequence[Move]) -> Move:
        """As in the contract. Where OpenSpiel chooses a board and then a cell, it searches for each."""
        state = spiel.state(game, moves)
        start = perf_counter()
        actions: list[int] = []
        mover = state.current_player()
        bot = self._bot(game.name, len(moves))
        while not actions or spiel.in_the_middle(game, state, mover):
            action = bot.step(state)
            state.apply_action(action)
            actions.append(action)
        self.effort.add(perf_counter() - start, self.simulations * len(actions))
        return spiel.move(game, position, actions)

    def _bot(self, name: str, ply: int) -> Any:
        theirs, seed = spiel.load(name), self.seed * 1000 + ply
        if self.python:
            dice = np.random.RandomState(seed)
            evaluator = mcts.RandomRolloutEvaluator(1, dice)
            return mcts.MCTSBot(theirs, UCT_C, self.simulations, evaluator, random_state=dice)
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(theirs, evaluator, UCT_C, self.simulations, 1000, True, seed, False)


@cache
def mcts_setting(text: str) -> tuple[int, bool] | None:
    """Simulations and whether in Python, of a player written `mcts:1000` or `mcts-python:1000`."""
    name, _, simulations = text.partition(":")
    return (int(simulations), name == "mcts-python") if name in ("mcts", "mcts-python") else None


def player(text: str, seed: int) -> Player:
    """The player of that name, a bot of ours unless it is `mcts:N`."""
    setting = mcts_setting(text)
    return Bot(text, seed) if setting is None else Mcts(setting[0], seed, setting[1])
