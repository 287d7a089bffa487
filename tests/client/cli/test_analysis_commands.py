"""The commands that show thought, typed at a real server."""

import asyncio
import json
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.app import main
from parlour_client.cli.session import Session
from parlour_protocol.commands import Command
from parlour_protocol.views.reports import Entrant
from tests.client.scripted import PATIENCE, Scripted
from tests.client.terminal import Terminal, piped, run

GAME = {"game": "tictactoe", "moves": ["a1", "b2", "c3", "a3", "c1", "b3", "b1"]}


def kept(folder: Path, game: Any = GAME) -> str:
    path = folder / "game.json"
    path.write_text(json.dumps(game))
    return str(path)


POSITION = "http://127.0.0.1:9/analysis#tictactoe@xo1/1x1/3%20o="


def test_the_link_of_a_position_is_analysed_and_played_on(tmp_path: Path, server: str) -> None:
    out, _ = run(tmp_path, "analyse", POSITION, "c1", "--json", "--server", server)
    assert json.loads(out)["game"] == "tictactoe@xo1/1x1/3 o"
    assert (json.loads(out)["moves"], json.loads(out)["to_move"]) == (["c1"], "first")
    out, _ = piped(tmp_path, "play", POSITION, "--vs", "human", "--plain", "--server", server, typed="quit\n")
    assert "Tic-tac-toe from a position" in out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["join", POSITION], "That is the link of a position, not of a room."),
        (["analyse", POSITION.replace("1x1", "x1x")], "here are 3 and 1"),
        (["analyse", POSITION.replace("xo1", "%3Fo1")], "'?' in row 3 stands for nothing"),
        (["analyse", "kalah@4,?/4,4 a"], "write 0, 1, 2"),
        (["play", POSITION + "zz", "--plain"], "zz"),
    ],
)
def test_what_a_position_can_t_be_is_said(
    capsys: pytest.CaptureFixture[str], server: str, words: list[str], why: str
) -> None:
    assert main([*words, "--server", server]) == 2
    assert why in capsys.readouterr().err


def test_moves_are_read_however_they_are_divided(tmp_path: Path, server: str) -> None:
    reports = []
    for moves in ("a1 b2 c3", "a1,b2,c3", "a1b2c3", " a1, b2c3 "):
        out, _ = run(tmp_path, "analyse", "tictactoe", moves, "--depth", "4", "--json", "--server", server)
        reports.append(json.loads(out)["candidates"])
    assert all(report == reports[0] for report in reports)


