"""A connection: an `asyncio.Protocol` of ours over the Sans-I/O protocol of `websockets`.

It cuts what comes in into whole frames, by their headers alone, and so always stands between two of them.
A whole text message in one frame, which is nearly all that comes, is unmasked and handed to the session at
once. All else goes to the library frame by frame: it answers pings, keeps the order of fragments, judges
what breaks the RFC's rules, and knows the two handshakes. What goes out are text frames, written by hand.

What must hold whatever the peer does:
- bad UTF-8 closes with 1007, what is too large or in too many fragments with 1009, broken rules with 1002;
- control frames and fragments count like messages, before they are parsed;
- what waits for a peer is bounded: see `flush`, `MOST_WAITING` and `pause_writing`;
- handshake, heartbeat and farewell have deadlines, and at each of them the connection is aborted.
"""

import asyncio
import codecs
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import structlog
from websockets.exceptions import InvalidMessage
from websockets.frames import CloseCode as Rfc
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import LoggerLike, Subprotocol

from parlour_protocol import SUBPROTOCOL
from parlour_protocol.errors import CloseCode
from parlour_server.counters import Counters
from parlour_server.hosting.limits.turn_queue import TurnQueue
from parlour_server.net.connection_limiter import ConnectionLimiter, TurnedAway
from parlour_server.net.frames import (
    FINAL,
    FINAL_BINARY,
    FINAL_TEXT,
    HEAD,
    MASK,
    MASKED,
    OPCODE,
    SHORT,
    find_end,
    head,
    unmask,
)
from parlour_server.net.http import SERVER_NAME, malformed, serialized
from parlour_server.net.peers import Address, address_key, read_address
from parlour_server.net.turned_away import TurnedAwayConnection
from parlour_server.sessions.session import Session

log = structlog.get_logger()

OUTBOX_BYTES = 256 * 1024
OUTBOX_MESSAGES = 64
"""Bounds of what waits for a peer: bytes in all, and messages added beyond `HIGH_WATER`."""
HIGH_WATER = 32 * 1024
MOST_WAITING = OUTBOX_BYTES + 64 * 1024
"""Bytes that wait for a peer at which it is cut when it pings: an outbox alone stays below."""
MOST_UNREAD = 64 * 1024
"""Where more bytes than these wait for their turn, no more are read; those of a request are read at once."""
FRAMES_AT_ONCE, BYTES_AT_ONCE = 8, 4096
"""After so much of one connection, others have their turn."""
PIECES_AT_ONCE = 4
"""Such pieces in one turn of the loop: a millisecond's work, a few where messages are as bad as may be."""
MOST_FRAGMENTS = 1024
"""Of one message; its size is bounded by the library."""
CLOSE_SECONDS = 2.0
"""How long a peer has for its goodbye; two heartbeats and this are the time until a silent one is away."""
CUT_SECONDS = 1.0
"""How long a peer that was cut is given for the closing handshake, which it will hardly read."""
_LARGE = OUTBOX_BYTES // OUTBOX_MESSAGES
"""A message of this size is written at once: what gathers stays bounded in bytes, too."""
_HEADS = tuple(map(head, range(_LARGE)))
"""Those of smaller messages, by their sizes."""
LONGEST_REASON = 123
"""Bytes that a close frame has for it."""
_PING_BYTES = 4
_utf8_decoder = codecs.getincrementaldecoder("utf-8")


class Phase(Enum):
    """What a connection does with the bytes that come."""

    REQUEST = auto()
    """They are the request's."""
    ANSWERING = auto()
    """They are dropped: its request is looked into, and is answered in plain HTTP."""
    OPEN = auto()
    """They are frames for the session."""
    CLOSING = auto()
    """Our close frame is out: only the peer's own matters."""
    ENDING = auto()
    """They are dropped: it was answered in plain HTTP, both have closed, or one has failed."""


_FRAMED = (Phase.OPEN, Phase.CLOSING)
_OPEN = Phase.OPEN
"""To look it up in the class would take longer, each time."""


class Flusher:
    """Writes what one turn of the loop has gathered: one system call a connection, not one a message.

    After all that came in, not with each of it as uvloop would: a write wakes its reader, and that costs more
    than the rest of the way (51 us of CPU a move at 200 rooms, not 90).
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[Connection] = []

    def add(self, connection: "Connection") -> None:
        """Have a connection flushed before the loop looks at the sockets again."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(connection)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.flush()


