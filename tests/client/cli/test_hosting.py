"""The server that a terminal starts by itself: its games stay, and guests are thought of."""

import re
from pathlib import Path

from parlour_protocol.local.server_info import read_note
from tests.client.cli.test_terminal import ESCAPES
from tests.client.terminal import Terminal, piped


def code_in(shown: str) -> str:
    """The code of the room that is shown."""
    found = re.search(r", room ([A-Z0-9]{6})", ESCAPES.sub("", shown))
    assert found is not None, shown
    return found[1]


def test_a_game_is_gone_back_to_after_quitting(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", "--vs", "random:seed=1") as ada:
        ada.until("Your move: ")
        ada.type("b2\n")
        ada.until("You played b2.")
        ada.until("Your move: ")
        ada.type("\x03")
        assert ada.end() == 130
        # What is long is broken by the terminal.
        assert "The server has ended; your games are kept in" in ada.shown
        code = code_in(ada.shown)
    with Terminal(tmp_path, "join", code) as ada:
        ada.until("Moves: b2 ")
        ada.until("Your move: ")
        ada.type("quit\n")
        assert ada.end() == 0


def test_a_host_who_leaves_is_asked_while_a_guest_is_there(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", "--vs", "human") as ada:
        ada.until("Waiting for a second player.")
        ada.until("> ")
        code = code_in(ada.shown)
        with Terminal(tmp_path, "join", code, "--as", "Bo") as bo:
            bo.until("Ada to move")
            ada.until("Bo sits down")
            ada.until("Your move: ")
            ada.type("\x03")
            ada.until("Close the server? Bo is still connected.")
            ada.type("what\n")
            ada.until("Type leave, close or stay.")
            ada.type("stay\n")
            ada.until("Your move: ")
            ada.type("b2\n")
            bo.until("Ada played b2.")
            ada.type("quit\n")
            ada.until("Close the server? Bo is still connected.")
            ada.type("close\n")
            assert ada.end() == 0
            assert "The server has ended; your games are kept in" in ada.shown
            bo.until("The host has closed the server.")
            assert bo.end() == 1
            assert "Trying again" not in bo.shown
    assert code in piped(tmp_path, "history", "--as", "Bo")[0]


def test_what_a_host_leaves_running_ends_with_the_last_guest(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", "--vs", "human") as ada:
        ada.until("> ")
        with Terminal(tmp_path, "join", code_in(ada.shown), "--as", "Bo") as bo:
            bo.until("Ada to move")
            ada.until("Your move: ")
            ada.type("quit\n")
            ada.until("still connected.")
            ada.type("\x03")
            assert ada.end() == 130
            assert "Goodbye. The server stays open for Bo." in ada.shown
            bo.until("Ada has been away")
            bo.type("quit\n")
            assert bo.end() == 0
            assert "The server has ended" in bo.shown
    assert read_note(tmp_path / "rooms.db") is None


def test_a_room_that_was_made_waits_for_its_players(tmp_path: Path) -> None:
    code = piped(tmp_path, "create", "tictactoe")[0].strip()
    assert code in piped(tmp_path, "rooms")[0]
    piped(tmp_path, "add-bot", code, "--bot", "easy")
    with Terminal(tmp_path, "join", code) as ada:
        ada.until("Your turn")
