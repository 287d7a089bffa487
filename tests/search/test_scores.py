"""Scores as they leave a search: an estimate has a chance to win, what is proven has none."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.scores import POINT, chance, make_score
from parlour_server.search.turns import in_turns
from tests.support.mancala import MANCALA

GAMES = [find_game(name) for name in ("tictactoe", "connect4", "gomoku", "reversi", "reversi:6", "ultimate")]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_chance_grows_with_the_points_and_is_never_certain(game: Game[Any]) -> None:
    chances = [chance(game, points) for points in range(-48, 49)]
    assert all(one <= next_ for one, next_ in pairwise(chances))
    assert chance(game, 0) == 50
    assert min(chances) >= 1 and max(chances) <= 99
    assert 72 <= chance(game, game.estimate_scale) <= 74


@given(st.integers(-4800, 4800), st.sampled_from(GAMES))
def test_the_other_side_has_the_rest(value: int, game: Game[Any]) -> None:
    one, other = make_score(game, value, "estimate"), make_score(game, -value, "estimate")
    assert -one == other


def test_what_is_proven_has_no_chance() -> None:
    game = find_game("connect4")
    for value, kind in ((95 * POINT, "exact"), (0, "exact"), (0, "at_most"), (-90 * POINT, "at_most")):
        assert make_score(game, value, kind).chance is None  # type: ignore[arg-type]


def test_a_game_searched_in_turns_keeps_its_scale() -> None:
    game, _ = in_turns(MANCALA, MANCALA.initial())
    assert game is not MANCALA
    assert game.estimate_scale == MANCALA.estimate_scale
