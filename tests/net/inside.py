"""A server on this loop whose sockets the tests may look at."""

import contextlib
import socket
import time
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest

from parlour_server import app
from parlour_server.net.connection import Connection
from parlour_server.net.connection_limiter import ConnectionLimiter
from parlour_server.net.peers import Proxies
from parlour_server.net.server import Net, NewSession, SocketServer
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerLimits, ServerSettings
from tests.support.server import serving


def open_door() -> ConnectionLimiter:
    """One that lets in everybody."""
    limits = ServerLimits(address_handshakes_per_minute=0, heartbeat_seconds=20)
    return ConnectionLimiter(limits, 1000, Proxies(()), time.monotonic)


class Watched(SocketServer):
    """Remembers which sessions it made, as long as they live."""

    def __init__(self, settings: ServerSettings, net: Net, new_session: NewSession) -> None:
        self.sessions: weakref.WeakSet[Session] = weakref.WeakSet()

        def remembered(outbox: Outbox, address: str, connection: str) -> Session:
            session = new_session(outbox, address, connection)
            self.sessions.add(session)
            return session

        super().__init__(settings, net, remembered)

    @property
    def connections(self) -> list[Connection]:
        return list(self._factory.open)

    def narrow(self) -> None:
        """Have the system keep as little as it can for peers that connect from now on."""
        assert self._server is not None
        for listening in self._server.sockets:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)

    def gathered(self) -> int:
        """The most that waits for one peer, in bytes: written, and not yet written."""
        waiting = [connection.transport.get_write_buffer_size() for connection in self.connections]
        frames = [sum(map(len, connection._frames)) for connection in self.connections]
        return max(waiting, default=0) + max(frames, default=0)


@contextlib.asynccontextmanager
async def watched(**settings: Any) -> AsyncIterator[tuple[str, Watched]]:
    """A whole server: its address, and its sockets."""
    made: list[Watched] = []

    def make(settings: ServerSettings, net: Net, new_session: NewSession) -> Watched:
        made.append(Watched(settings, net, new_session))
        return made[0]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app, "SocketServer", make)
        async with serving(**settings) as url:
            yield url, made[0]
