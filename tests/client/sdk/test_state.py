"""A room folded from what a server says changes in it: the views, the times, and a bot's thoughts."""

import json
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.state import ClientRoomState, RoomMessage, apply, as_of, first_state, thought
from parlour_protocol.events import (
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    Event,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    SeatLeft,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    UnknownEvent,
)
from parlour_protocol.ids import Seat
from parlour_protocol.notices import Presence, Thinking
from parlour_protocol.reports import Candidate, Report, Score
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views import ClockView, ResultView, SeatView
from parlour_server.room import view as server
from tests.client.feed import Feed
from tests.client.rooms import report
from tests.support.rooms import ADA, BEN, EVE, act, created, moves, started

LIVE = report(Candidate("a1", Score(0, "exact", "draw")))
CLOCK = RoomSettings(clock="5+0")


def after(state: ClientRoomState, messages: Iterable[RoomMessage], now: float = 0.0) -> ClientRoomState:
    """The room after these messages, which come at once."""
    for message in messages:
        state = apply(state, message, now)
    return state


def thinking(version: int, thoughts: Report = LIVE) -> Thinking:
    return Thinking("KMRTQA", version, 1, thoughts)


# ---------------------------------------------------------------- what changes


def test_a_snapshot_is_the_whole_room() -> None:
    feed = Feed(started())
    snapshot = feed.snapshot()
    state = first_state(snapshot, 2.0)
    assert (state.version, state.view.version) == (4, 4)
    assert (state.view.you, state.view.to_move, state.view.at) == (0, 0, snapshot.at)
    assert [seat.name for seat in state.view.seats] == ["Ada", "Ben"]
    assert state.clock_offset == snapshot.at - 2_000
    # A later one stands for all before it.
    assert apply(state, Feed(created()).snapshot(), 3.0) == first_state(Feed(created()).snapshot(), 3.0)


@pytest.mark.parametrize("viewer", [ADA, BEN, EVE])
def test_an_evening_is_folded_into_what_a_snapshot_of_its_end_would_say(viewer: str) -> None:
    feed = Feed(created(CLOCK), viewer)
    state = first_state(feed.snapshot(), 0.0)
    evening: list[tuple[KnownEvent, str]] = [
        (SeatTaken(0, "Ada", player=ADA), ADA),
        (SeatTaken(1, "Ben", player=BEN), BEN),
        (GameStarted(0), ""),
        *((move, "") for move in moves(["a1", "b2", "c3"])),
        (OfferMade(0, "takeback"), ADA),
        (MovesTakenBack(0, 1), BEN),
        (OfferMade(0, "draw"), ADA),
        (OfferDeclined(1, "draw"), BEN),
        (ClocksStopped(), ""),
        (ClocksResumed(), ""),
        (ChatPosted("players", "Ada", "well?"), ADA),
        (ChatPosted("spectators", "Eve", "hm"), EVE),
        (StandInSeated(1, "easy", 7), ""),
        (MovePlayed(0, "c3"), ADA),
        (MovePlayed(1, "a3", LIVE), ""),
        (StandInLeft(1), ""),
        (GameFinished("resignation", 0, "resignation", 1), BEN),
        (OfferMade(1, "rematch"), BEN),
        (OfferMade(0, "rematch"), ADA),
        (GameStarted(1), ""),
        (GameFinished("aborted", None, "aborted", 0), ADA),
        (SeatLeft(1), BEN),
        (SeatTaken(1, "easy", "easy", player="bot:1", seed=3), ADA),
        (GameStarted(0), ""),
        (SeatTaken(1, "Eve", player=EVE), EVE),
        (RoomClosed("its owner closed it"), ADA),
    ]
    for event, by in evening:
        feed.take([event], by)
        (message,) = feed.unread()
        state = apply(state, message, 0.0)
        expected = first_state(feed.snapshot(), 0.0)
        assert (state.version, state.data) == (expected.version, expected.data), event
        there = replace(state, clock_offset=expected.clock_offset)
        assert as_of(there, 1.0) == as_of(expected, 1.0), event


