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
from parlour_protocol.actions import Offer
from parlour_protocol.events import ChatPosted, OfferDeclined, OfferMade
from parlour_protocol.ids import Seat
from parlour_protocol.notices import Presence, Thinking
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.rooms import ChatLine, May, ResultView, RoomView, SeatView
from tests.client.tui.screens.positions import (
    AT,
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
        "question": "Resign this game? Y or N",
        "lost": 2.4,
        "refusal": "b2 is taken.",
        "typed": "b",
        "pending": {1: "b3 is on its way"},
        "ply": 1,
    }
    expected = [
        "Resign this game?",
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


def test_what_is_open_is_in_the_registry_and_each_key_is_open_at_some_time() -> None:
    views = [
        people(offers={"draw": 1}),
        people(online=[True, False], away=[None, 70.0]),
        waiting(owner=True),
        waiting(you=None),
        room("connect4", "Connect Four", "4", you=None, owner=True),
        room("connect4", "Connect Four", "4", you=None, settings=RoomSettings(take_over="asked")),
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


def test_a_move_without_a_cell_is_named_beside_the_others() -> None:
    view = replace(position("tictactoe"), legal=["b2", "swap"], paths=[4, -1])
    assert how_to_move(view) == "such as b2, arrows, a click or swap"
