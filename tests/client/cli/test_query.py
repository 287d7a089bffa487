"""Queries on the command line: of a named server, or in the command's own process."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli import query
from parlour_client.cli.app import main
from parlour_client.sdk.local_server import ServerTarget
from parlour_client.sdk.source import Source
from tests.client.terminal import environment, piped

GAME = {"game": "tictactoe", "moves": ["a1", "b2", "c3", "a3"]}

QUERIES = [
    ["games"],
    ["bots", "--json"],
    ["analyse", "tictactoe", "b2 b1", "--bot", "minimax", "--as", "Ben"],
    ["tree", "tictactoe", "a1 b2 c3 a3"],
    ["review", "game.json"],
    ["replay", "game.json"],
]

NOT_LOADED = {
    "websockets",
    "structlog",
    "multiprocessing",
    "numba",
    "textual",
    "parlour_server.app",
    "parlour_client.sdk.client",
    "parlour_protocol.codec",
}
"""What only a connection, a child process or machine code needs."""


PROGRAM = """
import json, sys
from parlour_client.cli.app import main
codes = [main(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([codes, *sys.modules]), file=sys.stderr)
"""


def test_a_list_is_printed_as_csv(tmp_path: Path) -> None:
    said, _ = piped(tmp_path, "games", "--csv")
    head, *rows = csv.reader(said.splitlines())
    assert head == ["name", "title", "summary"]
    assert ["tictactoe", "Tic-tac-toe"] in [row[:2] for row in rows]


def test_it_takes_neither_a_connection_nor_a_process(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(GAME))
    command = [sys.executable, "-c", PROGRAM, json.dumps(QUERIES)]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True)
    codes, *modules = json.loads(done.stderr)
    assert codes == [0] * len(QUERIES)
    assert not NOT_LOADED & set(modules)


def test_a_race_has_its_engine_as_machine_code(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    out, _ = piped(tmp_path, "lab", "tictactoe", "a1 b2", "--json")
    *plain, engine = json.loads(out)["runs"]
    assert engine["search"] == "engine"
    assert engine["compiled"]
    assert not any(run["compiled"] for run in plain)


def test_a_server_that_is_named_is_asked(tmp_path: Path, server: str) -> None:
    here, there = piped(tmp_path, "games", "--json"), piped(tmp_path, "games", "--json", "--server", server)
    assert here == there
    _, err = piped(tmp_path, "games", "--server", "127.0.0.1:1", code=1)
    assert "127.0.0.1:1" in err


def test_a_game_in_a_room_is_on_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, object]] = []
    monkeypatch.setattr(query, "ask", lambda server, *given, **more: asked.append(("ask", server)))
    monkeypatch.setattr(query, "_ask_at", lambda server, *given: asked.append(("ask at", server)))
    for source in (Source(None, game="tictactoe"), Source("ws://a:1", room="KMRTQA")):
        query.ask_of_game(source, None, None, None)  # type: ignore[arg-type]
    assert asked == [("ask", None), ("ask at", ServerTarget("ws://a:1", named=True))]


def test_what_is_wrong_is_a_sentence(tmp_path: Path) -> None:
    for arguments, words in (
        (["analyse", "tictactoe", "a1 a1"], "Move 2 ('a1'): a1 is taken."),
        (["analyse", "chess"], "There is no game 'chess'."),
        (["analyse", "tictactoe", "--bot", "nobody"], "There is no bot 'nobody'."),
        (["analyse", "tictactoe", "--as", ""], "'' can't be a name: it has 1 to 24 visible characters."),
        (["tree", "reversi", "--depth", "9"], "That tree would have at least"),
    ):
        out, err = piped(tmp_path, *arguments, code=2)
        assert out == ""
        assert err.startswith(words)


def test_it_ends_as_any_process_does_where_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    # Not at once, as the command itself does: this is a process of somebody else's.
    assert main(["games", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) >= 6
