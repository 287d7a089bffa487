"""Sockets under bad weather: peers that vanish, fall silent, don't read, and a server that has to go."""

import asyncio
import gc
import json
import logging
import random
import struct
import time

import pytest
from structlog.testing import capture_logs

from parlour_server.net.connection import MOST_WAITING, OUTBOX_BYTES
from tests.net.frames import CLOSE, PING, PONG, TEXT, Peer, frame, handshake
from tests.net.inside import watched
from tests.support.client import player
from tests.support.waiting import within

HELLO = b'{"type": "hello", "id": "h", "protocols": [1], "name": "Eve"}'
DISCONNECTS = 2_000
"""Half of them by either way."""
DEADLINE = 20.0


async def receive_json(peer: Peer) -> dict[str, object]:
    """The next text message."""
    while (received := await peer.receive()) is not None:
        if received[0] == TEXT:
            found: dict[str, object] = json.loads(received[1])
            return found
    raise AssertionError("the connection has ended")


# ---------------------------------------------------------------- vanishing


async def test_a_session_ends_with_its_connection_and_waits_for_no_collector() -> None:
    """The collector looks so seldom where connections come and go that memory would grow for long."""
    async with watched() as (url, server):
        gc.disable()
        try:
            for number in range(3):
                async with player(url, f"Guest {number}") as guest:
                    await guest.ask("board", game="tictactoe")
                    await guest.ask("create", game="tictactoe")
            await within(DEADLINE, lambda: not server.sessions)
        finally:
            gc.enable()


