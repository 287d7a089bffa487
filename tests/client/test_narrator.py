"""What a screen tells of what happens: each thing once, and in signs that can be seen."""

import pytest

from parlour_client.model import Shown, apply
from parlour_client.narrator import Narrator
from parlour_client.screen import Screen
from parlour_protocol.ids import Seat
from parlour_protocol.to_client import (
    ClocksWoken,
    DrawOffered,
    Event,
    GameAborted,
    GameFinished,
    GameStarted,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    Presence,
    RematchOffered,
    RoomClosed,
    RoomEvent,
    Said,
    SeatLeft,
    SeatTaken,
    Snapshot,
    TakebackOffered,
    Thinking,
)
from parlour_protocol.views import ChatLine, ClockView, SeatView
from tests.client.rooms import board, report, view

PLAYED = board(".X.", "...", "...", to_move=1, last=[1])


def told(
    capsys: pytest.CaptureFixture[str], *events: RoomEvent, you: Seat | None = 0, name: str = "Ben"
) -> str:
    """What is shown of these events to one player, or to one who looks on."""
    narrator = Narrator(Screen(), "ws://127.0.0.1:8765")
    room = view(names=("Ada", name), you=you)
    room.clock = ClockView([300_000, 200_000])
    shown = Shown(3, room)
    for event in events:
        message = Event("KMRTQA", shown.version + 1, 0, event, ClockView([300_000, 200_000], 0))
        now = apply(shown, message)
        assert now is not None
        narrator.tell(shown, now, message)
        shown = now
    said = capsys.readouterr()
    return said.out + said.err


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (DrawOffered(1), "Ben offers a draw: `draw` takes it, `no` declines."),
        (TakebackOffered(1), "Ben asks to take a move back: `takeback` allows it, `no` declines."),
        (GameAborted(1), "The game was aborted. It counts for nobody."),
        (MovesTakenBack(1, 2, PLAYED, 1), "Ben takes 2 moves back."),
        (ClocksWoken(), "The clocks stood still, and go on. Time: Ada 5:00 (running), Ben 3:20."),
        (Said("players", "Ben", "good luck"), "Ben: good luck\n"),
        (SeatTaken(1, SeatView("human", "Ben", stand_in="medium")), "medium (bot) plays for Ben until they"),
        (MovePlayed(1, "b3", PLAYED, 0), "Your turn (X). Time: Ada 5:00 (running), Ben 3:20."),
    ],
)
def test_each_event_has_its_words(capsys: pytest.CaptureFixture[str], event: RoomEvent, words: str) -> None:
    assert words in told(capsys, event)


def test_of_what_is_not_for_us_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, Said("spectators")) == ""
    assert "type" not in told(capsys, DrawOffered(1), you=None)


def test_who_looks_on_is_told_who_wants_another_game(capsys: pytest.CaptureFixture[str]) -> None:
    over = GameFinished("resignation", [1, 0], 0, 0)
    assert told(capsys, over, RematchOffered(1), you=None).endswith("\nBen asks for a rematch.\n")


def test_a_declined_offer_is_told_by_who_made_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Ben declines the draw." in told(capsys, DrawOffered(0), OfferDeclined(1, "draw"))
    assert "Ben takes the offer of a draw back." in told(capsys, DrawOffered(1), OfferDeclined(1, "draw"))


def test_a_seat_that_is_taken_over_or_handed_back(capsys: pytest.CaptureFixture[str]) -> None:
    stand_in = SeatTaken(1, SeatView("human", "Ben", stand_in="medium"))
    assert "Ben plays on." in told(capsys, stand_in, SeatTaken(1, SeatView("human", "Ben")))
    bot, cleo = SeatTaken(1, SeatView("bot", "easy", "easy")), SeatTaken(1, SeatView("human", "Cleo"))
    assert "Cleo takes the seat of easy (bot)." in told(capsys, SeatLeft(1), bot, cleo)


def test_whoever_comes_late_is_told_all(capsys: pytest.CaptureFixture[str]) -> None:
    room = view(you=None)
    room.watching, room.draw_offer, room.away, room.online = 3, 1, [50.0, None], [False, True]
    room.chat = [ChatLine("spectators", "Eve", f"line {number}", 0) for number in range(9)]
    snapshot = Snapshot("KMRTQA", 7, room)
    now = apply(None, snapshot)
    assert now is not None
    Narrator(Screen(), "ws://127.0.0.1:8765").tell(None, now, snapshot)
    said = capsys.readouterr().out
    for words in (
        "Tic-tac-toe, room KMRTQA, looking on, 3 look on",
        "Eve: line 8",
        "Ben offers a draw.",
        "Ada is to move (X), who is away (for 50 s).",
    ):
        assert words in said
    assert "line 3" not in said


def test_who_comes_and_goes(capsys: pytest.CaptureFixture[str]) -> None:
    narrator, shown = Narrator(Screen(), "ws://127.0.0.1:8765"), Shown(3, view())
    for online, watching in (([True, False], 0), ([True, True], 2)):
        message = Presence("KMRTQA", online, watching, [None, None if online[1] else 0.1])
        now = apply(shown, message)
        assert now is not None
        narrator.tell(shown, now, message)
        shown = now
    assert capsys.readouterr().err == "Ben is away.\n2 look on.\nBen is back.\n"


def test_a_bot_that_thinks_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    narrator, shown = Narrator(Screen(), "ws://127.0.0.1:8765"), Shown(5, view())
    for _ in range(3):
        # For a position older than the room's version: there was talk since.
        message = Thinking("KMRTQA", 4, 1, report())
        now = apply(shown, message)
        assert now is not None
        narrator.tell(shown, now, message)
        shown = now
    assert capsys.readouterr().out == "Ben is thinking ...\n"


EVIL = "Ada\x1b]52;c;cm0=\x07\u202e\x9b2J"


@pytest.mark.parametrize("you", [0, 1, None])
def test_no_event_brings_a_strangers_sign_to_the_screen(
    capsys: pytest.CaptureFixture[str], you: Seat | None
) -> None:
    said = told(
        capsys,
        GameStarted(1, 0, 0, PLAYED, [EVIL]),
        MovePlayed(0, EVIL, PLAYED, 1),
        DrawOffered(1),
        OfferDeclined(1, "draw"),
        TakebackOffered(0),
        MovesTakenBack(0, 1, PLAYED, 1),
        Said("players", EVIL, EVIL),
        SeatTaken(1, SeatView("human", EVIL, stand_in=EVIL)),
        MovePlayed(1, EVIL, PLAYED, 1),
        SeatTaken(1, SeatView("human", EVIL)),
        ClocksWoken(),
        GameFinished(EVIL, [0, 1], 0, 1),
        RematchOffered(1),
        SeatLeft(1),
        SeatTaken(1, SeatView("bot", EVIL, EVIL)),
        SeatTaken(1, SeatView("human", EVIL)),
        RoomClosed(EVIL),
        you=you,
        name=EVIL,
    )
    assert "Ada" in said
    assert all(row.isprintable() for row in said.splitlines())
