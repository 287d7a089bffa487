"""What is said: who hears it, and what never leaves the room."""

import pytest

from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.to_client import Snapshot
from parlour_protocol.views import RoomSettings
from parlour_server.room.commands import Say, Sit
from parlour_server.room.events import Record, Said, SeatLeft
from parlour_server.room.record import game_record
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import LINES_KEPT, RoomState, evolve
from parlour_server.room.views import Around, channel_of, event_view, room_view, unheard
from tests.support.rooms import ADA, BEN, EVE, Table, created, started

AROUND = Around([True, True], 1, [None, None], 0)


def heard(table: Table, viewer: str) -> list[str]:
    return [line.text for line in room_view(table.state, viewer, AROUND).chat]


def test_players_talk_to_players_and_those_who_look_on_to_those_who_look_on() -> None:
    table = Table(started())
    assert table.do(Say("Ada", "good luck"), ADA) == [Said("players", "Ada", "good luck")]
    assert table.do(Say("Eve", "she will lose"), EVE) == [Said("spectators", "Eve", "she will lose")]
    assert heard(table, ADA) == heard(table, BEN) == ["good luck"]
    assert heard(table, EVE) == heard(table, "p-other") == ["she will lose"]


@pytest.mark.parametrize(("by", "viewers"), [(ADA, [EVE, ""]), (EVE, [ADA, BEN])])
def test_what_a_viewer_may_not_hear_never_leaves_the_room(by: str, viewers: list[str]) -> None:
    table = Table(started())
    table.do(Say("Canary", "a canary sings"), by)
    record = table.log[-1]
    for viewer in viewers:
        seat = table.state.seat_of(viewer)
        assert isinstance(record.event, Said)
        assert channel_of(seat) != record.event.channel
        game = game_record("KMRTQA", table.log, viewer)
        assert game is not None
        messages = [
            encode_to_client(unheard(table.state, record)),
            encode_to_client(Snapshot("KMRTQA", 5, room_view(table.state, viewer, AROUND))),
            repr(game.chat).encode(),
        ]
        for message in messages:
            assert b"anary" not in message
    # The version is there, so that nobody sees a gap.
    assert unheard(table.state, record).version == 5
    assert b"anary" in encode_to_client(event_view(table.state, record, thoughts=False))


def test_who_stands_up_hears_the_players_no_more() -> None:
    table = Table(created())
    table.do(Sit("Ben"), BEN)
    table.do(Say("Ben", "hello?"), BEN)
    assert heard(table, BEN) == ["hello?"]
    table.take([SeatLeft(0)], BEN)
    assert heard(table, BEN) == []


def test_a_room_may_be_silent() -> None:
    table = Table(started(RoomSettings(chat=False)))
    for by in (ADA, EVE):
        with pytest.raises(Refusal) as caught:
            table.try_out(Say("Somebody", "psst"), by)
        assert caught.value.code == Code.NOT_ALLOWED


def test_those_who_look_on_talk_nobody_else_out_of_their_lines() -> None:
    table = Table(started())
    table.do(Say("Ada", "good luck"), ADA)
    for number in range(LINES_KEPT + 1):
        table.do(Say("Eve", f"line {number}"), EVE)
    assert heard(table, BEN) == ["good luck"]
    assert len(heard(table, EVE)) == LINES_KEPT


def test_talk_changes_no_position_and_the_last_lines_are_kept() -> None:
    table = Table(started())
    for number in range(LINES_KEPT + 20):
        table.do(Say("Ada", f"line {number}"), ADA)
    assert heard(table, BEN) == [f"line {number}" for number in range(20, LINES_KEPT + 20)]
    assert table.state.position_version == 4
    again = RoomState("KMRTQA")
    for record in table.log:
        evolve(again, Record(record.event, record.at, record.by, record.command))
    assert again == table.state


def test_what_is_said_among_others_tells_the_time_like_any_event() -> None:
    table = Table(started(RoomSettings(clock="5+3")))
    table.do(Say("Eve", "psst"), EVE)
    told = unheard(table.state, table.log[-1])
    assert told.clock is not None
    assert told.clock == event_view(table.state, table.log[-1], thoughts=False).clock
