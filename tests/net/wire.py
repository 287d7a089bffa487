"""A connection without a socket: what it is given, what its session receives, and what it writes."""

import asyncio
import struct
from collections.abc import Iterable

from parlour_server.counters import Counters
from parlour_server.hosting.limits.rate_limits import Bucket
from parlour_server.net.connection import Connection, ConnectionFactory
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerLimits
from tests.net.frames import handshake
from tests.net.inside import open_door
from tests.support.waiting import within

LARGEST = ServerLimits().message_bytes


class Sink(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.ended = False
        self.reads = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.ended
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def close(self) -> None:
        self.ended = True

    def abort(self) -> None:
        self.ended = True


class Receiving(Session):
    """A session that remembers what it is given (None: a binary message), and echoes texts if it is to."""

    def __init__(self, connection: Connection, allowed: int, *, echoes: bool) -> None:
        self.received: list[str | None] = []
        self.player = ""
        self._connection, self._echoes = connection, echoes
        self._bucket = Bucket(0.0 if allowed < 0 else 1e-9, allowed, 0.0)

    def receive(self, text: str) -> None:
        self.received.append(text)
        if self._echoes:
            self._connection.send(text.encode())

    def receive_binary(self) -> None:
        self.received.append(None)

    def receive_frame(self) -> bool:
        return not self._bucket.take(0.0)

    def lost(self) -> None:
        pass


class Wire:
    """A connection that has shaken hands, its session and its transport. `allowed`: how many frames count."""

    def __init__(
        self,
        sink: Sink | None = None,
        *,
        allowed: int = -1,
        echoes: bool = False,
        beside: "Wire | None" = None,
    ) -> None:
        """`beside`: at the same server as that one."""
        self.sink = sink or Sink()
        self.sessions: list[Receiving] = []

        def open_session(connection: Connection) -> Session:
            self.sessions.append(Receiving(connection, allowed, echoes=echoes))
            return self.sessions[0]

        async def unready() -> list[str]:
            return []

        self.factory: ConnectionFactory
        if beside is None:
            self.factory = ConnectionFactory(
                open_door(), lambda connection, request: None, open_session, unready, Counters()
            )
        else:
            self.factory = beside.factory
        self.factory.open_session = open_session
        self.connection = self.factory()
        self.connection.connection_made(self.sink)

    async def shake_hands(self) -> "Wire":
        self.connection.data_received(handshake("localhost", "1"))
        await within(20, lambda: bool(self.sessions))
        self.sink.written = b""
        return self

    @property
    def received(self) -> list[str | None]:
        return self.sessions[0].received

    async def give(self, pieces: Iterable[bytes]) -> None:
        """Have these come in one turn of the loop, and wait until they are read."""
        for piece in pieces:
            if not self.sink.ended:
                self.connection.data_received(piece)
        await within(20, lambda: not self.connection._waits)

    def frames(self) -> list[tuple[int, bytes]]:
        """What was written: each frame's first byte and payload."""
        found, data = [], self.sink.written
        while data:
            size, start = data[1], 2
            if size == 126:
                (size,), start = struct.unpack("!H", data[2:4]), 4
            elif size == 127:
                (size,), start = struct.unpack("!Q", data[2:10]), 10
            found.append((data[0], data[start : start + size]))
            data = data[start + size :]
        return found

    def close_code(self) -> int | None:
        """The code of our farewell; None: there is none, or it has no code."""
        closed = [payload for first, payload in self.frames() if first == 0x88]
        return int.from_bytes(closed[0][:2]) if closed and closed[0] else None
