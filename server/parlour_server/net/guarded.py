"""A connection that no peer can hold open by not reading.

`websockets` bounds a ping and the closing handshake in time, but both first wait, without bound, for
what was written before them to drain. So a peer that stops reading once enough waits for it would be
neither noticed nor closed: here the draining itself has a deadline. It also answers every ping at once,
past the outbox and before any hello: so what waits is bounded here, too.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import structlog
from websockets.asyncio.server import ServerConnection

from parlour_server.counters import Counters

log = structlog.get_logger()

OUTBOX_BYTES = 256 * 1024
MOST_WAITING = OUTBOX_BYTES + 64 * 1024
"""Bytes that wait for a peer at which it is cut when it sends: an outbox alone stays below."""


@dataclass(slots=True, eq=False)
class Guard:
    """What the connections of one server share."""

    patience: float
    """Seconds in which a peer that has fallen behind must catch up."""
    counters: Counters = field(default_factory=Counters)
    connections: set["GuardedConnection"] = field(default_factory=set)
    """All that are open, those that have not shaken hands among them."""

    def abort_all(self) -> None:
        """End every connection now, whatever it waits for."""
        for connection in list(self.connections):
            connection.transport.abort()


class GuardedConnection(ServerConnection):
    """Ends when its peer doesn't catch up. Otherwise the stock connection."""

    def __init__(self, *args: Any, guard: Guard, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._guard = guard
        self.counters = guard.counters
        """What it counts in, with all others of its server."""
        self.number = ""
        """Its short name in the log."""
        self._must_catch_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.BaseProtocol`."""
        super().connection_made(transport)
        self.counters.connections += 1
        self.number = f"c{self.counters.connections}"
        self._guard.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._guard.connections.discard(self)
        if self._must_catch_up is not None:
            self._must_catch_up.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket. See `asyncio.Protocol`."""
        self.counters.bytes_in += len(data)
        super().data_received(data)
        if self.paused and self.transport.get_write_buffer_size() > MOST_WAITING:
            self._cut()

    def pause_writing(self) -> None:
        """The transport's buffer is above its high-water mark. See `asyncio.BaseProtocol`."""
        super().pause_writing()
        self._must_catch_up = self.loop.call_later(self._guard.patience, self._cut)

    def resume_writing(self) -> None:
        """The peer has caught up. See `asyncio.BaseProtocol`."""
        if self._must_catch_up is not None:
            self._must_catch_up.cancel()
            self._must_catch_up = None
        super().resume_writing()

    def _cut(self) -> None:
        self.counters.connections_cut["reads_nothing"] += 1
        waiting = self.transport.get_write_buffer_size()
        log.info("a peer that reads nothing is cut", connection=self.number, waiting_bytes=waiting)
        self.transport.abort()