@pytest.mark.parametrize("words", [("analyse", "tictactoe"), ("lab", "tictactoe"), ("review", "GAME")])
async def test_where_the_server_dies_meanwhile_it_says_so_and_gives_up(
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    monkeypatch.setattr(Session.ask, "__defaults__", (0.2,))
    gone = False
    arguments = [kept(tmp_path) if word == "GAME" else word for word in words]
    async with Scripted(lambda: HTTPStatus.SERVICE_UNAVAILABLE if gone else None) as server:
        running = asyncio.create_task(asyncio.to_thread(main, [*arguments, "--server", server.address]))
        talk = await server.talk()
        await talk.greet("token")
        await talk.receive(Command)
        gone = True
        talk.drop()
        async with asyncio.timeout(PATIENCE):
            assert await running == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Could not reach ")


def test_a_file_of_positions_gives_an_object_a_line(tmp_path: Path, server: str) -> None:
    path = tmp_path / "positions"
    path.write_text("a1 b2\n\n  a1,b2,c3\na1 b1 a2 b2 a3\n")
    out, err = run(tmp_path, "analyse", "tictactoe", "--file", str(path), "--server", server)
    reported = [json.loads(line) for line in out.splitlines()]
    assert [len(one["candidates"]) for one in reported] == [7, 9, 6, 0]
    assert [one["to_move"] for one in reported] == ["first", "first", "second", None]
    assert [one["moves"] for one in reported[:3]] == [["a1", "b2"], [], ["a1", "b2", "c3"]]
    assert reported[0]["candidates"][0]["score"]["kind"] == "exact"
    assert (reported[0]["depth"], reported[0]["finished"], reported[3]["line"]) == (7, True, [])
    assert err == ""


def test_a_bad_line_is_reported_in_its_place_and_the_rest_is_done(tmp_path: Path, server: str) -> None:
    typed = "a1\nb2 b2\n" + "a1 " * 2000 + "\nc3\n"
    arguments = ("analyse", "tictactoe", "--file", "-", "--server", server)
    out, err = piped(tmp_path, *arguments, typed=typed, code=2)
    reported = [json.loads(line) for line in out.splitlines()]
    assert ["error" in one for one in reported] == [False, True, True, False]
    assert reported[1] == {"error": "Move 2 ('b2'): b2 is taken.", "moves": "b2 b2"}
    assert "2 of 4 lines" in err


def test_bytes_that_are_no_text_are_reported_in_their_line(tmp_path: Path, server: str) -> None:
    path = tmp_path / "positions"
    path.write_bytes(b"a1\n\xff\xfe b2\n")
    out, err = run(tmp_path, "analyse", "tictactoe", "--file", str(path), "--server", server, code=2)
    reported = [json.loads(line) for line in out.splitlines()]
    assert ["error" in one for one in reported] == [False, True]
    assert reported[1]["error"] == "The line is no text in UTF-8: save the file as that."
    assert "1 of 2 lines" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bot", "nobody"], "There is no bot 'nobody'."),
        (["--bot", "perfect:depth=-1"], "depth must be"),
        (["--bot", "minimax:pace=3"], "no setting 'pace'"),
        (["--bot", "hard:"], "A setting is missing in 'hard:': hard takes depth=NUMBER"),
    ],
)
def test_what_is_wrong_with_all_lines_is_reported_once(
    tmp_path: Path, server: str, arguments: list[str], words: str
) -> None:
    for file in (["--file", "-"], []):
        command = ("analyse", "tictactoe", *arguments, *file, "--server", server)
        out, err = piped(tmp_path, *command, typed="a1\na1\n", code=2)
        assert out == ""
        assert words in err
        assert len(err.splitlines()) == 1


def test_a_file_is_reviewed(tmp_path: Path, server: str) -> None:
    out, _ = run(tmp_path, "review", kept(tmp_path), "--json", "--server", server)
    reported = json.loads(out)
    assert [one["move"] for one in reported["moves"]] == GAME["moves"]
    assert [one["grade"] for one in reported["moves"]][3] == "blunder"
    assert all(one["exact"] for one in reported["moves"])
    assert reported["outcome"] == "first"
    assert len(reported["points"]) == len(reported["moves"]) + 1
    assert reported["points"][-1]["result"] == "win"
    assert sum(reported["counts"]["first"].values()) == 4


def test_a_file_without_moves_is_no_review_but_in_json(tmp_path: Path, server: str) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"game": "tictactoe", "moves": []}')
    _, err = run(tmp_path, "review", str(path), "--server", server, code=1)
    assert err.strip() == "No move has been played in that game yet."
    out, _ = run(tmp_path, "review", str(path), "--json", "--server", server)
    assert json.loads(out)["moves"] == []


