"""Frames by hand, whole and broken, and a peer that sends them as it likes."""

import asyncio
import os
import struct
from base64 import b64encode

from parlour_protocol import SUBPROTOCOL

SECONDS = 20
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(
    payload: bytes, opcode: int = TEXT, *, fin: bool = True, mask: bytes | None = b"\1\2\3\4", wide: int = 0
) -> bytes:
    """A client's frame. `wide` writes the length in 2 or 8 bytes though fewer would do."""
    masked = 0 if mask is None else 0x80
    if len(payload) < 126 and not wide:
        length = bytes([masked | len(payload)])
    elif len(payload) < 65536 and wide < 8:
        length = bytes([masked | 126]) + struct.pack("!H", len(payload))
    else:
        length = bytes([masked | 127]) + struct.pack("!Q", len(payload))
    head = bytes([(0x80 if fin else 0) | opcode]) + length
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def closing(code: int = 1000) -> bytes:
    return frame(struct.pack("!H", code), CLOSE)


class Peer:
    """A TCP connection with the handshake done, and frames read as they come."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, url: str) -> "Peer":
        host, port = url.removeprefix("ws://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(handshake(host, port))
        async with asyncio.timeout(SECONDS):
            answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        return cls(reader, writer)

    async def receive(self) -> tuple[int, bytes] | None:
        """The next frame's opcode and payload; None where the connection has ended."""
        try:
            async with asyncio.timeout(SECONDS):
                head = await self.reader.readexactly(2)
                length = head[1]
                if length == 126:
                    (length,) = struct.unpack("!H", await self.reader.readexactly(2))
                elif length == 127:
                    (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
                return head[0] & 0x0F, await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def receive_all(self) -> list[tuple[int, bytes]]:
        """Everything until the connection ends, with a farewell for a farewell."""
        received = []
        while (one := await self.receive()) is not None:
            received.append(one)
            if one[0] == CLOSE:
                self.writer.write(frame(one[1], CLOSE))
        self.writer.close()
        return received

    def read(self, reads: bool) -> None:
        """Read on, or no more."""
        transport = self.writer.transport
        assert isinstance(transport, asyncio.Transport)
        if reads:
            transport.resume_reading()
        else:
            transport.pause_reading()

    def reset(self) -> None:
        """End it abruptly: the other side finds a reset."""
        socket = self.writer.get_extra_info("socket")
        socket.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SOL_SOCKET, SO_LINGER: no farewell
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.transport.abort()
        await asyncio.sleep(0)


def handshake(host: str, port: str) -> bytes:
    key = b64encode(os.urandom(16)).decode()
    lines = [
        "GET / HTTP/1.1",
        f"Host: {host}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}",
    ]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()
