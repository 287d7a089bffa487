"""A game as text: its tags, its moves by number, its result; and that it is read back as it was written."""

import pytest

from parlour_client.sdk import game_text
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.views.rooms import ResultView, SeatView

HOSTILE = 'Q" ]\\ [Game "x"] {;} <b>'


def record(*moves: str, starter: bool = False, result: ResultView | None = None) -> GameRecord:
    seats = [SeatView("human", "Ada"), SeatView("bot", "easy", "easy")]
    played = [RecordedMove(1 if (ply % 2 == 0) == starter else 0, move, 0) for ply, move in enumerate(moves)]
    return GameRecord(
        *("KMRTQA", "connect4", "Connect Four", 2, seats, 1 if starter else 0, RoomSettings(clock="5+3")),
        1_795_278_954_409,
        played,
        result=result,
    )


def test_a_game_is_written_with_tags_and_numbered_moves() -> None:
    found = record(*"443", starter=True, result=ResultView("resignation", "Ada resigns", 1))
    found.started_with = 2
    assert game_text.written(found) == (
        '[Event "Connect Four"]\n'
        '[Site "KMRTQA"]\n'
        '[Date "2026.11.21"]\n'
        '[Round "2"]\n'
        '[First "easy (bot)"]\n'
        '[Second "Ada"]\n'
        '[Result "1-0"]\n'
        '[Game "connect4"]\n'
        '[TimeControl "300+3"]\n'
        '[StartedWith "2"]\n'
        '[Termination "resignation"]\n'
        "\n"
        "1. 4 4 2. 3 1-0\n"
    )


@pytest.mark.parametrize(("clock", "written"), [(None, "-"), ("0.5+0", "30+0"), ("30/move", "1/30")])
def test_the_clock_is_written_in_seconds(clock: str | None, written: str) -> None:
    found = record("4")
    found.settings = RoomSettings(clock=clock)
    text = game_text.written(found)
    assert f'[TimeControl "{written}"]' in text
    assert '[Termination "unterminated"]' in text


@pytest.mark.parametrize(
    ("result", "written"),
    [
        (None, "*"),
        (ResultView("aborted", "aborted"), "*"),
        (ResultView("agreement", "agreed"), "1/2-1/2"),
        (ResultView("line", "four in a row", 0), "1-0"),
        (ResultView("line", "four in a row", 1), "0-1"),
    ],
)
def test_results(result: ResultView | None, written: str) -> None:
    text = game_text.written(record(*"44", result=result))
    assert f'[Result "{written}"]' in text
    assert text.endswith(f" {written}\n")
    found = game_text.read(text)
    assert found is not None
    if result is None:
        assert found.result is None
    else:
        assert found.result is not None
        assert (found.result.termination, found.result.winner) == (result.termination, result.winner)


def test_what_is_written_is_read_back_whatever_people_are_called() -> None:
    moves = [f"{column}{row}" for column in "abcdefghjk" for row in range(1, 10)]
    kept = record(*moves, result=ResultView("time", "timeout", 0))
    kept.seats[0].name = HOSTILE
    kept.started_with = 7
    text = game_text.written(kept)
    assert max(map(len, text.splitlines())) < 80
    found = game_text.read(text)
    assert found is not None
    assert [move.move for move in found.moves] == moves
    assert [move.seat for move in found.moves] == [move.seat for move in kept.moves]
    assert (found.game, found.room, found.number, found.started_with) == ("connect4", "KMRTQA", 2, 7)
    assert [seat.name for seat in found.side_seats()] == [HOSTILE, "easy (bot)"]
    assert game_text.written(found).splitlines()[:8] == text.splitlines()[:8]


def test_what_others_write_is_read_too() -> None:
    found = game_text.read(
        '[Game "tictactoe"]\r\n[Date "yesterday"]\r\n[StartedWith "many"]\r\n[Termination "normal"]\r\n'
        '[Result "0-1"]\r\n\r\n1. b2 {the middle} a1 2... c3 ; a corner\n 3.a3 3...c1 0-1\r\n'
    )
    assert found is not None
    assert [move.move for move in found.moves] == ["b2", "a1", "c3", "a3", "c1"]
    assert (found.started, found.started_with, found.room) == (0, 0, "")
    assert found.result == ResultView("rules", "", 1)
    assert [seat.name for seat in found.seats] == ["?", "?"]


@pytest.mark.parametrize(
    ("moves", "read"),
    [
        ("1. b1?! a2!! 2. c3 ! a1 ?? *", "b1 a2 c3 a1"),
        ("1. b1 $4 a2 $14 2. c3", "b1 a2 c3"),
        ("1. b1 (1. c1 {so :)} a1 (1... a3!) 2. b2)a2 (c1)(c2) 2. c3", "b1 a2 c3"),
        ("1. b1 (1. c1 a2", "b1 ("),
        ("1. b1) a2", "b1 ) a2"),
        ("1.b1! (1.c1) 1...a2 2.4 5", "b1 a2 4 5"),
    ],
)
def test_grades_and_what_might_have_been_played_are_no_moves(moves: str, read: str) -> None:
    found = game_text.read(f'[Game "tictactoe"]\n\n{moves}\n')
    assert found is not None
    assert " ".join(move.move for move in found.moves) == read


@pytest.mark.parametrize("text", ["", "1. 4 4", '[Event "x"]\n\n4 4', "[1, 2]", "[Game connect4]"])
def test_what_names_no_game_is_none(text: str) -> None:
    assert game_text.read(text) is None
