"""The page's copy of a room: held to the transcripts, and to the SDK in whatever a server may tell."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_protocol.codec import ToClient, encode_to_client
from parlour_protocol.notices import Thinking
from parlour_protocol.views.rooms import ClockView
from parlour_server.room.view import PresenceState
from tests.client.feed import Feed
from tests.support.rooms import ADA, BEN, EVE, created
from tests.transcripts.evening import CLOCK, EVENING, LIVE, check_evening
from tests.transcripts.scenarios import Scenario, Shown, Step, check_room, message, scenarios
from tests.transcripts.sdk import watch_room
from tests.web.core.page import Page


@pytest.mark.parametrize("scenario", scenarios("room"), ids=str)
def test_a_room_is_as_its_transcript_says(page: Page, scenario: Scenario) -> None:
    check_room(scenario, page.watch_room(scenario.steps))


@pytest.mark.parametrize("viewer", [ADA, BEN, EVE])
def test_an_evening_is_folded_into_what_a_snapshot_of_its_end_would_say(page: Page, viewer: str) -> None:
    def watch(steps: list[Step]) -> list[Shown]:
        return [without_kept(one) for one in page.watch_room(steps)]

    check_evening(watch, viewer)


def without_kept(shown: Any) -> Any:
    return {name: value for name, value in shown.items() if name != "kept"}


def test_what_a_message_leaves_alone_is_the_very_same(page: Page) -> None:
    """So what shows it on the page need not be drawn anew."""
    feed = Feed(created(CLOCK))
    steps = [{"now": 0, "receive": message(encode_to_client(feed.snapshot()))}]
    for event, by in EVENING:
        feed.take([event], by)
        steps += [{"now": 0, "receive": message(encode_to_client(one))} for one in feed.unread()]
    shown: Any = page.watch_room(steps)
    for step, before, after in zip(steps[1:], shown[:-1], shown[1:], strict=True):
        reported: Any = step["receive"]
        named = {path.split(".")[0] for path in [*reported["set"], *reported["splice"]]}
        parts = {name for name, part in before["view"].items() if isinstance(part, dict | list)}
        assert parts - set(after["kept"]) == named & parts, reported


KINDS = ("event", "event", "event", "presence", "thinking", "resting", "snapshot", "nothing")


@given(
    st.sampled_from([ADA, BEN, EVE]),
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 99)), max_size=30),
)
@settings(max_examples=30)
def test_whatever_is_reported_it_shows_what_the_sdk_shows(
    page: Page, viewer: str, happens: list[tuple[str, int]]
) -> None:
    feed, events, now = Feed(created(CLOCK), viewer), iter(EVENING), 500
    steps: list[Step] = [{"now": now, "receive": message(encode_to_client(feed.snapshot()))}]
    for kind, number in happens:
        now += 100 * number
        feed.now += 99 * number
        if kind == "event":
            for event, by in islice(events, number % 4):
                feed.take([event], by)
        reported = _reported(feed, kind, number)
        steps += [{"now": now, "receive": message(encode_to_client(one))} for one in reported] or [
            {"now": now}
        ]
    for step, one, other in zip(steps, watch_room(steps), page.watch_room(steps), strict=True):
        assert without_kept(other) == one, step


def _reported(feed: Feed, kind: str, number: int) -> Sequence[ToClient]:
    match kind:
        case "event":
            return feed.unread()
        case "snapshot":
            feed.unread()
            return [feed.snapshot()]
        case "presence":
            here = [number % 2 == 0, number % 3 == 0]
            away = [None if one else feed.now for one in here]
            return [feed.presence(PresenceState(here, number, away))]
        case "thinking" | "resting":
            clock = ClockView([9_000, 5_000], feed.now, 0 if number % 2 else None)
            version = max(1, feed.state.version - number % 3)
            return [Thinking(feed.state.code, version, 1, LIVE, clock if kind == "resting" else None)]
    return []
