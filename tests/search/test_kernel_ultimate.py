"""The compiled twin of ultimate tic-tac-toe, held against its rules."""

import random
from typing import Any

import numpy as np
import pytest
from numba import njit

from parlour_server.games.game import Move
from parlour_server.games.ultimate import ULTIMATE, Position
from parlour_server.search.kernels import compiled, numba_modules

GAME = ULTIMATE


@pytest.fixture(scope="module")
def code() -> Any:
    """The kernel's functions as machine code."""
    return numba_modules.make(numba_modules.read_source(GAME.kernel, compiled.SIGNATURES))


def loaded(code: Any, position: Position) -> Any:
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(GAME, position, state)
    return state


def known(code: Any, state: Any) -> list[int]:
    """All but the stack, of which what lies above its top has no meaning."""
    numbers: list[int] = state[: code.BEFORE].tolist()
    return numbers


def ended(position: Position) -> int:
    """As a kernel tells it."""
    outcome = GAME.outcome(position)
    if outcome is None:
        return 0
    return 2 if outcome.winner is None else 1


@pytest.mark.parametrize("seed", range(120))
def test_every_function_agrees_with_the_rules(code: Any, seed: int) -> None:
    chance = random.Random(seed)
    position = GAME.initial()
    state = loaded(code, position)
    out = np.full(200, -1, np.int64)
    path: list[tuple[Move, list[int]]] = []
    while True:
        assert known(code, state) == known(code, loaded(code, position))
        assert code.ended(state) == ended(position)
        assert code.plies_left(state) == GAME.plies_left(position)
        assert code.margin(state) == 0
        if position.over:
            break
        out[:] = -1
        number = code.moves(state, out, 7)
        assert out[7 : 7 + number].tolist() == list(GAME.search_order(position))
        assert number <= code.MOST_MOVES
        assert out[7 + number] == out[6] == -1
        assert code.evaluate(state) == GAME.evaluate(position)
        assert code.urgent(state) == int(GAME.urgent(position))
        move = chance.choice(GAME.legal_moves(position))
        path.append((move, known(code, state)))
        position = GAME.play(position, move)
        code.play(state, move)
    for move, before in reversed(path):
        code.undo(state, move)
        assert known(code, state) == before


def test_keys_tell_positions_apart_and_know_them_again(code: Any) -> None:
    chance = random.Random(1)
    seen: dict[int, Position] = {}
    for _ in range(300):
        position, state = GAME.initial(), loaded(code, GAME.initial())
        while not position.over:
            key = int(code.key(state))
            assert key != 0
            assert seen.setdefault(key, position) == position
            move = chance.choice(GAME.legal_moves(position))
            position = GAME.play(position, move)
            code.play(state, move)
    assert len(seen) > 10_000
    # The upper bits tell as many apart: they choose the place in a table.
    assert len({key >> 40 for key in seen}) > 0.99 * len(seen)


def test_the_way_to_a_position_leaves_no_trace_in_its_key(code: Any) -> None:
    keys = set()
    for moves in ("b8 d6 a8 a6", "a8 a6 b8 d6"):
        position, state = GAME.initial(), loaded(code, GAME.initial())
        for written in moves.split():
            move = GAME.parse(position, written)
            position = GAME.play(position, move)
            code.play(state, move)
        keys |= {int(code.key(state)), int(code.key(loaded(code, position)))}
    assert len(keys) == 1
    # The same stones with another board to play in are another position.
    elsewhere = position._replace(board=4)
    assert int(code.key(loaded(code, elsewhere))) not in keys


def test_perft(code: Any) -> None:
    play, undo, over, to_play_in = code.play, code.undo, code.ended, code.open_boards
    stones, size = code.STONES, code.SIZE

    @njit("int64(int64[::1], int64)")
    def perft(state: Any, plies: int) -> int:
        if over(state) != 0:
            return 0
        count = 0
        boards = to_play_in(state)
        for board in range(9):
            if boards >> board & 1 != 0:
                taken = state[stones + board] | state[stones + 9 + board]
                if plies == 1:
                    count += 9 - size[taken]
                    continue
                for cell in range(9):
                    if taken >> cell & 1 == 0:
                        play(state, 9 * board + cell)
                        count += perft(state, plies - 1)
                        undo(state, 9 * board + cell)
        return count

    state = loaded(code, GAME.initial())
    assert [perft(state, plies) for plies in (5, 6, 7)] == [473_256, 4_020_960, 33_782_544]
    assert known(code, state) == known(code, loaded(code, GAME.initial()))
