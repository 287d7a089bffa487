"""The compiled twin of reversi, held against its rules."""

import random
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from parlour_server.games.game import Move
from parlour_server.games.reversi import REVERSI, Position, Reversi
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import ORDERED, compiled
from parlour_server.search.kernels.compiled import compiled_search

SIX = Reversi(6)
DISCS = 3
"""Both sides' discs and the cells to play on are a state's first numbers."""


@pytest.fixture(scope="module")
def code() -> Any:
    """The kernel's functions as machine code."""
    compiled.prepare(REVERSI)
    return compiled_search(REVERSI, REVERSI.initial(), slots=2).code


def loaded(code: Any, game: Reversi, position: Position) -> Any:
    state = np.zeros(code.STATE, code.DTYPE)
    code.load(game, position, state)
    return state


def ended(game: Reversi, position: Position) -> int:
    """As a kernel tells it."""
    outcome = game.outcome(position)
    if outcome is None:
        return 0
    if outcome.winner is None:
        return 2
    return 3 if outcome.winner == game.to_move(position) else 1


def position_with(game: Reversi, empty: int, seed: int) -> Position:
    """A position of a random game with this many empty cells, where something can be played."""
    chance = random.Random(seed)
    while True:
        position = game.initial()
        while game.outcome(position) is None:
            if game.plies_left(position) == empty and position.playable:
                return position
            position = game.play(position, chance.choice(game.legal_moves(position)))


@pytest.mark.parametrize("game", [REVERSI, SIX], ids=["8x8", "6x6"])
@pytest.mark.parametrize("seed", range(40))
def test_every_function_agrees_with_the_rules(code: Any, game: Reversi, seed: int) -> None:
    chance = random.Random(seed)
    position = game.initial()
    state = loaded(code, game, position)
    out = np.full(200, -1, np.int64)
    path: list[tuple[Move, list[int]]] = []
    while True:
        assert state[:DISCS].tolist() == [position.mine, position.theirs, position.playable]
        assert code.ended(state) == ended(game, position)
        assert code.plies_left(state) == game.plies_left(position)
        if game.outcome(position) is not None:
            assert code.margin(state) == game.margin(position)
            break
        out[:] = -1
        number = code.moves(state, out, 7) - (ORDERED if game.ordered(position) else 0)
        assert out[7 : 7 + number].tolist() == list(game.search_order(position))
        assert number <= code.MOST_MOVES
        assert out[7 + number] == out[6] == -1
        assert code.evaluate(state) == game.evaluate(position)
        assert code.urgent(state) == int(game.urgent(position))
        move = chance.choice(game.legal_moves(position))
        path.append((move, state[:DISCS].tolist()))
        position = game.play(position, move)
        code.play(state, move)
    assert len(path) <= code.MOST_PLIES
    for move, before in reversed(path):
        code.undo(state, move)
        assert state[:DISCS].tolist() == before


def test_keys_tell_positions_apart_and_know_them_again(code: Any) -> None:
    chance = random.Random(1)
    seen: dict[int, tuple[int, int]] = {}
    for _ in range(200):
        position = REVERSI.initial()
        while REVERSI.outcome(position) is None:
            key = code.key(loaded(code, REVERSI, position))
            assert key != 0
            # The colours don't matter, only who is to move.
            assert seen.setdefault(key, position[:2]) == position[:2]
            position = REVERSI.play(position, chance.choice(REVERSI.legal_moves(position)))
    assert len(seen) > 10_000
    # The table goes by the upper bits: each half of them turns up as often as the other.
    for bit in range(24, 64):
        assert 0.45 < sum(key >> bit & 1 for key in seen) / len(seen) < 0.55


def perft(code: Any, state: Any, out: Any, plies: int, at: int = 0) -> int:
    if code.ended(state):
        return 0
    number = int(code.moves(state, out, at)) % ORDERED
    if plies == 1:
        return number
    total = 0
    for move in out[at : at + number].tolist():
        code.play(state, move)
        total += perft(code, state, out, plies - 1, at + number)
        code.undo(state, move)
    return total


def test_perft(code: Any) -> None:
    state = loaded(code, REVERSI, REVERSI.initial())
    out = np.zeros(1000, np.int64)
    counts = [4, 12, 56, 244, 1396, 8200, 55092, 390216]
    assert [perft(code, state, out, plies) for plies in range(1, 9)] == counts


def exact(game: Reversi, position: Position) -> int:
    """By how many discs the side to move wins at best: a plain search to the end."""

    @cache
    def value(position: Position) -> int:
        outcome = game.outcome(position)
        if outcome is not None:
            margin = game.margin(position)
            return 0 if outcome.winner is None else margin if outcome.winner == position.side else -margin
        return max(-value(game.play(position, move)) for move in game.legal_moves(position))

    return value(position)


@pytest.mark.parametrize("game", [REVERSI, SIX], ids=["8x8", "6x6"])
@pytest.mark.parametrize("seed", range(8))
def test_ends_are_exact(code: Any, game: Reversi, seed: int) -> None:
    position = position_with(game, 7 + seed % 2, seed)
    report = engine(game, position, rng=Random(1), control=Control(compiled=True), full=True)
    best = exact(game, position)
    for candidate in report.candidates:
        worth = -exact(game, game.play(position, game.parse(position, candidate.move)))
        assert candidate.score.kind == "exact"
        assert candidate.score.points == (0 if worth == 0 else worth + 50 if worth > 0 else worth - 50)
        assert candidate.score.margin == (None if worth == 0 else worth)
        if candidate.move == report.best:
            assert worth == best