def test_a_game_to_its_end_and_the_next() -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 0.0)
    feed.take(moves(["a1", "b1", "a2", "b2", "a3"]))
    feed.take([GameFinished("line", 0, "three in a row")])
    state = after(state, feed.unread())
    assert (state.view.phase, state.view.to_move) == ("finished", None)
    assert state.view.moves == ["a1", "b1", "a2", "b2", "a3"]
    assert state.view.position is not None
    assert state.view.position.line == [0, 3, 6]
    assert state.view.result == ResultView("line", "three in a row", 0)
    assert (state.view.wins, "rematch" in state.view.open_actions()) == ([1, 0], True)
    feed.do(act("rematch"), ADA)
    state = after(state, feed.unread())
    assert (state.view.rematch, "rematch" in state.view.open_actions()) == ([0], False)
    feed.do(act("rematch"), BEN)
    state = after(state, feed.unread())
    assert (state.view.phase, state.view.game_number, state.view.moves) == ("playing", 2, [])
    assert (state.view.rematch, state.view.result, state.view.wins) == ([], None, [1, 0])


def test_where_one_sits_down_and_stands_up_is_ones_own_seat() -> None:
    feed = Feed(created(), BEN)
    state = first_state(feed.snapshot(), 0.0)
    assert (state.view.you, state.view.owner) == (None, False)
    feed.take([SeatTaken(0, "Ada", player=ADA)], ADA)
    state = after(state, feed.unread())
    assert (state.view.seats[0], state.view.you) == (SeatView("human", "Ada"), None)
    feed.take([SeatTaken(1, "Ben", player=BEN)], BEN)
    state = after(state, feed.unread())
    assert state.view.you == 1
    feed.take([SeatLeft(1)], BEN)
    state = after(state, feed.unread())
    assert (state.view.you, state.view.seats[1].kind) == (None, "open")


def test_of_an_unknown_event_what_it_changes_counts() -> None:
    state = first_state(Feed(started()).snapshot(), 0.0)
    confetti = Event("KMRTQA", 5, 1_500, UnknownEvent("confetti"), {"watching": 9}, {"moves": [[0, 0, "a1"]]})
    changed = apply(state, confetti, 0.0)
    assert (changed.version, changed.view.version) == (5, 5)
    assert (changed.view.watching, changed.view.moves) == (9, ["a1"])


def test_presence_changes_who_is_here_alone() -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 0.0)
    gone = feed.presence(server.PresenceState([True, False], 5, [None, feed.now]))
    changed = apply(state, gone, 0.0)
    assert (changed.version, changed.view.online, changed.view.watching) == (4, [True, False], 5)
    patience = 1_000 * feed.state.settings.patience
    assert changed.view.claim_from == [feed.now + patience, None]
    back = apply(changed, feed.presence(server.PresenceState([True, True], 5, [None, None])), 0.0)
    assert (back.view.away_since, back.view.claim_from) == ([None, None], [None, None])


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


# ---------------------------------------------------------------- thoughts


def test_a_thought_belongs_to_its_position() -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 0.0)
    feed.take([MovePlayed(0, "b3")])
    state = after(state, feed.unread())
    assert (state.version, state.position_version) == (5, 5)
    thought_about = apply(state, thinking(5), 0.0)
    assert thought(thought_about) == LIVE
    assert apply(state, thinking(4), 0.0) == state
    feed.take([MovePlayed(1, "a1")])
    assert after(thought_about, feed.unread()).thinking is None


def test_what_is_said_and_offered_meanwhile_loses_no_thought() -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 0.0)
    feed.take([MovePlayed(0, "b3"), ChatPosted("players", "Ada", "good luck"), OfferMade(0, "draw")])
    state = after(state, feed.unread())
    assert (state.version, state.position_version) == (7, 5)
    state = apply(state, thinking(5), 0.0)
    assert thought(state) == LIVE
    feed.take([OfferDeclined(1, "draw"), ChatPosted("spectators", "Eve", "hm")])
    gone = feed.presence(server.PresenceState([True, False], 1, [None, feed.now]))
    assert thought(after(state, [*feed.unread(), gone])) == LIVE


