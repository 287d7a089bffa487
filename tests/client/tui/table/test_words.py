"""What a table says at each moment, which keys mean something, and how players and their times are told."""

from dataclasses import replace

import pytest

from parlour_client.model import Shown
from parlour_client.tui.table.news import news
from parlour_client.tui.table.players import counted, line
from parlour_client.tui.table.possible import possible
from parlour_client.tui.table.saying import Moment, say, short, ways
from parlour_protocol.to_client import Event, GameFinished, OfferDeclined, Presence, Said, SeatTaken
from parlour_protocol.views import ClockView, ResultView, RoomSettings, RoomView, SeatView
from tests.client.tui.table.positions import BEFORE_A_PASS, DISCS, NINE, WON, position, room

ACTIONS = [
    "offer_draw",
    "takeback",
    "resign",
    "abort",
    "hint",
    "review",
    "rematch",
    "sit",
    "bot",
    "take_over",
]


def people(**changed: object) -> RoomView:
    seats = [SeatView("human", "Ada"), SeatView("human", "Ben")]
    return room("tictactoe", "Tic-tac-toe", "b2 a1", **{"seats": seats, "report": None, **changed})


def said(**known: object) -> str:
    return say(Moment(people(), **known)).plain  # type: ignore[arg-type]


def test_the_most_urgent_is_said_first() -> None:
    told = {
        "question": "Give this game up? y or n",
        "refusal": "b2 is taken.",
        "lost": 2.4,
        "typed": "b",
        "sent": "b3 is on its way",
        "ply": 1,
    }
    expected = [
        "Give this game up?",
        "✗ b2 is taken.",
        "Connection lost. Trying again in 2 s (your seat is kept).",
        "Your move: b▏",
        "⋯ b3 is on its way",
        "Move 1 of 2: b2. end: as it stands",
        "Your move: ",
    ]
    for words in expected:
        assert said(**told).startswith(words)
        if told:
            told.pop(next(iter(told)))


def test_at_a_table_that_has_ended_that_is_said_unless_one_looks_back() -> None:
    ended = "You came back from another terminal."
    assert said(ended=ended, question="Give this game up? y or n", lost=2.4, typed="b") == ended
    assert said(ended=ended, ply=1).startswith("Move 1 of 2: b2.")
    assert said(ended=ended, refusal="The server is busy.").startswith("✗ The server is busy.")


def test_how_a_move_is_made_is_told_for_any_game() -> None:
    assert ways(position("connect4")) == "1-7, arrows, or a click"
    assert ways(position("connect4:9,7")) == "1-9, arrows, or a click"
    assert ways(position("tictactoe")) == "such as b2, arrows, a click"
    assert ways(position("reversi:6", BEFORE_A_PASS)) == "pass (enter)"
    assert ways(None) == ""


def test_offers_results_and_waiting_are_said_with_the_keys_that_answer() -> None:
    assert say(Moment(people(draw_offer=1))).plain == "Ben offers a draw: y or n."
    assert say(Moment(people(takeback_offer=0))).plain.startswith("You ask to take your move back. n takes")
    over = people(
        phase="finished", to_move=None, result=ResultView("resignation", 1), wins=[0, 1], rematch=[1]
    )
    assert say(Moment(over)).plain == "Ben wins: resignation.\nBen wants a rematch: y or n."
    assert say(Moment(replace(over, rematch=[], wins=[1, 1]))).plain.endswith("Score: Ada 1, Ben 1.")
    waiting = people(phase="waiting", to_move=None, seats=[SeatView("human", "Ada"), SeatView("open")])
    assert say(Moment(waiting)).plain == "Waiting for a second player.\nIts code is KMRTQA."
    away = people(online=[True, False], away=[None, 70.0], to_move=1)
    assert say(Moment(away)).plain == "Ben is away (for 70 s). C claims the game."


def test_a_small_screen_has_the_times_and_one_line() -> None:
    timed = people(clock=ClockView([252_000, 9_400], 0))
    assert short(Moment(timed), timed=True).plain == "X 4:12  O 9.4  Your move: such as a2, arrows, a click"
    assert short(Moment(timed, lost=3), timed=True).plain.startswith("Connection lost.")


