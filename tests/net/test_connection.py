"""The way through a connection is one with the library's own, whatever bytes come in what pieces."""

import asyncio
import codecs
import gc
import struct
import weakref

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from parlour_server.net import frames as frames_module
from parlour_server.net.connection import FRAMES_AT_ONCE, LONGEST_REASON, MOST_UNREAD, PIECES_AT_ONCE
from tests.net.frames import BINARY, CLOSE, PING, PONG, TEXT, Peer, closing, frame, handshake
from tests.net.inside import watched
from tests.net.wire import LARGEST, Sink, Wire
from tests.support.client import player
from tests.support.server import serving
from tests.support.waiting import within


def taken(pieces: list[bytes], *, closes_at: int | None = None) -> tuple[list[str | None], int | None]:
    """What a connection hands on (None: a binary message), and the code with which it closes.

    Before the piece `closes_at` we begin to close.
    """

    async def run() -> tuple[list[str | None], int | None]:
        wire = await Wire().shake_hands()
        for number, piece in enumerate(pieces):
            if number == closes_at:
                wire.connection.close(1000, "")
            await wire.give([piece])
        return wire.received, wire.close_code()

    return asyncio.run(run())


def taken_by_the_library(stream: bytes) -> tuple[list[str | None], int | None]:
    """The same by nothing but the library, from the whole stream: messages up to what closes it."""
    protocol = ServerProtocol(state=OPEN, max_size=LARGEST)
    received: list[str | None] = []
    parts: list[bytes] = []
    binary = False
    # Byte by byte, so that a message before a fault is seen before it.
    for at in range(len(stream)):
        protocol.receive_data(stream[at : at + 1])
        for event in protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode >= Opcode.CLOSE or protocol.state is not OPEN:
                continue
            if event.opcode is not Opcode.CONT:
                parts, binary = [], event.opcode is Opcode.BINARY
            parts.append(bytes(event.data))
            try:
                if not binary:
                    codecs.getincrementaldecoder("utf-8")().decode(b"".join(parts), event.fin)
            except UnicodeDecodeError as error:
                protocol.fail(CloseCode.INVALID_DATA, error.reason)
                break
            if event.fin:
                received.append(None if binary else b"".join(parts).decode())
    closed = protocol.close_sent
    return received, None if closed is None or closed.code == CloseCode.NO_STATUS_RCVD else closed.code


masks = st.binary(min_size=4, max_size=4) | st.builds(
    lambda length, rest: bytes([0x81, 0x80 | length]) + rest,
    st.integers(0, 60),
    st.binary(min_size=2, max_size=2),
)
payloads = st.binary(max_size=50) | st.text(max_size=30).map(str.encode) | st.integers(100, 1100).map(bytes)
frames = st.builds(
    frame,
    payloads,
    st.sampled_from([1, 1, 1, 1, 2, 0, 9, 10, 8, 3]),
    fin=st.sampled_from([True, True, True, False]),
    mask=st.one_of(masks, masks, masks, st.none()),
    wide=st.sampled_from([0, 0, 0, 2, 8]),
)
streams = st.lists(frames, max_size=6).map(b"".join) | st.binary(max_size=60)


