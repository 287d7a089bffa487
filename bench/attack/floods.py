"""Floods from many addresses, at the default limits: bytes made once, and written as fast as they are taken.

The header of a trusted proxy names an address for each connection; one that is cut comes back from another.
"""

import asyncio
import contextlib
import itertools
import json
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from bench.attack.attacker import some_address
from parlour_protocol import PROTOCOL_VERSION
from tests.net.frames import PING, frame, handshake

if TYPE_CHECKING:
    from bench.attack.attacks import Field

FLOODERS = 40
NEWCOMERS = 57
LARGEST = 16 * 1024
AT_ONCE = 64 * 1024
"""Bytes that are written at once, or a little more."""
COME_SECONDS = 5.0
AGAIN_SECONDS = 0.05
STAY_SECONDS = 1.0
SMALL_BUFFER = 4096
SILENT = 400


class Flooder(asyncio.Protocol):
    """A connection from an address of its own. `lost` is set when it is over."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()
        self.received = asyncio.Event()
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    async def come(self, field: "Field", *, hello: bool, buffer: int = 0) -> bool:
        """Shake hands and, if it is to, say hello. False: it was not let in."""
        parts = urlsplit(field.url)
        assert parts.hostname and parts.port
        raw = socket.socket()
        raw.setblocking(False)
        if buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(COME_SECONDS):
                await loop.sock_connect(raw, (parts.hostname, parts.port))
                await loop.create_connection(lambda: self, sock=raw)
                request = handshake(parts.hostname, str(parts.port))
                forwarded = f"X-Forwarded-For: {some_address()}\r\n\r\n"
                self.transport.write(request[:-2] + forwarded.encode())
                if hello:
                    self.send({"type": "hello", "protocols": [PROTOCOL_VERSION], "name": "Eve"})
                await self.received.wait()
        except (OSError, TimeoutError):
            raw.close()
            return False
        return not self.lost.is_set()

    def send(self, message: dict[str, object]) -> None:
        """Write a command."""
        self.transport.write(frame(json.dumps({"id": "x", **message}).encode()))

    async def flood(self, data: bytes) -> None:
        """Write this over and over, as fast as it is taken, until the connection is lost."""
        while not self.lost.is_set():
            self.transport.write(data)
            await asyncio.sleep(0)
            await self._writable.wait()

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    def leave(self) -> None:
        """Hang up without a goodbye."""
        if self._transport is not None and not self.lost.is_set():
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.received.set()

    def connection_lost(self, exc: Exception | None) -> None:
        for event in (self.lost, self.received, self._writable):
            event.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()


async def _visits(
    field: "Field",
    count: int,
    visit: "Callable[[Flooder], object]",
    *,
    hello: bool = True,
    stays: float = 0.0,
    buffer: int = 0,
) -> None:
    """Each of `count` comes, does something, stays so long or until it is cut (0), and comes again."""

    async def one() -> None:
        while True:
            flooder = Flooder()
            try:
                if await flooder.come(field, hello=hello, buffer=buffer):
                    field.did["connections"] += 1
                    if asyncio.iscoroutine(done := visit(flooder)):
                        await done
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(stays or None):
                            await flooder.lost.wait()
                    field.did["cut"] += flooder.lost.is_set()
                else:
                    field.did["kept out"] += 1
            finally:
                flooder.leave()
            await asyncio.sleep(AGAIN_SECONDS)

    await asyncio.gather(*(one() for _ in range(count)))


async def _flood(field: "Field", *frames: bytes) -> None:
    once = b"".join(frames)
    data = b"".join(itertools.repeat(once, max(1, AT_ONCE // len(once))))
    await _visits(field, FLOODERS, lambda flooder: flooder.flood(data))


async def pings(field: "Field") -> None:
    """Pings of the largest size."""
    await _flood(field, frame(b"p" * 125, PING))


async def fragments(field: "Field") -> None:
    """Messages in fragments of one byte that never end."""
    await _visits(field, FLOODERS, _endless_message)


async def _endless_message(flooder: Flooder) -> None:
    flooder.transport.write(frame(b"{", fin=False))
    await flooder.flood(frame(b" ", 0, fin=False) * (AT_ONCE // 7))


async def largest(field: "Field") -> None:
    """Messages of the largest size that are almost right."""
    text = b'{"type": "rooms", "id": "%b"}'
    await _flood(field, frame(text % (b"x" * (LARGEST - len(text)))))


async def deep(field: "Field") -> None:
    """Messages that are nested as deep as they may be long."""
    await _flood(field, frame(b"[" * LARGEST), frame(b'{"a":' * 3000 + b"1" + b"}" * 1000))


async def slow_readers(field: "Field") -> None:
    """Connections that ask for much, and read none of it."""

    def ask(flooder: Flooder) -> None:
        flooder.transport.pause_reading()
        flooder.send({"type": "subscribe", "room": field.codes[0]})
        for _ in range(30):
            flooder.send({"type": "games"})

    await _visits(field, FLOODERS, ask, stays=3 * STAY_SECONDS, buffer=SMALL_BUFFER)


async def visitors(field: "Field") -> None:
    """Connections that shake hands and then say nothing, hundreds at a time."""
    await _visits(field, SILENT, lambda flooder: None, hello=False, stays=STAY_SECONDS)


async def newcomers_analyse(field: "Field") -> None:
    """New players who each ask for analyses as fast as messages are taken."""
    await _ask(field, {"type": "analyse", "game": "reversi"})


async def newcomers_draw_trees(field: "Field") -> None:
    """New players who each ask for game trees as fast as messages are taken."""
    await _ask(field, {"type": "tree", "game": "tictactoe", "moves": "b2 a1"})


async def _ask(field: "Field", question: dict[str, object]) -> None:
    def ask(flooder: Flooder) -> None:
        for number in range(39):
            flooder.send({**question, "id": f"q{number}"})

    await _visits(field, NEWCOMERS, ask, stays=STAY_SECONDS)


FLOODS = (
    pings, fragments, largest, deep, slow_readers, visitors, newcomers_analyse, newcomers_draw_trees,
)  # fmt: skip
