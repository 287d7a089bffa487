"""The short way from socket to session and back, through the internals of `websockets`.

A whole text frame goes from the parser straight to the session, without a queue and a task's wake-up
for each message; a message goes out as one frame written to the transport. Together that is a fifth of
the cost of a move. What leans on internals is in this file alone: `direct_works` tells whether they
are as they were when it was written, and where they are not, the stock path serves. Both are tested alike.

What must not get lost on the way: bad UTF-8 closes with 1007, too many fragments with 1009, and a
session that can't keep up stops the reading.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from websockets.asyncio.messages import Assembler
from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import OPEN
from websockets.speedups import apply_mask
from websockets.streams import StreamReader
from websockets.version import version as websockets_version

from parlour_server.net.guarded import OUTBOX_BYTES, GuardedConnection
from parlour_server.net.outbox import OUTBOX_MESSAGES, SocketOutbox

TESTED_VERSIONS = ("17.",)
MOST_FRAGMENTS = 1024
"""Of one message; its size is bounded by the parser."""
MOST_EARLY = 64
_FINAL_TEXT, _MASKED, _HEAD, _SHORT = 0x81, 0x80, 6, 126
"""How a whole message in one frame begins, and the size of a payload whose length no longer fits beside."""
_HEADS = tuple(bytes((_FINAL_TEXT, size)) for size in range(_SHORT))
"""Of the short frames that go out, by the payload's size."""
_BETWEEN_FRAMES = StreamReader.at_eof.__code__
"""Where the parser waits when it has read whole frames only."""
_LARGE = OUTBOX_BYTES // OUTBOX_MESSAGES
"""A message of this size is written at once: what gathers stays bounded in bytes, too."""


_SHAKEN_HANDS = Request("", Headers())


class _NoMessages:
    """In place of the queue of what was received, where nothing is queued."""

    def close(self) -> None:
        """Nobody waits for more."""


_NO_MESSAGES = _NoMessages()


def direct_works() -> bool:
    """Are the internals of the installed `websockets` the ones that this file knows?"""
    return websockets_version.startswith(TESTED_VERSIONS)