def pieces_of(stream: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({cut for cut in cuts if 0 < cut < len(stream)})
    return [stream[start:end] for start, end in zip([0, *ends], [*ends, len(stream)], strict=True)]


@given(stream=streams, cuts=st.lists(st.integers(0, 120), max_size=8))
@example(stream=frame(b"1234567", mask=b"\x81\x85\1\2") + frame(b"{}"), cuts=[2, 13])  # like a frame
@example(stream=frame(b"x" * 130, mask=b"\x81\x85\1\2") + frame(b"{}"), cuts=[2, 4, 8])
@example(stream=frame(b'{"a":', fin=False) + frame(b"1}", 0), cuts=[11])
@example(stream=frame(b"a", fin=False) + frame(b"{}"), cuts=[7])
@example(stream=frame(b"x" * 119, wide=8), cuts=[])  # 127, with a short head, would be its length
@example(stream=b"\x81\xff" + struct.pack("!Q", 6 << 48) + b"\1\2\3\4", cuts=[])  # and here 6, with a longer
@example(stream=frame(b"{}") + closing() + frame(b"{}"), cuts=[])
@example(stream=frame(b"{}", fin=False) + frame(b"{}", 0) + frame(b"", 3), cuts=[])
@example(stream=frame(b"{}") + frame(b"\xff") + frame(b"{}") + closing(), cuts=[])
@example(stream=frame(b"\xff", fin=False) + frame(b"{}", 0), cuts=[])
def test_it_takes_what_the_library_would_however_the_bytes_are_cut_up(stream: bytes, cuts: list[int]) -> None:
    expected = taken_by_the_library(stream)
    assert taken(pieces_of(stream, cuts)) == expected
    assert taken([stream]) == expected


@given(st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_a_mask_is_undone_alike_without_compiled_code(payload: bytes, mask: bytes) -> None:
    assert frames_module._unmask(payload, mask) == frames_module.unmask(payload, mask)


def test_what_comes_before_a_farewell_is_received_and_what_comes_after_ours_is_not() -> None:
    one, two = frame(b"one"), frame(b"two")
    assert taken([one + two + closing()])[0] == ["one", "two"]
    assert taken([one, two + closing()], closes_at=1)[0] == ["one"]
    assert taken([one, two, one + two, closing()], closes_at=1)[0] == ["one"]


async def test_what_was_said_comes_before_a_farewell_and_nothing_after_it() -> None:
    wire = await Wire(echoes=True).shake_hands()
    await wire.give([frame(b"one") + frame(b"\xff") + frame(b"two")])
    wire.connection.send(b"three")
    await asyncio.sleep(0)
    assert [first for first, _ in wire.frames()] == [0x81, 0x88]
    assert wire.frames()[0][1] == b"one"
    assert wire.sink.ended


async def test_a_long_reason_is_cut_where_a_character_ends() -> None:
    wire = await Wire().shake_hands()
    wire.connection.close(4000, "ü" * 100)
    ((_, said),) = wire.frames()
    assert said == struct.pack("!H", 4000) + ("ü" * (LONGEST_REASON // 2)).encode()


class Closed(Sink):
    """A transport that has ended, as uvloop's: it can't be paused any more."""

    def is_closing(self) -> bool:
        return True

    def pause_reading(self) -> None:
        raise RuntimeError("the handler is closed")

    resume_reading = pause_reading


async def test_a_session_may_pause_what_has_ended_already() -> None:
    wire = await Wire().shake_hands()
    wire.connection.transport = Closed()
    wire.connection.pause()
    wire.connection.resume()


async def test_a_paused_session_is_given_the_rest_when_it_reads_on() -> None:
    wire = await Wire().shake_hands()
    receive = wire.sessions[0].receive

    def one_only(text: str) -> None:
        receive(text)
        wire.connection.pause()

    wire.sessions[0].receive = one_only  # type: ignore[method-assign]
    await wire.give([b"".join(frame(b"%d" % number) for number in range(5))])
    reading = [wire.sink.reads]
    for number in range(5):
        assert wire.received == [str(one) for one in range(number + 1)]
        wire.connection.resume()
        reading.append(wire.sink.reads)
        await asyncio.sleep(0)
    # The socket is read again when nothing is left.
    assert reading == [False] * 6
    assert wire.sink.reads


# ---------------------------------------------------------------- what counts


async def test_control_frames_and_fragments_count_before_they_are_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = await Wire(allowed=3).shake_hands()
    parsed: list[bytes] = []
    feed = wire.connection._feed

    def counted(data: bytes) -> None:
        parsed.append(data)
        feed(data)

    monkeypatch.setattr(wire.connection, "_feed", counted)
    await wire.give([frame(b"p", PING), frame(b"q", PONG), frame(b"r", PING), frame(b"s", PING) * 50])
    assert wire.frames() == [(0x8A, b"p"), (0x8A, b"r")]
    assert len(parsed) == 3


async def test_the_answer_to_our_ping_is_free_once() -> None:
    wire = await Wire(allowed=0).shake_hands()
    wire.connection._beat()
    ((first, sent),) = wire.frames()
    assert first == 0x89
    await wire.give([frame(b"else", PONG), frame(sent, PONG)])
    wire.connection._beat()
    assert [first for first, _ in wire.frames()] == [0x89, 0x89]
    await wire.give([frame(sent, PONG)])
    wire.connection._beat()
    assert wire.close_code() == 1011


async def test_whatever_many_send_at_once_others_have_their_turn_between() -> None:
    """Forty send a thousand pings each in one turn of the loop; one sends a message while that is read."""
    wires = [await Wire().shake_hands()]
    for _ in range(40):
        wires.append(await Wire(beside=wires[0]).shake_hands())
    honest, *others = wires
    for other in others:
        other.connection.data_received(frame(b"p" * 60, PING) * 1000)
    read = 0
    for turn in range(20):
        before, read = read, sum(len(other.frames()) for other in others)
        assert read - before <= FRAMES_AT_ONCE * PIECES_AT_ONCE
        honest.connection.data_received(frame(b"%d" % turn))
        assert honest.received[-1] == str(turn)
        await asyncio.sleep(0)
    # And each of them has had as many turns as the others.
    turns = [len(other.frames()) for other in others]
    assert max(turns) - min(turns) <= FRAMES_AT_ONCE


async def test_of_one_that_sends_faster_than_it_is_read_no_more_than_some_is_held() -> None:
    wire = await Wire().shake_hands()
    other = await Wire(beside=wire).shake_hands()
    other.connection.data_received(frame(b"p", PING) * 100)
    sent = frame(b"p" * 60, PING) * 1000
    while wire.sink.reads and len(wire.connection._unread) < 10 * MOST_UNREAD:
        wire.connection.data_received(sent)
    assert len(wire.connection._unread) <= MOST_UNREAD + len(sent)
    await within(20, lambda: wire.sink.reads)
    assert len(wire.frames()) == 1000
    assert wire.connection._unread == b""


async def test_a_fault_of_ours_ends_the_connection_and_is_in_the_log() -> None:
    wire = await Wire().shake_hands()

    def fail(text: str) -> None:
        raise ZeroDivisionError

    wire.sessions[0].receive = fail  # type: ignore[method-assign]
    with capture_logs() as logs:
        await wire.give([frame(b"one") + frame(b"two")])
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["a connection failed"]
    assert wire.sink.ended


async def test_what_was_sent_before_the_end_of_the_stream_is_read() -> None:
    wire = await Wire().shake_hands()
    wire.connection.data_received(b"".join(frame(b"%d" % number) for number in range(100)))
    wire.connection.eof_received()
    assert wire.received == [str(number) for number in range(100)]


async def test_an_answer_to_our_ping_must_be_by_the_rules() -> None:
    wire = await Wire().shake_hands()
    wire.connection._beat()
    ((_, sent),) = wire.frames()
    pong = frame(sent, PONG)
    await wire.give([bytes([pong[0] | 0x40]) + pong[1:]])
    assert wire.close_code() == 1002


FLOODS = (
    frame(b"p" * 125, PING),
    frame(b"", PONG),
    frame(b"x", fin=False) + frame(b"x", 0, fin=False) * 100,
    frame(b"x", BINARY),
    frame(b"[" * 16000),
)


async def test_floods_of_frames_are_cut_as_those_of_messages_are() -> None:
    # So slow a rate that a busy machine gives no further token meanwhile.
    async with watched(messages_per_second=0.1, burst=40) as (url, server), player(url) as ada:

        async def is_cut(flood: bytes) -> None:
            peer = await Peer.connect(url)
            peer.writer.write(frame(b'{"type": "hello", "id": "h", "protocols": [1], "name": "Eve"}'))
            assert await peer.receive() is not None
            peer.writer.write(flood * 200)
            received = await peer.receive_all()
            assert received[-1] == (CLOSE, struct.pack("!H", 1008) + b"You kept sending too fast.")
            refused = [data for opcode, data in received if opcode == TEXT and b'"too_fast"' in data]
            assert 0 < len(refused) <= 41
            assert sum(opcode == PONG for opcode, _ in received) <= 40
            await peer.close()

        await asyncio.gather(*map(is_cut, FLOODS))
        assert server._net.counters.connections_cut["too_fast"] == len(FLOODS)
        assert (await ada.ask("rooms"))["type"] == "rooms"


async def test_a_message_in_some_fragments_and_some_pings_are_within_the_limits() -> None:
    async with serving(messages_per_second=20.0, burst=40) as url:
        peer = await Peer.connect(url)
        hello = b'{"type": "hello", "id": "h", "protocols": [1], "name": "Eve"}'
        for at in range(0, len(hello), 4):
            last = at + 4 >= len(hello)
            peer.writer.write(frame(hello[at : at + 4], 0 if at else TEXT, fin=last) + frame(b"?", PING))
        received = [await peer.receive() for _ in range(0, len(hello), 4)]
        assert received == [(PONG, b"?")] * len(received)
        welcome = await peer.receive()
        assert welcome is not None
        assert b'"welcome"' in welcome[1]
        await peer.close()


# ---------------------------------------------------------------- over sockets


async def test_short_text_frames_pass_the_parser_by(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched() as (url, server):
        peer = await Peer.connect(url)
        rooms = b'{"type": "rooms", "id": "r"}'
        parsed: list[bytes] = []
        for sent in (frame(b'{"type":', fin=False) + frame(b"1}", 0), frame(rooms), frame(rooms.ljust(125))):
            peer.writer.write(sent)
            assert await peer.receive() is not None
            (connection,) = server.connections
            monkeypatch.setattr(connection._protocol, "receive_data", parsed.append)
        assert parsed == []
        await peer.close()


async def test_an_open_connection_keeps_nothing_of_its_handshake() -> None:
    async with watched() as (url, _):
        peer = await Peer.connect(url)
        peer.writer.write(frame(b"x", PING))
        assert await peer.receive() == (PONG, b"x")
        gc.collect()
        kept = [one for one in gc.get_objects() if isinstance(one, Request | Response)]
        assert not [list(one.headers) for one in kept if one.headers]
        await peer.close()


async def test_nothing_of_a_connection_waits_for_the_collector() -> None:
    async with watched() as (url, server):
        gc.collect()
        gc.disable()
        try:
            peer = await Peer.connect(url)
            peer.writer.write(frame(b"x", PING))
            assert await peer.receive() == (PONG, b"x")
            (connection,) = server.connections
            kept: list[weakref.ref[object]] = [weakref.ref(connection), weakref.ref(connection._protocol)]
            del connection
            await peer.close()
            await within(20, lambda: all(one() is None for one in kept))
        finally:
            gc.enable()


@pytest.mark.parametrize("end", [closing(), frame(b"", 3)], ids=["farewell", "fault"])
async def test_what_comes_in_one_breath_with_the_end_is_done(end: bytes) -> None:
    async with serving() as url, player(url) as ada:
        peer = await Peer.connect(url)
        peer.writer.write(frame(b'{"type": "hello", "id": "h", "protocols": [1], "name": "Eve"}'))
        assert await peer.receive() is not None
        peer.writer.write(frame(b'{"type": "create", "id": "c", "game": "tictactoe"}') + end)
        assert [opcode for opcode, _ in await peer.receive_all()][-1] == CLOSE
        await peer.close()
        async with asyncio.timeout(20):
            while not (await ada.ask("rooms"))["rooms"]:
                pass


async def test_frames_in_one_breath_with_the_request_come_after_it() -> None:
    async with serving() as url:
        host, port = url.removeprefix("ws://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(handshake(host, port) + frame(b"?", PING) + frame(b"nonsense") + closing())
        async with asyncio.timeout(20):
            said = await reader.read()
        head, _, rest = said.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 ")
        assert rest.startswith(b"\x8a\x01?\x81")
        assert rest.endswith(b"\x88\x02\x03\xe8")
        writer.close()
