"""Chat: who reads it, and what never leaves the room."""

import pytest

from parlour_protocol.codec import encode_fact
from parlour_protocol.commands import Say
from parlour_protocol.errors import Code
from parlour_protocol.events import ChatPosted, SeatLeft
from parlour_protocol.settings import RoomSettings
from parlour_protocol.words import Said
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.room.chat import CHAT_KEPT, channel_of
from parlour_server.room.game_record import game_record
from parlour_server.room.state import AUTHORS_KEPT, RoomState, evolve
from parlour_server.room.view import room_view, spectator_came
from tests.support.rooms import (
    ADA,
    BEN,
    EVE,
    HERE,
    Table,
    act,
    add_bot,
    created,
    say,
    sit,
    started,
    take_over,
)
from tests.support.steps import finish


def chat(table: Table, viewer: str, came: int = 0) -> list[str]:
    """What a viewer reads, a spectator among those who came at a version."""
    return [line["text"] for line in room_view(table.state, viewer, HERE, came)["chat"]]


def recorded(table: Table, viewer: str, number: int, came: int | None = None) -> list[str] | None:
    """What the viewer gets with the record of a game."""
    record = finish(game_record("KMRTQA", table.log, viewer, number, came))
    return None if record is None else [line.text for line in record.chat]


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


# ---------------------------------------------------------------- those who were there


def test_a_later_holder_of_a_seat_reads_no_earlier_lines() -> None:
    table = Table(created())
    for name, by in (("Ada", ADA), ("Ben", BEN)):
        table.do(sit(name), by)
    table.do(act("abort"), ADA)
    table.do(say("Ben", "my number is 4711"), BEN)
    table.do(act("leave"), BEN)
    table.do(sit("Eve"), EVE)
    table.do(say("Ada", "welcome"), ADA)
    assert chat(table, ADA) == ["my number is 4711", "welcome"]
    assert chat(table, EVE) == ["welcome"]
    for viewer, received in ((ADA, ["my number is 4711"]), (EVE, []), (BEN, ["my number is 4711"])):
        assert recorded(table, viewer, 1) == received
    assert recorded(table, EVE, 2) == ["welcome"]


def test_who_comes_back_to_a_seat_begins_anew() -> None:
    table = Table(created())
    table.do(sit("Ben"), BEN)
    table.do(say("Ben", "hello?"), BEN)
    table.do(act("leave"), BEN)
    table.do(sit("Ben"), BEN)
    assert chat(table, BEN) == []
    table.do(say("Ben", "I am back"), BEN)
    assert chat(table, BEN) == ["I am back"]


def test_a_player_who_takes_a_bots_seat_over_reads_on_from_there() -> None:
    table = Table(created(owner="p-owner"))
    table.do(sit("Ada"), ADA)
    table.do(add_bot("easy"), ADA)
    table.do(say("Ada", "talking to myself"), ADA)
    table.do(take_over("Eve"), "p-owner")
    assert (chat(table, "p-owner"), chat(table, ADA)) == ([], ["talking to myself"])


def test_a_spectator_reads_what_is_said_since_they_came() -> None:
    table = Table(started())
    table.do(say("Eve", "between us"), EVE)
    came = table.state.version
    table.do(say("Eve", "who is there?"), EVE)
    assert chat(table, "p-other", came) == ["who is there?"]
    assert recorded(table, "p-other", 1, came) == ["who is there?"]
    assert recorded(table, "p-other", 1) == []


def test_a_spectator_who_comes_back_later_was_there_since_their_first_line() -> None:
    table = Table(started())
    table.do(say("Dan", "too early"), "p-dan")
    table.do(say("Eve", "here I am"), EVE)
    table.do(say("Dan", "so am I"), "p-dan")
    assert spectator_came(table.state, "p-other") == table.state.version
    came = spectator_came(table.state, EVE)
    assert chat(table, EVE, came) == recorded(table, EVE, 1) == ["here I am", "so am I"]


def test_what_a_player_said_before_as_a_spectator_opens_nothing_during_the_game() -> None:
    """Else a line before one sits down would let one read what spectators say of the game."""
    table = Table(created())
    table.do(say("Ada", "anybody?"), ADA)
    for name, by in (("Ada", ADA), ("Ben", BEN)):
        table.do(sit(name), by)
    table.do(say("Eve", "b2 wins"), EVE)
    assert "b2 wins" not in [*chat(table, ADA), *(recorded(table, ADA, 1) or [])]


@pytest.mark.parametrize("before", [False, True])
def test_a_player_who_leaves_the_seat_reads_nothing_that_spectators_said_meanwhile(before: bool) -> None:
    table = Table(created())
    came = table.state.version
    if before:
        table.do(say("Ben", "anybody?"), BEN)
    for name, by in (("Ada", ADA), ("Ben", BEN)):
        table.do(sit(name), by)
    table.do(say("Eve", "b2 wins"), EVE)
    table.do(act("abort"), ADA)
    table.do(act("leave"), BEN)
    table.do(say("Eve", "welcome to us"), EVE)
    received = ["anybody?", "welcome to us"] if before else ["welcome to us"]
    # Also where he had subscribed before he sat down, or comes to a node that doesn't know of it.
    for since in (came, spectator_came(table.state, BEN)):
        assert chat(table, BEN, since) == ["welcome to us"]
    assert recorded(table, BEN, 1) == received
    table.do(say("Ben", "hello"), BEN)
    assert chat(table, BEN, spectator_came(table.state, BEN)) == ["welcome to us", "hello"]


def test_the_first_lines_of_many_are_kept_for_the_last_ones() -> None:
    table = Table(started())
    for number in range(AUTHORS_KEPT + 10):
        table.do(say(f"Guest {number}", "hm"), f"p-{number}")
    assert len(table.state.first_lines) == AUTHORS_KEPT
    assert spectator_came(table.state, "p-0") == table.state.version
    assert spectator_came(table.state, f"p-{AUTHORS_KEPT}") < table.state.version


def test_a_quick_word_travels_as_what_it_is_made_of() -> None:
    table = Table(started())
    (said,) = table.do(Say(id="q", room="KMRTQA", quick="good_luck"), ADA)
    assert said == ChatPosted("players", "Ada", "Good luck!")
    assert isinstance(said, ChatPosted) and said.text_said == Said("quick.good_luck")
    (line,) = room_view(table.state, BEN, HERE, 0)["chat"]
    assert (line["text"], line["text_said"]) == ("Good luck!", {"id": "quick.good_luck", "args": {}})
    assert b"good_luck" not in encode_fact(said, channel=False)
    assert recorded(table, BEN, 1) == ["Good luck!"]
