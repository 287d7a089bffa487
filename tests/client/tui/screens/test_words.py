"""What a table says at each moment, which keys mean something, and how players and their times are told."""

from dataclasses import replace
from typing import Any

import pytest

from parlour_client.text.actions import BY_NAME
from parlour_client.text.open_actions import in_room
from parlour_client.tui.bindings import footer
from parlour_client.tui.screens.open_actions import at_table
from parlour_client.tui.screens.status_line import how_to_move, long, short
from parlour_client.tui.screens.thoughts import thoughts
from parlour_client.tui.table_model import TableModel
from parlour_client.tui.widgets.chat import Chat
from parlour_client.tui.widgets.players import counted, line
from parlour_protocol.actions import Offer
from parlour_protocol.events import ChatPosted, OfferDeclined, OfferMade
from parlour_protocol.ids import Seat
from parlour_protocol.notices import Presence, Thinking
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import ChatLine, ClockView, May, ResultView, RoomView, SeatView
from tests.client.tui.screens.positions import (
    AT,
    BEFORE_A_PASS,
    DISCS,
    NINE,
    WON,
    event,
    move_played,
    position,
    report,
    room,
)
from tests.client.tui.screens.stage import VERSION, FixedStage
from tests.support.waiting import within

ACTIONS = [
    "draw",
    "takeback",
    "resign",
    "abort",
    "hint",
    "review",
    "rematch",
    "sit",
    "add_bot",
    "take_over",
]


def people(**changed: Any) -> RoomView:
    seats = [SeatView("human", "Ada"), SeatView("human", "Ben")]
    return room("tictactoe", "Tic-tac-toe", **{"moves": "b2 a1", "seats": seats, "report": None, **changed})


def waiting(**changed: Any) -> RoomView:
    seats = [SeatView("human", "Ada"), SeatView("open")]
    return people(phase="waiting", to_move=None, seats=seats, **changed)


def moment(view: RoomView, **known: object) -> TableModel:
    return TableModel(view, open=in_room(view), **known)  # type: ignore[arg-type]


def opened(view: RoomView, **known: object) -> frozenset[str]:
    return at_table(TableModel(view, **known))  # type: ignore[arg-type]


def said(**known: object) -> str:
    return long(moment(people(), **known)).plain


def test_the_most_urgent_is_said_first() -> None:
    reported = {
        "question": "Give this game up? Y or N",
        "lost": 2.4,
        "refusal": "b2 is taken.",
        "typed": "b",
        "pending": {1: "b3 is on its way"},
        "ply": 1,
    }
    expected = [
        "Give this game up?",
        "Connection lost. Trying again in 2 s.",
        "✗ b2 is taken.",
        "Your move: b▏",
        "⋯ b3 is on its way",
        "Move 1 of 2: b2. esc: back to the game",
        "Your move: ",
    ]
    for words in expected:
        assert said(**reported).startswith(words)
        if reported:
            reported.pop(next(iter(reported)))


def test_below_a_lost_connection_stands_why_unless_something_was_sent() -> None:
    why = "The server has stopped. It may come back."
    lost = "Connection lost. Trying again in 2 s."
    assert said(lost=2.4, reason=why) == f"{lost}\n{why}"
    assert said(lost=2.4, reason=why, pending={1: "b3 is on its way"}).endswith(
        "b3 is on its way, once the connection is back"
    )
    assert why not in said(reason=why)
    assert said(lost=2.4) == f"{lost} Your seat is kept."
    # Where there is one line, that says it all.
    assert short(moment(people(), lost=2.4, reason=why), 60, timed=True).plain == why
    asked = short(moment(people(), lost=2.4, reason=why, question="Leave? Y or N"), 60, timed=True)
    assert asked.plain.startswith("Leave? Y or N")


def test_who_writes_stands_in_the_one_line_of_a_small_screen_where_there_is_room() -> None:
    writes = moment(people(), typing="Ben is typing ...")
    assert short(writes, 60, timed=False).plain.endswith("a click  Ben is typing ...")
    assert "typing" not in short(writes, 50, timed=False).plain


def test_at_a_table_that_has_ended_that_is_said_unless_one_looks_back() -> None:
    ended = "The server has forgotten this room."
    assert said(ended=ended, question="Give this game up? y or n", lost=2.4, typed="b") == ended
    assert said(ended=ended, ply=1).startswith("Move 1 of 2: b2.")
    assert said(ended=ended, refusal="The server is busy.").startswith("✗ The server is busy.")