@dataclass(slots=True, eq=False)
class ConnectionFactory:
    """Makes the connections of one server, and holds what they share."""

    limiter: ConnectionLimiter
    answer: "Callable[[Connection, Request], Response | Coroutine[Any, Any, Response] | None]"
    """Gives what a request is answered; None: a session begins."""
    open_session: Callable[["Connection"], Session]
    unready: Callable[[], Awaitable[list[str]]]
    """Gives the reasons why no client should be sent here now."""
    counters: Counters = field(default_factory=Counters)
    logger: LoggerLike | None = None
    """Where the library writes."""
    arrivals: TurnQueue = field(default_factory=TurnQueue)
    """Requests that wait to be read."""
    backlog: TurnQueue = field(default_factory=lambda: TurnQueue(PIECES_AT_ONCE))
    """Connections that have sent more than one short message at a time."""
    flusher: Flusher = field(default_factory=lambda: Flusher(asyncio.get_running_loop()))
    open: set["Connection"] = field(default_factory=set)
    """All connections, those that have not shaken hands among them."""

    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self) -> "Connection":
        """See `asyncio.loop.create_server`."""
        return Connection(self)

    def lost(self, connection: "Connection") -> None:
        """A connection has ended."""
        self.limiter.release(connection.address)
        self.open.discard(connection)
        if not self.open:
            self._closed.set()

    async def all_closed(self) -> None:
        """Wait until no connection is open."""
        while self.open:
            self._closed.clear()
            await self._closed.wait()