def test_a_room_is_reviewed_while_its_game_runs(tmp_path: Path, server: str) -> None:
    room = run(tmp_path, "create", "tictactoe", "--server", server)[0].strip()
    _, err = run(tmp_path, "review", room, "--server", server, code=1)
    assert err.startswith("No game has begun in this room yet.")
    _, err = run(tmp_path, "review", "ZZZZZZ", "--server", server, code=1)
    assert err.startswith("There is no such room.")
    _, begun = piped(tmp_path, "play", "--vs", "random", "--server", server)
    fresh = begun.split("/")[-1].split()[0]
    _, err = run(tmp_path, "review", fresh, "--server", server, code=1)
    assert err == f"No move has been played in room {fresh} yet.\n"
    for _ in range(2):
        run(tmp_path, "add-bot", room, "--bot", "random:seed=5", "--server", server)
    with Terminal(tmp_path, "watch", room, "--server", server) as onlooker:
        onlooker.until("played")
        out, _ = run(tmp_path, "review", room, "--json", "--server", server)
        reported = json.loads(out)
        assert reported["moves"]
        assert reported["game"] == "tictactoe"
        onlooker.type("quit\n")
    out, _ = run(tmp_path, "review", room, "--server", server)
    assert "random (bot)" in out


def test_a_tree_is_written_in_every_form(tmp_path: Path, server: str) -> None:
    for suffix in (".svg", ".dot", ".json"):
        path = tmp_path / f"tree{suffix}"
        command = ("tree", "tictactoe", "a1 b2 c3 a3", "--out", str(path), "--server", server)
        out, err = run(tmp_path, *command)
        assert out == ""
        assert "43 boards down to depth 5" in err
        assert path.stat().st_size > 1000
        _, err = run(tmp_path, *command, code=2)
        assert err == f"'{path}' exists already. Name another file, or overwrite it with --force.\n"
    ElementTree.parse(tmp_path / "tree.svg")
    assert len(json.loads((tmp_path / "tree.json").read_text())["nodes"]) == 43
    out, _ = run(tmp_path, "tree", "tictactoe", "a1 b2 c3 a3", "--depth", "1", "--server", server)
    assert len(out.strip().splitlines()) == 8


def test_a_tree_that_can_not_be_written_is_reported_with_its_file(tmp_path: Path, server: str) -> None:
    astray = tmp_path / "astray.svg"
    astray.symlink_to(tmp_path / "nowhere" / "tree.svg")
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    for path, words in ((astray, "can't be written: there is no such file"), (folder, "is a folder")):
        _, err = run(
            tmp_path, "tree", "tictactoe", "a1 b2 c3 a3", "--out", str(path), "--server", server, code=2
        )
        assert f"'{path}' {words}" in err
        assert len(err.splitlines()) == 1
    # Before anybody is asked: no server listens there.
    nobody = ("--server", "ws://127.0.0.1:9")
    _, err = run(tmp_path, "tree", "tictactoe", "--out", "x" * 300 + ".svg", *nobody, code=2)
    assert "xxx.svg' can't be written: " in err
    if os.geteuid() != 0:
        kept_from = tmp_path / "kept.svg"
        kept_from.touch(0o444)
        _, err = run(tmp_path, "tree", "tictactoe", "--force", "--out", str(kept_from), *nobody, code=2)
        assert f"'{kept_from}' can't be written" in err


def test_a_tree_too_large_is_refused_with_its_size(tmp_path: Path, server: str) -> None:
    path = tmp_path / "tree.svg"
    command = ("tree", "tictactoe", "--depth", "3", "--minimax", "--out", str(path), "--server", server)
    _, err = run(tmp_path, *command, code=2)
    assert err == "That tree would have 586 boards, and 400 are the most here. Look 2 plies ahead at most.\n"
    assert not path.exists()
    run(tmp_path, *command, "--limit", "600")
    assert path.exists()


def test_a_race_is_shown_and_printed(tmp_path: Path, server: str) -> None:
    out, _ = run(tmp_path, "lab", "tictactoe", "a1 b2", "--server", server)
    assert "All find the same value, 7 plies deep: a draw." in out
    assert "logarithmic" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    out, _ = run(tmp_path, "lab", "tictactoe", "a1 b2", "--depth", "3", "--json", "--server", server)
    reported = json.loads(out)
    assert (reported["depth"], reported["same_value"]) == (3, True)
    assert [run["search"] for run in reported["runs"]] == [*get_args(Entrant)]
    assert all(run["finished"] for run in reported["runs"])
