"""The benchmark of moves: it plays whole games of each kind, and sums its rounds up."""

import json

import pytest

from bench.moves.cli import GAMES, GOAL_RATIO, GOAL_US, Line, lines, main


def test_every_game_is_played_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1", "--moves", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [line["game"] for line in found["moves"]] == list(GAMES)
    assert all(line["us"] > 0 and line["calls"] > 0 for line in found["moves"])


def test_checkouts_are_compared_within_a_round() -> None:
    ours = [{"tictactoe": {"us": 20.0, "calls": 50.0}}, {"tictactoe": {"us": 60.0, "calls": 50.0}}]
    others = [{"tictactoe": {"us": 40.0, "calls": 80.0}}, {"tictactoe": {"us": 120.0, "calls": 80.0}}]
    (line,) = lines(("tictactoe",), ours, others)
    assert line == Line("tictactoe", 40.0, 50.0, 1.0, 80.0, 80.0, 0.5)


def test_tic_tac_toe_has_a_time_and_the_others_have_a_part_of_it() -> None:
    assert Line("tictactoe", GOAL_US, 50, 1.0).met
    assert not Line("tictactoe", GOAL_US + 1, 50, 1.0).met
    assert Line("gomoku", 2 * GOAL_US, 50, GOAL_RATIO).met
    assert not Line("gomoku", 1.0, 50, GOAL_RATIO + 0.1).met
