"""Each event's sentences, for a player and for a spectator."""

import pytest

from parlour_client.sdk.state import apply, first_state
from parlour_client.text.events import connection_lost, event_lines
from parlour_protocol.events import (
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    Event,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    SeatLeft,
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    UnknownEvent,
)
from parlour_protocol.messages import RoomMessage
from parlour_protocol.notices import Thinking
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Compiling, Report
from parlour_server.room.view import PresenceState
from tests.client.feed import Feed
from tests.client.rooms import report
from tests.support.rooms import ADA, EVE, started

CLEO = SeatTaken(1, "Cleo", player="p-cleo")
OVER = GameFinished("agreement")
X_PLAYED, O_PLAYED = MovePlayed(0, "a1"), MovePlayed(1, "b3")


def lines(*events: KnownEvent, viewer: str = ADA, typing: bool = False) -> list[str]:
    """The sentences for the last of these events, which follow each other in Ada's and Ben's game."""
    feed = Feed(started(RoomSettings(clock="5+3")), viewer)
    shown, said = first_state(feed.snapshot(), 0.0), list[str]()
    for event in events:
        by = feed.state.seats[event.seat] if isinstance(event, SeatLeft) else None
        feed.take([event], by="" if by is None else by.player)
        (message,) = feed.unread()
        before, shown = shown, apply(shown, message, 0.0)
        said = event_lines(before.view, shown.view, message, typing=typing)
    return said


@pytest.mark.parametrize(
    ("events", "player", "spectator"),
    [
        ([SeatLeft(1)], "Ben has left.", None),
        ([SeatLeft(1), CLEO], "Cleo sits down.", None),
        ([SeatLeft(0), SeatTaken(0, "Cleo", player="p-cleo")], "Cleo sits down.", None),
        ([SeatLeft(0), SeatTaken(0, "Ada", player=ADA)], "You sit down.", "Ada sits down."),
        ([StandInSeated(1, "medium")], "medium (bot) plays for Ben until they are back.", None),
        ([SeatRenamed(1, "Benno")], "Ben is called Benno now.", None),
        ([SeatRenamed(0, "Adele")], "You are called Adele now.", "Ada is called Adele now."),
        ([StandInSeated(1, "medium"), StandInLeft(1)], "Ben plays on.", None),
        ([StandInSeated(0, "easy"), StandInLeft(0)], "You play on yourself.", "Ada plays on."),
        (
            [SeatLeft(1), SeatTaken(1, "easy", "easy", player="bot:1"), CLEO],
            "Cleo takes the seat of easy (bot).",
            None,
        ),
        (
            [OVER, GameStarted(0)],
            "Game 2: you begin.",
            "Game 2: Ada begins.",
        ),
        ([MovePlayed(0, "b3")], "You played b3.", "Ada played b3."),
        ([X_PLAYED, O_PLAYED], "Ben played b3.", None),
        ([X_PLAYED, StandInSeated(1, "medium"), O_PLAYED], "medium (bot, for Ben) played b3.", None),
        ([X_PLAYED, O_PLAYED, MovesTakenBack(1, 2)], "Ben takes 2 moves back.", None),
        ([X_PLAYED, MovesTakenBack(0, 1)], "You take a move back.", "Ada takes a move back."),
        (
            [GameFinished("line", 0, "three in a row")],
            "You win by three in a row.",
            "Ada wins by three in a row.",
        ),
        ([GameFinished("aborted", by=1)], "The game was aborted. It doesn't count.", None),
        ([OfferMade(1, "draw")], "Ben offers a draw.", None),
        ([OfferMade(0, "draw")], "You offer a draw.", "Ada offers a draw."),
        ([X_PLAYED, O_PLAYED, OfferMade(1, "takeback")], "Ben asks to take a move back.", None),
        (
            [X_PLAYED, O_PLAYED, OfferMade(0, "takeback")],
            "You ask to take 2 moves back.",
            "Ada asks to take 2 moves back.",
        ),
        ([OVER, OfferMade(1, "rematch")], "Ben asks for a rematch.", None),
        ([OVER, OfferMade(0, "rematch")], "You ask for a rematch.", "Ada asks for a rematch."),
        ([OfferMade(0, "draw"), OfferDeclined(1, "draw")], "The draw is declined.", None),
        ([OfferMade(1, "draw"), OfferDeclined(1, "draw")], "The offer of a draw is withdrawn.", None),
        (
            [OVER, OfferMade(0, "rematch"), OfferDeclined(0, "rematch")],
            "The request for a rematch is withdrawn.",
            None,
        ),
        (
            [ClocksStopped()],
            "The clocks stand still until the player to move is back, for 30 s at most.",
            None,
        ),
        ([ClocksStopped(), ClocksResumed()], "The clocks go on.", None),
        ([ChatPosted("players", "Ben", "good luck")], "Ben: good luck", None),
        ([RoomClosed("its owner closed it")], "The room is closed: its owner closed it.", None),
    ],
)
def test_each_event_has_its_sentence(events: list[KnownEvent], player: str, spectator: str | None) -> None:
    assert lines(*events) == [player]
    if spectator is not None:
        assert lines(*events, viewer=EVE) == [spectator]


