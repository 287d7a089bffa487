"""What happens at a table between two people, each at a terminal of their own."""

import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no ptys", allow_module_level=True)

from tests.client.terminal import Served, Terminal, piped
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
            asked = [ada.until("Give this game up? y or n: ") for _ in range(2)]
            first, later = (re.findall(r"X (\d\.\d)  O 5\.0  Give", text)[-1] for text in asked)
            assert first > later
            ada.type("n\n")
            ada.until("You play on.")
            ada.process.kill()
            ben.until("Ada is away.")
        with Terminal(tmp_path, "join", link) as again:
            again.until("Ben wins: time is up.")


def test_while_the_server_is_down_nobodys_time_runs(tmp_path: Path) -> None:
    first = Served(tmp_path)
    address = f"ws://127.0.0.1:{first.port}"
    try:
        with Terminal(tmp_path, "play", "--vs", "easy", "--clock", "5+0", "--server", address) as ada:
            ada.until("Your move: ")
            ada.type("b2\n")
            ada.until("Your move: ")
            first.kill()
            ada.until("Your seat is kept.")
            # Whether it runs, nobody knows: so none is shown.
            prompt = ada.until("Your move: ").splitlines()[-1]
            assert ":" not in prompt.replace("move:", "")
            second = Served(tmp_path, first.port)
            try:
                ada.until("Connected again.")
                ada.until("Your turn (X).")
                assert re.search(
                    r"X [45]:\d\d  O 5:00  $", ada.until("Your move: ").removesuffix("Your move: ")
                )
            finally:
                second.kill()
    finally:
        first.kill()


def test_a_seat_is_carried_to_another_terminal(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path / "here", "play", "--vs", "easy", "--server", server) as ada:
        ada.until("Your move: ")
        ada.type("carry\n")
        ada.until("Open this link in a browser on this machine within 2 min")
        found = re.search(r"http://\S+#carry=\w+", ada.until("Your move: "))
        assert found is not None
        with Terminal(tmp_path / "there", "join", found[0], PARLOUR_NAME="Bob") as there:
            there.until("You sit here as Ada.")
            there.until("Your move: ")
            ada.until("You came back elsewhere")
            there.type("b2\n")
            there.until("Your move: ")
            there.type("quit\n")
            assert there.end() == 0
        # It is that player from then on.
        with Terminal(tmp_path / "there", "join", found[0].partition("#")[0], PARLOUR_NAME="Bob") as again:
            again.until("You sit here as Ada.")


