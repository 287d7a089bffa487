"""A room folded from what a server says changes in it: the views, the times, and a bot's thoughts."""

import json
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.state import ClientRoomState, apply, as_of, first_state
from parlour_protocol.events import (
    ChatPosted,
    Event,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    SeatTaken,
    StandInSeated,
    UnknownEvent,
)
from parlour_protocol.messages import RoomMessage
from parlour_protocol.notices import Presence
from tests.client.feed import Feed
from tests.support.rooms import ADA, BEN, EVE, moves, started
from tests.transcripts.evening import CLOCK, LIVE, check_evening
from tests.transcripts.scenarios import Scenario, check_room, scenarios
from tests.transcripts.sdk import watch_room


def after(state: ClientRoomState, messages: Iterable[RoomMessage], now: float = 0.0) -> ClientRoomState:
    """The room after these messages, which come at once."""
    for message in messages:
        state = apply(state, message, now)
    return state


@pytest.mark.parametrize("scenario", scenarios("room"), ids=str)
def test_a_room_is_as_its_transcript_says(scenario: Scenario) -> None:
    check_room(scenario, watch_room(scenario.steps))


@pytest.mark.parametrize("viewer", [ADA, BEN, EVE])
def test_an_evening_is_folded_into_what_a_snapshot_of_its_end_would_say(viewer: str) -> None:
    check_evening(watch_room, viewer)


EVENTS: list[KnownEvent] = [
    SeatTaken(1, "Cleo", player="p-cleo"),
    OfferMade(0, "draw"),
    OfferMade(1, "takeback"),
    OfferDeclined(1, "draw"),
    ChatPosted("players", "Ada", "hello"),
    StandInSeated(1, "easy"),
    GameStarted(1),
    GameFinished("agreement"),
    RoomClosed("idle"),
]


@given(st.lists(st.sampled_from(EVENTS), max_size=12))
def test_a_view_and_a_snapshot_stay_as_they_are(events: list[KnownEvent]) -> None:
    """The plain data alone is folded in place: what a reader was given is not."""
    feed = Feed([*started(), MovePlayed(0, "b2", LIVE)])
    snapshot = feed.snapshot()
    state, untouched = first_state(snapshot, 0.0), deepcopy(snapshot)
    views, as_given = [state.view], [deepcopy(state.view)]
    for event in events:
        feed.take([event])
        state = after(state, feed.unread())
        views.append(state.view)
        as_given.append(deepcopy(state.view))
    assert (snapshot, views) == (untouched, as_given)


@pytest.mark.parametrize(
    ("changes", "splices"),
    [
        ({"nowhere.at.all": 1}, {}),
        ({"seats.7": None}, {}),
        ({"turn": "Ada's"}, {}),
        ({"phase": None}, {}),
        ({"position.cells.0.0.0": 1}, {}),
        ({}, {"nowhere": [[0, 1]]}),
        ({}, {"moves": [["first", 1]]}),
        ({}, {"moves": [[0]]}),
        ({}, {"phase": [[0, 1, "x"]]}),
        ({}, {"moves": [[0, 0, {}]]}),
    ],
)
@pytest.mark.parametrize("presence", [False, True])
def test_a_change_that_does_not_fit_is_an_error_in_one_sentence(
    changes: dict[str, Any], splices: dict[str, Any], presence: bool
) -> None:
    state = first_state(Feed(started()).snapshot(), 0.0)
    message = (
        Presence("KMRTQA", changes, splices)
        if presence
        else Event("KMRTQA", 5, 0, UnknownEvent("confetti"), changes, splices)
    )
    with pytest.raises(ValueError, match=r"^a change does not fit the room: [^\n]+$"):
        apply(state, message, 0.0)


def test_what_is_shown_as_of_now_changes_nothing_that_is_kept() -> None:
    feed = Feed(started(CLOCK))
    feed.take(moves(["a1", "b2"]))
    state = first_state(feed.snapshot(), 0.0)
    before = json.dumps(state.data), deepcopy(state.view)
    as_of(state, 30.0)
    assert (json.dumps(state.data), state.view) == before