def test_how_a_move_is_made_is_reported_for_any_game() -> None:
    assert how_to_move(position("connect4")) == "1-7, arrows, or a click"
    assert how_to_move(position("connect4:9,7")) == "1-9, arrows, or a click"
    assert how_to_move(position("tictactoe")) == "such as b2, arrows, a click"
    assert how_to_move(position("reversi:6", BEFORE_A_PASS)) == "pass (enter)"
    assert how_to_move(None) == ""


def test_offers_results_and_waiting_are_said_with_the_keys_that_answer() -> None:
    assert long(moment(people(offers={"draw": 1}))).plain == "Ben offers a draw. Y or N?"
    taken = long(moment(people(offers={"takeback": 0}))).plain
    assert taken.startswith("You ask to take your move back. N withdraws it.")
    over = people(
        phase="finished",
        to_move=None,
        result=ResultView("resignation", "resignation", 1),
        wins=[0, 1],
        offers={"rematch": 1},
    )
    assert long(moment(over)).plain == "Ben wins by resignation.\nBen asks for a rematch. Y or N?"
    assert long(moment(replace(over, offers={}, wins=[1, 1]))).plain.endswith("Score: Ada 1, Ben 1.")
    assert long(moment(waiting())).plain == "Waiting for a second player.\nThe room's code is KMRTQA."
    away = people(online=[True, False], away=[None, 70.0], to_move=1)
    assert long(moment(away)).plain == "Ben has been away for 70 s. C claims the game."


def test_a_spectator_sees_offers_without_keys_that_answer() -> None:
    drawish, taking = people(you=None, offers={"draw": 1}), people(you=None, offers={"takeback": 0})
    assert short(moment(drawish), 60, timed=False).plain == "Ben offers a draw."
    assert short(moment(taking), 60, timed=False).plain == "Ada asks to take a move back."


@pytest.mark.parametrize(
    ("you", "words"), [(None, "asks for a rematch."), (0, "asks for a rematch. Y or N?")]
)
def test_a_small_screen_has_the_rematch_that_is_offered(you: Seat | None, words: str) -> None:
    result = ResultView("resignation", "resignation", 1)
    over = people(phase="finished", to_move=None, result=result, offers={"rematch": 1}, you=you)
    assert short(moment(over), 60, timed=False).plain == f"Ben wins by resignation. Ben {words}"
    assert short(moment(over), 40, timed=False).plain == f"Ben {words}"


def test_a_small_screen_has_the_times_and_one_line() -> None:
    timed = people(clock=ClockView([252_000, 9_400], AT, 0))
    assert (
        short(moment(timed), 60, timed=True).plain == "X 4:12  O 9.4  Your move: such as a2, arrows, a click"
    )
    assert short(moment(timed, lost=3), 60, timed=True).plain.startswith("Connection lost.")


@pytest.mark.parametrize(
    ("width", "expected"),
    [(60, "Waiting for a second player. The room's code is KMRTQA."), (40, "The room's code is KMRTQA.")],
)
def test_a_small_screen_has_the_code_that_a_friend_needs(width: int, expected: str) -> None:
    assert short(moment(waiting()), width, timed=False).plain == expected
    reported = short(moment(waiting(), refusal="No."), width, timed=False).plain
    assert reported == "✗ No. The room's code is KMRTQA."
    long_refusal = "The server is busy, and so is everybody else."
    assert short(moment(waiting(), refusal=long_refusal), width, timed=False).plain == f"✗ {long_refusal}"


def test_a_small_screen_has_whole_sentences() -> None:
    refused = moment(people(), refusal="'z9' is not a cell: write a column and a row. Free: a2, a3, b1, b3.")
    assert short(refused, 80, timed=False).plain.endswith("b3.")
    assert short(refused, 60, timed=False).plain == "✗ 'z9' is not a cell: write a column and a row."
    away = people(online=[True, False], away=[None, 70.0], to_move=1)
    assert short(moment(away), 40, timed=False).plain == "Ben has been away for 70 s."
    assert "Trying again in 3 s" in short(moment(people(), lost=3), 40, timed=False).plain


def test_a_player_s_line_has_what_there_is_room_for() -> None:
    view = people(
        clock=ClockView([252_000, 298_000], AT, 0),
        wins=[2, 1],
        draws=1,
        online=[True, False],
        away=[None, 40.0],
    )
    assert line(view, 0, 30).plain == "▸X Ada  won 2             4:12"
    assert line(view, 1, 40).plain == " O Ben  away 40 s  won 1  1 draw    4:58"
    assert line(view, 1, 24).plain == " O Ben  away 40 s   4:58"
    # Who is away counts for more than the whole of a name.
    view.seats[1] = SeatView("human", "Bartholomew")
    assert line(view, 1, 24).plain == " O Bartholom…  away 4:58"
    assert line(view, 1, 19).plain == " O Bart…  away 4:58"
    # While the line is lost nobody knows the time.
    assert "4:12" not in line(view, 0, 30, running=False).plain
    ahead = waiting(settings=RoomSettings(clock="5+3"))
    assert line(ahead, 0, 30).plain.endswith("5+3") and line(ahead, 1, 30).plain.endswith("5+3")
    for width in range(1, 60):
        assert line(view, 1, width).cell_length <= max(width, 9)


