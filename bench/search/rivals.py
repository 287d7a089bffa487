"""Our engine against alpha-beta as others have it in Python: the same positions, to the same depth.

easyAI's Negamax runs twice: on the Connect Four that comes with it, and at its best, on our rules with our
order of moves and our evaluation. OpenSpiel's runs on its own states, with our evaluation at the leaves,
whose positions are read from its text; with none it would cut nearly all. Ours looks no less far than they:
it goes from depth to depth, and beyond the last one where a threat hangs over the board.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import thread_time
from typing import Any

import numpy as np
from easyAI import Negamax, TwoPlayerGame
from easyAI.games.ConnectFour import ConnectFour as EasyAiConnectFour
from open_spiel.python.algorithms.minimax import alpha_beta_search

from bench import spiel
from bench.search.positions import middle
from parlour_server.games import find_game
from parlour_server.games.connect4 import Position as ConnectFourPosition
from parlour_server.games.game import Game, Move
from parlour_server.games.reversi import REVERSI
from parlour_server.games.reversi import Position as ReversiPosition
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels.compiled import prepare
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.scores import POINT, top_score

GOAL = 100.0
"""So many times as fast."""

PLIES = {"connect4": (0, 8, 16), "reversi": (0, 14, 28)}

OURS_IN_EASYAI, EASYAI, OPENSPIEL = "easyAI, our rules", "easyAI", "OpenSpiel"

DEPTHS = {
    ("connect4", EASYAI): 6,
    ("connect4", OURS_IN_EASYAI): 10,
    ("connect4", OPENSPIEL): 8,
    ("reversi", OURS_IN_EASYAI): 8,
    ("reversi", OPENSPIEL): 6,
}
"""As deep as takes them seconds. At less, what a search costs before it begins would be what is measured."""

QUICKER = 2
"""So much less deep is a quick run."""

REPEATS = 3
"""Ours takes milliseconds, so it is asked more than once."""


@dataclass(slots=True)
class Rivalry:
    """How often ours is as fast as another one, round by round."""

    rival: str
    game: str
    depth: int
    positions: int
    ours_ms: list[float] = field(default_factory=list)
    """CPU time for all the positions."""
    theirs_ms: list[float] = field(default_factory=list)
    goal: float = GOAL

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios."""
        return median(theirs / ours for ours, theirs in zip(self.ours_ms, self.theirs_ms, strict=True))

    @property
    def met(self) -> bool:
        """Was the goal reached?"""
        return self.ratio >= self.goal


class Contest:
    """One game's positions, for ours and for another one."""

    def __init__(self, name: str, rival: str, *, quick: bool) -> None:
        self.game: Game[Any] = find_game(name)
        prepare(self.game)
        self.depth = DEPTHS[name, rival] - (QUICKER if quick else 0)
        self.starts = [
            middle(self.game, plies, seed=2) if plies else ([], self.game.initial()) for plies in PLIES[name]
        ]
        self.theirs: Callable[[list[Move], Any], float] = {
            EASYAI: self._easyai,
            OURS_IN_EASYAI: self._ours_in_easyai,
            OPENSPIEL: self._openspiel,
        }[rival]
        self.control = Control(compiled=True, memory=TableMemory())
        self.found = Rivalry(rival, name, self.depth, len(self.starts))

    def round(self) -> None:
        """Both on every position, one right after the other."""
        ours, theirs = 0.0, 0.0
        for moves, position in self.starts:
            start = thread_time()
            for _ in range(REPEATS):
                self._ours(position)
            between = thread_time()
            self.theirs(moves, position)
            theirs += thread_time() - between
            ours += (between - start) / REPEATS
        self.found.ours_ms.append(1000 * ours)
        self.found.theirs_ms.append(1000 * theirs)

    def _ours(self, position: Any) -> None:
        engine(self.game, position, rng=Random(1), control=self.control, depth=self.depth)

    def _easyai(self, moves: list[Move], position: Any) -> float:
        """As its documentation shows it. Only lost games have a value, below 0."""
        game = EasyAiConnectFour([None, None], np.zeros((6, 7), int))
        for move in moves:
            game.make_move(move)
            game.switch_player()
        return _value(Negamax(self.depth), game)

    def _ours_in_easyai(self, moves: list[Move], position: Any) -> float:
        """In hundredths of a point, as OpenSpiel's."""
        return _value(Negamax(self.depth), _EasyAiGame(self.game, position))

    def _openspiel(self, moves: list[Move], position: Any) -> float:
        value, _ = alpha_beta_search(
            spiel.load(self.game.name),
            state=spiel.state(self.game, moves),
            value_function=_leaf(self.game, self.game.to_move(position)),
            maximum_depth=self.depth,
        )
        return float(value) * top_score(self.game) * POINT


def _value(search: Any, game: Any) -> float:
    search(game)
    return float(search.alpha)


# ---------------------------------------------------------------- our games as easyAI wants them


class _EasyAiGame(TwoPlayerGame):  # type: ignore[misc]
    """Any of our games, which `Negamax` searches. A move is taken back by forgetting the last position."""

    def __init__(self, game: Game[Any], position: Any) -> None:
        self.players = [None, None]
        self.current_player = 1
        self.game = game
        self.path = [position]
        self.win = top_score(game) * POINT

    def possible_moves(self) -> list[Move]:
        """The likely best first, as ours tries them."""
        return list(self.game.search_order(self.path[-1]))

    def make_move(self, move: Move) -> None:
        self.path.append(self.game.play(self.path[-1], move))

    def unmake_move(self, move: Move) -> None:
        self.path.pop()

    def is_over(self) -> bool:
        return self.game.outcome(self.path[-1]) is not None

    def scoring(self) -> int:
        position = self.path[-1]
        outcome = self.game.outcome(position)
        if outcome is None:
            return self.game.evaluate(position)
        if outcome.winner is None:
            return 0
        return self.win if outcome.winner == self.game.to_move(position) else -self.win


# ---------------------------------------------------------------- OpenSpiel's states as our positions


def _leaf(game: Game[Any], side: int) -> Callable[[Any], float]:
    """Our evaluation of OpenSpiel's states, for one side, where a win is worth 1."""
    read = READERS[game.name]
    scale = 1 / (top_score(game) * POINT)

    def value(state: Any) -> float:
        estimate = scale * game.evaluate(read(state))
        return estimate if state.current_player() == side else -estimate

    return value


_MARKED = str.maketrans("xo.", "110")
_FIRST = str.maketrans("xo.", "100")


def _connect_four(state: Any) -> ConnectFourPosition:
    # Seven columns from the left, in lines from the top; in ours the last column's top is the highest bit.
    text = state.observation_string(0)
    columns = "." + ".".join(text[column::8] for column in range(6, -1, -1))
    mask, first = int(columns.translate(_MARKED), 2), int(columns.translate(_FIRST), 2)
    return ConnectFourPosition(first if state.current_player() == 0 else first ^ mask, mask)


_BLACK = str.maketrans("xo-", "100")
_WHITE = str.maketrans("xo-", "010")


def _reversi(state: Any) -> ReversiPosition:
    rows = str(state).splitlines()[2:10]
    cells = "".join(row[2:17:2] for row in rows)[::-1]
    black, white = int(cells.translate(_BLACK), 2), int(cells.translate(_WHITE), 2)
    side = state.current_player()
    mine, theirs = (black, white) if side == 0 else (white, black)
    return ReversiPosition(mine, theirs, side, REVERSI.reach(mine, theirs))


READERS: dict[str, Callable[[Any], Any]] = {"connect4": _connect_four, "reversi": _reversi}
"""Our position for an unfinished state of OpenSpiel's."""
