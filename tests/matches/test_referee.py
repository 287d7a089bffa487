"""The referee of a match: games move by move, and bots that think about them."""

import time

import pytest

from parlour_server.matches.openings import Opening
from parlour_server.matches.referee import Referee


def test_a_game_is_played_by_its_rules() -> None:
    referee = Referee("tictactoe")
    game = referee.begin(referee.opening("b2 a1"))
    assert (game.moves, game.sides, game.to_move) == (["b2", "a1"], [0, 1], 0)
    assert not game.play("b2")
    assert not game.play("nonsense")
    assert game.moves == ["b2", "a1"]
    for move in ("C1", "a3", "a2", "c2", "b3", "b1", "c3"):
        assert game.result is None
        assert game.play(move), move
    assert game.result is not None
    assert (game.result.termination, game.result.winner) == ("board_full", None)


def test_a_side_that_moves_twice_is_seen_to() -> None:
    referee = Referee("dots:2,2")
    game = referee.begin(referee.opening(""))
    while game.result is None:
        assert game.play(game.view().legal[0])
    # With its last line each box gives its side another move.
    assert any(one == two for one, two in zip(game.sides, game.sides[1:], strict=False))


def test_an_opening_is_moves_or_a_position() -> None:
    referee = Referee("tictactoe")
    assert referee.opening("B2 a1") == Opening("tictactoe", "b2 a1")
    given = referee.opening("xo1/1x1/3 o")
    assert referee.begin(given).view().to_move == 1
    assert given.game.startswith("tictactoe@")
    for wrong in ("b2 b2", "xx/3/3 x", "hello"):
        with pytest.raises(ValueError, match=r"\w"):
            referee.opening(wrong)


def test_bots_choose_by_their_seed_and_keep_their_time() -> None:
    referee = Referee("connect4")
    game = referee.begin(Opening("connect4"))
    chance = referee.bot("random")
    assert len({game.think(chance, seed).best for seed in range(30)}) > 1
    assert game.think(chance, 7).best == game.think(chance, 7).best
    # Its own seed is the one that was asked for.
    own = referee.bot("random:seed=3")
    assert len({game.think(own, seed).best for seed in range(30)}) == 1
    assert not chance.timed
    slow = referee.bot("minimax:depth=30,time=0.2")
    assert slow.timed
    begun = time.perf_counter()
    assert not game.think(slow, 1).finished
    assert time.perf_counter() - begun < 20
    assert referee.bounded(referee.bot("hard").spec) == "hard:nodes=100000"
    assert referee.bounded(slow.spec) == "minimax:depth=6"


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="tictactoe"):
        Referee("tictacto")
    with pytest.raises(ValueError, match="nobody"):
        Referee("tictactoe").bot("nobody")
