"""Playing from a program: rooms, streams and refusals over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from parlour_client import (
    Candidate,
    Client,
    ConnectionFailed,
    ConnectionLost,
    Refused,
    Report,
    Room,
    Score,
    UsageError,
    connect,
)
from parlour_client.sdk.messages import SubscriptionLost
from parlour_client.sdk.room import OPENING, RoomChange
from parlour_client.sdk.state import first_state
from parlour_client.sdk.stream import MOST_UNREAD
from parlour_protocol import commands
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.commands import ShowTyping
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    ChatPosted,
    Event,
    GameFinished,
    MovePlayed,
    RoomClosed,
    Snapshot,
    UnknownEvent,
)
from parlour_protocol.notices import Lobby, Presence
from parlour_protocol.views.records import Tally
from tests.client.scripted import Scripted, Talk, entered, event, look_on, snapshot
from tests.support.proxy import between
from tests.support.server import serving
from tests.support.waiting import within


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with serving() as address:
        yield address


@pytest.fixture
async def ada(url: str) -> AsyncIterator[Client]:
    async with connect(url, "Ada") as client:
        yield client


@pytest.fixture
async def ben(url: str) -> AsyncIterator[Client]:
    async with connect(url, "Ben") as client:
        yield client


async def test_a_game_is_played_to_its_end_by_reading_the_room(ada: Client) -> None:
    room = await ada.create("tictactoe", opponent="random:seed=3")
    assert (room.seat, room.your_turn, len(room.legal_moves)) == (0, True, 9)
    received = []
    async for message in room:
        received.append(message)
        if isinstance(message, Event) and isinstance(message.event, GameFinished):
            break
        if room.your_turn:
            await room.play(room.legal_moves[0])
    assert isinstance(received[0], Snapshot)
    moves = [one.event for one in received if isinstance(one, Event) and isinstance(one.event, MovePlayed)]
    assert [move.move for move in moves] == room.view.moves
    assert room.over
    assert room.result is not None
    assert room.legal_moves == []
    await room.rematch()
    # What was accepted shows when the call returns.
    assert (room.view.game_number, room.over) == (2, False)


async def test_what_a_player_may_do_beside_moving(ada: Client, ben: Client) -> None:
    room = await ada.create("tictactoe")
    there = await ben.join(room.code)
    await room.play("b2")
    await room.ask_takeback()
    await there.until(lambda shown: shown.view.offers == {"takeback": 0})
    await there.ask_takeback()
    assert there.view.moves == []
    ada.signal(ShowTyping(room=room.code))
    await there.until(lambda shown: "Ada" in shown.typing)
    await room.say("well played")
    await there.until(lambda shown: [line.text for line in shown.view.chat] == ["well played"])
    await room.until(lambda shown: shown.view.moves == [])
    await room.offer_draw()
    await there.decline("draw")
    await room.until(lambda shown: shown.view.offers == {})
    await room.offer_draw()
    await there.offer_draw()
    assert there.result is not None
    assert there.result.winner is None
    await there.rematch()
    await room.rematch()
    await room.abort()
    assert room.result is not None
    assert room.result.termination == "aborted"
    await there.rematch()
    await room.rematch()
    await room.resign()
    assert [line.room for line in (await ada.history())] == [room.code]
    assert await room.head_to_head() == Tally(losses=1, draws=1)
    assert await there.head_to_head() == Tally(wins=1, draws=1)
    assert await ada.remove(room.code) == room.code
    assert await ada.history() == []
    assert (await ada.record(room.code)).result == room.result
    await there.leave()
    assert there.seat is None
    await room.add_bot("random")
    assert room.view.phase == "playing"
    await there.until(lambda shown: shown.view.seats[1].kind == "bot")
    # It may be the one who begins.
    await room.until(lambda shown: shown.view.to_move == shown.view.you)
    assert (await room.hint()).report.candidates
    assert isinstance(await room.thoughts(), list)


async def test_a_bots_seat_is_taken_over_and_a_free_one_taken(ada: Client) -> None:
    room = await ada.create("tictactoe", seat=None)
    assert room.view.you is None
    await room.sit(1)
    assert room.seat == 1
    await room.leave()
    for seat in (0, 1):
        await room.add_bot("random", 1 if seat else 0)
    await room.take_over(0)
    assert (room.seat, room.view.seats[0].name) == (0, "Ada")
    with pytest.raises(Refused):
        await room.claim("win")


async def test_a_refusal_says_why_and_a_failed_room_leaves_nothing_behind(ada: Client) -> None:
    with pytest.raises(Refused, match="no bot") as raised:
        await ada.create("tictactoe", opponent="nobody")
    assert raised.value.code is Code.UNKNOWN_BOT
    assert (await ada.rooms()).rooms == []
    with pytest.raises(UsageError, match=r"pace is wrong\. It has to be at least 0"):
        await ada.create("tictactoe", pace=-1.0)
    room = await ada.create("tictactoe", opponent="random")
    for nothing in (room.say(""), room.play("b" * 1000), room.play("\ud800"), room.add_bot("")):
        with pytest.raises(UsageError, match=r"^(text|move|bot) is wrong"):
            await nothing
    with pytest.raises(Refused) as illegal:
        await room.play("z9")
    assert (illegal.value.code, illegal.value.exit_code) == (Code.INVALID_MOVE, 2)
    assert illegal.value.refusal.legal == room.legal_moves
    with pytest.raises(Refused):
        await ada.watch("KMRTQA")
    with pytest.raises(UsageError, match="counted from 1"):
        await ada.record(room.code, 0)
    for code in ("nonsense", "http://elsewhere:1234/KMRTQA"):
        with pytest.raises(UsageError):
            await ada.join(code)


async def test_what_cannot_be_meant_or_reached_is_distinguished() -> None:
    with pytest.raises(UsageError):
        connect("ftp://example.org", "Ada")
    with pytest.raises(UsageError):
        connect("127.0.0.1:1", "\u202e")
    with pytest.raises(ConnectionFailed):
        async with connect("127.0.0.1:1", "Ada"):
            pass


async def test_a_kept_player_is_the_same_next_time(
    url: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_STATE", str(tmp_path))
    players = []
    for _ in range(2):
        async with connect(url, "Ada", keep=True) as parlour:
            players.append(parlour.welcome.player)
    assert players[0] == players[1]
    with pytest.raises(UsageError, match="keeps another player as Ada"):
        connect(url, "Ada", keep=True, token="another")
    # One that the server does not know is refused, kept or not.
    for keep in (False, True):
        with pytest.raises(Refused) as refused:
            async with connect(url, "Ben", keep=keep, token="unknown"):
                pass
        assert refused.value.code is Code.WRONG_TOKEN


async def test_a_program_is_marked_and_shows_how_it_thinks() -> None:
    async with serving() as url, connect(url, "Ada") as ada, connect(url, "deep") as deep:
        room = await ada.create("tictactoe", seat=None, starts="first")
        there = await deep.join(room.code, program=True)
        assert there.view.seats[0].program
        await room.sit(1)
        thought = Report(
            [Candidate("b2", Score(3.5)), Candidate("a1", Score(0, "exact", "draw"))], ["b2", "a1"], nodes=18
        )
        assert await there.wait_for_turn()
        await there.play("b2", thought)
        await room.until(lambda shown: shown.view.moves == ["b2"])
        assert room.view.seats[0].program
        report = room.view.report
        assert report is not None
        assert (report.bot, report.best, report.nodes, report.line) == ("deep", "b2", 18, ["b2", "a1"])
        assert [(one.move, one.score.points, one.score.kind) for one in report.candidates] == [
            ("b2", 3.5, "estimate"),
            ("a1", 0, "exact"),
        ]
        with pytest.raises(Refused, match="Only a program") as refused:
            await room.play("a1", thought)
        assert refused.value.code is Code.NOT_ALLOWED
        assert room.view.moves == ["b2"]


async def test_notices_are_for_each_who_asks() -> None:
    async with serving() as url, connect(url, "Ada") as parlour:
        first, second = parlour.notices(), parlour.notices()
        await parlour.rooms(subscribe=True)
        room = await parlour.create("tictactoe")
        for stream in (first, second):
            received = await anext(stream)
            assert isinstance(received, Lobby)
            assert [line.room for line in received.rooms] == [room.code]
    assert [one async for one in first if not isinstance(one, Lobby)] == []


async def test_every_reader_of_a_room_reads_all_of_it(ada: Client, ben: Client) -> None:
    room = await ada.create("tictactoe")
    there = await ben.join(room.code)

    async def receive() -> list[object]:
        return [
            one.event
            async for one in there
            if isinstance(one, Event) and isinstance(one.event, MovePlayed | RoomClosed)
        ]

    readers = [asyncio.create_task(receive()) for _ in range(2)]
    await asyncio.sleep(0)
    await room.play("b2")
    await there.resign()
    await room.close()
    both = await asyncio.gather(*readers)
    assert both[0] == both[1]
    assert [type(one) for one in both[0]] == [MovePlayed, RoomClosed]
    assert there.ended
    assert there.over
    # One who comes late still sees how it stood.
    late = [one async for one in there]
    assert [type(one) for one in late] == [Snapshot]


async def test_a_slow_reader_is_given_the_room_in_place_of_what_it_missed(ada: Client) -> None:
    room = await ada.create("tictactoe", opponent="random")
    slow = aiter(room)
    for number in range(2 * MOST_UNREAD):
        room.take(Presence(room.code, {"watching": number}))
    await room.unwatch()
    unread = [message async for message in slow]
    assert len(unread) <= MOST_UNREAD
    assert isinstance(unread[0], Snapshot)
    assert unread[0].view["watching"] > 0
    last = unread[-1]
    assert isinstance(last, Snapshot | Presence)
    changed = last.view if isinstance(last, Snapshot) else last.set
    assert changed["watching"] == 2 * MOST_UNREAD - 1


async def test_the_first_reader_of_changes_misses_nothing(ada: Client) -> None:
    room = await ada.create("tictactoe")
    first = room.version
    await room.say("one")
    await room.say("two")
    opening, later = room.changes(), room.changes()
    begun = await anext(opening)
    assert isinstance(begun.message, Snapshot)
    assert (begun.before, begun.after.version) == (None, first)
    changes = [change async for change in _first(opening, 2)]
    assert [len(change.after.view.chat) for change in changes] == [1, 2]
    assert all(change.before is not None for change in changes)
    # Another one begins with the room as it is.
    assert (await anext(later)).after.version == room.version
    # Of a room that nobody reads nothing is hoarded.
    unread = await ada.create("tictactoe")
    for number in range(2 * OPENING):
        unread.take(Presence(unread.code, {"watching": number}))
    late = await anext(unread.changes())
    assert late.after.view.watching == 2 * OPENING - 1


async def _first(changes: AsyncIterator[RoomChange], number: int) -> AsyncIterator[RoomChange]:
    """So many changes that are events."""
    while number:
        change = await anext(changes)
        if isinstance(change.message, Event):
            number -= 1
            yield change


async def test_a_room_that_was_let_go_of_can_be_taken_up_again(ada: Client) -> None:
    room = await ada.create("tictactoe", opponent="random")
    await room.unwatch()
    assert room.ended
    with pytest.raises(ConnectionLost, match=room.code):
        await room.until(lambda shown: False)
    again = await ada.join(room.code)
    assert again is not room
    await again.play(again.legal_moves[0])
    assert not again.ended


async def test_a_room_may_be_let_go_of_and_taken_up_in_the_same_breath(ada: Client) -> None:
    room = await ada.create("tictactoe", opponent="random")
    _, again = await asyncio.gather(room.unwatch(), ada.join(room.code))
    await again.play(again.legal_moves[0])
    assert (room.ended, again.ended) == (True, False)


async def test_a_late_reader_is_shown_the_time_that_is_left_by_now(ada: Client) -> None:
    room = await ada.create("tictactoe", opponent="random", starts="first", pace=0.0, clock="1+0")
    await room.play("b2")
    assert await room.wait_for_turn()
    assert room.view.clock is not None
    reported = room.view.clock.left[0]
    await asyncio.sleep(0.05)
    first = await anext(aiter(room))
    assert isinstance(first, Snapshot)
    clock = first_state(first, 0.0).view.clock
    assert clock is not None
    assert clock.left[0] <= reported - 45


async def test_an_end_is_noticed_also_where_the_other_one_leaves_at_once() -> None:
    async with (
        serving() as url,
        between(url) as line,
        connect(line.url, "Ada") as ada,
        connect(url, "Ben") as ben,
    ):
        there = await ben.create("tictactoe", seat=0, starts="first")
        room = await ada.join(there.code)
        waiting = asyncio.create_task(room.wait_for_turn())
        await asyncio.sleep(0)
        # What comes first is read and kept by itself; the rest is let go of at once.
        line.swallow()
        await there.say("I have to go")
        await asyncio.sleep(0.02)
        await there.resign()
        await there.leave()
        line.go_on()
        async with asyncio.timeout(30):
            assert not await waiting
            await room.until(lambda shown: shown.view.phase == "waiting")
        assert room.result is not None
        assert (room.result.winner, room.result.reason) == (1, "resignation")
        # Whoever comes next begins another game.
        waiting = asyncio.create_task(room.wait_for_turn())
        await asyncio.sleep(0)
        await there.sit(0)
        await there.play("b2")
        assert await waiting
        assert room.result is None


async def test_a_player_plays_by_two_clients_at_a_time() -> None:
    async with serving() as url, connect(url, "Ada") as first, connect(url, "Ben") as ben:
        room = await first.create("tictactoe", starts="first")
        theirs = await ben.join(room.code)
        async with connect(url, "Ada", token=first.token) as second:
            again = await second.join(room.code)
            for one, move in ((room, "b2"), (theirs, "a1"), (again, "c3"), (theirs, "a3")):
                assert await one.wait_for_turn()
                await one.play(move)
            assert await again.wait_for_turn()
        assert await room.wait_for_turn()
        await room.play("a2")
        assert again.view.moves == room.view.moves[:-1] == ["b2", "a1", "c3", "a3"]


async def _all(room: Room) -> list[object]:
    return [one async for one in room]


async def lose(server: Scripted, talk: Talk) -> None:
    """The line is lost; and on the next one there is no such room."""
    talk.drop()
    again = await server.talk()
    await again.greet()
    watch = await again.receive(commands.Subscribe)
    await again.say(RefusedMessage(Code.UNKNOWN_ROOM, "There is no room KMRTQA.", watch.id))


async def test_a_room_that_is_gone_ends_with_the_refusal() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        room, notices = await look_on(parlour, talk), parlour.notices()
        await lose(server, talk)
        with pytest.raises(Refused, match="no room"):
            await room.until(lambda shown: False)
        received = [await anext(notices) for _ in range(3)]
        assert isinstance(received[2], SubscriptionLost)
        with pytest.raises(Refused, match="no room"):
            await _all(room)


async def test_a_room_that_is_over_before_one_looks_is_given_all_the_same() -> None:
    async with (
        Scripted() as server,
        between(server.address) as line,
        entered(server, line.url) as (parlour, talk),
    ):
        watching = asyncio.create_task(parlour.watch("KMRTQA"))
        asked = await talk.receive(commands.Subscribe)
        # What comes first is read by itself; the rest comes at once.
        line.swallow()
        await talk.say(Presence("ABCDEF", {"watching": 0}))
        await asyncio.sleep(0.02)
        await talk.accept(asked, 5)
        await talk.say(snapshot(5))
        await talk.say(Event("KMRTQA", 6, 0, RoomClosed("over")))
        line.go_on()
        async with asyncio.timeout(30):
            room = await watching
        await within(30, lambda: room.ended)


async def test_a_room_that_can_not_be_shown_is_refused() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        watching = asyncio.create_task(parlour.watch("KMRTQA"))
        await talk.accept(await talk.receive(commands.Subscribe), 5)
        broken = snapshot(5)
        broken.view["position"]["paths"][0] = 81
        await talk.say(broken)
        async with asyncio.timeout(30):
            with pytest.raises(Refused, match="a path is neither a cell of it"):
                await watching


async def test_a_room_that_is_lost_before_it_is_shown_is_refused() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        watching = asyncio.create_task(parlour.watch("KMRTQA"))
        await talk.accept(await talk.receive(commands.Subscribe), 5)
        await lose(server, talk)
        async with asyncio.timeout(30):
            with pytest.raises(Refused, match="no room"):
                await watching


async def test_sitting_down_ends_also_where_the_line_breaks_before_the_seat_is_shown() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        room = await look_on(parlour, talk)
        sitting = asyncio.create_task(room.sit(1))
        await talk.accept(await talk.receive(commands.TakeSeat), 6)
        talk.drop()
        again = await server.talk()
        await again.greet()
        watch = await again.receive(commands.Subscribe)
        assert watch.since == 5
        await again.accept(watch, 6)
        await again.say(snapshot(6))
        async with asyncio.timeout(30):
            await sitting
        # It is shown: from here on only what is new is asked for.
        again.drop()
        last = await server.talk()
        await last.greet()
        assert (await last.receive(commands.Subscribe)).since == 6


@pytest.mark.parametrize("presence", [False, True])
async def test_a_change_that_does_not_fit_ends_the_subscription_with_a_sentence(presence: bool) -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        room = await look_on(parlour, talk)
        reading, shown = asyncio.create_task(_all(room)), room.view
        await asyncio.sleep(0)
        odd: dict[str, Any] = {"seats.9.name": "Eve"}
        changed = Presence("KMRTQA", odd) if presence else Event("KMRTQA", 6, 0, UnknownEvent("odd"), odd)
        await talk.say(changed)
        for ending in (reading, room.until(lambda shown: False)):
            with pytest.raises(Refused, match=r"^This client can't show that room: a change does not fit"):
                await ending
        assert room.ended
        assert room.view == shown
        # Nothing else is lost by it, and one can come back.
        assert (await look_on(parlour, talk, 6)).version == 6


@pytest.mark.parametrize("program", [False, True])
async def test_a_seat_that_one_has_is_come_back_to(program: bool) -> None:
    async with serving() as url, connect(url, "Ada") as first, connect(url, "Ben") as ben:
        room = await first.create("tictactoe", seat=None)
        await first.join(room.code, 1, program=program)
        await ben.join(room.code)
        async with connect(url, "Ada", token=first.token) as second:
            again = await second.join(room.code, program=program)
            assert (again.seat, bool(again.view.seats[1].program)) == (1, program)
            assert (await second.join(room.code, 1, program=program)) is again
            # Somebody who sits here, but elsewhere, or as a person, is told so.
            with pytest.raises(Refused) as refused:
                await second.join(room.code, 0, program=program)
            assert refused.value.code is Code.ALREADY_SEATED
            if not program:
                with pytest.raises(Refused) as refused:
                    await second.join(room.code, program=True)
                assert refused.value.code is Code.ALREADY_SEATED
            await again.act("resign")
            assert again.result is not None
            assert again.result.winner == 0


async def test_a_snapshot_of_a_room_that_was_let_go_of_makes_no_room() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        room = await look_on(parlour, talk)
        leaving = asyncio.create_task(room.unwatch())
        unwatch = await talk.receive(commands.Unsubscribe)
        await talk.say(snapshot(7))
        await talk.accept(unwatch, 7)
        await leaving
        assert parlour._rooms == {}


@pytest.mark.parametrize("come", ["nothing", "answer", "old snapshot"])
@pytest.mark.parametrize("undone", ["close", "leave"])
async def test_a_room_that_nobody_waits_for_any_more_is_let_go_of(undone: str, come: str) -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        created = undone == "close"
        waiting = asyncio.create_task(parlour.create("tictactoe") if created else parlour.quick("tictactoe"))
        command = await talk.receive(commands.CreateRoom if created else commands.QuickMatch)
        if come != "nothing":
            await talk.accept(command, 4)
            await within(30, lambda: parlour._entries[0].code == "KMRTQA")
        if come == "old snapshot":
            await talk.say(snapshot(1))
            await within(30, lambda: "KMRTQA" in parlour._rooms)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        if come == "nothing":
            await talk.accept(command, 4)
        sent = await talk.receive(commands.PlayerAction)
        assert (sent.type, sent.room) == (undone, "KMRTQA")
        assert (await talk.receive(commands.Unsubscribe)).room == "KMRTQA"
        assert (parlour._rooms, parlour._connection.subscriptions) == ({}, {})


async def test_a_room_that_another_waits_for_too_is_not_left() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        watching = [asyncio.create_task(parlour.watch("KMRTQA")) for _ in range(2)]
        for _ in watching:
            await talk.accept(await talk.receive(commands.Subscribe))
        await within(30, lambda: all(entry.code for entry in parlour._entries))
        watching[0].cancel()
        await talk.say(snapshot(1))
        assert (await watching[1]).code == "KMRTQA"
        assert "KMRTQA" in parlour._connection.subscriptions


async def test_hanging_up_may_be_given_up_too() -> None:
    async with serving() as url, between(url) as line:
        parlour = connect(line.url, "Ada")

        async def stay() -> None:
            async with parlour:
                await asyncio.Event().wait()

        staying = asyncio.create_task(stay())
        await within(30, lambda: parlour.connected)
        line.swallow()
        asking = asyncio.create_task(parlour.games())
        await asyncio.sleep(0)
        # Its farewell is never answered, and waiting for that is cut short.
        for _ in range(2):
            staying.cancel()
            await asyncio.sleep(0.05)
        async with asyncio.timeout(30):
            with pytest.raises(ConnectionLost):
                await asking
        with pytest.raises(asyncio.CancelledError):
            await staying
        await within(30, lambda: not parlour.connected)


async def test_an_error_of_the_connection_ends_every_stream() -> None:
    async with Scripted() as server, entered(server) as (parlour, talk):
        room, notices = await look_on(parlour, talk), parlour.notices()
        reading = asyncio.create_task(_all(room))
        await talk.say(event(6))
        await room.until(lambda shown: shown.version == 6)
        await talk.close(1009)
        for ending in (reading, anext(notices), room.until(lambda shown: False), parlour.games()):
            with pytest.raises(ConnectionLost, match="could not take"):
                await ending
        assert not parlour.connected


async def test_a_command_returns_when_what_came_of_it_is_shown() -> None:
    """The answer may come before the event that it led to."""
    async with Scripted() as server, entered(server) as (parlour, talk):
        room = await look_on(parlour, talk)
        saying = asyncio.create_task(room.say("hello"))
        await talk.accept(await talk.receive(commands.Say), 6)
        notices = parlour.notices()
        await talk.say(Lobby([]))
        await anext(notices)
        assert not saying.done()
        await talk.say(Event("KMRTQA", 6, 0, ChatPosted("players", "Ada", "hello")))
        await saying
        assert room.version == 6