def test_what_a_game_counts_stands_with_its_players() -> None:
    reversi = room("reversi", "Reversi", DISCS)
    counts = [counted(reversi, 0), counted(reversi, 1)]
    assert all(count.startswith("discs ") for count in counts)
    assert sum(int(count.split()[1]) for count in counts) == 24
    nine = room("ultimate", "Ultimate", NINE)
    assert [counted(nine, 0), counted(nine, 1)] == ["boards 1", "boards 3"]
    assert counted(people(), 0) == counted(room("connect4", "Connect Four", WON), 1) == ""


def test_a_bot_is_always_marked_as_one_and_a_stand_in_too() -> None:
    view = people(seats=[SeatView("human", "Ada", stand_in="medium"), SeatView("bot", "hard", "hard")])
    assert line(view, 1, 40).plain.startswith(" O hard (bot)")
    assert line(view, 0, 40).plain.startswith("▸X medium (bot, for Ada)")


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (people(), "draw takeback resign"),
        (people(moves="b2"), "draw takeback resign abort"),
        (people(settings=RoomSettings(takebacks=False)), "draw resign"),
        (people(offers={"draw": 0}), "takeback resign"),
        (people(you=None), ""),
        (people(settings=RoomSettings(hints="always")), "draw takeback resign hint"),
        (room("connect4", "Connect Four", "4 4"), "draw takeback resign hint"),
        (room("connect4", "Connect Four", "4"), "draw takeback resign abort hint"),
        (room("connect4", "Connect Four", WON), "review rematch"),
        (waiting(), "add_bot"),
        (waiting(you=None), "sit"),
        (people(phase="closed", to_move=None), "review"),
        (room("connect4", "Connect Four", "4", you=None, owner=True), "hint take_over"),
    ],
)
def test_only_what_means_something_has_a_key(view: RoomView, expected: str) -> None:
    assert [action for action in ACTIONS if action in opened(view)] == expected.split()


def offered(view: RoomView) -> dict[str, str]:
    """The keys that the footer shows at a table, each with its label."""
    shown = footer(TableModel(view, open=opened(view)))
    return {BY_NAME[name].key: label for name, label in shown.items() if label}


def test_an_offer_of_the_other_s_has_keys_that_answer_and_its_own_agrees_too() -> None:
    for view in (people(offers={"draw": 1}), people(offers={"takeback": 1})):
        shown = offered(view)
        assert {"Y": "Yes", "N": "No"}.items() <= shown.items()
        assert shown.keys() >= {"D", "U"}
    over = people(phase="finished", to_move=None, result=ResultView("resignation", "resignation", 1))
    assert "G" in offered(over)
    shown = offered(replace(over, offers={"rematch": 1}, may=answering(over, {"rematch": 1})))
    # To ask for another game, too, agrees to one.
    assert {"Y", "N", "G"} <= shown.keys()
    shown = offered(replace(over, offers={"rematch": 0}, may=answering(over, {"rematch": 0})))
    assert shown["N"] == "Withdraw" and shown.keys() & {"Y", "G"} == set()


def answering(view: RoomView, offers: dict[Offer, Seat]) -> May:
    return people(phase=view.phase, to_move=None, result=view.result, offers=offers).may


def test_an_offer_of_one_s_own_can_be_withdrawn_and_not_made_again() -> None:
    shown = offered(people(offers={"draw": 0}))
    assert shown["N"] == "Withdraw" and shown.keys() & {"Y", "D"} == set()
    assert long(moment(people(offers={"draw": 0}))).plain == "You offer a draw. N withdraws it."


@pytest.mark.parametrize("reports", ["at_once", "after", "never"])
@pytest.mark.parametrize("you", [0, None])
def test_evaluations_that_the_room_keeps_back_are_offered_to_nobody(you: Seat | None, reports: Any) -> None:
    settings = RoomSettings(reports=reports)
    # It is the bot's turn.
    view = room("connect4", "Connect Four", "4", you=you, settings=settings, report=None)
    view.shows_thoughts = reports == "at_once"
    assert ("hint" in opened(view)) is (reports == "at_once")
    if reports != "at_once":
        assert thoughts(TableModel(view, open=opened(view)))[2] == "The room keeps the bots' thoughts back."