def test_that_an_offer_lapses_is_said_with_the_move() -> None:
    assert lines(OfferMade(1, "draw"), X_PLAYED)[1:] == ["The offer lapsed with the move."]
    # One's own outlives one's move.
    assert len(lines(OfferMade(0, "draw"), X_PLAYED)) == 1


def test_what_a_viewer_may_not_read_has_none() -> None:
    said = ChatPosted("spectators", "Eve", "Ada will lose")
    assert lines(said) == []
    assert lines(said, viewer=EVE) == ["Eve: Ada will lose"]


def test_an_event_that_this_client_is_too_old_for_has_none() -> None:
    shown = first_state(Feed(started()).snapshot(), 0.0)
    message = Event("KMRTQA", shown.version + 1, 0, UnknownEvent("confetti"), {"watching": 3})
    assert event_lines(shown.view, apply(shown, message, 0.0).view, message) == []


@pytest.mark.parametrize(
    ("events", "typed"),
    [
        ([OfferMade(1, "draw")], "Ben offers a draw. `draw` agrees, `no` declines."),
        ([OfferMade(0, "draw")], "You offer a draw. Waiting for Ben; `no` withdraws it."),
        (
            [X_PLAYED, O_PLAYED, OfferMade(1, "takeback")],
            "Ben asks to take a move back. `takeback` agrees, `no` declines.",
        ),
        (
            [X_PLAYED, OfferMade(0, "takeback")],
            "You ask to take your move back. Waiting for Ben; `no` withdraws it.",
        ),
        ([OVER, OfferMade(1, "rematch")], "Ben asks for a rematch. `rematch` agrees, `no` declines."),
        ([OVER, OfferMade(0, "rematch")], "You ask for a rematch. Waiting for Ben; `no` withdraws it."),
    ],
)
def test_where_commands_are_typed_an_offer_says_how_to_answer(events: list[KnownEvent], typed: str) -> None:
    assert lines(*events, typing=True) == [typed]
    assert "`" not in lines(*events, viewer=EVE, typing=True)[0]


def test_presence_and_thinking() -> None:
    feed, said = Feed(started()), []
    shown = first_state(feed.snapshot(), 0.0)
    messages: list[RoomMessage] = [
        feed.presence(PresenceState([True, False], 2, [None, feed.now - 40_000])),
        feed.presence(PresenceState([False, True], 2, [feed.now, None])),
        Thinking("KMRTQA", shown.version, 1, report()),
        Thinking("KMRTQA", shown.version, 1, Report("hard", [], compiling=Compiling("connect4", 3, 13))),
        Thinking("KMRTQA", shown.version, 1, Report("hard", [], queued=2)),
        feed.snapshot(),
    ]
    for message in messages:
        before, shown = shown, apply(shown, message, 0.0)
        said.append(event_lines(before.view, shown.view, message))
    # One's own presence is no news to oneself.
    assert said == [
        ["Ben has been away for 40 s."],
        ["Ben is back."],
        ["Ben is thinking ..."],
        ["Ben is about to think. Compiling connect4 (once; about 10 s) ..."],
        ["Ben waits for a turn to think: 2 before it."],
        [],
    ]


@pytest.mark.parametrize(
    ("retry_in", "reason", "sentence"),
    [
        (0.0, "", "Connection lost. Trying again now."),
        (2.0, "", "Connection lost. Trying again in 2 s."),
        (0.0, "The server restarts.", "Connection lost. The server restarts. Trying again now."),
        (2.0, "The server restarts.", "Connection lost. The server restarts. Trying again in 2 s."),
    ],
)
def test_a_lost_connection(retry_in: float, reason: str, sentence: str) -> None:
    assert connection_lost(retry_in, reason) == sentence
    assert connection_lost(retry_in, reason, seated=True) == f"{sentence} Your seat is kept."
