"""The benchmark of moves: it plays whole games of each kind, and sums its rounds up."""

import json

import pytest

from bench.moves.cli import GAMES, main


def test_every_game_is_played_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1", "--moves", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [line["game"] for line in found["moves"]] == list(GAMES)
    assert all(line["us"] > 0 and line["calls"] > 0 for line in found["moves"])