def test_after_a_snapshot_a_thought_may_be_of_an_older_version() -> None:
    said = [ChatPosted("players", "Ada", str(number)) for number in range(3)]
    state = first_state(Feed([*started(), *said]).snapshot(), 0.0)
    assert (state.version, state.position_version) == (7, None)
    assert thought(apply(state, thinking(5), 0.0)) == LIVE
    assert apply(state, thinking(8), 0.0) == state


@pytest.mark.parametrize(
    ("event", "thinks_on", "position"),
    [
        (GameFinished("agreement"), False, 5),
        (SeatTaken(1, "Cleo", player="p-cleo"), False, 5),
        (SeatLeft(1), False, 5),
        (RoomClosed("idle"), False, 5),
        (MovesTakenBack(0, 1), False, 6),
        (GameStarted(1), False, 6),
        (OfferMade(0, "takeback"), True, 5),
    ],
)
def test_a_thought_ends_with_what_it_is_about(event: KnownEvent, thinks_on: bool, position: int) -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 0.0)
    feed.take([MovePlayed(0, "b3")])
    state = apply(after(state, feed.unread()), thinking(5), 0.0)
    feed.take([event])
    state = after(state, feed.unread())
    assert (state.thinking is not None, state.position_version) == (thinks_on, position)


def test_the_last_bot_moves_report_stands_until_there_is_a_fresher_one() -> None:
    kept, fresh = report(bot="easy"), report(bot="hard")
    feed = Feed([*started(), MovePlayed(0, "b2", kept)])
    state = first_state(feed.snapshot(), 0.0)
    assert thought(state) == kept
    feed.take([MovePlayed(1, "a1"), GameFinished("agreement")])
    state = after(state, feed.unread())
    assert thought(state) == kept
    feed.take([GameStarted(0)])
    state = after(state, feed.unread())
    assert thought(state) is None
    feed.take([MovePlayed(0, "b2", kept)])
    state = after(state, feed.unread())
    assert thought(apply(state, thinking(state.version, fresh), 0.0)) == fresh


# ---------------------------------------------------------------- times


def left(state: ClientRoomState, now: float, seat: Seat) -> int:
    """The milliseconds that a seat has left."""
    clock = as_of(state, now).clock
    assert clock is not None
    return clock.left[seat]


def timed(*words: str) -> Feed:
    """A game with a clock in which each of these moves took a second, the last one just now."""
    feed = Feed(started(CLOCK))
    for word in words:
        feed.now += 999
        feed.take(moves([word], len(feed.state.moves)))
    feed.unread()
    return feed


def test_the_time_is_counted_from_the_servers_moments() -> None:
    feed = timed("a1", "b2")
    feed.now += 11_499
    # The snapshot came 11.5 s after the last move, and is read at 50 s of some clock of ours.
    state = first_state(feed.snapshot(), 50.0)
    assert feed.state.clocks is not None
    whole = feed.state.clocks.left[0]
    assert left(state, 50.0, 0) == whole - 11_500
    assert state.view.clock is not None
    assert state.view.clock.left[0] == whole - 11_500
    assert left(state, 61.5, 0) == whole - 23_000
    assert left(state, 61.5, 1) == feed.state.clocks.left[1]
    assert left(state, 1_000.0, 0) == 0
    # What is shown as of now counts on from there.
    later = as_of(state, 61.5)
    assert later.clock is not None
    assert later.clock.since == later.at == feed.now + 11_500


