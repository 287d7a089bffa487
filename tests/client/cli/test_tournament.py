"""`parlour tournament` from a terminal: what it prints, and what it refuses."""

import json
from pathlib import Path

from tests.client.terminal import piped, run
from tests.support.server_process import serving_in_thread


def test_a_tournament_is_made_run_and_shown(tmp_path: Path) -> None:
    with serving_in_thread() as server:
        where = ("--server", server)
        options = ["--title", "Cup", "--format", "round_robin", "--bot", "random", "--json"]
        made = json.loads(run(tmp_path, "tournament", "create", "tictactoe", *options, *where)[0])
        code = made["tournament"]
        assert made["link"].endswith(f"/{code}")
        assert code in run(tmp_path, "tournament", "list", *where)[0]
        entered = run(tmp_path, "tournament", "enter", code, "easy", *where)[0]
        assert "easy (bot)" in entered
        assert "open to join" in entered
        assert run(tmp_path, "tournament", "end", code, *where)[0].count("The host has ended it early.") == 1
        view = json.loads(run(tmp_path, "tournament", "show", code, "--json", *where)[0])
        assert (view["phase"], [one["name"] for one in view["entrants"]]) == ("over", ["random", "easy"])
        # Another player is not its host, and what is over takes nobody.
        _, said = piped(tmp_path / "other", "tournament", "join", code, "--as", "Ben", *where)
        assert "Traceback" not in said


def test_what_can_not_be_meant_is_said_in_a_sentence(tmp_path: Path) -> None:
    with serving_in_thread() as server:
        where = ("--server", server)
        _, said = run(tmp_path, "tournament", "show", "ABCDEF2", *where, code=1)
        assert "There is no such tournament. Check the code." in said
        _, said = run(tmp_path, "tournament", "show", "KMRTQA", code=2)
        assert "is not a tournament's code" in said
        _, said = piped(tmp_path, "join", "ABCDEF2", code=2)
        assert "parlour tournament join" in said
        _, said = run(tmp_path, "tournament", "create", "tictactoe", "--format", "ladder", code=2)
        assert "round_robin" in said
        _, said = run(tmp_path, "tournament", "create", "tictactoe", "--forfeit-minutes", "0", code=2)
        assert "A number from 0.1 to 600 is needed" in said
        _, said = run(tmp_path, "tournament", "create", "nosuchgame", *where, code=2)
        assert "Traceback" not in said
