"""What a table says."""

import pytest

from parlour_client import sentences
from parlour_protocol.errors import Code
from parlour_protocol.to_client import Refused
from parlour_protocol.views import ResultView, SeatView
from tests.client.rooms import board, view


def test_whose_turn_it_is() -> None:
    room = view()
    assert sentences.turn(room) == "Your turn (X)."
    room.to_move = 1
    assert sentences.turn(room) == "Ben is to move (O)."
    room.online = [True, False]
    assert sentences.turn(room) == "Ben is to move (O), who is away."
    room.to_move = None
    assert sentences.turn(room) == ""


def test_marks_follow_whoever_began() -> None:
    room = view(you=1)
    room.starter = 1
    assert sentences.players(room) == "Ada (O) against Ben (X, you)"


def test_a_bot_is_always_marked_as_one() -> None:
    room = view()
    room.seats[1] = SeatView("bot", "perfect", "perfect")
    assert sentences.moved(room, 1, "b2") == "perfect (bot) played b2."


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ResultView("three in a row", 0), "You win: three in a row."),
        (ResultView("three in a row", 1), "Ben wins: three in a row."),
        (ResultView("the board is full"), "A draw: the board is full."),
        (ResultView("Draw"), "A draw."),
        (None, ""),
    ],
)
def test_how_it_ended(result: ResultView | None, words: str) -> None:
    room = view()
    room.result = result
    assert sentences.result(room) == words


def test_the_score_is_told_from_the_second_game_on() -> None:
    room = view()
    room.wins = [1, 0]
    assert sentences.score(room) == ""
    room.draws = 2
    assert sentences.score(room) == "Score: Ada 1, Ben 0, 2 drawn."


def test_the_winning_line_is_named() -> None:
    won = board("XXX", "OO.", "...")
    won.line = [0, 1, 2]
    assert sentences.winning_line(won) == "The line: a3 b3 c3."
    won.rows = ["", "", ""]
    assert sentences.winning_line(won) == ""


def test_a_wrong_move_is_told_the_right_ones() -> None:
    refused = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=["a1", "c1", "a3"])
    assert sentences.refusal(refused) == "b2 is taken. Free: a1, c1, a3."
    many = [f"a{number}" for number in range(101)]
    taken = Refused(Code.ILLEGAL_MOVE, "b2 is taken.", "1", legal=many)
    assert sentences.refusal(taken) == "b2 is taken. Write a move like a50."
    unread = Refused(
        Code.INVALID_MOVE, "'zz' is no cell: write a column and a row, such as b2.", "1", legal=many
    )
    assert sentences.refusal(unread) == unread.message
    turn = Refused(Code.NOT_YOUR_TURN, "It is not your turn.", "1", legal=["a1"])
    assert sentences.refusal(turn) == "It is not your turn."


def test_a_wrong_time_is_told_the_right_one() -> None:
    refused = Refused(Code.BUSY, "Too many searches wait.", "1", retry_after=2.0)
    assert sentences.refusal(refused) == "Too many searches wait. Try again in 2 s."


def test_a_friend_is_told_the_very_command() -> None:
    assert "parlour join KMRTQA --as NAME" in sentences.invitation("ws://127.0.0.1:8765", "KMRTQA")
    assert "http://127.0.0.1:8765/KMRTQA" in sentences.invitation("ws://127.0.0.1:8765", "KMRTQA")
    assert sentences.invitation("ws://127.0.0.1:9000", "KMRTQA") == (
        "A friend joins with: parlour join http://127.0.0.1:9000/KMRTQA --as NAME"
    )
    assert sentences.invitation("wss://play.example", "KMRTQA") == (
        "A friend joins with: parlour join https://play.example/KMRTQA"
    )


def test_the_way_back_is_told() -> None:
    assert sentences.come_back("ws://127.0.0.1:8765", "KMRTQA", None, seated=True) == "parlour join KMRTQA"
    assert sentences.come_back("wss://play.example", "KMRTQA", "Ada B", seated=True) == (
        'parlour join https://play.example/KMRTQA --as "Ada B"'
    )
    assert sentences.come_back("ws://127.0.0.1:8765", "KMRTQA", "Ada", seated=False) == "parlour watch KMRTQA"


def test_rematches_are_states() -> None:
    room = view()
    assert sentences.rematch(room) == "Type rematch for another game, or quit."
    room.rematch = [1]
    assert sentences.rematch(room) == "Ben asks for a rematch: type rematch to agree, or quit."
    room.rematch = [0]
    assert sentences.rematch(room) == "You asked for a rematch. Waiting for Ben."
    room.you = None
    assert sentences.rematch(room) == ""
    room.owner, room.seats = True, [SeatView("bot", "easy", "easy")] * 2
    assert sentences.rematch(room) == "Type rematch for another game, or quit."


@pytest.mark.parametrize("evil", ["Ada\x1b]52;c;cm0=\x07", "\x9b2JAda", "Ada\u202eneB"])
def test_names_are_cleaned_wherever_they_are_said(evil: str) -> None:
    room = view(names=(evil, evil), you=None)
    room.result, room.rematch = ResultView(evil, 1), [0]
    refused = Refused(Code.ILLEGAL_MOVE, evil, "1", legal=[evil])
    for said in (
        sentences.turn(room),
        sentences.players(room),
        sentences.moved(room, 0, evil),
        sentences.result(room),
        sentences.score(room),
        sentences.rematch(room),
        sentences.refusal(refused),
    ):
        assert said.isprintable()