def test_an_event_sets_the_clocks_right() -> None:
    feed = timed("a1", "b2")
    state = first_state(feed.snapshot(), 50.0)
    feed.now += 7_000
    feed.take([MovePlayed(0, "c3")])
    state = after(state, feed.unread(), 57.0)
    assert feed.state.clocks is not None
    first, second = feed.state.clocks.left
    assert (left(state, 57.0, 0), left(state, 57.0, 1)) == (first, second)
    assert (left(state, 58.0, 0), left(state, 58.0, 1)) == (first, second - 1_000)
    # One that has nothing to do with time leaves it alone.
    feed.now += 1_499
    feed.take([ChatPosted("spectators", "Eve", "hm")])
    state = after(state, feed.unread(), 58.5)
    assert left(state, 59.0, 1) == second - 2_000
    feed.take([GameFinished("resignation", 1)])
    state = after(state, feed.unread(), 58.5)
    assert left(state, 58.5, 1) == left(state, 90.0, 1)


def test_a_bots_clock_rests_while_its_search_waits() -> None:
    feed = timed("a1", "b2")
    feed.now += 2_000
    state = first_state(feed.snapshot(), 50.0)
    assert feed.state.clocks is not None
    whole = feed.state.clocks.left[0]
    rests = ClockView([whole, feed.state.clocks.left[1]], feed.now)
    state = apply(state, replace(thinking(state.version, Report("hard", [], queued=1)), clock=rests), 50.0)
    assert left(state, 50.0, 0) == left(state, 53.0, 0) == whole
    goes_on = replace(rests, since=feed.now + 3_000, running=0)
    state = apply(state, replace(thinking(state.version), clock=goes_on), 53.0)
    assert left(state, 54.0, 0) == whole - 1_000
    # The move says what was charged.
    feed.now += 5_000
    feed.take([MovePlayed(0, "c3", lag=3_000 + 2_000)])
    state = after(state, feed.unread(), 55.0)
    assert (state.thinking, left(state, 60.0, 0)) == (None, feed.state.clocks.left[0])


def test_the_message_that_was_least_late_tells_the_servers_time() -> None:
    feed = Feed(started(CLOCK))
    feed.now = 100_000
    # It was two seconds on its way.
    state = first_state(feed.snapshot(), 52.0)
    assert state.clock_offset == 48_000
    feed.now = 110_000
    feed.take([ChatPosted("players", "Ada", "one")])
    state = after(state, feed.unread(), 60.0)
    assert state.clock_offset == 50_000
    assert as_of(state, 61.0).at == 111_000
    # One that was late changes nothing.
    feed.now = 111_000
    feed.take([ChatPosted("players", "Ada", "two")])
    state = after(state, feed.unread(), 65.0)
    assert (state.clock_offset, as_of(state, 65.0).at) == (50_000, 115_000)
    # Another snapshot begins anew: the server's clock may be another one.
    feed.now = 0
    assert apply(state, feed.snapshot(), 70.0).clock_offset == -70_000


def test_away_is_counted_on() -> None:
    feed = Feed(started())
    state = first_state(feed.snapshot(), 8.0)
    assert (state.view.away_for(0), state.view.away_for(1)) == (None, None)
    gone = feed.presence(server.PresenceState([True, False], 0, [None, feed.now]))
    feed.now += 2_000
    state = apply(state, gone, 10.0)
    # A notice says no time: it is as of when it came.
    assert (state.view.away_for(0), state.view.away_for(1)) == (None, 2.0)
    assert as_of(state, 48.0).away_for(1) == 40.0
    # What happens meanwhile does not begin the count anew.
    feed.now += 9_999
    feed.take([ChatPosted("players", "Ada", "Ben?")])
    state = after(state, feed.unread(), 20.0)
    assert as_of(state, 48.0).away_for(1) == 40.0
    assert as_of(state, 0.0).away_for(1) == 0


def test_what_is_shown_as_of_now_changes_nothing_that_is_kept() -> None:
    feed = timed("a1", "b2")
    state = first_state(feed.snapshot(), 0.0)
    before = json.dumps(state.data), deepcopy(state.view)
    as_of(state, 30.0)
    assert (json.dumps(state.data), state.view) == before
