"""A seat where a player's own program plays: marked as a bot, with thoughts of its own, and else a player."""

import pytest
from pydantic import TypeAdapter

from parlour_protocol import to_client
from parlour_protocol.errors import Code
from parlour_protocol.views import Candidate, Report, RoomSettings
from parlour_server.room.commands import Claim, OfferDraw, OfferTakeback, Play, Say, Sit, StandIn
from parlour_server.room.decide import bot_player
from parlour_server.room.events import (
    DrawOffered,
    Event,
    GameFinished,
    GameStarted,
    MovePlayed,
    NothingChanged,
    Said,
    SeatTaken,
    StandInSeated,
    TakebackOffered,
)
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import Around, event_view, room_view, seat_view, thought_views
from tests.support.rooms import ADA, BEN, EVE, Table, created, started

AROUND = Around([True, True], 0, [None, None], 0)
THOUGHT = Report("perfect", [Candidate("b2", 3.5, "estimate", "unknown")], nodes=18)


def table(settings: RoomSettings | None = None) -> Table:
    """Ada's program plays against Ben: hers is the first seat."""
    seats = [SeatTaken(0, ADA, "deep", program=True), SeatTaken(1, BEN, "Ben")]
    return Table([*created(settings), *seats, GameStarted(0)])


def test_a_program_sits_down_as_one() -> None:
    room = Table(created())
    taken = room.do(Sit("deep", program=True), ADA)
    assert taken == [SeatTaken(0, ADA, "deep", program=True)]
    event = event_view(room.state, room.log[-1], thoughts=False).event
    assert isinstance(event, to_client.SeatTaken)
    assert event.who.program
    assert room.do(Sit("Ben"), BEN)[0] == SeatTaken(1, BEN, "Ben")
    first, second = room_view(room.state, BEN, AROUND).seats
    assert (first.program, second.program) == (True, None)


def test_coming_back_changes_nothing_but_nobody_becomes_a_program() -> None:
    room = table()
    for sit in (Sit("deep", program=True), Sit("deep", 0, program=True), Sit("deep")):
        assert room.try_out(sit, ADA) == [NothingChanged()]
    with pytest.raises(Refusal, match="a program needs a name of its own") as refused:
        room.try_out(Sit("Ben", program=True), BEN)
    assert refused.value.code is Code.ALREADY_SEATED


def test_its_report_is_kept_in_its_own_name() -> None:
    room = table()
    (played,) = room.do(Play(" B2 ", 4, THOUGHT), ADA)
    assert isinstance(played, MovePlayed)
    assert played.report is not None
    assert (played.report.bot, played.report.best, played.report.nodes) == ("deep", "b2", 18)
    assert [thought.report for thought in thought_views(room.state, 1)] == [played.report]


def test_nobody_else_reports() -> None:
    with pytest.raises(Refusal, match="Only a program") as refused:
        Table(started()).try_out(Play("b2", 4, THOUGHT), ADA)
    assert (refused.value.code, len(refused.value.legal or [])) == (Code.NOT_ALLOWED, 9)
    room = table()
    room.do(Play("b2", 4), ADA)
    with pytest.raises(Refusal, match="Only a program"):
        room.try_out(Play("a1", 5, THOUGHT), BEN)


@pytest.mark.parametrize(("reports", "seen"), [("at_once", True), ("after", False), ("never", False)])
def test_the_room_decides_who_sees_it(reports: str, seen: bool) -> None:
    room = table(RoomSettings.model_validate({"reports": reports}))
    room.do(Play("b2", 4, THOUGHT), ADA)
    assert (room_view(room.state, BEN, AROUND).report is not None) == seen
    assert room_view(room.state, EVE, AROUND).report is not None


def test_else_it_is_a_player() -> None:
    room = table()
    room.do(Play("b2", 4), ADA)
    # What is offered to it waits for its own answer.
    assert room.do(OfferDraw(), BEN) == [DrawOffered(1)]
    room.do(Play("a1", 6), BEN)
    assert room.do(OfferTakeback(), BEN) == [TakebackOffered(1)]
    assert room.try_out(Claim("win", away=120_000), BEN) == [GameFinished(1, "the other player stayed away")]
    assert room.do(StandIn(0, "easy:seed=1"), "") == [StandInSeated(0, "easy:seed=1")]
    # The bot that stands in reports as bots do.
    (played,) = room.try_out(Play("c3", 7, THOUGHT), bot_player(0))
    assert played == MovePlayed(0, "c3", THOUGHT)
    assert seat_view(room.state.seats[0]).program


def test_a_seat_from_before_there_were_programs_is_a_persons() -> None:
    stored = '{"seat":0,"player":"p-ada","name":"Ada","bot":null,"kind":"seat_taken"}'
    assert TypeAdapter[Event](Event).validate_json(stored) == SeatTaken(0, ADA, "Ada")


def test_what_it_says_is_marked() -> None:
    assert table().do(Say("deep", "good luck"), ADA) == [Said("players", "deep (bot)", "good luck")]
