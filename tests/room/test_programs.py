"""A seat where a player's own program plays: marked as a bot, with thoughts of its own, and else a player."""

import pytest

from parlour_protocol.errors import Code
from parlour_protocol.events import (
    ChatPosted,
    GameFinished,
    GameStarted,
    MovePlayed,
    OfferMade,
    SeatTaken,
    StandInSeated,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, ProgramCandidate, ProgramReport, Report, Score
from parlour_server.refusals import Refusal
from parlour_server.room.commands import SeatStandIn
from parlour_server.room.decide import bot_player
from parlour_server.room.state import Bot
from parlour_server.room.view import room_view, seat_view, thought_views
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    HERE,
    Table,
    act,
    bot_move,
    claim,
    created,
    play,
    say,
    sit,
    started,
)

THOUGHT = ProgramReport(candidates=[ProgramCandidate("b2", Score(3.5))], nodes=18)
BOTS_THOUGHT = Report("easy", [Candidate("b2", Score(3.5))])


def table(settings: RoomSettings | None = None) -> Table:
    """Ada's program plays against Ben: hers is the first seat."""
    seats = [SeatTaken(0, "deep", program=True, player=ADA), SeatTaken(1, "Ben", player=BEN)]
    return Table([*created(settings), *seats, GameStarted(0)])


def test_a_program_sits_down_as_one() -> None:
    room = Table(created())
    taken = room.do(sit("deep", program=True), ADA)
    assert taken == [SeatTaken(0, "deep", program=True, player=ADA)]
    assert room.do(sit("Ben"), BEN)[0] == SeatTaken(1, "Ben", player=BEN)
    first, second = room_view(room.state, BEN, HERE)["seats"]
    assert (first.get("program"), second.get("program")) == (True, None)


def test_its_report_is_kept_in_its_own_name() -> None:
    room = table()
    (played,) = room.do(play(" B2 ", 4, THOUGHT), ADA)
    assert isinstance(played, MovePlayed)
    assert played.report is not None
    assert (played.report.bot, played.report.best, played.report.nodes) == ("deep", "b2", 18)
    assert [thought.report for thought in thought_views(room.state)] == [played.report]


def test_nobody_else_reports() -> None:
    with pytest.raises(Refusal, match="Only a program") as refused:
        Table(started()).try_out(play("b2", 4, THOUGHT), ADA)
    assert (refused.value.code, len(refused.value.legal or [])) == (Code.NOT_ALLOWED, 9)
    room = table()
    room.do(play("b2", 4), ADA)
    with pytest.raises(Refusal, match="Only a program"):
        room.try_out(play("a1", 5, THOUGHT), BEN)


@pytest.mark.parametrize(("reports", "seen"), [("at_once", True), ("after", False), ("never", False)])
def test_the_room_decides_whether_it_is_shown(reports: str, seen: bool) -> None:
    room = table(RoomSettings.model_validate({"reports": reports}))
    room.do(play("b2", 4, THOUGHT), ADA)
    assert ("report" in room_view(room.state, BEN, HERE)) == seen
    assert ("report" in room_view(room.state, EVE, HERE)) == seen


def test_else_it_is_a_player() -> None:
    room = table()
    room.do(play("b2", 4), ADA)
    # What is offered to it waits for its own answer.
    assert room.do(act("draw"), BEN) == [OfferMade(1, "draw")]
    room.do(play("a1", 6), BEN)
    assert room.do(act("takeback"), BEN) == [OfferMade(1, "takeback")]
    assert room.try_out(claim("win", away=120_000), BEN) == [
        GameFinished("abandonment", 1, "forfeit (the other player stayed away)", 1)
    ]
    assert room.do(SeatStandIn(0, Bot("easy", 1))) == [StandInSeated(0, "easy", 1)]
    # The bot that stands in reports as bots do.
    (played,) = room.try_out(bot_move("c3", 7, BOTS_THOUGHT), bot_player(0))
    assert played == MovePlayed(0, "c3", BOTS_THOUGHT)
    assert seat_view(room.state.seats[0]).program


def test_what_it_says_is_marked() -> None:
    assert table().do(say("deep", "good luck"), ADA) == [ChatPosted("players", "deep (bot)", "good luck")]