class DirectConnection(GuardedConnection):
    """Hands whole messages to a session as the parser finds them, once one is attached."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._on_text: Callable[[str], None] | None = None
        self._on_binary: Callable[[], None] | None = None
        self._flush: Callable[[], None] | None = None
        self._early: list[Frame] = []
        self._parts: list[bytes] = []
        self._parts_opcode = Opcode.TEXT
        self._deaf = False
        """We began to close, before these bytes came or at one of their messages: what is left is dropped."""
        self._at_frame_start = False
        """Is a session attached, and has the parser read whole messages only?"""

    def attach(
        self, on_text: Callable[[str], None], on_binary: Callable[[], None], flush: Callable[[], None]
    ) -> None:
        """Hand all messages over from now on, those that have come already first.

        `flush` writes the answers that have gathered: called before a farewell, after which nothing is.
        """
        self._on_text, self._on_binary, self._flush = on_text, on_binary, flush
        early, self._early = self._early, []
        for frame in early:
            self.process_event(frame)
        self._drop_leftovers()
        self._look_where_the_parser_is()

    def _drop_leftovers(self) -> None:
        """Free what the handshake and the stock way of reading left: 4 KB of an idle connection's 20."""
        # Not None: by its request the library knows that the handshake is over.
        self.request, self.response = _SHAKEN_HANDS, None
        self.recv_messages = cast(Assembler, _NO_MESSAGES)
        self.drain_waiters = cast(deque[asyncio.Future[None]], [])

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket. Overrides the parsing of what is most often one short text frame.

        Anything else, and anything wrong, is left to the parser, which stands at the start of a frame
        before and after.
        """
        size = len(data) - _HEAD
        if (
            self._at_frame_start
            and 0 <= size < _SHORT
            and data[0] == _FINAL_TEXT
            and data[1] == _MASKED | size
            and self.protocol.state is OPEN
        ):
            self.counters.bytes_in += len(data)
            self._take_text(apply_mask(data[_HEAD:], data[_HEAD - 4 : _HEAD]))
        else:
            # Asked before the parser has seen a farewell or a fault: what came before those still counts.
            self._deaf = self._deaf or self.protocol.close_expected()
            super().data_received(data)
            self._look_where_the_parser_is()

    def _look_where_the_parser_is(self) -> None:
        # That its buffer is empty would not be enough: it may have read half a frame's head already.
        # The server's parser waits in the one that both sides share, and that in its reader.
        protocol: Any = self.protocol
        self._at_frame_start = (
            self._on_text is not None
            and protocol.state is OPEN
            and protocol.current_size is None
            and protocol.parser.gi_yieldfrom.gi_yieldfrom.gi_code is _BETWEEN_FRAMES
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        super().connection_lost(exc)
        # It holds what it parses for, and would keep it until a rare look for cycles.
        self.protocol.parser.close()

    def detach(self) -> None:
        """Let go of the session, which holds this connection too."""
        self._on_text = self._on_binary = self._flush = None
        self._at_frame_start = False

    def process_event(self, event: Any) -> None:
        """Take a frame from the parser. Overrides the queueing of the stock connection."""
        if type(event) is not Frame or event.opcode >= Opcode.CLOSE:
            super().process_event(event)
        elif self._deaf:
            pass
        elif self._on_text is None:
            # A peer that didn't wait for the handshake's end.
            self._early.append(event)
            if len(self._early) > MOST_EARLY:
                self._fail(CloseCode.POLICY_VIOLATION, "wait for the handshake")
        elif event.opcode is Opcode.TEXT and event.fin:
            self._take(Opcode.TEXT, event.data)
        else:
            self._assemble(event)

    def _assemble(self, frame: Frame) -> None:
        # The parser vouches for the order: a first frame, then continuations, the last with fin.
        if frame.opcode is not Opcode.CONT:
            self._parts, self._parts_opcode = [], frame.opcode
        self._parts.append(bytes(frame.data))
        if len(self._parts) > MOST_FRAGMENTS:
            self._fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
        elif frame.fin:
            whole, self._parts = b"".join(self._parts), []
            self._take(self._parts_opcode, whole)

    def _take(self, opcode: Opcode, data: bytes | bytearray | memoryview) -> None:
        if opcode is Opcode.TEXT:
            self._take_text(data)
        else:
            assert self._on_binary is not None
            self._on_binary()

    def _take_text(self, data: bytes | bytearray | memoryview) -> None:
        try:
            text = str(data, "utf-8")
        except UnicodeDecodeError as error:
            self._fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
            return
        assert self._on_text is not None
        self._on_text(text)

    def _fail(self, code: CloseCode, reason: str) -> None:
        self._deaf = True
        if not self.protocol.close_expected():
            if self._flush is not None:
                self._flush()
            self.protocol.fail(code, reason)
            self.send_data()
            self.close_deadline = self.loop.time() + (self.close_timeout or 0)


class Flusher:
    """Writes what one turn of the loop has gathered: one system call a connection, not one a message.

    After all that came in, not with each of it as uvloop would: a write wakes its reader, and that costs more
    than the rest of the way (51 us of CPU a move at 200 rooms, not 90).
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[DirectOutbox] = []

    def add(self, outbox: "DirectOutbox") -> None:
        """Have an outbox flushed before the loop looks at the sockets again."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(outbox)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for outbox in waiting:
            outbox.flush()


class DirectOutbox(SocketOutbox):
    """Writes frames by hand: a server's are not masked, and no extension was negotiated."""

    def __init__(self, connection: DirectConnection, flusher: Flusher) -> None:
        super().__init__(connection)
        self._transport = connection.transport
        self._flusher = flusher
        self._frames: list[bytes] = []

    def send(self, message: bytes) -> None:
        """See `Outbox.send`. Whether there is room is asked when it is written."""
        if len(self._frames) >= 2 * OUTBOX_MESSAGES:
            self.flush()
        frames = self._frames
        if not frames:
            self._flusher.add(self)
        size = len(message)
        if size < _SHORT:
            frames.append(_HEADS[size])
        elif size < 65536:
            frames.append(b"\x81\x7e" + size.to_bytes(2))
        else:
            frames.append(b"\x81\x7f" + size.to_bytes(8))
        frames.append(message)
        if size > _LARGE:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered; lost with the connection, where that has ended meanwhile."""
        frames, self._frames = self._frames, []
        if frames:
            data = b"".join(frames)
            if self._has_room(len(data), messages=len(frames) // 2):
                self._connection.counters.bytes_out += len(data)
                self._transport.write(data)

    def close(self, code: int, reason: str) -> None:
        """See `Outbox.close`."""
        self.flush()
        super().close(code, reason)

    def pause(self) -> None:
        """See `Outbox.pause`."""
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """See `Outbox.resume`."""
        if not self._transport.is_closing():
            self._transport.resume_reading()