class Connection(asyncio.Protocol):
    """One connection, from its first byte to its last, and the outbox of its session: see `Outbox`."""

    def __init__(self, factory: ConnectionFactory) -> None:
        self._factory = factory
        self._limits = factory.limiter.limits
        self.counters = factory.counters
        """What it counts in, with all others of its server."""
        self.number = ""
        """Its short name in the log."""
        self.peer: Address | None = None
        """Where it comes from, perhaps a proxy; None where that is not known."""
        self.origin: Address | None = None
        """Where it comes from in truth, as far as is known."""
        self.address = ""
        """The key of its address, for all limits: see `peers.address_key`."""
        self.session: Session | None = None
        """Receives its messages, once it has shaken hands."""
        self.phase = Phase.REQUEST
        self.transport: asyncio.Transport
        self.paused = False
        """Is more than `HIGH_WATER` waiting to be read by the peer?"""
        self._loop = asyncio.get_running_loop()
        self._protocol = ServerProtocol(
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            max_size=self._limits.message_bytes,
            logger=factory.logger,
        )
        self._unread = b""
        """What came, and is no whole frame yet or waits for its turn."""
        self._waits = False
        """Do its frames wait for their turn?"""
        self._reads = True
        """Does the session take more? See `pause`."""
        self._stopped = False
        """Was reading from the socket stopped?"""
        self._parts: list[str] | None = None
        """What has come of a message in fragments."""
        self._decoder: codecs.IncrementalDecoder | None = None
        """Of those fragments; None: they are binary."""
        self._frames: list[bytes] = []
        """What goes out in this turn of the loop: heads and messages in turn."""
        self._behind = 0
        """How many messages were added while the peer was behind."""
        self._ping = b""
        """The ping that waits for its answer."""
        self._pinged_at = 0.0
        self._latency = 0.0
        self._heartbeat: asyncio.TimerHandle | None = None
        self._must_catch_up: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        """When it is aborted: its handshake or its farewell takes too long."""
        self._answering: asyncio.Task[Response] | None = None
        factory.limiter.look_at_handles()

    # ------------------------------------------------------------ beginning and end

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.BaseProtocol`. One that is not let in never becomes a connection of ours."""
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.peer = self.origin = read_address(peer[0]) if peer else None
        factory = self._factory
        try:
            self.address = factory.limiter.accept(self.peer)
        except TurnedAway as why:
            self.counters.connections_refused[why.reason] += 1
            TurnedAwayConnection(self.transport, why, factory.limiter, self.peer, factory.unready)
            return
        self.transport.set_write_buffer_limits(HIGH_WATER)
        self.counters.connections += 1
        self.number = f"c{self.counters.connections}"
        factory.open.add(self)
        self._abort_in(self._limits.handshake_seconds)

    def come_from(self, address: Address | None) -> None:
        """Count it as one from this address, which its request names. Raises `TurnedAway`."""
        self.origin = address
        self.address = self._factory.limiter.admit(address_key(address))

    def took_file(self) -> None:
        """It asked for a file of the page: that is less than a handshake."""
        self.counters.files += 1
        self._factory.limiter.give_back(self.address)

    @property
    def own_address(self) -> str | None:
        """Where it found this server, as it stands in a link; None where no link can name it."""
        host, port = self.transport.get_extra_info("sockname")[:2]
        address = read_address(host)
        if address is None or address.is_link_local:
            return None
        return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"

    def abort(self) -> None:
        """End it now, whatever waits."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self.phase, self._unread, self._frames = Phase.ENDING, b"", []
        for timer in (self._heartbeat, self._must_catch_up, self._deadline):
            if timer is not None:
                timer.cancel()
        if self._answering is not None:
            self._answering.cancel()
        # A session holds its outbox, and the library's parser its protocol: both would be
        # kept until a rare look for cycles.
        session, self.session = self.session, None
        vars(self._protocol).clear()
        self._factory.lost(self)
        if session is not None:
            session.lost()
            log.debug("disconnected", connection=self.number, address=str(self.origin), player=session.player)

    def _abort_in(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._loop.call_later(seconds, self.transport.abort)

    # ------------------------------------------------------------ what comes in

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket. See `asyncio.Protocol`."""
        self.counters.bytes_in += len(data)
        size = len(data) - HEAD
        if (
            0 <= size < SHORT
            and data[0] == FINAL_TEXT
            and data[1] == MASKED | size
            and self.phase is _OPEN
            and not self._unread
            and self._parts is None
        ):
            self._take_text(unmask(data[HEAD:], data[HEAD - MASK : HEAD]))
            return
        if self.phase is Phase.REQUEST:
            if not self._unread:
                self._factory.arrivals.join(self._read_request)
            self._unread += data
            if len(self._unread) > MOST_UNREAD:
                self._read_request()
        elif self.phase in _FRAMED:
            self._unread += data
            self._wait_for_turn(self._factory.backlog.run)
            if len(self._unread) > MOST_UNREAD:
                self._stop_reading()

    def eof_received(self) -> None:
        """See `asyncio.Protocol`."""
        if self.phase is Phase.REQUEST:
            self._read_request()
        while self._waits:
            self._have_turn()
        self._protocol.receive_eof()
        self._settle()

    def _read_request(self) -> None:
        """Read what has come of the request, line by line: what follows it are frames, and for later."""
        while self.phase is Phase.REQUEST and self._unread:
            line, end, rest = self._unread.partition(b"\n")
            self._unread = rest
            self._protocol.receive_data(line + end)
            for request in self._protocol.events_received():
                self._answer(cast(Request, request))
            failed = self._protocol.handshake_exc
            if isinstance(failed, InvalidMessage) and not isinstance(failed.__cause__, EOFError):
                # The library answers it by the end alone.
                self.transport.write(serialized(malformed()))
            self._settle()
        if self._unread:
            self._wait_for_turn(self._factory.backlog.run)

    def _wait_for_turn(self, have: Callable[[Callable[[], None]], None]) -> None:
        """Have the frames read, by a method of the queue's."""
        if not self._waits:
            self._waits = True
            have(self._have_turn)

    def _have_turn(self) -> None:
        if self._waits:
            self._waits = False
            try:
                self._read_frames()
            except Exception:
                # Ours, not the sender's; what was read with it is lost, and so nothing after it is right.
                log.exception("a connection failed", connection=self.number)
                self.transport.abort()

    def _read_frames(self) -> None:
        """Take some of the frames that are whole; what is left of them waits for the next turn."""
        data, self._unread, at, taken = self._unread, b"", 0, 0
        while self._reads and self.phase in _FRAMED:
            payload, end = find_end(data, at, self._limits.message_bytes)
            if not end or end > len(data):
                self._read_on()
                break
            if taken == FRAMES_AT_ONCE or at > BYTES_AT_ONCE:
                self._wait_for_turn(self._factory.backlog.join)
                break
            taken += 1
            if end < 0:
                end = len(data)
                self._feed(data[at:])
            elif self.phase is Phase.OPEN:
                self._take_frame(data[at:end], payload - at)
            elif data[at] & OPCODE == Opcode.CLOSE:
                self._feed(data[at:end])
            at = end
        if self.phase in _FRAMED:
            self._unread = data[at:]

    def _take_frame(self, frame: bytes, payload: int) -> None:
        """Take a whole frame. What is neither a message nor an answer to our ping is counted, then parsed."""
        assert self.session is not None
        first, opcode = frame[0], frame[0] & OPCODE
        if first == FINAL_TEXT and self._parts is None:
            self._take_text(unmask(frame[payload:], frame[payload - MASK : payload]))
        elif first == FINAL_BINARY and self._parts is None:
            self.session.receive_binary()
        elif opcode == Opcode.PING or opcode == Opcode.PONG:
            if first == FINAL | Opcode.PONG and self._answers_ping(frame, payload):
                return
            if self.session.receive_frame():
                self._feed(frame)
        else:
            if not first & FINAL:
                self.session.receive_frame()
            if self.phase is Phase.OPEN:
                self._feed(frame)

    def _answers_ping(self, frame: bytes, payload: int) -> bool:
        if not self._ping or unmask(frame[payload:], frame[payload - MASK : payload]) != self._ping:
            return False
        self._ping = b""
        self._latency = self._loop.time() - self._pinged_at
        return True

    def _feed(self, data: bytes) -> None:
        """Have the library read a whole frame, or one that breaks a rule as far as it is there."""
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            frame = cast(Frame, event)
            if frame.opcode < Opcode.CLOSE:
                self._assemble(frame)
        self._settle()

    def _assemble(self, frame: Frame) -> None:
        """Take a fragment. The library vouches for the order: a first one, then others, the last with fin."""
        assert self.session is not None
        if self._parts is None:
            self._parts = []
            self._decoder = _utf8_decoder() if frame.opcode is Opcode.TEXT else None
        try:
            self._parts.append("" if self._decoder is None else self._decoder.decode(frame.data, frame.fin))
        except UnicodeDecodeError as error:
            self._fail(Rfc.INVALID_DATA, f"{error.reason} in a fragment")
            return
        if len(self._parts) > MOST_FRAGMENTS:
            self._fail(Rfc.MESSAGE_TOO_BIG, "too many fragments")
        elif frame.fin:
            parts, self._parts = self._parts, None
            if self._decoder is None:
                self.session.receive_binary()
            else:
                self.session.receive("".join(parts))

    def _take_text(self, data: bytes) -> None:
        assert self.session is not None
        try:
            text = str(data, "utf-8")
        except UnicodeDecodeError as error:
            self._fail(Rfc.INVALID_DATA, f"{error.reason} at position {error.start}")
        else:
            self.session.receive(text)

    # ------------------------------------------------------------ handshake, heartbeat, farewell

    def _answer(self, request: Request) -> None:
        try:
            answer = self._factory.answer(self, request)
        except Exception as error:
            answer = self._internal_error(error)
        if answer is None:
            answer = self._protocol.accept(request)
        if isinstance(answer, Response):
            self._respond(request, answer)
        else:
            self.phase = Phase.ANSWERING
            self._answering = self._loop.create_task(answer)
            self._answering.add_done_callback(partial(self._answered, request))

    def _answered(self, request: Request, answering: asyncio.Task[Response]) -> None:
        if answering.cancelled() or self.phase is not Phase.ANSWERING:
            return
        error = answering.exception()
        answer = answering.result() if error is None else self._internal_error(error)
        self._respond(request, answer)
        self._settle()

    def _respond(self, request: Request, answer: Response) -> None:
        if request.method == "HEAD":
            answer.body = b""
        answer.headers["Server"] = SERVER_NAME
        self._protocol.send_response(answer)
        if self._protocol.state is State.OPEN:
            self._settle()
            self.phase = Phase.OPEN
            # The library's parser holds its request as long as it is open.
            request.headers.clear()
            assert self._deadline is not None
            self._deadline.cancel()
            self._heartbeat = self._loop.call_later(self._limits.heartbeat_seconds, self._beat)
            self.session = self._factory.open_session(self)

    def _internal_error(self, error: BaseException) -> Response:
        log.error("a request could not be answered", connection=self.number, exc_info=error)
        return self._protocol.reject(HTTPStatus.INTERNAL_SERVER_ERROR, "That could not be answered.\n")

    def _beat(self) -> None:
        """Ping the peer; one that has not answered the ping before is gone."""
        if self._ping:
            self._fail(Rfc.INTERNAL_ERROR, "keepalive ping timeout")
            return
        self._ping, self._pinged_at = secrets.token_bytes(_PING_BYTES), self._loop.time()
        self._protocol.send_ping(self._ping)
        self._heartbeat = self._loop.call_later(self._limits.heartbeat_seconds, self._beat)
        self._settle()

    def close(self, code: int, reason: str, seconds: float = CLOSE_SECONDS) -> None:
        """End it after what was sent; the peer has so long to agree."""
        self.flush()
        if self.phase is not Phase.OPEN:
            return
        reason = reason.encode()[:LONGEST_REASON].decode(errors="ignore")
        if code == Rfc.POLICY_VIOLATION:
            # What a flood goes on to send is not even looked through for its farewell.
            self._fail(Rfc.POLICY_VIOLATION, reason)
            self._stop_reading()
        else:
            self._protocol.send_close(code, reason)
            self._settle()
            self._abort_in(seconds)

    def _fail(self, code: Rfc, reason: str) -> None:
        self._protocol.fail(code, reason)
        self._settle()

    def _settle(self) -> None:
        """Write what the library has for the peer, and see what is to be done with what comes after it."""
        writes = self._protocol.data_to_send()
        if not writes:
            return
        # What was sent before comes first, and nothing comes after a farewell.
        self.flush()
        if not self.transport.is_closing():
            self.transport.write(b"".join(writes))
        if self.paused and self.transport.get_write_buffer_size() > MOST_WAITING:
            self._cut()
        if self._heartbeat is not None and self._protocol.state is not State.OPEN:
            self._heartbeat.cancel()
        if not writes[-1]:
            self._end()
        elif self._protocol.state is State.CLOSING:
            self.phase = Phase.CLOSING

    def _end(self) -> None:
        """Half-close: that the peer has read all is seen when it closes, too."""
        # A farewell of ours has a deadline already, and a file of the page that still waits the handshake's.
        if self.phase is Phase.OPEN or (self.phase is not Phase.CLOSING and not self.paused):
            self._abort_in(CLOSE_SECONDS)
        self.phase = Phase.ENDING
        if not self.transport.can_write_eof():
            self.transport.close()  # TLS knows no such thing
        elif not self.transport.is_closing():
            with contextlib.suppress(OSError, RuntimeError):
                self.transport.write_eof()

    # ------------------------------------------------------------ what goes out

    def send(self, message: bytes) -> None:
        """See `Outbox.send`. Whether there is room is asked when it is written."""
        frames = self._frames
        if len(frames) >= 2 * OUTBOX_MESSAGES:
            self.flush()
            frames = self._frames
        if not frames:
            self._factory.flusher.add(self)
        size = len(message)
        if size < _LARGE:
            frames += _HEADS[size], message
        else:
            frames += head(size), message
            self.flush()

    def flush(self) -> None:
        """Write what has gathered; lost with the connection, where that has ended meanwhile."""
        frames, self._frames = self._frames, []
        if frames and self.phase is _OPEN:
            data = b"".join(frames)
            if not self.paused:
                self._behind = 0
            elif not self._has_room(len(data), len(frames) // 2):
                return
            self.counters.bytes_out += len(data)
            self.transport.write(data)

    def _has_room(self, size: int, messages: int) -> bool:
        """Is a peer that is behind quick enough for so much more? One that is too slow is cut."""
        self._behind += messages
        waiting = self.transport.get_write_buffer_size()
        if self._behind <= OUTBOX_MESSAGES and waiting + size <= OUTBOX_BYTES:
            return True
        self.counters.connections_cut["slow_reader"] += 1
        log.info("a slow reader is cut", connection=self.number, waiting_bytes=waiting)
        # Aborted soon, since the farewell waits behind all that the peer has not read.
        self.close(CloseCode.TOO_SLOW, "you read too slowly; come back", CUT_SECONDS)
        return False

    def pause(self) -> None:
        """See `Outbox.pause`."""
        self._reads = False
        self._stop_reading()

    def resume(self) -> None:
        """See `Outbox.resume`."""
        self._reads = True
        self._wait_for_turn(self._factory.backlog.join)

    def _stop_reading(self) -> None:
        if not self._stopped and not self.transport.is_closing():
            self._stopped = True
            self.transport.pause_reading()

    def _read_on(self) -> None:
        if self._stopped and not self.transport.is_closing():
            self._stopped = False
            self.transport.resume_reading()

    def lag(self) -> int:
        """See `Outbox.lag`. Measured by the heartbeat's pings."""
        return round(1000 * self._latency)

    def pause_writing(self) -> None:
        """What waits for the peer is above the high-water mark. See `asyncio.BaseProtocol`."""
        self.paused = True
        # One that is behind has longer than for the answer to a ping.
        patience = 2 * self._limits.heartbeat_seconds
        self._must_catch_up = self._loop.call_later(patience, self._cut)

    def resume_writing(self) -> None:
        """The peer has caught up. See `asyncio.BaseProtocol`."""
        self.paused = False
        if self._must_catch_up is not None:
            self._must_catch_up.cancel()
            self._must_catch_up = None

    def _cut(self) -> None:
        self.counters.connections_cut["reads_nothing"] += 1
        waiting = self.transport.get_write_buffer_size()
        log.info("a peer that reads nothing is cut", connection=self.number, waiting_bytes=waiting)
        self.transport.abort()
