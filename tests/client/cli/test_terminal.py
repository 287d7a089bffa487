"""The terminal client against the real server: typed at a pty, and through pipes."""

import json
import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from parlour_client.cli.app import main
from tests.client.terminal import Served, Terminal, piped

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_game_to_its_end_with_wrong_moves_on_the_way(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", "tictactoe", "--vs", "random:seed=5") as ada:
        ada.until("Ada (X, you) against random (bot) (O)")
        ada.until("Your move: ")
        for wrong, words in {
            "": "Your move: ",
            "z9": "Legal: ",
            "help": "resign",
            "x" * 3000: "too long",
            "\x1b[2J\x1b]0;boo\x07": "Your move: ",
            "d\u00e9j\u00e0 \u2603 \u202e": "Legal: ",
            "hint": "leads to",
            "board": "against",
            "rematch": "over",
            "resign": "y or n",
            "n": "play on",
        }.items():
            ada.type(f"{wrong}\n")
            ada.until(words)
        played = 0
        while "Type rematch" not in ada.shown:
            # Whatever the bot did: the server's own list of free moves says where to go.
            ada.type("nonsense\n")
            free = re.search(r"Legal: ([a-c][1-3])", ada.until("Type"))
            assert free is not None
            ada.type(f"{free[1]}\n")
            ada.until(f"You played {free[1]}.")
            played += 1
            ada.until("Your move: " if not over(ada) else "> ")
        assert 3 <= played <= 5
        ada.type("rematch\n")
        ada.until("Game 2: random (bot) begins.")
        ada.type("quit\n")
        assert ada.end() == 0
        assert "Goodbye." in ada.shown
        assert "Traceback" not in ada.shown


def over(terminal: Terminal) -> bool:
    """Has the game ended, or is it our turn again? Waits for either."""
    terminal.until("\r\n")
    while True:
        plain = ESCAPES.sub("", terminal.until("\r\n"))
        if "Your turn" in plain:
            return False
        if "Type rematch" in plain:
            return True


def test_ctrl_c_is_a_calm_farewell(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        ada.until("Waiting for a second player.")
        ada.until("> ")
        ada.type("\x03")
        assert ada.end() == 130
        assert "Goodbye. Your seat is kept. Come back with:" in ada.shown
        assert "\r\n  parlour join http://127.0.0.1:" in ESCAPES.sub("", ada.shown)
        assert "Traceback" not in ada.shown


def test_ctrl_c_ends_a_question(tmp_path: Path, server: str) -> None:
    game = tmp_path / "game.json"
    game.write_text(json.dumps({"game": "gomoku", "moves": "h8 a1 h9 a2 h10 a3 h11 a4 h12"}))
    analyse, review = ["analyse", "gomoku"], ["review", str(game)]
    at = ["--server", server]
    # A line that changes has begun: it says that it searches, or at once what was found.
    line = "\x1b[?25l"
    for asked, shown in (
        (analyse, line),
        ([*analyse, *at], line),
        ([*analyse, "--bot", "minimax:depth=9"], line),
        (review, "moves"),
        ([*review, *at], "moves"),
    ):
        with Terminal(tmp_path, *asked, "--time", "60") as ada:
            ada.until(shown)
            ada.type("\x03")
            assert ada.end() == 130
            assert ada.shown.count("Stopped.") == 1
            assert "Traceback" not in ada.shown


def test_giving_up_needs_a_plain_answer(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--server", server) as ada:
        for answers in (["n"], ["b2", "", "No"], ["maybe", "YES"]):
            ada.until("Your move: ")
            ada.type("resign\n")
            for answer in answers:
                ada.until("Resign this game? y or n: ")
                ada.type(f"{answer}\n")
                if answer.casefold() not in ("n", "no", "yes"):
                    ada.until("Type y or n.")
            ada.until("wins" if answers[-1] == "YES" else "You play on.")
        assert "You played b2" not in ada.shown


def test_a_wrong_move_is_reported_within_the_screen_and_by_an_example(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "gomoku", "--vs", "random", "--server", server) as ada:
        ada.until("Your move: ")
        ada.type("h8\n")
        ada.until("Your move: ")
        ada.type("h8\n")
        assert re.search(r"h8 is taken\. Write a move like [a-o][0-9]+\.", ada.until("Your move: "))
        ada.type("h99\n")
        said = ESCAPES.sub("", ada.until("Your move: "))
        assert "Type help for what else there is." in " ".join(said.split())
        assert all(len(line) <= 80 for line in said.splitlines())


def test_end_of_file_is_quit(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--server", server) as ada:
        ada.until("Your move: ")
        ada.type("\x04")
        assert ada.end() == 0
        assert "Your seat is kept" in ada.shown


def test_friends_play_while_one_looks_on(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = re.search(r"parlour join (\S+)", ada.until("--as NAME"))
        assert link is not None
        with (
            Terminal(tmp_path, "watch", link[1], "--as", "Eve") as eve,
            Terminal(tmp_path, "join", link[1], "--as", "Ben") as ben,
        ):
            eve.until("watching")
            ada.until("Ben sits down.")
            for mover, move in [(ada, "a1"), (ben, "b1"), (ada, "a2"), (ben, "b2"), (ada, "a3")]:
                mover.until("Your move: ")
                mover.type(f"{move}\n")
                mover.until(f"You played {move}.")
            ada.until("You win by three in a row.")
            ben.until("Ada wins by three in a row.")
            eve.until("The line: ")
            eve.until("Ada wins by three in a row.")
            eve.type("b3\n")
            eve.until("You are watching")
            ada.type("rematch\n")
            ben.until("Ada asks for a rematch")
            ben.type("rematch\n")
            for person in (ada, ben, eve):
                person.until("Game 2: ")
            ben.until("Your move: ")
            ben.type("resign\n")
            ben.until("y or n: ")
            ben.type("y\n")
            ada.until("Score: Ada 2, Ben 0.")
            ben.type("quit\n")
            assert ben.end() == 0
            ada.until("Ben has been away for 4 s.")


def test_moves_through_a_pipe(tmp_path: Path) -> None:
    out, err = piped(tmp_path, "play", "--vs", "random:seed=1", typed="b2\nb2\nhint\nquit\na1\n")
    assert "You played b2." in out
    assert "b2 is taken. Legal: " in err
    assert "leads to" in out
    assert "Your move:" not in out  # nobody to ask
    assert "\x1b" not in out + err
    assert f"The server has ended; your games are kept in {tmp_path / 'rooms.db'}." in err


def test_json_is_all_that_a_program_gets(tmp_path: Path, server: str) -> None:
    options = ["--json", "--vs", "random:seed=1", "--server", server]
    out, _ = piped(tmp_path, "play", *options, typed="b2\n")
    messages = [json.loads(row) for row in out.splitlines()]
    assert messages[0]["type"] == "snapshot"
    moves = [
        one["event"] for one in messages if one["type"] == "event" and one["event"]["kind"] == "move_played"
    ]
    assert [(one["seat"]) for one in moves] == [0, 1]
    assert moves[0]["move"] == "b2"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["analyse", "tictactoe", "a1 a1"], 2),
        (["analyse", "tictactoe", "z9"], 2),
        (["analyse", "nosuchgame"], 2),
        (["play", "--vs", "nosuchbot"], 2),
        (["play", "--vs", "minimax:depth=none"], 2),
        (["join", "AAAAAA"], 1),
        (["watch", "AAAAAA"], 1),
        (["add-bot", "AAAAAA"], 1),
    ],
)
def test_refusals(
    tmp_path: Path,
    server: str,
    arguments: list[str],
    code: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    assert main([*arguments, "--server", server]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1


def test_a_stale_token_makes_a_new_player(tmp_path: Path, server: str) -> None:
    piped(tmp_path, "rooms", "--server", server)
    (kept,) = (tmp_path / "players").iterdir()
    kept.write_text(json.dumps({"server": server, "name": "Ada", "token": "x" * 40}))
    _, err = piped(tmp_path, "rooms", "--server", server)
    assert "new player" in err
    assert piped(tmp_path, "rooms", "--server", server)[1] == ""


def test_a_killed_server_costs_nothing(tmp_path: Path) -> None:
    first = Served(tmp_path)
    port = first.port
    try:
        with Terminal(
            tmp_path, "play", "--vs", "minimax:depth=2", "--server", f"ws://127.0.0.1:{port}"
        ) as ada:
            ada.until("Your move: ")
            ada.type("b2\n")
            ada.until("You played b2.")
            ada.until("Your move: ")
            first.kill()
            ada.until("Connection lost. Trying again now. Your seat is kept.")
            # Typed into the dark: it is sent when there is somebody to hear it.
            ada.type("resign\ny\n")
            second = Served(tmp_path, port)
            try:
                ada.until("Connected again.")
                ada.until("minimax (bot) wins")
            finally:
                second.kill()
    finally:
        first.kill()


def test_who_has_enough_of_waiting_for_the_server_leaves(tmp_path: Path) -> None:
    served = Served(tmp_path)
    try:
        server = f"ws://127.0.0.1:{served.port}"
        with Terminal(tmp_path, "play", "--vs", "minimax:depth=2", "--server", server) as ada:
            ada.until("Your move: ")
            served.kill()
            ada.until("Connection lost.")
            ada.type("b2\n")
            ada.until("That is kept until the connection is back. (quit leaves without it.)")
            ada.type("quit\n")
            ada.until("Your seat is kept. Come back with:")
            assert ada.end() == 0
    finally:
        served.kill()
