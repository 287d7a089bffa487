"""The protocol by itself: text in, messages and deliveries out; no socket, clock or task."""

from collections.abc import Iterator
from itertools import count
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.errors import ConnectionLost, Refused
from parlour_client.sdk.messages import SubscriptionLost
from parlour_client.sdk.protocol import Protocol, Reply
from parlour_protocol import codec
from parlour_protocol.answers import Accepted, Cancelled, Hint, Rooms
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.codec import ToClient
from parlour_protocol.commands import (
    Analyse,
    AskHint,
    AskReview,
    AskTree,
    Cancel,
    Command,
    ListRooms,
    PlayMove,
    QuickMatch,
    Race,
    Subscribe,
    TakeOver,
    TakeSeat,
    ToServer,
    Unsubscribe,
)
from parlour_protocol.errors import Code
from parlour_protocol.events import Event, RoomClosed, Snapshot
from parlour_protocol.notices import Goodbye, Lobby, Replaced
from parlour_protocol.reports import Report
from tests.client.scripted import event, odd_event, snapshot

ROOM = "KMRTQA"
M = TypeVar("M")


class Client:
    """A protocol with ids that are counted, and short words for what a test does with it."""

    def __init__(self, *, connected: bool = True) -> None:
        self._ids = (f"own{number}" for number in count())
        self.protocol = Protocol(lambda: next(self._ids))
        if connected:
            self.protocol.connected()

    def receive(self, *messages: ToClient) -> list[object]:
        for message in messages:
            self.protocol.receive(codec.encode_to_client(message))
        return self.delivered()

    def delivered(self) -> list[object]:
        return list(self.protocol.take_deliveries())

    def sent(self) -> list[ToServer]:
        def messages() -> Iterator[ToServer]:
            while (message := self.protocol.next_to_send()) is not None:
                yield message

        return list(messages())

    def one(self, kind: type[M]) -> M:
        """The only message that is to be sent."""
        (message,) = self.sent()
        assert isinstance(message, kind)
        return message

    def subscribe(self, version: int = 5) -> None:
        self.protocol.request(Subscribe(id="w", room=ROOM))
        self.one(Subscribe)
        self.receive(Accepted("w", ROOM, version), snapshot(version))

    def reconnect(self) -> list[ToServer]:
        self.protocol.disconnected()
        self.protocol.connected()
        return self.sent()


def play(number: int = 0) -> PlayMove:
    return PlayMove(id=f"p{number}", room=ROOM, version=5, move="b2")


def versions(deliveries: list[object]) -> list[int]:
    return [one.version for one in deliveries if isinstance(one, Event | Snapshot)]


# ---------------------------------------------------------------- commands and replies


def test_a_command_is_sent_once_and_answered_once() -> None:
    client = Client()
    client.protocol.request(play())
    assert client.sent() == [play()]
    assert client.sent() == []
    assert client.receive(Accepted("p0", ROOM, 6), Accepted("p0", ROOM, 6)) == [
        Reply("p0", Accepted("p0", ROOM, 6))
    ]


def test_a_command_waits_for_a_connection() -> None:
    client = Client(connected=False)
    client.protocol.request(play())
    assert client.sent() == []
    client.protocol.connected()
    assert client.sent() == [play()]


def test_what_was_not_answered_is_sent_again_in_order_after_the_subscriptions() -> None:
    client = Client()
    client.subscribe(5)
    for number in range(3):
        client.protocol.request(play(number))
    client.sent()
    client.receive(Accepted("p1", ROOM, 6))
    watch, *resent = client.reconnect()
    assert (watch.type, getattr(watch, "since", None)) == ("subscribe", 5)
    assert resent == [play(0), play(2)]


@pytest.mark.parametrize(
    "asked",
    [
        AskHint(id="s", room=ROOM),
        Analyse(id="s", game="tictactoe"),
        AskReview(id="s", game="tictactoe"),
        AskTree(id="s", game="tictactoe"),
        Race(id="s", game="tictactoe"),
    ],
)
def test_a_search_that_was_given_up_is_cancelled(asked: Command[Any]) -> None:
    client = Client()
    client.protocol.request(asked)
    client.sent()
    client.protocol.abandon("s")
    cancel = client.one(Cancel)
    assert cancel.search == "s"
    stopped = RefusedMessage(Code.CANCELLED, "You stopped this search.", id="s")
    assert client.receive(stopped, Cancelled(cancel.id)) == []
    assert client.reconnect() == []


