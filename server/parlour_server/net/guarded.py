"""A connection that the door lets in, and that no peer can hold open by not reading.

`websockets` bounds a ping and the closing handshake in time, but both first wait, without bound, for
what was written before them to drain. So a peer that stops reading once enough waits for it would be
neither noticed nor closed: here the draining itself has a deadline. It also answers every ping at once,
past the outbox and before any hello: so what waits is bounded here, too.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import structlog
from websockets.asyncio.server import ServerConnection

from parlour_server.counters import Counters
from parlour_server.net.door import Door, TurnedAway
from parlour_server.net.http import SERVER_NAME, healthy, turned_away
from parlour_server.net.peers import Address, address_key, read_address

log = structlog.get_logger()

OUTBOX_BYTES = 256 * 1024
MOST_WAITING = OUTBOX_BYTES + 64 * 1024
"""Bytes that wait for a peer at which it is cut when it sends: an outbox alone stays below."""
_HEALTH = b"GET /healthz "
ASK_SECONDS = 2.0
"""How long who is turned away has to ask, and then to read why."""


@dataclass(slots=True, eq=False)
class Guard:
    """What the connections of one server share."""

    patience: float
    """Seconds in which a peer that has fallen behind must catch up."""
    door: Door
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
        self.peer: Address | None = None
        """Where it comes from, perhaps a proxy; None where that is not known."""
        self.origin: Address | None = None
        """Where it comes from in truth, as far as is known."""
        self.address = ""
        """The key of its address, for all limits: see `peers.address_key`."""
        guard.door.look_at_handles()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.BaseProtocol`. One that is not let in never becomes a connection of ours."""
        peer = transport.get_extra_info("peername")
        self.peer = self.origin = read_address(peer[0]) if peer else None
        door = self._guard.door
        try:
            self.address = door.come(self.peer)
        except TurnedAway as why:
            self.counters.connections_refused[why.reason] += 1
            _TurnedAway(cast(asyncio.Transport, transport), why, door)
            return
        super().connection_made(transport)
        self.counters.connections += 1
        self.number = f"c{self.counters.connections}"
        self._guard.connections.add(self)

    def name(self, address: Address | None) -> None:
        """Its request names where it really comes from. Raises `TurnedAway`."""
        self.origin = address
        self.address = self._guard.door.name(address_key(address))

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._guard.connections.discard(self)
        self._guard.door.leave(self.address)
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


class _TurnedAway(asyncio.Protocol):
    """A connection that is not let in, and costs no handshake.

    It is answered why when it asks for something: before that a close would discard the answer, too.
    """

    def __init__(self, transport: asyncio.Transport, why: TurnedAway, door: Door) -> None:
        self._transport, self._why, self._door = transport, why, door
        seconds = ASK_SECONDS if door.may_answer else 0.0
        self._deadline = asyncio.get_running_loop().call_later(seconds, transport.abort)
        door.answering += 1
        transport.set_protocol(self)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if not self._transport.is_closing():
            # A full server is no reason to restart it.
            answer = healthy() if data.startswith(_HEALTH) else turned_away(self._why)
            answer.headers["Server"] = SERVER_NAME
            self._transport.write(answer.serialize())
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._door.answering -= 1
        self._deadline.cancel()