def test_a_draw_is_offered_declined_and_taken(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ada.until("Your move: ")
            ben.until("Ada is to move")
            ada.type("draw\n")
            ada.until("You offer a draw. Waiting for Ben")
            ben.until("Ada offers a draw: `draw` takes it, `no` declines.")
            ben.type("no\n")
            ada.until("Ben declines the draw.")
            ben.type("no\n")
            ben.until("Nothing is offered")
            ben.type("draw\n")
            ada.until("Ben offers a draw")
            ada.type("yes\n")
            for person in (ada, ben):
                person.until("A draw was agreed.")
            ada.type("draw\n")
            ada.until("No game is running here.")


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


def test_of_two_offers_the_one_that_is_meant_is_declined(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ada.until("Your move: ")
            ada.type("b2\n")
            ben.until("Your move: ")
            ada.type("takeback\n")
            ben.until("Ada asks to take a move back")
            ada.type("draw\n")
            ben.until("Ada offers a draw")
            ben.type("no\n")
            ben.until("There are two offers: type no draw or no takeback.")
            ben.type("no takeback\n")
            ben.until("You decline the takeback.")
            ada.until("Ben declines the takeback.")
            ben.type("no\n")
            ben.until("You decline the draw.")
            ada.until("Ben declines the draw.")


def test_no_question_is_left_where_the_other_gave_up_first(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ben.until("You sit here as Ben.")
            ada.until("Your move: ")
            ada.type("resign\n")
            ada.until("Give this game up?")
            ben.type("resign\n")
            ben.until("Give this game up?")
            ben.type("y\n")
            ada.until("You win: resignation.")
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
                eve.until("Only players can do that.")


def test_a_person_is_asked_for_a_move_back(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ada.until("Your move: ")
            ada.type("b2\n")
            ben.until("Your move: ")
            ada.type("takeback\n")
            ada.until("You ask to take your move back.")
            ben.until("Ada asks to take a move back: `takeback` allows it, `no` declines.")
            ben.type("takeback\n")
            for person, words in ((ada, "You take a move back."), (ben, "Ada takes a move back.")):
                person.until(words)
            ada.until("Your turn (X).")
            ada.type("a1\n")
            ben.until("Ada played a1.")


def test_a_bot_gives_moves_back_at_once(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "random:seed=1", "--server", server) as ada:
        ada.until("Your move: ")
        ada.type("takeback\n")
        ada.until("You have made no move yet")
        ada.type("b2\n")
        ada.until("random (bot) played")
        ada.until("Your move: ")
        ada.type("takeback\n")
        ada.until("You take 2 moves back.")
        ada.until("Your move: ")
        ada.type("abort\n")
        ada.until("The game was aborted. It doesn't count.")


def test_players_and_those_who_look_on_talk_apart(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with (
            Terminal(tmp_path, "join", link, "--as", "Ben") as ben,
            Terminal(tmp_path, "watch", link, "--as", "Eve") as eve,
        ):
            eve.until("watching")
            ada.until("1 is watching.")
            eve.type("say I see a fork\n")
            eve.until("Eve: I see a fork")
            ada.type("say good luck \x1b]0;boo\x07\n")
            ben.until("Ada: good luck")
            ben.type("say\n")
            ben.until("Say what?")
            ben.type("say thanks\n")
            ada.until("Ben: thanks")
            assert "fork" not in ada.shown + ben.shown
            assert "luck" not in eve.shown
            # Whoever comes back reads what was said.
            with Terminal(tmp_path, "join", link, "--as", "Ben") as again:
                again.until("Ben: thanks")
                assert "\x1b]0;" not in again.shown


def test_whoever_looks_on_steps_back_through_the_game(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            for mover, move in [(ada, "a1"), (ben, "b1"), (ada, "a2")]:
                mover.until("Your move: ")
                mover.type(f"{move}\n")
                mover.until(f"You played {move}.")
            with Terminal(tmp_path, "watch", link, "--as", "Eve") as eve:
                eve.until("Ben is to move")
                eve.type("back\n")
                eve.until("Move 2 of 3: b1")
                eve.type("start\n")
                eve.until("The beginning (of 3 moves)")
                eve.type("back\n")
                eve.until("That is the beginning.")
                eve.type("forward\n")
                eve.until("Move 1 of 3: a1")
                ben.until("Your move: ")
                ben.type("b2\n")
                # What happens meanwhile is told, and tears nobody away.
                eve.until("Ben played b2. Type now to see it.")
                eve.type("forward\n")
                eve.until("Move 2 of 4: b1")
                eve.type("now\n")
                eve.until("Moves: a1 b1 a2 b2")
                ada.until("Your move: ")
                ada.type("a3\n")
                eve.until("Ada wins: three in a row.")


def test_the_newest_terminal_wins_and_the_older_one_lets_go(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "random:seed=1", "--server", server) as first:
        first.until("Your move: ")
        rooms = piped(tmp_path, "history", "--json", "--server", server)[0]
        found = re.search(r'"room": "(\w+)"', rooms)
        assert found is not None
        with Terminal(tmp_path, "join", found[1], "--server", server) as second:
            second.until("Your move: ")
            assert first.until("You came back elsewhere").split("\r\n")[-1].startswith("You came")
            first.until("so this one stops here. To play on here:")
            first.until(f"\r\n  parlour join {server.replace('ws:', 'http:')}/{found[1]}\r\n")
            assert first.end() == 1
            second.type("b2\n")
            second.until("You played b2.")
            assert "elsewhere" not in second.shown


def test_a_seat_that_stays_empty_is_claimed(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--patience", "5", "--server", server) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ben.until("Ada is to move")
            ada.type("claim\n")
            ada.until("The other player is here.")
        ada.until("Ben is away.")
        ada.type("claim win\n")
        ada.until("has not been away for long")
        ada.until("Wait on, or type `claim win`")
        ada.type("claim bot easy\n")
        ada.until("easy (bot) plays for Ben until they are back.")
        ada.type("b2\n")
        ada.until("easy (bot, for Ben) played")
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ben.until("against Ben")
            ada.until("Ben plays on.")


def test_a_bot_holds_a_seat_and_hands_it_back(tmp_path: Path, server: str) -> None:
    options = ["--stand-in", "random", "--patience", "5", "--server", server]
    with Terminal(tmp_path, "play", "--vs", "human", *options) as ada:
        link = code_of(ada)
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ben.until("Ada is to move")
        ada.until("random (bot) plays for Ben until they are back.")
        ada.type("b2\n")
        ada.until("random (bot, for Ben) played")
        with Terminal(tmp_path, "join", link, "--as", "Ben") as ben:
            ada.until("Ben plays on.")
            ada.type("nonsense\n")
            free = re.search(r"Free: ([a-c][1-3])", ada.until("Type"))
            assert free is not None
            ada.type(f"{free[1]}\n")
            ben.until("Your turn (O).")


def test_a_bots_seat_is_taken_over(tmp_path: Path, server: str) -> None:
    made = piped(tmp_path, "create", "--server", server)[0].strip()
    for bot in ("easy", "random"):
        piped(tmp_path, "add-bot", made, "--bot", bot, "--server", server)
    with Terminal(tmp_path, "watch", made, "--server", server) as ada:
        ada.until("watching")
        ada.type("takeover third\n")
        ada.until("Whose seat?")
        ada.type("takeover second\n")
        ada.until("Ada takes the seat of random (bot).")
        ada.until("easy (bot) (X) against Ada (O, you)")


def test_piped_words_do_not_wait_for_the_other_to_move(tmp_path: Path, server: str) -> None:
    with Terminal(tmp_path, "play", "--vs", "human", "--server", server) as ada:
        link = code_of(ada)
        typed = "say hello\nresign\nn\nquit\n"
        _, err = piped(tmp_path, "join", link, "--as", "Ben", "--plain", typed=typed)
        assert "You play on." in err
        ada.until("Ben: hello")


def test_two_who_want_the_same_are_brought_together(tmp_path: Path, server: str) -> None:
    wanted = ["play", "--quick", "--clock", "5+3", "--server", server]
    with Terminal(tmp_path, *wanted) as ada:
        ada.until("Waiting for a second player.")
        with (
            Terminal(tmp_path, "play", "--quick", "--server", server, "--as", "Eve") as eve,
            Terminal(tmp_path, *wanted, "--as", "Ben") as ben,
        ):
            ben.until("Ada (X) against Ben (O, you)")
            ada.until("Time: Ada 5:00, Ben 5:00.")
            eve.until("Waiting for a second player.")
            assert "Ben" not in eve.shown


def test_where_nobody_comes_a_bot_does(tmp_path: Path, server: str) -> None:
    options = ["--vs", "random:seed=2", "--bot-after", "0.2", "--no-chat", "--server", server]
    with Terminal(tmp_path, "play", "--quick", *options) as ada:
        ada.until("Game 1: you begin.")
        ada.type("say hello\n")
        ada.until("There is no chat in this room.")


def test_a_bot_that_can_not_be_is_reported_at_once(tmp_path: Path, server: str) -> None:
    for wrong, words in {
        "nosuch": "There is no bot 'nosuch'",
        "easy:depth=9": "has no setting 'depth'",
    }.items():
        options = ["--quick", "--bot-after", "600", "--vs", wrong, "--server", server]
        assert words in piped(tmp_path, "play", *options, code=2)[1]
    # No room was made for it.
    assert piped(tmp_path, "history", "--json", "--server", server)[0] == "[]\n"


def test_a_room_keeps_to_what_its_maker_chose(tmp_path: Path, server: str) -> None:
    options = ["--vs", "random:seed=2", "--no-takebacks", "--private", "--server", server]
    with Terminal(tmp_path, "play", *options) as ada:
        ada.until("Your move: ")
        ada.type("b2\n")
        ada.until("Your move: ")
        ada.type("takeback\n")
        ada.until("No moves are taken back in this room.")
        title = re.search(r"room (\w{6})", ada.shown)
        assert title is not None
        assert title[1] not in piped(tmp_path, "rooms", "--server", server)[0]


def test_a_tables_games_are_listed(tmp_path: Path, server: str) -> None:
    options = ["--vs", "random:seed=1", "--server", server]
    out, err = piped(tmp_path, "play", *options, typed="b2\nresign\ny\ngames\n")
    assert re.search(r"1 +random \(bot\) wins: resignation\. +2 +Ada", out)
    assert "You won 0, lost 1 and drew 0." in out
    assert "--game N" in err
