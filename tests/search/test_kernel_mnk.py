"""The compiled twin of the m,n,k games, and of Connect Four on any size, held against the rules."""

import random
from typing import Any

import numpy as np
import pytest

from parlour_server.games.connect4 import ConnectFour
from parlour_server.games.game import Game
from parlour_server.games.gomoku import GOMOKU
from parlour_server.games.mnk import MNK, TICTACTOE
from parlour_server.search.kernels import ORDERED, RANKED, SELECTIVE, compiled
from parlour_server.search.kernels.compiled import compiled_search

GAMES: list[Game[Any]] = [
    TICTACTOE,
    MNK(4, 5, 4),
    MNK(6, 6, 3),
    MNK(7, 7, 4),
    MNK(3, 19, 3),
    MNK(8, 8, 4, exact=True),
    MNK(9, 9, 7),
    GOMOKU,
    GOMOKU.variant("exact"),
    MNK(19, 5, 6, exact=True),
    MNK(19, 19, 5),
    MNK(19, 19, 19),
    ConnectFour(7, 6),
    ConnectFour(5, 4),
    ConnectFour(8, 7),
    ConnectFour(9, 9),
]
LONGEST = 80
"""Plies after which a random game is broken off."""


@pytest.fixture(scope="module")
def code() -> Any:
    """The kernel's functions as machine code."""
    compiled.prepare(TICTACTOE)
    return compiled_search(TICTACTOE, TICTACTOE.initial()).code


def loaded(code: Any, game: Game[Any], position: Any) -> Any:
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(game, position, state)
    return state


def written(code: Any, state: Any) -> tuple[list[int], bool, bool]:
    """The moves, whether there might be others, and whether their order is to be kept."""
    out = np.full(code.MOST_MOVES + 4, -1, np.int64)
    ranked, number = divmod(code.moves(state, out, 3), RANKED)
    ordered = number >= ORDERED
    number -= ORDERED * ordered
    selective = number >= SELECTIVE
    number -= SELECTIVE * selective
    assert out[2] == -1
    moves = out[3 : 3 + (ranked or number)].tolist()
    if ranked:
        assert len({move >> 16 for move in moves}) == ranked >= number
        moves = [move & 65535 for move in sorted(moves, reverse=True)]
    return moves[:number], selective, ordered


def compare(code: Any, game: Game[Any], position: Any, state: Any) -> None:
    outcome = game.outcome(position)
    assert code.ended(state) == (0 if outcome is None else 2 if outcome.winner is None else 1)
    assert code.margin(state) == 0
    if outcome is None:
        assert code.evaluate(state) == game.evaluate(position)
        assert code.urgent(state) == int(game.urgent(position))
        assert code.plies_left(state) == game.plies_left(position)
        order = list(game.search_order(position))
        assert written(code, state) == (order, game.selective(position), game.ordered(position))


def test_every_game_that_people_may_ask_for_has_the_kernel() -> None:
    assert {game.kernel for game in GAMES if game.name != "connect4"} == {"parlour_server.search.kernels.mnk"}
    assert MNK(2, 5, 2).kernel == ""


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}{' exact' * getattr(game, 'exact', 0)}")
def test_every_function_agrees_with_the_rules(code: Any, game: Game[Any]) -> None:
    dice = random.Random(game.name)
    for _ in range(2 if game.max_plies > 50 else 8):
        position = game.initial()
        state = loaded(code, game, position)
        path: list[tuple[Any, int]] = []
        while game.outcome(position) is None and len(path) < LONGEST:
            compare(code, game, position, state)
            compare(code, game, position, loaded(code, game, position))
            assert code.key(state) == code.key(loaded(code, game, position))
            # Good moves make threats; bad ones make positions that good play never shows.
            good = list(game.search_order(position))[:6]
            move = dice.choice(good if dice.random() < 0.7 else list(game.legal_moves(position)))
            path.append((position, move))
            position = game.play(position, move)
            code.play(state, move)
            if len(path) > 4 and dice.random() < 0.2:
                for _ in range(dice.randrange(1, 4)):
                    position, move = path.pop()
                    code.undo(state, move)
        compare(code, game, position, state)
        for position, move in reversed(path):
            code.undo(state, move)
            if dice.random() < 0.3:
                compare(code, game, position, state)
        assert written(code, state) == written(code, loaded(code, game, game.initial()))


def test_keys_tell_positions_apart_and_know_them_again(code: Any) -> None:
    dice = random.Random(2)
    seen: dict[int, Any] = {}
    for _ in range(300):
        position = GOMOKU.initial()
        state = loaded(code, GOMOKU, position)
        for _ in range(20):
            move = dice.choice(GOMOKU.legal_moves(position))
            position = GOMOKU.play(position, move)
            code.play(state, move)
            assert code.key(state) != 0
            assert seen.setdefault(code.key(state), position) == position
    assert len(seen) > 5000


def test_two_lines_with_one_stone_end_it_once(code: Any) -> None:
    game = MNK(5, 5, 3)
    before, _ = game.replay("a1 e5 b1 d5 c2 a5 c3 a4")
    state = loaded(code, game, before)
    code.play(state, game.parse(before, "c1"))
    assert code.ended(state) == 1
    code.undo(state, game.parse(before, "c1"))
    compare(code, game, before, state)


def test_perft(code: Any) -> None:
    """At 25 cells and fewer the kernel writes every legal move."""
    out = np.zeros(9 * code.MOST_MOVES, np.int64)
    state = loaded(code, TICTACTOE, TICTACTOE.initial())
    counts = [0] * 9

    def walk(ply: int) -> None:
        if code.ended(state):
            return
        at = ply * code.MOST_MOVES
        number = code.moves(state, out, at)
        counts[ply] += number
        for move in out[at : at + number].tolist():
            code.play(state, move)
            if ply < 8:
                walk(ply + 1)
            code.undo(state, move)

    walk(0)
    assert counts == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
