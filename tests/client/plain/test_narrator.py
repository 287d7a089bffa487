"""What a screen tells of what happens: each thing once, and in signs that can be seen."""

import pytest

from parlour_client.plain.narrator import Narrator
from parlour_client.render.console import Screen
from parlour_client.sdk.state import ClientRoomState, apply, first_state
from parlour_protocol.events import (
    ChatPosted,
    KnownEvent,
    MovePlayed,
    OfferMade,
)
from parlour_protocol.messages import RoomMessage
from parlour_protocol.settings import RoomSettings
from parlour_server.room.view import PresenceState
from tests.client.feed import Feed
from tests.client.rooms import report
from tests.support.rooms import ADA, EVE, moves, started

AT_ONCE = 1_000_000


def show(state: ClientRoomState, *messages: RoomMessage) -> None:
    """Have these messages shown, one after another."""
    narrator = Narrator(Screen(), "ws://127.0.0.1:8765")
    for message in messages:
        before, state = state, apply(state, message, 0.0)
        narrator.show(before, state, message)


def reported(capsys: pytest.CaptureFixture[str], *events: KnownEvent, viewer: str = ADA) -> str:
    """What is shown of these events to one player, or to a spectator.

    Three moves of a game with a clock were played at once; since then Ben has thought for 100 seconds.
    """
    feed = Feed(started(RoomSettings(clock="5+0")), viewer)
    for event in moves(["a1", "b2", "c3"]):
        feed.now = AT_ONCE
        feed.take([event])
    feed.unread()
    feed.now = AT_ONCE + 100_000
    state = first_state(feed.snapshot(), 0.0)
    for event in events:
        feed.now = AT_ONCE + 100_000
        feed.take([event])
    show(state, *feed.unread())
    said = capsys.readouterr()
    return said.out + said.err


def test_of_what_is_not_for_us_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(capsys, ChatPosted("spectators", "Eve", "Ben will lose")) == ""
    assert "type" not in reported(capsys, OfferMade(1, "draw"), viewer=EVE)


def test_how_a_bot_found_its_move_is_reported_with_that_move_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found, searched = MovePlayed(1, "a3", report()), "549,946"
    assert searched in reported(capsys, found, viewer=EVE)
    both = reported(capsys, found, MovePlayed(0, "c2"), viewer=EVE)
    assert "Ada played c2." in both
    assert both.count(searched) == 1


def test_a_latecomer_is_shown_all(capsys: pytest.CaptureFixture[str]) -> None:
    said = [ChatPosted("spectators", "Eve", f"line {number}") for number in range(9)]
    played = moves(["a1", "b2"])
    feed = Feed([*started(RoomSettings(clock="5+0")), *played, *said, OfferMade(1, "draw")], EVE)
    assert feed.state.clocks is not None
    feed.now = feed.state.clocks.since + 50_000
    snapshot = feed.snapshot(PresenceState([False, True], 3, [feed.now - 50_000, None]))
    Narrator(Screen(), "ws://127.0.0.1:8765").show(None, first_state(snapshot, 0.0), snapshot)
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "Tic-tac-toe, room KMRTQA, watching, 3 are watching",
        "Eve: line 8",
        "Ben offers a draw.",
        # The time that is left by now, and not what was left after the last move.
        "Ada to move (X), but away for 50 s. Time: Ada 4:10 (running), Ben 5:00.",
    ):
        assert words in shown
    assert "line 3" not in shown
