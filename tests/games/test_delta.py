"""What a game says of a move's changes is what two drawn boards show."""

from copy import deepcopy
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json, to_json

from parlour_protocol.fold import fold
from parlour_protocol.views.boards import BoardView
from parlour_server.games import all_games, find_game
from parlour_server.games.delta import BoardDelta, compare, splice_of
from parlour_server.games.game import Game
from tests.support.games import random_game
from tests.support.mancala import MANCALA

VARIANTS = [
    *("mnk:3,4,3", "mnk:7,7,4", "mnk:19,3,5", "mnk:19,19,5", "gomoku:exact"),
    *("connect4:4,9", "connect4:9,4", "connect4:4,4", "reversi:6"),
]
NAMES = [*(game.name for game in all_games() if type(game).delta is not Game.delta), *VARIANTS]


def plain(board: BoardView) -> dict[str, Any]:
    found: dict[str, Any] = from_json(to_json(board))
    return found


def folded(before: BoardView, delta: BoardDelta) -> dict[str, Any]:
    """A board after a change, as a client makes it of what is sent; what is None may be there or not."""
    view: dict[str, Any] = {"version": 1, **plain(before)}
    sent = from_json(to_json({"set": delta.sets, "splice": delta.splices}))
    fold(view, SimpleNamespace(**deepcopy(sent)))
    del view["version"]
    return {name: view.get(name) for name in plain(before)}


def check_moves(game: Game[Any], seed: int) -> None:
    """Each move of a random game changes the board as the game says, and as a comparison says."""
    path = random_game(game, seed, 400)
    for (before, last), (after, move) in pairwise(path):
        assert move is not None
        drawn = game.view(before, last), game.view(after, move)
        delta = game.delta(before, last, move, after)
        assert delta is not None
        assert folded(drawn[0], delta) == folded(drawn[0], compare(*drawn)) == plain(drawn[1]), (
            seed,
            last,
            move,
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_game_says_of_a_move_what_a_comparison_finds(name: str) -> None:
    """In many games to their ends: passes and full columns are seldom."""
    game = find_game(name)
    for seed in range(40 if game.max_plies < 200 else 3):
        check_moves(game, seed)


@given(seed=st.integers(0, 2**32))
def test_a_game_that_says_nothing_is_compared(seed: int) -> None:
    path = random_game(MANCALA, seed)
    for (before, last), (after, move) in pairwise(path):
        assert move is not None
        assert MANCALA.delta(before, last, move, after) is None
        drawn = MANCALA.view(before, last), MANCALA.view(after, move)
        assert folded(drawn[0], compare(*drawn)) == plain(drawn[1])


def test_a_move_on_a_large_board_says_little() -> None:
    game = find_game("mnk:19,19,5")
    before, last = game.replay("k10 k11")
    move = game.parse(before, "l10")
    delta = game.delta(before, last, move, game.play(before, move))
    assert delta is not None
    assert len(to_json(delta.sets)) + len(to_json(delta.splices)) < 150


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=30))
def test_a_splice_makes_one_list_from_another(before: list[int], now: list[int]) -> None:
    start, count, *items = splice_of(before, now)
    made = list(before)
    made[start : start + count] = items
    assert made == now
