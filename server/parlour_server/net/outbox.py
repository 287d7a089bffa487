"""A session's way out through a `websockets` connection, bounded.

What the peer has not read waits in the transport's buffer. While that stands above its high-water
mark (32 KiB), at most `OUTBOX_MESSAGES` more are added, and never more than `OUTBOX_BYTES` in all; a
peer that is slower still is cut with `CloseCode.TOO_SLOW`, and may come back for a snapshot.
"""

import asyncio
from abc import ABC, abstractmethod

import structlog
from websockets.asyncio.server import broadcast
from websockets.protocol import OPEN

from parlour_protocol.errors import CloseCode
from parlour_server.net.guarded import OUTBOX_BYTES, GuardedConnection

log = structlog.get_logger()

OUTBOX_MESSAGES = 64
CUT_SECONDS = 1.0
"""How long a peer that was cut is given for the closing handshake, which it will hardly read."""


class SocketOutbox(ABC):
    """See `sessions.outbox.Outbox`: what both ways out share."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._connection = connection
        self._behind = 0
        self._closing: asyncio.Task[None] | None = None

    @abstractmethod
    def send(self, message: bytes) -> None:
        """See `Outbox.send`."""

    @abstractmethod
    def pause(self) -> None:
        """See `Outbox.pause`."""

    @abstractmethod
    def resume(self) -> None:
        """See `Outbox.resume`."""

    def _has_room(self, size: int, messages: int = 1) -> bool:
        """Is the peer there, and quick enough for so much more? One that is too slow is cut."""
        connection = self._connection
        if connection.protocol.state is not OPEN or self._closing is not None:
            return False
        if not connection.paused:
            self._behind = 0
            return True
        self._behind += messages
        waiting = connection.transport.get_write_buffer_size()
        if self._behind <= OUTBOX_MESSAGES and waiting + size <= OUTBOX_BYTES:
            return True
        connection.counters.connections_cut["slow_reader"] += 1
        log.info("a slow reader is cut", connection=connection.number, waiting_bytes=waiting)
        connection.close_timeout = CUT_SECONDS
        self.close(CloseCode.TOO_SLOW, "you read too slowly; come back")
        # The closing handshake waits behind all that the peer has not read.
        asyncio.get_running_loop().call_later(CUT_SECONDS, connection.transport.abort)
        return False

    def close(self, code: int, reason: str) -> None:
        """See `Outbox.close`."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._connection.close(code, reason))

    def lag(self) -> int:
        """See `Outbox.lag`. Measured by the heartbeat's pings."""
        return round(1000 * self._connection.latency)


class StockOutbox(SocketOutbox):
    """Uses only what `websockets` documents."""

    def __init__(self, connection: GuardedConnection) -> None:
        super().__init__(connection)
        self.reading = asyncio.Event()
        """The reader of the connection waits for this before each message."""
        self.reading.set()

    def send(self, message: bytes) -> None:
        """See `Outbox.send`."""
        if self._has_room(len(message)):
            self._connection.counters.bytes_out += len(message)
            broadcast([self._connection], message, text=True)

    def pause(self) -> None:
        """See `Outbox.pause`."""
        self.reading.clear()

    def resume(self) -> None:
        """See `Outbox.resume`."""
        self.reading.set()