def test_a_player_s_line_has_what_there_is_room_for() -> None:
    view = people(
        clock=ClockView([252_000, 298_000], 0), wins=[2, 1], draws=1, online=[True, False], away=[None, 40.0]
    )
    assert line(view, 0, 30).plain == "▸X Ada  won 2             4:12"
    assert line(view, 1, 40).plain == " O Ben  away 40 s  won 1, 1 drawn   4:58"
    assert line(view, 1, 24).plain == " O Ben  away 40 s   4:58"
    # Who is away counts for more than the whole of a name.
    view.seats[1] = SeatView("human", "Bartholomew")
    assert line(view, 1, 24).plain == " O Bartholom…  away 4:58"
    assert line(view, 1, 19).plain == " O Bart…  away 4:58"
    # While the line is lost nobody knows the time.
    assert "4:12" not in line(view, 0, 30, running=False).plain
    for width in range(1, 60):
        assert line(view, 1, width).cell_length <= max(width, 9)


def test_what_is_counted_is_what_tells_more_than_the_number_of_moves() -> None:
    reversi = room("reversi", "Reversi", DISCS)
    counts = [counted(reversi, 0), counted(reversi, 1)]
    assert sum(int(count.split()[0]) for count in counts) == 24
    assert counts[0].endswith("●") and counts[1].endswith("○")
    nine = room("ultimate", "Ultimate", NINE)
    assert [counted(nine, 0), counted(nine, 1)] == ["X has 1", "O has 3"]
    assert counted(people(), 0) == counted(room("connect4", "Connect Four", WON), 1) == ""


def test_a_bot_is_always_marked_as_one_and_a_stand_in_too() -> None:
    view = people(seats=[SeatView("human", "Ada", stand_in="medium"), SeatView("bot", "hard", "hard")])
    assert line(view, 1, 40).plain.startswith(" O hard (bot)")
    assert line(view, 0, 40).plain.startswith("▸X medium (bot), for Ada")


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (people(), "offer_draw takeback resign"),
        (replace(people(), moves=["b2"]), "offer_draw takeback resign abort"),
        (people(settings=RoomSettings(takebacks=False)), "offer_draw resign"),
        (people(draw_offer=0), "takeback resign"),
        (people(you=None), ""),
        (people(settings=RoomSettings(hints="always")), "offer_draw takeback resign hint"),
        (room("connect4", "Connect Four", "4 4"), "offer_draw takeback resign hint"),
        (room("connect4", "Connect Four", "4"), "offer_draw takeback resign abort hint"),
        (room("connect4", "Connect Four", WON), "review rematch"),
        (people(phase="waiting", to_move=None), "bot"),
        (people(phase="waiting", to_move=None, you=None), "sit"),
        (people(phase="closed", to_move=None), "review"),
        (room("connect4", "Connect Four", "4", you=None, owner=True), "hint take_over"),
    ],
)
def test_only_what_means_something_has_a_key(view: RoomView, expected: str) -> None:
    shown = Shown(9, view)
    assert [action for action in ACTIONS if possible(action, shown)] == expected.split()


def test_news_tell_what_talk_and_board_do_not() -> None:
    before = people(online=[True, True])
    after = replace(before, online=[True, False])
    assert news(before, after, Presence("KMRTQA", [True, False], 0)) == ["Ben is away."]
    taken = Event("KMRTQA", 3, 0, SeatTaken(1, SeatView("human", "Ben")))
    waiting = replace(before, seats=[SeatView("human", "Ada"), SeatView("open")])
    assert news(waiting, before, taken) == ["Ben sits down."]
    over = replace(before, result=ResultView("resignation", 1))
    assert news(before, over, Event("KMRTQA", 3, 0, GameFinished("resignation", [0, 1], 0, 1))) == [
        "Ben wins: resignation."
    ]
    offered = replace(before, draw_offer=0)
    declined = Event("KMRTQA", 3, 0, OfferDeclined(1, "draw"))
    assert news(offered, before, declined) == ["Ben declines the draw."]
    assert news(before, before, Event("KMRTQA", 3, 0, Said("players", "Ben", "hi"))) == []