def test_a_search_that_has_no_connection_any_more_needs_no_cancelling() -> None:
    client = Client()
    for number, sent in enumerate((True, False)):
        client.protocol.request(AskHint(id=f"s{number}", room=ROOM))
        if sent:
            client.sent()
            client.protocol.disconnected()
        client.protocol.abandon(f"s{number}")
        assert client.reconnect() == []
    client.protocol.request(AskHint(id="answered", room=ROOM))
    client.sent()
    client.receive(Hint("answered", ROOM, 5, Report("perfect", [])))
    client.protocol.abandon("answered")
    assert client.sent() == []


def test_what_was_given_up_is_not_sent_again() -> None:
    client = Client()
    client.protocol.request(play())
    client.protocol.abandon("p0")
    assert client.sent() == client.reconnect() == []
    assert client.receive(Accepted("p0", ROOM, 6)) == []


@pytest.mark.parametrize(
    ("command", "frees"),
    [
        (TakeSeat(id="s", room=ROOM), True),
        (QuickMatch(id="s", game="tictactoe"), True),
        (TakeOver(id="s", room=ROOM), False),
        (Subscribe(id="s", room=ROOM), False),
    ],
)
def test_a_room_that_was_given_up_before_the_answer_is_left(command: Command[Accepted], frees: bool) -> None:
    client = Client()
    client.protocol.request(command)
    client.sent()
    client.protocol.abandon("s")
    assert client.receive(Accepted("s", ROOM, 3), snapshot(3)) == []
    undone = [(one.type, getattr(one, "room", None)) for one in client.sent()]
    assert undone == [*([("leave", ROOM)] if frees else []), ("unsubscribe", ROOM)]
    assert client.protocol.subscriptions == {}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (TakeSeat(id="s", room=ROOM), Subscribe(id="a", room=ROOM)),
        (QuickMatch(id="s", game="tictactoe"), QuickMatch(id="a", game="tictactoe")),
    ],
)
def test_a_room_that_was_given_up_and_asked_for_again_is_kept(
    first: Command[Accepted], again: Command[Accepted]
) -> None:
    client = Client()
    client.protocol.request(first)
    client.sent()
    client.protocol.abandon("s")
    client.protocol.request(again)
    assert client.sent() == [again]
    client.receive(Accepted("s", ROOM, 3), Accepted("a", ROOM, 3))
    assert client.sent() == []
    assert client.protocol.subscriptions == {ROOM: None}


def test_a_room_whose_answer_did_not_reach_its_caller_is_left() -> None:
    for collected in (False, True):
        client = Client()
        client.protocol.request(Subscribe(id="s", room=ROOM))
        client.sent()
        client.receive(Accepted("s", ROOM, 3))
        if collected:
            client.protocol.collected("s")
        client.protocol.abandon("s")
        assert bool(client.protocol.subscriptions) is collected
        assert [type(one) for one in client.sent()] == ([] if collected else [Unsubscribe])


def test_a_seat_that_was_given_up_in_a_room_one_watches_leaves_the_room_alone() -> None:
    client = Client()
    client.subscribe(5)
    client.protocol.request(TakeSeat(id="s", room=ROOM))
    client.sent()
    client.protocol.abandon("s")
    assert versions(client.receive(Accepted("s", ROOM, 6), event(6))) == [6]
    assert client.sent() == []


def test_a_refusal_and_an_answer_of_the_wrong_type() -> None:
    client = Client()
    for number in range(2):
        client.protocol.request(play(number))
    refused, odd = client.receive(RefusedMessage(Code.STALE, "Too late.", "p0"), Rooms("p1", []))
    assert isinstance(refused, Reply)
    assert isinstance(refused.outcome, Refused)
    assert isinstance(odd, Reply)
    assert isinstance(odd.outcome, ConnectionLost)


def test_an_answer_that_cannot_be_read_is_a_refusal() -> None:
    client = Client()
    client.protocol.request(play())
    client.protocol.receive('{"type": "accepted", "id": "p0"}')
    (reply,) = client.delivered()
    assert isinstance(reply, Reply)
    assert isinstance(reply.outcome, Refused)
    assert reply.outcome.code is Code.INTERNAL


# ---------------------------------------------------------------- versions


@pytest.mark.parametrize(
    ("messages", "delivered", "asks"),
    [
        ([event(6), event(7)], [6, 7], False),
        ([event(4), event(5), event(6), event(6)], [6], False),
        ([snapshot(4), snapshot(5), event(6)], [5, 6], False),
        ([event(7)], [], True),
        ([event(7), event(8), event(6)], [], True),
        ([event(7), snapshot(7), event(8)], [7, 8], True),
        # Whatever it is, it says what it changes.
        ([odd_event(6), event(7)], [6, 7], False),
    ],
)
def test_events_come_in_order_without_gaps_or_repeats(
    messages: list[ToClient], delivered: list[int], asks: bool
) -> None:
    client = Client()
    client.subscribe(5)
    assert versions(client.receive(*messages)) == delivered
    assert [(watch.room, watch.since) for watch in client.sent() if isinstance(watch, Subscribe)] == (
        [(ROOM, None)] if asks else []
    )