def test_what_needs_the_server_has_no_key_while_it_is_not_connected() -> None:
    for view in (
        people(offers={"draw": 1}),
        people(online=[True, False], away=[None, 70.0]),
        waiting(),
        waiting(you=None),
        room("connect4", "Connect Four", "4"),
        room("connect4", "Connect Four", WON),
    ):
        assert opened(view, lost=2.0) == {"quit", "help"}
        assert opened(view, lost=2.0, ply=0) == {"quit", "help", "now", "dismiss"}


@pytest.mark.parametrize("you", [0, None])
def test_stepping_has_keys_where_there_is_something_to_step_through(you: Seat | None) -> None:
    begun, over = people(moves="b2", you=you), room("connect4", "Connect Four", WON, you=you)
    for view in (begun, over):
        assert opened(view) >= {"back", "start"}
        assert not opened(view) & {"forward", "now", "dismiss"}
        assert opened(view, ply=0) >= {"back", "start", "forward", "now", "dismiss"}
    for view in (people(moves="", you=you), waiting(you=you)):
        assert not opened(replace(view, moves=[])) & {"back", "start", "forward", "now"}


def test_when_a_game_is_over_nothing_of_it_is_offered_but_looking_back() -> None:
    over = room("connect4", "Connect Four", WON)
    assert opened(over) == {
        "quit",
        "help",
        "rules",
        "back",
        "start",
        "review",
        "rematch",
        "leave",
        "say",
        "quick",
        "carry",
    }


def test_while_one_looks_back_nothing_is_decided_about_the_present_position() -> None:
    view = people(online=[True, False], away=[None, 70.0], moves="b2")
    assert opened(view) >= {"draw", "takeback", "abort", "resign", "claim"}
    assert not opened(view, ply=0) & {"draw", "takeback", "abort", "resign", "claim"}


def test_the_code_is_there_while_one_waits_for_a_rematch() -> None:
    over = people(
        phase="finished", to_move=None, result=ResultView("line", "three in a row", 0), offers={"rematch": 0}
    )
    for width in (60, 80, 120):
        assert "KMRTQA" in short(moment(over), width, timed=False).plain
    assert "KMRTQA" in long(moment(over)).plain


def test_what_is_open_is_in_the_registry_and_each_key_is_open_at_some_time() -> None:
    views = [
        people(offers={"draw": 1}),
        people(online=[True, False], away=[None, 70.0]),
        waiting(owner=True),
        waiting(you=None),
        room("connect4", "Connect Four", "4", you=None, owner=True),
        room("connect4", "Connect Four", "4"),
        replace(room("connect4", "Connect Four", WON), game_number=2),
    ]
    every = frozenset[str]().union(*(opened(view, ply=0) | opened(view) for view in views))
    # In the plain client alone: it draws the board, and lists thoughts.
    assert every == set(BY_NAME) - {"board", "thoughts"}
    # From the list of games no other is opened.
    assert "games" in opened(views[-1])
    assert "games" not in opened(views[-1], earlier=True)
    assert opened(views[0], ended="It is over.") == {"quit", "help", "rules", "back", "start"}


async def test_news_show_what_talk_and_board_do_not() -> None:
    hello, hi = (ChatLine("players", name, text, AT) for name, text in [("Ada", "hello"), ("Ben", "hi")])
    gone: dict[str, Any] = {"online": [True, False], "away": [None, 240.0], "chat": [hello, hi]}
    stage = FixedStage(people(chat=[hello]))
    async with stage.run_test() as pilot:
        for message in (
            Presence("KMRTQA", {"online": [True, False], "away_since": [None, AT - 240_000]}),
            event(VERSION + 1, ChatPosted("players", "Ben", "hi"), people(**gone)),
            move_played(VERSION + 2, 0, people(moves="b2 a1 c3", **gone)),
            event(VERSION + 3, OfferMade(1, "draw"), people(moves="b2 a1 c3", offers={"draw": 1}, **gone)),
            event(VERSION + 4, OfferDeclined(0, "draw"), people(moves="b2 a1 c3", **gone)),
            Thinking("KMRTQA", VERSION + 4, 1, report()),
        ):
            stage.room.take(message)
        await within(10, stage.has_shown)
        await pilot.pause()
        assert stage.table.query_one(Chat).lines == [
            "Ada: hello",
            "Ben has been away for 4 min.",
            "Ben: hi",
            "Ben offers a draw.",
            "The draw is declined.",
        ]
