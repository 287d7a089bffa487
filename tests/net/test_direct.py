"""The short way through the library is one with the long way, whatever bytes come in what pieces."""

import asyncio
import random
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from websockets.asyncio.server import Server
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from parlour_server.net import direct as direct_module
from parlour_server.net.direct import DirectConnection, DirectOutbox, Flusher, direct_works
from parlour_server.net.guarded import Guard
from tests.net.frames import CLOSE, Peer, closing, frame, random_stream
from tests.net.inside import open_door, watched
from tests.support.client import player
from tests.support.server import serving

SEEDS = 250


def test_the_installed_library_is_one_that_is_known() -> None:
    assert direct_works()


def test_another_library_is_served_by_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_module, "websockets_version", "99.0")
    assert not direct_works()


# ---------------------------------------------------------------- without sockets


class Sink(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        pass


class Parsed(DirectConnection):
    """The same without the short cut: every byte goes through the library's parser."""

    def _look_where_the_parser_is(self) -> None:
        pass


def made(kind: type[DirectConnection], sink: Sink) -> DirectConnection:
    """A connection that has shaken hands."""
    server = Server(None, None)  # type: ignore[arg-type]
    connection = kind(ServerProtocol(state=OPEN, max_size=2**14), server, guard=Guard(60.0, open_door()))
    connection.request = Request("/", Headers())
    connection.transport = sink
    return connection


def taken(
    kind: type[DirectConnection], pieces: list[bytes], *, closes_at: int | None = None
) -> tuple[list[str | None], bytes]:
    """What a connection hands on (None: a binary message) and what it writes.

    Before the piece `closes_at` we begin to close.
    """

    async def run() -> tuple[list[str | None], bytes]:
        sink = Sink()
        connection = made(kind, sink)
        heard: list[str | None] = []
        connection.attach(heard.append, lambda: heard.append(None), lambda: None)
        for number, piece in enumerate(pieces):
            if number == closes_at:
                connection.protocol.send_close(1000)
            connection.data_received(piece)
        return heard, sink.written

    return asyncio.run(run())


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
@example(stream=frame(b"1234567", mask=b"\x81\x85\1\2") + frame(b"{}"), cuts=[2])
@example(stream=frame(b"x" * 130, mask=b"\x81\x85\1\2") + frame(b"{}"), cuts=[2, 4, 8])
@example(stream=frame(b'{"a":', fin=False) + frame(b"1}", 0), cuts=[11])
@example(stream=frame(b"a", fin=False) + frame(b"{}"), cuts=[7])
@example(stream=frame(b"x" * 119, wide=8), cuts=[])  # 127, with a short head, would be its length
@example(stream=b"\x81\xff" + struct.pack("!Q", 6 << 48) + b"\1\2\3\4", cuts=[])  # and here 6, with a longer
def test_the_short_way_takes_what_the_parser_would(stream: bytes, cuts: list[int]) -> None:
    pieces = pieces_of(stream, cuts)
    assert taken(DirectConnection, pieces) == taken(Parsed, pieces)


@given(stream=streams, cuts=st.lists(st.integers(0, 120), max_size=8))
@example(stream=frame(b"{}") + closing() + frame(b"{}"), cuts=[])
@example(stream=frame(b"{}", fin=False) + frame(b"{}", 0) + frame(b"", 3), cuts=[])
@example(stream=frame(b"{}") + frame(b"\xff") + frame(b"{}") + closing(), cuts=[])
def test_how_bytes_are_cut_up_changes_nothing_that_is_heard(stream: bytes, cuts: list[int]) -> None:
    heard, written = taken(DirectConnection, [stream[at : at + 1] for at in range(len(stream))])
    again, rewritten = taken(DirectConnection, pieces_of(stream, cuts))
    assert again == heard
    # In one piece, a farewell after a message that isn't text comes before our word on that.
    if not closes(written):
        assert rewritten == written


def closes(written: bytes) -> bool:
    at = 0
    while at < len(written):
        if written[at] & 0x0F == CLOSE:
            return True
        at += 2 + written[at + 1]
    return False


def test_what_comes_before_a_farewell_is_heard_and_what_comes_after_ours_is_not() -> None:
    one, two = frame(b"one"), frame(b"two")
    assert taken(DirectConnection, [one + two + closing()])[0] == ["one", "two"]
    assert taken(DirectConnection, [one, two + closing()], closes_at=1)[0] == ["one"]
    assert taken(DirectConnection, [one, two, one + two, closing()], closes_at=1)[0] == ["one"]


class Closed(Sink):
    """A transport that has ended, as uvloop's: it can't be paused any more."""

    def is_closing(self) -> bool:
        return True

    def pause_reading(self) -> None:
        raise RuntimeError("the handler is closed")


async def test_a_session_may_pause_what_has_ended_already() -> None:
    connection = made(DirectConnection, Closed())
    outbox = DirectOutbox(connection, Flusher(asyncio.get_running_loop()))
    connection.attach(lambda text: outbox.pause(), outbox.pause, outbox.flush)
    connection.data_received(frame(b"one") + closing())


# ---------------------------------------------------------------- over sockets


async def replies(url: str, pieces: list[bytes]) -> list[tuple[int, bytes]]:
    """What a server says to these pieces, with only the code of its farewell."""
    peer = await Peer.connect(url)
    for piece in pieces:
        peer.writer.write(piece)
        for _ in range(8):
            await asyncio.sleep(0)
    heard = await peer.hear_all()
    await peer.close()
    return [(opcode, data[:2] if opcode == CLOSE else data) for opcode, data in heard]


async def test_short_text_frames_pass_the_parser_by(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched(direct=True) as (url, server):
        peer = await Peer.connect(url)
        rooms = b'{"type": "rooms", "id": "r"}'
        parsed: list[bytes] = []
        for sent in (frame(b'{"type":', fin=False) + frame(b"1}", 0), frame(rooms), frame(rooms.ljust(125))):
            peer.writer.write(sent)
            assert await peer.hear() is not None
            (connection,) = server.connections
            monkeypatch.setattr(connection.protocol, "receive_data", parsed.append)
        assert parsed == []
        await peer.close()


async def test_an_open_connection_keeps_nothing_of_its_handshake() -> None:
    async with watched(direct=True) as (url, server):
        peer = await Peer.connect(url)
        peer.writer.write(frame(b'{"type": "rooms", "id": "r"}'))
        assert await peer.hear() is not None
        (connection,) = server.connections
        assert connection.request is not None
        assert (dict(connection.request.headers), connection.response) == ({}, None)
        await peer.close()


async def test_both_ways_say_the_same_to_the_same_bytes() -> None:
    answered = closed = 0
    async with serving(direct=True) as short, serving(direct=False) as long:
        for seed in range(SEEDS):
            pieces = random_stream(random.Random(seed))
            here, there = await asyncio.gather(replies(short, pieces), replies(long, pieces))
            assert here == there, seed
            answered += len(here) > 1
            closed += bool(here) and here[-1][0] == CLOSE and here[-1][1] != struct.pack("!H", 1000)
    # Else the streams were too tame, or too wild, to show anything.
    assert answered > SEEDS / 5
    assert closed > SEEDS / 10


@pytest.mark.parametrize("direct", [True, False])
async def test_a_frame_that_comes_in_pieces_is_no_other_frame(direct: bool) -> None:
    """Its masked part looks like a frame of its own: the mask is the sender's to choose."""
    async with serving(direct=direct) as url:
        peer = await Peer.connect(url)
        disguised = frame(b"1234567", mask=b"\x81\x85\1\2")
        for piece in (disguised[:2], disguised[2:], frame(b'{"type": "rooms", "id": "r"}'), closing()):
            peer.writer.write(piece)
            await asyncio.sleep(0.02)
        said = [data for _, data in await peer.hear_all()]
        assert b'"bad_message"' in said[0]
        assert b'"hello_first"' in said[1]
        assert said[2] == struct.pack("!H", 1000)
        await peer.close()


@pytest.mark.parametrize("direct", [True, False])
async def test_a_length_in_eight_bytes_is_read_as_such(direct: bool) -> None:
    async with serving(direct=direct) as url:
        peer = await Peer.connect(url)
        wide = frame(b'{"type": "rooms", "id": "r"}'.ljust(119), wide=8)
        assert len(wide) == 127 + 6
        peer.writer.write(wide)
        answer = await peer.hear()
        assert answer is not None
        assert b'"hello_first"' in answer[1]
        await peer.close()


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("end", [closing(), frame(b"", 3)], ids=["farewell", "fault"])
async def test_what_comes_in_one_breath_with_the_end_is_done(direct: bool, end: bytes) -> None:
    async with serving(direct=direct) as url, player(url) as ada:
        peer = await Peer.connect(url)
        peer.writer.write(frame(b'{"type": "hello", "id": "h", "protocols": [1], "name": "Eve"}'))
        assert await peer.hear() is not None
        peer.writer.write(frame(b'{"type": "create", "id": "c", "game": "tictactoe"}') + end)
        assert [opcode for opcode, _ in await peer.hear_all()] == [CLOSE]
        await peer.close()
        async with asyncio.timeout(20):
            while not (await ada.ask("rooms"))["rooms"]:
                pass
