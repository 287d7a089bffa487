"""A WebSocket client that costs next to nothing: frames by hand on a bare `asyncio.Protocol`.

A load generator that used a client library would be slower than the server that it measures. This
one knows only what a measurement meets: no compression, no fragments, and frames masked with the
key zero, which leaves the bytes as they are. RFC 6455 (5.3) asks for random keys, to protect proxies
from scripts in browsers; a server can't tell, and unmasks these at the same cost.
"""

import asyncio
import base64
import os
from collections.abc import Callable

from bench import BenchError
from bench.servers import Server

_TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
_MESSAGES = (_TEXT, _BINARY)
_ZERO_KEY = bytes(4)
_SHORT = tuple(bytes((_TEXT, 0x80 | size)) + _ZERO_KEY for size in range(126))
"""The whole header of each short frame, by the payload's size."""


def text_frame(payload: bytes) -> bytes:
    """A client's text frame around a payload of less than 64 KB."""
    size = len(payload)
    if size < 126:
        return _SHORT[size] + payload
    return bytes((_TEXT, 0xFE)) + size.to_bytes(2) + _ZERO_KEY + payload


def binary_frame(payload: bytes) -> bytes:
    """A client's binary frame around a payload of less than 126 bytes."""
    return bytes((_BINARY, 0x80 | len(payload))) + _ZERO_KEY + payload


class Link(asyncio.Protocol):
    """One connection. A subclass gets each message, text or binary, in `on_message`; `fail` any fault."""

    def __init__(self, fail: Callable[[Exception], None]) -> None:
        self._fail = fail
        self._rest = b""
        self._upgraded = False
        self._closing = False
        loop = asyncio.get_running_loop()
        self._open: asyncio.Future[None] = loop.create_future()
        self._lost: asyncio.Future[None] = loop.create_future()

    async def open(self, server: Server, subprotocol: str | None = None, path: str = "/") -> None:
        """Connect and upgrade. A refusal goes to `fail`, and this waits until it is cancelled."""
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: self, server.host, server.port)
        self._transport = transport
        self.write = transport.write
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {server.host}:{server.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
        ]
        if subprotocol:
            lines.append(f"Sec-WebSocket-Protocol: {subprotocol}")
        self.write("\r\n".join([*lines, "", ""]).encode())
        await self._open

    async def close(self) -> None:
        """Say goodbye and wait until the server hung up."""
        self._closing = True
        if not self._lost.done():
            self.write(bytes((_CLOSE, 0x82)) + _ZERO_KEY + (1000).to_bytes(2))
            await self._lost

    def abort(self) -> None:
        """Hang up at once."""
        self._closing = True
        self._transport.abort()

    def on_message(self, message: bytes) -> None:
        """Take one message."""
        raise NotImplementedError

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end, which is a fault unless it was asked for."""
        if not self._lost.done():
            self._lost.set_result(None)
        if not self._closing:
            self._fail(BenchError(f"The server hung up in the middle of it ({exc or 'without an error'})."))

    def data_received(self, data: bytes) -> None:
        """Cut the stream into frames: often several come in one segment, seldom half a one."""
        try:
            if self._rest:
                data = self._rest + data
            if not self._upgraded:
                data = self._upgrade(data)
            self._rest = self._frames(data) if self._upgraded else data
        except Exception as fault:
            self._fail(fault)
            self.abort()

    def _upgrade(self, data: bytes) -> bytes:
        head, found, rest = data.partition(b"\r\n\r\n")
        if not found:
            return data
        if not head.startswith(b"HTTP/1.1 101 "):
            raise BenchError(f"The server refused a WebSocket: {data[:200].decode(errors='replace')}")
        self._upgraded = True
        self._open.set_result(None)
        return rest

    def _frames(self, data: bytes) -> bytes:
        at, end = 0, len(data)
        while end - at >= 2:
            kind, size, start = data[at], data[at + 1], at + 2
            if size > 125:
                start += 2 if size == 126 else 8
                if start > end:
                    break
                size = int.from_bytes(data[at + 2 : start])
            stop = start + size
            if stop > end:
                break
            if kind in _MESSAGES:
                self.on_message(data[start:stop])
            else:
                self._on_control(kind, data[start:stop])
            at = stop
        return data[at:]

    def _on_control(self, kind: int, payload: bytes) -> None:
        if kind == _PING:
            self.write(bytes((_PONG, 0x80 | len(payload))) + _ZERO_KEY + payload)
        elif kind == _CLOSE:
            if not self._closing:
                raise BenchError(f"The server closed a connection: {payload!r}.")
        elif kind != _PONG:
            raise BenchError(f"The server sent a frame of a kind ({kind:#x}) that was not agreed on.")
