"""What a viewer sees, and above all what not."""

from typing import Any

import pytest

from parlour_protocol.codec import decode_to_client, encode_to_client
from parlour_protocol.ids import Seat
from parlour_protocol.to_client import Event, MovePlayed, Snapshot
from parlour_protocol.views import Candidate, Report, RoomSettings
from parlour_server.room import events
from parlour_server.room.events import GameFinished, GameStarted, SeatTaken
from parlour_server.room.state import evolve
from parlour_server.room.views import (
    Around,
    event_view,
    may_ask_hint,
    public_bot,
    room_view,
    sees_thoughts,
    thought_views,
)
from tests.support.rooms import ADA, BEN, EVE, FIRST_WINS, Table, created, moves, started

REPORT = Report("minimax", [Candidate("b2", 0, "exact", "draw")], best="b2", nodes=549_946, finished=True)


def against_a_bot(settings: RoomSettings) -> Table:
    """Ada against a bot that has just played b2 and shown how it thought."""
    seats = [SeatTaken(0, "bot:0", "minimax", "minimax:seed=99"), SeatTaken(1, ADA, "Ada")]
    return Table([*created(settings), *seats, GameStarted(0), events.MovePlayed(0, "b2", REPORT)])


@pytest.mark.parametrize(
    ("reports", "phase", "player", "spectator"),
    [
        ("at_once", "playing", True, True),
        ("after", "playing", False, True),
        ("never", "playing", False, True),
        ("at_once", "finished", True, True),
        ("after", "finished", True, True),
        ("never", "finished", False, True),
    ],
)
def test_who_sees_thoughts(reports: Any, phase: str, player: bool, spectator: bool) -> None:
    table = against_a_bot(RoomSettings(reports=reports))
    if phase == "finished":
        table.take([GameFinished(0, "resignation")])
    seat: Seat = 1
    assert sees_thoughts(table.state, seat) is player
    assert sees_thoughts(table.state, None) is spectator
    for viewer, name, sees in ((seat, ADA, player), (None, EVE, spectator)):
        assert bool(thought_views(table.state, viewer)) is sees
        view = room_view(table.state, name, Around([True, True], 0, [None, None], 0))
        assert (view.report == REPORT) is sees
        assert (b"549946" in encode_to_client(Snapshot("KMRTQA", 5, view))) is sees


@pytest.mark.parametrize("viewer", [ADA, BEN, EVE, ""])
def test_no_view_holds_a_player_id_or_a_seed(viewer: str) -> None:
    table = against_a_bot(RoomSettings())
    message = encode_to_client(
        Snapshot("KMRTQA", 5, room_view(table.state, viewer, Around([True, True], 0, [None, None], 0)))
    )
    messages = [message]
    fresh = Table()
    for record in table.log:
        evolve(fresh.state, record)
        messages.append(encode_to_client(event_view(fresh.state, record, thoughts=True)))
    for encoded in messages:
        assert b"p-ada" not in encoded
        assert b"seed" not in encoded


@pytest.mark.parametrize("thoughts", [True, False])
def test_a_move_is_shown_with_its_position(thoughts: bool) -> None:
    table = against_a_bot(RoomSettings())
    shown = event_view(table.state, table.log[-1], thoughts=thoughts)
    again = decode_to_client(encode_to_client(shown))
    assert again == shown
    assert isinstance(again, Event)
    assert isinstance(again.event, MovePlayed)
    assert (again.version, again.event.seat, again.event.move, again.event.to_move) == (5, 0, "b2", 1)
    assert again.event.position.cells == ["...", ".X.", "..."]
    assert (again.event.report is not None) is thoughts


def test_the_last_move_shows_that_nobody_is_to_move() -> None:
    table = Table([*started(), *moves(FIRST_WINS)])
    shown = event_view(table.state, table.log[-1], thoughts=False)
    assert isinstance(shown.event, MovePlayed)
    assert shown.event.to_move is None
    assert shown.event.position.legal == []
    assert shown.event.position.line == [0, 3, 6]


def test_a_snapshot_tells_all_that_is_needed_to_choose() -> None:
    table = Table([*started(), *moves(["b2", "a1"])])
    view = room_view(table.state, BEN, Around([True, False], 3, [None, None], 0))
    assert (view.you, view.to_move, view.moves, view.watching) == (1, 0, ["b2", "a1"], 3)
    assert view.online == [True, False]
    assert not view.owner
    assert room_view(table.state, EVE, Around([True, False], 3, [None, None], 0)).you is None
    assert room_view(table.state, ADA, Around([True, False], 3, [None, None], 0)).owner
    snapshot = Snapshot("KMRTQA", table.state.version, view)
    assert decode_to_client(encode_to_client(snapshot)) == snapshot


def test_hints_follow_the_rooms_setting() -> None:
    assert may_ask_hint(against_a_bot(RoomSettings()).state)
    assert not may_ask_hint(Table(started()).state)
    assert may_ask_hint(Table(started(RoomSettings(hints="always"))).state)
    assert not may_ask_hint(against_a_bot(RoomSettings(hints="never")).state)


@pytest.mark.parametrize(
    ("bot", "shown"),
    [
        ("perfect", "perfect"),
        ("random:seed=5", "random"),
        ("minimax:depth=4,seed=7", "minimax:depth=4"),
        ("minimax:seed=7,depth=4", "minimax:depth=4"),
    ],
)
def test_a_bots_seed_is_its_secret(bot: str, shown: str) -> None:
    assert public_bot(bot) == shown