def test_a_closed_room_and_one_that_was_left_are_no_longer_subscribed_to() -> None:
    client = Client()
    client.subscribe(5)
    closed = Event(ROOM, 6, 0, RoomClosed("done"))
    assert client.receive(closed, event(7)) == [closed]
    client = Client()
    client.subscribe(5)
    client.protocol.request(Unsubscribe(id="u", room="kmr tqa"))
    client.receive(Accepted("u", ROOM, 5))
    assert client.protocol.subscriptions == {}
    assert client.receive(event(6)) == []


def test_other_rooms_unknown_kinds_and_unreadable_events_are_skipped() -> None:
    client = Client()
    client.subscribe(5)
    for text in ('{"type": "weather"}', '{"type": "event", "room": 3}', "[]", "\x00"):
        client.protocol.receive(text)
    stray = event(1)
    stray.room = "OTHERS"
    assert client.receive(stray, Lobby([], [ROOM], 3)) == [Lobby([], [ROOM], 3)]


def test_a_snapshot_that_cannot_be_read_ends_its_subscription() -> None:
    client = Client()
    client.subscribe(5)
    client.protocol.receive(f'{{"type": "snapshot", "room": "{ROOM}", "version": 6, "view": 7}}')
    (lost,) = client.delivered()
    assert isinstance(lost, SubscriptionLost)
    assert client.reconnect() == []


@given(st.lists(st.sampled_from(["event", "repeat", "drop", "cut", "snapshot"]), max_size=60))
def test_whatever_a_network_does_the_log_is_handed_up_in_order(weather: list[str]) -> None:
    """A server with a growing log, that answers each subscription at once, over a bad network."""
    client, log = Client(), 5
    client.subscribe(5)
    got: list[object] = []
    for kind in weather:
        match kind:
            case "event":
                log += 1
                got += client.receive(event(log))
            case "repeat":
                got += client.receive(event(max(log - 1, 1)), event(log))
            case "drop":
                log += 1
            case "snapshot":
                got += client.receive(snapshot(log))
            case "cut":
                client.protocol.disconnected()
                client.protocol.connected()
        for watch in client.sent():
            assert isinstance(watch, Subscribe)
            since = watch.since
            missed = (
                [snapshot(log)] if since is None else [event(number) for number in range(since + 1, log + 1)]
            )
            got += client.receive(Accepted(watch.id, ROOM, log), *missed)
    seen = 5
    for message in got:
        if isinstance(message, Snapshot):
            assert message.version >= seen
        else:
            assert isinstance(message, Event)
            assert message.version == seen + 1
        seen = message.version
    # What was dropped last shows with the next thing that is heard.
    got = client.receive(event(log + 1))
    for watch in client.sent():
        got += client.receive(Accepted(watch.id, ROOM, log + 1), snapshot(log + 1))
    assert versions(got)[-1] == log + 1


# ---------------------------------------------------------------- subscriptions


@pytest.mark.parametrize(
    "command",
    [
        TakeSeat(id="s", room="kmr tqa"),
        TakeOver(id="s", room="kmr tqa"),
        QuickMatch(id="s", game="tictactoe"),
        Subscribe(id="s", room="kmr tqa"),
    ],
)
def test_a_room_is_subscribed_to_under_its_own_code(command: Command[Accepted]) -> None:
    client = Client()
    client.protocol.request(command)
    client.sent()
    client.receive(Accepted("s", ROOM, 3))
    assert client.protocol.subscriptions == {ROOM: None}
    assert versions(client.receive(snapshot(3), event(4))) == [3, 4]
    (watch,) = client.reconnect()
    assert isinstance(watch, Subscribe)
    assert (watch.room, watch.since) == (ROOM, 4)


@pytest.mark.parametrize("again", [False, True])
def test_a_seat_taken_over_two_connections_brings_a_snapshot(again: bool) -> None:
    client = Client()
    client.protocol.request(TakeSeat(id="s", room="kmr tqa"))
    client.sent()
    if again:
        # A server that gives its first answer again owes no snapshot for it.
        assert [command.id for command in client.reconnect()] == ["s"]
    client.receive(Accepted("s", ROOM, 2))
    assert [type(message) for message in client.sent()] == ([Subscribe] if again else [])
    assert client.protocol.subscriptions == {ROOM: None}


def test_a_spectator_who_sits_down_is_shown_the_seat_by_the_event() -> None:
    client = Client()
    client.subscribe(5)
    client.protocol.request(TakeSeat(id="s", room=ROOM))
    client.sent()
    assert versions(client.receive(Accepted("s", ROOM, 6), event(6))) == [6]
    assert client.sent() == []