async def test_abrupt_disconnects_leave_no_word_in_the_log_and_nothing_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with watched() as (url, server), player(url) as ada:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("subscribe", room=room)
        with capture_logs() as logs:
            for batch in range(DISCONNECTS // 2 // 50):
                await asyncio.gather(*(vanish(url, room, batch * 50 + number) for number in range(50)))
            await within(DEADLINE, lambda: len(server.connections) == 1)
            await within(DEADLINE, lambda: server.open_sessions == 1)
        assert [entry for entry in logs if entry["log_level"] != "info" or "exc_info" in entry] == []
        assert len(logs) < 10
        assert caplog.records == []
        gc.collect()
        assert len(server.sessions) == 1
        assert (await ada.ask("rooms"))["rooms"][0]["watching"] == 1


async def vanish(url: str, room: str, number: int) -> None:
    """Come some of the way, and be gone."""
    dice = random.Random(number)
    host, port = url.removeprefix("ws://").split(":")
    match number % 5:
        case 0:
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(handshake(host, port)[: dice.choice([0, 10, 1000])])
            Peer(reader, writer).reset()
        case 1:
            peer = await Peer.connect(url)
            peer.reset()
        case 2:
            peer = await Peer.connect(url)
            peer.writer.write(frame(HELLO))
            peer.reset()
        case 3:
            peer = await Peer.connect(url)
            peer.writer.write(frame(HELLO) + frame(b'{"type": "rooms", "id": "r"}')[: dice.randrange(30)])
            await peer.writer.drain()
            await asyncio.sleep(0)
            peer.reset()
        case _:
            peer = await Peer.connect(url)
            watch = b'{"type": "subscribe", "id": "w", "room": "%b"}' % room.encode()
            peer.writer.write(frame(HELLO) + frame(watch) * 5)
            await peer.receive()
            peer.reset()


# ---------------------------------------------------------------- falling silent


async def test_a_peer_that_answers_no_ping_is_noticed() -> None:
    async with watched(heartbeat_seconds=1.0) as (url, server), player(url) as ada:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("subscribe", room=room)
        silent = await Peer.connect(url)
        silent.writer.write(frame(HELLO) + frame(b'{"type": "sit", "id": "s", "room": "%b"}' % room.encode()))
        await ada.until(lambda m: m["type"] == "presence" and m["set"]["online"] == [True, False])
        received = await silent.receive_all()
        assert received[-1] == (CLOSE, received[-1][1])
        assert [opcode for opcode, _ in received].count(PING) >= 1
        await ada.until(lambda m: m["type"] == "presence" and m["set"]["online"] == [False, False])
        assert len(server.connections) == 1
        await silent.close()


async def deafen(url: str, *, until: object) -> Peer:
    """A peer that asks and asks, and reads nothing of the answers."""
    assert callable(until)
    peer = await Peer.connect(url)
    peer.writer.write(frame(HELLO))
    assert (await receive_json(peer))["type"] == "welcome"
    peer.read(False)
    asking = frame(b'{"type": "rooms", "id": "r"}')
    end = time.monotonic() + DEADLINE
    while not until():
        assert time.monotonic() < end, "it did not come to that"
        peer.writer.write(asking * 3)
        await asyncio.sleep(0)
    return peer


async def many_rooms(url: str) -> None:
    """So that a list of them is long."""
    async with player(url, "Ada") as ada:
        for _ in range(100):
            await ada.ask("create", game="tictactoe")


async def test_a_peer_that_reads_no_more_is_noticed_however_little_it_is_reported() -> None:
    """Its buffer is full, so that neither a ping nor a farewell gets through."""
    async with watched(heartbeat_seconds=1.0) as (url, server):
        await many_rooms(url)
        await within(DEADLINE, lambda: not server.connections)
        # Else it may be silent for too long before its buffer is full.
        server.narrow()
        peer = await deafen(url, until=lambda: any(one.paused for one in server.connections))
        await within(DEADLINE, lambda: not server.connections)
        await within(DEADLINE, lambda: server.open_sessions == 0)
        await peer.close()


async def test_what_waits_for_a_slow_reader_is_bounded_and_then_it_is_cut() -> None:
    async with watched(heartbeat_seconds=60.0) as (url, server):
        await many_rooms(url)
        await within(DEADLINE, lambda: not server.connections)
        most = 0

        def gone() -> bool:
            nonlocal most
            most = max(most, server.gathered())
            return not server.connections

        with capture_logs() as logs:
            peer = await deafen(url, until=gone)
        assert "a slow reader is cut" in [entry["event"] for entry in logs]
        # One message may be larger than all that is left.
        assert 32 * 1024 < most < OUTBOX_BYTES + 64 * 1024
        await peer.close()


async def test_a_thousand_questions_in_one_breath_gather_no_more_than_is_allowed() -> None:
    async with watched() as (url, server):
        await many_rooms(url)
        await within(DEADLINE, lambda: not server.connections)
        peer = await Peer.connect(url)
        peer.writer.write(frame(HELLO))
        await receive_json(peer)
        peer.read(False)
        most = 0
        (connection,) = server.connections
        transport = connection.transport
        write = transport.write

        def counted(data: bytes) -> None:
            nonlocal most
            write(data)
            most = max(most, len(data), transport.get_write_buffer_size())

        transport.write = counted  # type: ignore[method-assign, assignment]
        for _ in range(4):
            peer.writer.write(frame(b'{"type": "rooms", "id": "r"}') * 250)
            await asyncio.sleep(0.01)
        assert 16 * 1024 < most < OUTBOX_BYTES + 64 * 1024
        await peer.close()


@pytest.mark.parametrize("known", [True, False], ids=["after hello", "before hello"])
async def test_the_answers_to_pings_that_nobody_reads_are_bounded(known: bool) -> None:
    async with watched(heartbeat_seconds=60.0, hello_seconds=60.0) as (url, server):
        peer = await Peer.connect(url)
        if known:
            peer.writer.write(frame(HELLO))
            assert (await receive_json(peer))["type"] == "welcome"
        peer.read(False)
        pings = frame(b"p" * 125, PING) * 500
        most, end = 0, time.monotonic() + DEADLINE
        while server.connections and most < 2 * MOST_WAITING:
            assert time.monotonic() < end, "it did not come to that"
            peer.writer.write(pings)
            await asyncio.sleep(0)
            most = max(most, server.gathered())
        # The answers to all that one look at the socket brings may be more than is left.
        assert OUTBOX_BYTES / 2 < most <= MOST_WAITING
        await within(DEADLINE, lambda: server.open_sessions == 0)
        await peer.close()


async def test_a_peer_that_pings_and_reads_is_answered() -> None:
    async with watched() as (url, _):
        peer = await Peer.connect(url)
        peer.writer.write(frame(b"p" * 125, PING) * 8000)
        for _ in range(8000):
            assert await peer.receive() == (PONG, b"p" * 125)
        await peer.close()


async def test_a_slow_reader_that_catches_up_misses_nothing() -> None:
    async with watched(heartbeat_seconds=2.0) as (url, server):
        await many_rooms(url)
        await within(DEADLINE, lambda: not server.connections)
        peer = await deafen(url, until=lambda: any(one.paused for one in server.connections))
        peer.read(True)
        peer.writer.write(frame(b'{"type": "games", "id": "last"}'))
        while (received := await receive_json(peer))["type"] != "games":
            assert received["type"] == "rooms"
        await within(DEADLINE, lambda: not any(one.paused for one in server.connections))
        await peer.close()


# ---------------------------------------------------------------- going


async def test_a_server_that_stops_says_when_to_come_back() -> None:
    async with watched() as (url, _):
        peers = [await Peer.connect(url) for _ in range(20)]
        for peer in peers:
            peer.writer.write(frame(HELLO))
            assert (await receive_json(peer))["type"] == "welcome"
        receiving = [asyncio.create_task(peer.receive_all()) for peer in peers]
        await asyncio.sleep(0)
    for peer, received in zip(peers, receiving, strict=True):
        goodbye, farewell = await received
        reported = json.loads(goodbye[1])
        assert (reported["type"], reported["code"], reported["retry_after"] > 0) == (
            "goodbye",
            "stopping",
            True,
        )
        assert farewell == (CLOSE, struct.pack("!H", 1001) + b"the server is stopping")
        await peer.close()


async def test_a_server_stops_in_time_whoever_holds_on_to_it() -> None:
    async with watched(search_workers=1, longest_search_seconds=120.0) as (url, server):
        await many_rooms(url)
        await within(DEADLINE, lambda: not server.connections)
        deaf = await deafen(url, until=lambda: any(one.paused for one in server.connections))
        host, port = url.removeprefix("ws://").split(":")
        half_open = await asyncio.open_connection(host, int(port))
        silent = await Peer.connect(url)
        asking = [await Peer.connect(url) for _ in range(4)]
        for peer in asking:
            peer.writer.write(frame(HELLO))
            peer.writer.write(frame(b'{"type": "analyse", "id": "a", "game": "tictactoe", "bot": "minimax"}'))
            assert (await receive_json(peer))["type"] == "welcome"
        await within(DEADLINE, lambda: len(server.connections) == 7)
        began = time.monotonic()
    # Far less than a search takes that nobody stops, and than a peer that nobody cuts.
    assert time.monotonic() - began < DEADLINE
    assert not server.connections
    half_open[1].transport.abort()
    for peer in (deaf, silent, *asking):
        await peer.close()
