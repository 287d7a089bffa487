"""A connection that the door lets in, and that no peer can hold open by not reading.

`websockets` bounds a ping and the closing handshake in time, but both first wait, without bound, for
what was written before them to drain. So a peer that stops reading once enough waits for it would be
neither noticed nor closed: here the draining itself has a deadline. It also answers every ping at once,
past the outbox and before any hello: so what waits is bounded here, too.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidMessage
from websockets.http11 import Response
from websockets.protocol import CONNECTING

from parlour_server.counters import Counters
from parlour_server.hosting.limits.admission_queue import AdmissionQueue
from parlour_server.net.connection_limiter import ConnectionLimiter, TurnedAway
from parlour_server.net.http import SERVER_NAME, healthy, malformed, readiness, turned_away
from parlour_server.net.peers import Address, address_key, read_address

log = structlog.get_logger()

OUTBOX_BYTES = 256 * 1024
MOST_WAITING = OUTBOX_BYTES + 64 * 1024
"""Bytes that wait for a peer at which it is cut when it sends: an outbox alone stays below."""
ASK_SECONDS = 2.0
"""How long who is turned away has to ask, and then to read why."""
LOOK_SECONDS = 3.0
"""How long it has where it asks whether the server is ready: a look at the store takes time."""
MOST_UNREAD = 8
"""So many pieces of a request wait at most until it is their turn."""
LONGEST_PATH = 64
"""More bytes than the first line has of a request for /healthz or /readyz."""


async def _nothing_amiss() -> list[str]:
    return []


@dataclass(slots=True, eq=False)
class Guard:
    """What the connections of one server share."""

    patience: float
    """Seconds in which a peer that has fallen behind must catch up."""
    door: ConnectionLimiter
    counters: Counters = field(default_factory=Counters)
    unready: Callable[[], Awaitable[list[str]]] = _nothing_amiss
    """Gives the reasons why nobody should be sent here now."""
    admissions: AdmissionQueue = field(default_factory=AdmissionQueue)
    """Those who shake hands."""
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
        self._answered = False
        """Was it answered that what it sent is no request?"""
        self._unread: list[bytes] = []
        """What came, and waits for its turn."""
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
            _TurnedAway(cast(asyncio.Transport, transport), why, self._guard, self.peer)
            return
        super().connection_made(transport)
        self.counters.connections += 1
        self.number = f"c{self.counters.connections}"
        self._guard.connections.add(self)

    def name(self, address: Address | None) -> None:
        """Its request names where it really comes from. Raises `TurnedAway`."""
        self.origin = address
        self.address = self._guard.door.name(address_key(address))

    def took_file(self) -> None:
        """It asked for a file of the page: that is less than a handshake."""
        self.counters.files += 1
        self._guard.door.give_back(self.address)

    @property
    def own_address(self) -> str | None:
        """Where it found this server, as it stands in a link; None where no link can name it."""
        host, port = self.transport.get_extra_info("sockname")[:2]
        address = read_address(host)
        if address is None or address.is_link_local:
            return None
        return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._unread.clear()
        self._guard.connections.discard(self)
        self._guard.door.leave(self.address)
        if self._must_catch_up is not None:
            self._must_catch_up.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket. See `asyncio.Protocol`."""
        self.counters.bytes_in += len(data)
        if self._unread or self.protocol.state is CONNECTING:
            if not self._unread:
                self._guard.admissions.join(self.read)
            self._unread.append(data)
            if len(self._unread) >= MOST_UNREAD:
                self.read()
            return
        super().data_received(data)
        if self.paused and self.transport.get_write_buffer_size() > MOST_WAITING:
            self._cut()

    def read(self) -> None:
        """Read what has waited."""
        if self._unread:
            data, self._unread = b"".join(self._unread), []
            super().data_received(data)

    def eof_received(self) -> None:
        """See `asyncio.Protocol`."""
        self.read()
        super().eof_received()

    def send_data(self) -> None:
        """Write what the protocol has for the peer: its answer to what is no request is the end alone."""
        failed = self.protocol.handshake_exc
        if self.request is None and isinstance(failed, InvalidMessage) and not self._answered:
            self._answered = True
            if not isinstance(failed.__cause__, EOFError) and not self.transport.is_closing():
                self.transport.write(_serialized(malformed()))
        super().send_data()

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


def _serialized(answer: Response) -> bytes:
    answer.headers["Server"] = SERVER_NAME
    return answer.serialize()


class _TurnedAway(asyncio.Protocol):
    """A connection that is not let in, and costs no handshake.

    It is answered why when it asks for something: before that a close would discard the answer, too. Who
    only asks whether the server is well is answered that.
    """

    def __init__(
        self, transport: asyncio.Transport, why: TurnedAway, guard: Guard, peer: Address | None
    ) -> None:
        self._transport, self._why, self._guard = transport, why, guard
        self._asked = b""
        self._look: asyncio.Task[None] | None = None
        self._answered = False
        self._has_place = guard.door.may_answer(peer)
        guard.door.answering += self._has_place
        self._abort_after(ASK_SECONDS if self._has_place else 0.0)
        transport.set_protocol(self)

    def _abort_after(self, seconds: float) -> None:
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._answered:
            return
        self._asked += data[:LONGEST_PATH]
        line, ended, _ = self._asked.partition(b"\r\n")
        if not ended and len(line) < LONGEST_PATH:
            return
        self._answered = True
        match line.partition(b"?")[0].split(b" ")[:2]:
            case [b"GET" | b"HEAD", b"/healthz"]:
                self._answer(healthy())
            case [b"GET" | b"HEAD", b"/readyz"]:
                self._deadline.cancel()
                self._abort_after(LOOK_SECONDS)
                self._look = asyncio.create_task(self._answer_readiness())
            case _:
                self._answer(turned_away(self._why))

    async def _answer_readiness(self) -> None:
        reasons = await self._guard.unready()
        if self._why.reason == "full":
            reasons = [*reasons, self._why.sentence]
        self._answer(readiness(reasons))

    def _answer(self, answer: Response) -> None:
        if not self._transport.is_closing():
            self._transport.write(_serialized(answer))
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._guard.door.answering -= self._has_place
        self._deadline.cancel()
        if self._look is not None:
            self._look.cancel()
