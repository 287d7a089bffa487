"""Evenings of a room, as the server's own view code tells a viewer about it."""

from collections.abc import Callable, Iterator

from parlour_protocol.codec import encode_to_client
from parlour_protocol.events import (
    ChatPosted,
    ClocksResumed,
    ClocksStopped,
    GameFinished,
    GameStarted,
    KnownEvent,
    MovePlayed,
    MovesTakenBack,
    OfferDeclined,
    OfferMade,
    RoomClosed,
    SeatLeft,
    SeatRenamed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Score
from tests.client.feed import Feed
from tests.client.rooms import report
from tests.support.rooms import ADA, BEN, EVE, created, moves
from tests.transcripts.scenarios import Shown, Step, message

CLOCK = RoomSettings(clock="5+0")
LIVE = report(Candidate("a1", Score(0, "exact", "draw")))

EVENING: list[tuple[KnownEvent, str]] = [
    (SeatTaken(0, "Ada", player=ADA), ADA),
    (SeatTaken(1, "Ben", player=BEN), BEN),
    (GameStarted(0), ""),
    *((move, "") for move in moves(["a1", "b2", "c3"])),
    (OfferMade(0, "takeback"), ADA),
    (MovesTakenBack(0, 1), BEN),
    (OfferMade(0, "draw"), ADA),
    (SeatRenamed(1, "Benno"), BEN),
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
    *((move, "") for move in moves(["a1", "b1", "a2", "b2", "a3"], starter=1)),
    (GameFinished("line", 1, "three in a row"), ""),
    (GameStarted(0), ""),
    (GameFinished("aborted", None, "aborted", 0), ADA),
    (SeatLeft(1), BEN),
    (SeatTaken(1, "easy", "easy", player="bot:1", seed=3), ADA),
    (GameStarted(0), ""),
    (SeatTaken(1, "Eve", player=EVE), EVE),
    (RoomClosed("its owner closed it"), ADA),
]


def check_evening(watch_room: Callable[[list[Step]], list[Shown]], viewer: str) -> None:
    """Raise `AssertionError` unless every event leads to what a snapshot after it shows."""
    steps, snapshots = zip(*_evening(viewer), strict=True)
    shown = watch_room([step for some in steps for step in some])[1::2]
    for (event, _), one, snapshot in zip([(None, None), *EVENING], shown, snapshots, strict=True):
        (expected,) = watch_room([snapshot])
        assert {**one, "position_version": None} == expected, event


def _evening(viewer: str) -> Iterator[tuple[list[Step], Step]]:
    """What is to be played, to the moment of a snapshot; and the snapshot."""
    feed = Feed(created(CLOCK), viewer)
    first = feed.snapshot()
    then = {"now": first.at, "receive": message(encode_to_client(first))}
    yield [then, {"now": first.at}], then
    for event, by in EVENING:
        feed.take([event], by)
        (reported,), snapshot = feed.unread(), feed.snapshot()
        yield (
            [{"now": reported.at, "receive": message(encode_to_client(reported))}, {"now": snapshot.at}],
            {"now": snapshot.at, "receive": message(encode_to_client(snapshot))},
        )