def test_a_snapshot_that_did_not_come_is_asked_for_on_the_next_connection() -> None:
    client = Client()
    client.subscribe(5)
    client.receive(event(7))
    assert client.one(Subscribe).since is None
    (watch,) = client.reconnect()
    assert isinstance(watch, Subscribe)
    assert watch.since is None
    client.receive(Accepted(watch.id, ROOM, 7), snapshot(7))
    (watch,) = client.reconnect()
    assert isinstance(watch, Subscribe)
    assert watch.since == 7


def test_a_room_that_is_refused_for_now_is_asked_for_later() -> None:
    client = Client()
    client.subscribe(5)
    (watch,) = client.reconnect()
    assert client.receive(RefusedMessage(Code.BUSY, "Later.", watch.id, retry_after=3.0)) == []
    (delay,) = client.protocol.take_delays()
    assert delay.seconds == 3.0
    assert client.sent() == []
    client.protocol.elapsed(delay)
    assert client.one(Subscribe).since == 5


@pytest.mark.parametrize("meanwhile", ["left", "reconnected", "disconnected"])
def test_a_delay_that_something_overtook_asks_for_nothing(meanwhile: str) -> None:
    client = Client()
    client.subscribe(5)
    client.receive(event(8))
    watch = client.one(Subscribe)
    client.receive(RefusedMessage(Code.BUSY, "Later.", watch.id))
    (delay,) = client.protocol.take_delays()
    match meanwhile:
        case "left":
            client.protocol.request(Unsubscribe(id="u", room=ROOM))
            client.sent()
            client.receive(Accepted("u", ROOM, 8))
        case "reconnected":
            assert len(client.reconnect()) == 1
        case "disconnected":
            client.protocol.disconnected()
    client.protocol.elapsed(delay)
    assert client.sent() == []


def test_a_room_that_is_refused_for_good_is_lost() -> None:
    client = Client()
    client.subscribe(5)
    (watch,) = client.reconnect()
    refusal = RefusedMessage(Code.UNKNOWN_ROOM, "There is no such room.", watch.id)
    assert client.receive(refusal) == [SubscriptionLost(ROOM, refusal)]
    assert client.reconnect() == []


def test_what_was_refused_unread_is_all_sent_again_once() -> None:
    client = Client()
    client.protocol.request(play())
    client.protocol.request(ListRooms(id="l"))
    client.sent()
    for _ in range(3):
        client.receive(RefusedMessage(Code.TOO_FAST, "Slow down.", retry_after=0.5))
    (delay,) = client.protocol.take_delays()
    assert (delay.seconds, client.sent()) == (0.5, [])
    client.protocol.elapsed(delay)
    assert [command.id for command in client.sent()] == ["p0", "l"]
    client.receive(RefusedMessage(Code.TOO_FAST, "Slow down."))
    assert len(client.protocol.take_delays()) == 1


# ---------------------------------------------------------------- newer connections, and goodbye


def test_a_room_that_a_newer_connection_has_is_given_up() -> None:
    client = Client()
    client.subscribe(5)
    assert client.receive(Replaced(ROOM), event(6)) == [Replaced(ROOM)]
    assert client.reconnect() == []


@pytest.mark.parametrize("granted", [True, False])
def test_a_replacement_that_crosses_a_request_waits_for_its_answer(granted: bool) -> None:
    client = Client()
    client.subscribe(5)
    client.receive(event(8))
    watch = client.one(Subscribe)
    assert client.receive(Replaced(ROOM)) == []
    if granted:
        assert versions(client.receive(Accepted(watch.id, ROOM, 8), snapshot(8))) == [8]
    else:
        refusal = RefusedMessage(Code.BUSY, "Later.", watch.id, retry_after=0.01)
        assert client.receive(refusal) == [Replaced(ROOM)]
        assert client.protocol.take_delays() == []
    assert bool(client.protocol.subscriptions) is granted


def test_a_room_that_was_left_while_it_was_asked_for_is_left_again() -> None:
    client = Client()
    client.subscribe(5)
    client.receive(event(8))
    watch = client.one(Subscribe)
    client.protocol.request(Unsubscribe(id="u", room=ROOM))
    client.sent()
    client.receive(Accepted("u", ROOM, 8), Accepted(watch.id, ROOM, 8))
    assert client.one(Unsubscribe).room == ROOM


def test_goodbye_is_kept_until_the_next_connection() -> None:
    client = Client()
    assert client.receive(Goodbye("stopping", "A new version.", 2.0)) == []
    client.protocol.disconnected()
    assert client.protocol.goodbye == Goodbye("stopping", "A new version.", 2.0)
    client.protocol.connected()
    assert client.protocol.goodbye is None
