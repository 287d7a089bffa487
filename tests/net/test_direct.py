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
from parlour_server.net.direct import DirectConnection, direct_works
from parlour_server.net.guarded import Guard
from tests.net.frames import CLOSE, Peer, closing, frame, random_stream
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

    def _whole_text(self, data: bytes) -> bytes | None:
        return None


def taken(kind: type[DirectConnection], pieces: list[bytes]) -> tuple[list[str | None], bytes]:
    """What a connection hands on (None: a binary message) and what it writes."""

    async def run() -> tuple[list[str | None], bytes]:
        server = Server(None, None)  # type: ignore[arg-type]
        connection = kind(ServerProtocol(state=OPEN, max_size=2**14), server, guard=Guard(60.0))
        connection.request = Request("/", Headers())
        sink = Sink()
        connection.transport = sink
        heard: list[str | None] = []
        connection.attach(heard.append, lambda: heard.append(None), lambda: None)
        for piece in pieces:
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
def test_the_short_way_takes_what_the_parser_would(stream: bytes, cuts: list[int]) -> None:
    pieces = pieces_of(stream, cuts)
    assert taken(DirectConnection, pieces) == taken(Parsed, pieces)


@given(stream=streams, cuts=st.lists(st.integers(0, 120), max_size=8))
def test_how_bytes_are_cut_up_changes_nothing_while_all_is_well(stream: bytes, cuts: list[int]) -> None:
    heard, written = taken(DirectConnection, [stream[at : at + 1] for at in range(len(stream))])
    again, rewritten = taken(DirectConnection, pieces_of(stream, cuts))
    # In one piece, what comes before a fault or a farewell may be dropped with it, but nothing is added.
    assert heard[: len(again)] == again
    if not closes(written):
        assert (again, rewritten) == (heard, written)


def closes(written: bytes) -> bool:
    at = 0
    while at < len(written):
        if written[at] & 0x0F == CLOSE:
            return True
        at += 2 + written[at + 1]
    return False


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
