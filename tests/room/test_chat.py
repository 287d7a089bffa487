"""Chat: who reads it, and what never leaves the room."""

import pytest

from parlour_protocol.codec import encode_fact
from parlour_protocol.errors import Code
from parlour_protocol.events import ChatPosted, SeatLeft
from parlour_protocol.settings import RoomSettings
from parlour_server.room.game_record import game_record
from parlour_server.room.log import LogRecord
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import CHAT_KEPT, RoomState, evolve
from parlour_server.room.view import channel_of, room_view
from tests.support.rooms import ADA, BEN, EVE, HERE, Table, created, say, sit, started
from tests.support.steps import finish


def chat(table: Table, viewer: str) -> list[str]:
    return [line["text"] for line in room_view(table.state, viewer, HERE)["chat"]]


def test_players_chat_with_players_and_spectators_with_spectators() -> None:
    table = Table(started())
    assert table.do(say("Ada", "good luck"), ADA) == [ChatPosted("players", "Ada", "good luck")]
    assert table.do(say("Eve", "she will lose"), EVE) == [ChatPosted("spectators", "Eve", "she will lose")]
    assert chat(table, ADA) == chat(table, BEN) == ["good luck"]
    assert chat(table, EVE) == chat(table, "p-other") == ["she will lose"]


def test_nobody_speaks_under_the_name_of_somebody_who_sits_there() -> None:
    table = Table(started())
    assert table.do(say("Bеn", "I resign"), EVE) == [ChatPosted("spectators", "Bеn 2", "I resign")]
    # Who sits there speaks under the name that the seat shows.
    assert table.do(say("Ben", "hello"), ADA) == [ChatPosted("players", "Ada", "hello")]


@pytest.mark.parametrize(("by", "viewers"), [(ADA, [EVE, ""]), (EVE, [ADA, BEN])])
def test_what_a_viewer_may_not_read_never_leaves_the_room(by: str, viewers: list[str]) -> None:
    table = Table(started())
    table.do(say("Canary", "a canary sings"), by)
    event = table.log[-1].event
    assert isinstance(event, ChatPosted)
    for viewer in viewers:
        assert channel_of(table.state.seat_of(viewer)) != event.channel
        game = finish(game_record("KMRTQA", table.log, viewer))
        assert game is not None
        assert "anary" not in f"{room_view(table.state, viewer, HERE)} {game.chat}"
    assert b"anary" not in encode_fact(event)
    assert b"anary" in encode_fact(event, channel=True)


def test_who_stands_up_reads_the_players_no_more() -> None:
    table = Table(created())
    table.do(sit("Ben"), BEN)
    table.do(say("Ben", "hello?"), BEN)
    assert chat(table, BEN) == ["hello?"]
    table.take([SeatLeft(0)], BEN)
    assert chat(table, BEN) == []


def test_a_room_may_be_silent() -> None:
    table = Table(started(RoomSettings(chat=False)))
    for by in (ADA, EVE):
        with pytest.raises(Refusal) as caught:
            table.try_out(say("Somebody", "psst"), by)
        assert caught.value.code == Code.NOT_ALLOWED


def test_spectators_push_no_line_of_the_players_out() -> None:
    table = Table(started())
    table.do(say("Ada", "good luck"), ADA)
    for number in range(CHAT_KEPT + 1):
        table.do(say("Eve", f"line {number}"), EVE)
    assert chat(table, BEN) == ["good luck"]
    assert len(chat(table, EVE)) == CHAT_KEPT


def test_talk_changes_no_position_and_the_last_lines_are_kept() -> None:
    table = Table(started())
    for number in range(CHAT_KEPT + 20):
        table.do(say("Ada", f"line {number}"), ADA)
    assert chat(table, BEN) == [f"line {number}" for number in range(20, CHAT_KEPT + 20)]
    assert table.state.position_version == 4
    again = RoomState("KMRTQA")
    for record in table.log:
        evolve(again, LogRecord(record.event, record.at, record.by, record.command))
    assert again == table.state
