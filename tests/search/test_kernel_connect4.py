"""The compiled twin of Connect Four, held against its rules."""

import random
from typing import Any

import numpy as np
import pytest

from parlour_server.games.connect4 import CONNECT_FOUR, Position
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels import connect4 as kernel
from parlour_server.search.kernels.compiled import compiled_search

GAME = CONNECT_FOUR


@pytest.fixture(scope="module")
def code() -> Any:
    """The kernel's functions as machine code."""
    compiled.prepare(GAME)
    return compiled_search(GAME, GAME.initial()).code


def known(state: Any) -> list[int]:
    """All but what the path's other positions have left."""
    here = kernel.PATH + 2 * int(state[kernel.STONES])
    numbers: list[int] = state[: kernel.PATH].tolist()
    return numbers if state[kernel.ENDED] else numbers + state[here : here + 2].tolist()


def loaded(code: Any, position: Position) -> Any:
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(GAME, position, state)
    return state


DRAWN = 344
"""Of a random game that fills the board, which one in four hundred does."""


@pytest.mark.parametrize("seed", [*range(100), DRAWN])
def test_every_function_agrees_with_the_rules(code: Any, seed: int) -> None:
    chance = random.Random(seed)
    position = GAME.initial()
    state = loaded(code, position)
    out = np.full(16, -1, np.int64)
    path: list[tuple[int, list[int]]] = []
    while True:
        assert known(state) == known(loaded(code, position))
        assert code.ended(state) == (0, 1, 1, 2)[position.over]
        assert code.plies_left(state) == GAME.plies_left(position)
        assert code.margin(state) == 0
        if position.over:
            assert (position.over == 3) is (seed == DRAWN)
            break
        out[:] = -1
        number = code.moves(state, out, 7)
        assert out[7 : 7 + number].tolist() == list(GAME.search_order(position))
        assert out[7 + number] == out[6] == -1
        assert code.evaluate(state) == GAME.evaluate(position)
        assert code.urgent(state) == int(GAME.urgent(position))
        move = chance.choice(GAME.legal_moves(position))
        path.append((move, known(state)))
        position = GAME.play(position, move)
        code.play(state, move)
    for move, before in reversed(path):
        code.undo(state, move)
        assert known(state) == before


def test_keys_tell_positions_apart_and_know_them_again(code: Any) -> None:
    chance = random.Random(1)
    seen: dict[int, Position] = {}
    for _ in range(500):
        position = GAME.initial()
        state = loaded(code, position)
        while not position.over:
            key = code.key(state)
            assert key != 0
            assert seen.setdefault(key, position) == position
            move = chance.choice(GAME.legal_moves(position))
            position = GAME.play(position, move)
            code.play(state, move)
    # Their upper bits choose places in a table: few positions may share one.
    assert len({key >> 24 & (1 << 20) - 1 for key in seen}) > 0.98 * len(seen)
