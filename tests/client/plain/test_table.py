"""What happens at a table between two people, each at a terminal of their own."""

import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from tests.client.terminal import Terminal, piped
from tests.support.server import ServerProcess


def code_of(terminal: Terminal) -> str:
    found = re.search(r"parlour join (\S+)", terminal.until("--as NAME"))
    assert found is not None
    return found[1]


def test_a_clock_runs_while_its_player_is_away_and_ends_the_game(tmp_path: Path, server: str) -> None:
    options = ["--clock", "5/move", "--server", server]
    with Terminal(tmp_path, "play", "--vs", "human", *options) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ada.until("Your turn (X). Time: Ada 5.0, Ben 5.0.")
            ada.until("Your move: ")
            ada.type("b2\n")
            ben.until("Ada played b2.")
            ben.until("Your move: ")
            ben.type("a1\n")
            # The prompt's clock goes down in its place, and no other time stands beside it.
            assert "Time:" not in ada.until("Your move: ").rpartition("Your turn (X).")[2]
            ada.until("X 4.")
            # A question does not hide it, nor stop it.
            ada.type("resign\n")
            asked = [ada.until("Resign this game? y or n: ") for _ in range(2)]
            first, later = (re.findall(r"X (\d\.\d)  O 5\.0  Resign", text)[-1] for text in asked)
            assert first > later
            ada.type("n\n")
            ada.until("You play on.")
            ada.process.kill()
            ben.until("Ada has been away for 4 s.")
        with Terminal(tmp_path, "join", link) as again:
            again.until("Ben wins by timeout.")


async def test_ctrl_c_stops_a_hint_and_does_not_leave_the_table(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "rooms.db", "--longest-search-seconds", "600")
    await server.start()
    try:
        with Terminal(tmp_path, "play", "gomoku", "--vs", "random", "--server", server.url) as ada:
            ada.until("Your move: ")
            for _ in range(2):
                ada.type("hint\n")
                ada.until("Searching (Ctrl-C stops it): ")
                ada.type("\x03")
                ada.until("Stopped.")
                ada.until("Your move: ")
            ada.type("h8\n")
            ada.until("You played h8.")
            ada.until("Your move: ")
            ada.type("\x03")
            assert ada.end() == 130
    finally:
        await server.kill()


def test_no_question_is_left_where_the_other_gave_up_first(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ben.until("You sit here as Ben.")
            ada.until("Your move: ")
            ada.type("resign\n")
            ada.until("Resign this game?")
            ben.type("resign\n")
            ben.until("Resign this game?")
            ben.type("y\n")
            ada.until("You win by resignation.")
            ada.until("> ")
            ben.type("rematch\n")
            ada.until("Ben asks for a rematch")
            ada.type("rematch\n")
            ada.until("Game 2")
            ben.until("Your move: ")
            ben.type("b2\n")
            assert "Give this" not in ada.until("Your move: ")
            with Terminal(tmp_path, "watch", link, "--as", "Eve") as eve:
                eve.until("watching")
                eve.type("resign\n")
                eve.until("You don't sit at this table.")


def test_piped_words_do_not_wait_for_the_other_to_move(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        typed = "say hello\nresign\nn\nabort\nwhat\nn\nabort\ny\nquit\n"
        _, err = piped(tmp_path, "join", link, "--as", "Ben", "--plain", typed=typed)
        assert err.count("You play on.") == 2
        assert "Type y or n." in err
        ada.until("Ben: hello")
        ada.until("The game was aborted")


def test_two_play_at_one_keyboard(tmp_path: Path, server: str) -> None:
    typed = "a1\nb1\ntakeback\nb2\nsay hello\nclaim\na2\nb3\na3\nrematch\ndraw\nleave\n"
    options = ["play", "tictactoe", "--vs", "here:Ben", "--server", server]
    said, complained = piped(tmp_path, *options, typed=typed)
    lines = [line for line in said.splitlines() if line and not line.startswith(" ")]
    assert [line for line in lines if re.search("move|Pass", line)][:4] == [
        "Ada to move (X).",
        "Pass the device to Ben (O).",
        "Pass the device to Ada (X).",
        "Ben takes a move back.",
    ]
    assert "Ada wins by three in a row." in lines
    assert lines.index("Game 2: Ben begins.") < lines.index("A draw was agreed.")
    assert "There is no chat in this room." in complained
    assert "nobody leaves alone" in complained
    said, complained = piped(tmp_path, "play", "--vs", "here:server", "--server", server, typed="", code=2)
    assert "server would pass for a bot" in complained
