"""What a table says."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.errors import Refused as RefusedError
from parlour_client.sdk.state import as_of, first_state
from parlour_client.text import durations, wording
from parlour_protocol.answers import Refused
from parlour_protocol.errors import Code
from parlour_protocol.events import KnownEvent, StandInSeated
from parlour_protocol.notices import Announcement
from parlour_protocol.views.permissions import why_not
from parlour_protocol.views.rooms import ResultView, RoomView, Unrated
from parlour_protocol.words import Said, say
from parlour_server.room.view import PresenceState
from tests.client.feed import Feed
from tests.client.rooms import offering, view
from tests.support.rooms import ADA, BEN, EVE, started


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0.1 s"), (0.3, "0.3 s"), (0.31, "0.4 s"), (0.95, "1 s"), (1, "1 s"), (12.4, "13 s"), (60, "60 s")],
)
def test_a_waiting_time_is_never_too_short(number: float, said: str) -> None:
    assert wording.seconds(number) == said


def test_what_a_server_says_is_said_in_the_language_of_this_process() -> None:
    raw, said = "as the server has it", Said("refusal.no_such_room", {"room": "KMRTQA"})
    sentence = say("refusal.no_such_room")
    refused = Refused(Code.UNKNOWN_ROOM, raw, "1", said=said)
    assert wording.refusal(refused) == str(RefusedError(refused)) == sentence
    assert wording.announced(Announcement(raw, text_said=said)) == f"The host says: {sentence}"
    # Where this catalogue has it not, it is read as it came.
    assert wording.refusal(replace(refused, said=Said("refusal.of_a_newer_server"))) == raw


# ---------------------------------------------------------------- offers


def test_an_offer_says_how_it_is_answered() -> None:
    room = offering(draw=0).view
    room.you = 1
    assert wording.offers(room) == ["Ada offers a draw. `draw` agrees, `no` declines."]
    assert wording.standing_offers(room) == ["draw"]
    room.you = 0
    assert wording.offers(room) == ["You offer a draw. Waiting for Ben; `no` withdraws it."]
    room.you = None
    assert wording.offers(room) == ["Ada offers a draw."]
    assert wording.standing_offers(room) == []


def test_the_others_offer_is_answered_first() -> None:
    assert wording.standing_offers(view()) == []
    assert wording.standing_offers(offering(draw=0, takeback=1).view) == ["takeback"]
    assert wording.standing_offers(offering(draw=0).view) == ["draw"]
    assert wording.standing_offers(offering(draw=1, takeback=1).view) == ["draw", "takeback"]


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        (3_723_000, "1:02:03"),
        (300_000, "5:00"),
        (299_999, "4:59"),
        (61_000, "1:01"),
        (10_000, "0:10"),
        (9_999, "9.9"),
        (50, "0.0"),
        (-300, "0:00"),
    ],
)
def test_a_clock_never_shows_more_than_there_is(left: int, shown: str) -> None:
    assert durations.clock(left) == shown


@given(st.integers(1, 400_000))
def test_a_clock_is_looked_at_when_it_changes(left: int) -> None:
    wait = durations.until_next(left)
    assert 0 < wait <= 1.001
    if left - round(1000 * wait) >= 0:
        assert durations.clock(left) != durations.clock(left - round(1000 * wait))
    assert durations.until_next(0) == durations.until_next(-5) == 1.0


def test_a_game_may_be_claimed_after_the_rooms_patience() -> None:
    def seen(away: float, viewer: str = ADA, *events: KnownEvent) -> RoomView:
        """What a server says of a room where Ben has been away for so many seconds."""
        feed = Feed([*started(), *events], viewer)
        gone = PresenceState([True, False], 0, [None, feed.now])
        return as_of(first_state(feed.snapshot(gone), 0.0), away)

    assert why_not(seen(59.9), "claim") is not None
    room = seen(60.0)
    assert why_not(room, "claim") is None
    assert wording.claimable(room) == (
        "Ben has been away for 60 s. "
        "Wait on, or type `claim win`, `claim draw`, or `claim bot` to have a bot play on."
    )
    assert why_not(seen(60.0, ADA, StandInSeated(1, "medium")), "claim") is not None
    for other in (BEN, EVE):
        assert why_not(seen(60.0, other), "claim") is not None


@pytest.mark.parametrize("why", [None, *get_args(Unrated)])
def test_a_games_end_says_why_it_is_not_rated(why: Unrated | None) -> None:
    ended = ResultView("line", "three in a row", 0, unrated=why)
    over = replace(view(), phase="finished", result=ended)
    plain = wording.ended(ended, over.seats, over.you)
    said = wording.result(over)
    if why in (None, "aborted"):
        assert said == plain
    else:
        assert said == f"{plain} This game isn't rated: {say(f'unrated.{why}')}."
