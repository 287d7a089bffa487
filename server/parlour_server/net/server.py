"""The socket: takes connections, feeds their sessions, and closes them calmly."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from parlour_protocol import SUBPROTOCOL, notices
from parlour_protocol.codec import encode_to_client
from parlour_server.hosting.context import ServerLimits
from parlour_server.net.direct import DirectConnection, DirectOutbox, direct_works
from parlour_server.net.guarded import Guard, GuardedConnection
from parlour_server.net.http import answer_http, forbidden, origin_allowed
from parlour_server.net.outbox import SocketOutbox, StockOutbox
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.session import Session

log = structlog.get_logger()

GOING_AWAY = 1001
CLOSE_SECONDS = 2.0
"""How long a peer has for its goodbye; two heartbeats and this are the time until a silent one is away."""
STOP_SECONDS = 3.5
"""How long the connections are given to close calmly: a little more than one closing handshake."""
COME_BACK_SECONDS = 2.0
"""What a stopping server tells its clients to wait."""
STOPPING = notices.Goodbye(
    "stopping", "The host has stopped the server; it may come back.", COME_BACK_SECONDS
)
CLOSED = notices.Goodbye("closed", "The host has closed the server.")
"""Of a shared server: nobody starts it again in a moment."""


NewSession = Callable[[Outbox, str], Session]
"""Makes the session of a connection, from its way out and the address of its peer."""


@dataclass(slots=True)
class Net:
    """Where and how to listen."""

    host: str = "127.0.0.1"
    port: int = 0
    origins: list[str] = field(default_factory=list)
    tls: ssl.SSLContext | None = None
    handshake_seconds: float = 10.0
    direct: bool = True
    """Take the short way, where the installed `websockets` allows it."""
    expect: Callable[[], bool] = lambda: True
    """Called for a player who is about to connect. False: it is too late for that."""
    goodbye: notices.Goodbye = field(default_factory=lambda: STOPPING)
    """What is sent to everyone when the server ends."""


class SocketServer:
    """Listens from `start` to `stop`."""

    def __init__(self, net: Net, limits: ServerLimits, new_session: NewSession) -> None:
        self._net = net
        self._limits = limits
        self._new_session = new_session
        self._outboxes: set[SocketOutbox] = set()
        self._server: Server | None = None
        self._guard = Guard(2 * limits.heartbeat_seconds)

    async def start(self) -> int:
        """Listen; returns the port. Raises `OSError`."""
        net, limits = self._net, self._limits
        # What strangers send is not our news: a bad handshake or a lost connection is no error here.
        quiet = logging.getLogger("parlour.websockets")
        quiet.setLevel(logging.CRITICAL)
        direct = net.direct and direct_works()
        self._server = await serve(
            self._serve_direct if direct else self._serve_stock,
            net.host,
            net.port,
            create_connection=partial(  # type: ignore[arg-type]
                DirectConnection if direct else GuardedConnection, guard=self._guard
            ),
            process_request=self._check_request,
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
            compression=None,
            server_header="parlour",
            open_timeout=net.handshake_seconds,
            ping_interval=limits.heartbeat_seconds,
            ping_timeout=limits.heartbeat_seconds,
            close_timeout=CLOSE_SECONDS,
            max_size=limits.message_bytes,
            logger=quiet,
            ssl=net.tls,
        )
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def stop(self) -> None:
        """Say goodbye to everyone, and end all connections."""
        if self._server is None:
            return
        goodbye = encode_to_client(self._net.goodbye)
        for outbox in list(self._outboxes):
            outbox.send(goodbye)
        self._server.close(code=GOING_AWAY, reason="the server is stopping")
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._server.wait_closed()
        except TimeoutError:
            # Peers that don't read, and some that never finished their handshake.
            self._guard.abort_all()
            await self._server.wait_closed()

    def _check_request(self, connection: ServerConnection, request: Request) -> Response | None:
        answer = answer_http(request, secure=self._net.tls is not None, expect=self._net.expect)
        if answer is not None:
            return answer
        if not origin_allowed(request, self._net.origins, secure=self._net.tls is not None):
            return forbidden()
        return None

    async def _serve_stock(self, connection: ServerConnection) -> None:
        outbox = StockOutbox(connection)
        session = self._new_session(outbox, _address(connection))
        self._outboxes.add(outbox)
        try:
            while True:
                message = await connection.recv()
                if isinstance(message, str):
                    session.receive(message)
                else:
                    session.receive_binary()
                await outbox.reading.wait()
        except ConnectionClosed:
            pass
        finally:
            self._outboxes.discard(outbox)
            session.lost()

    async def _serve_direct(self, connection: ServerConnection) -> None:
        assert isinstance(connection, DirectConnection)
        outbox = DirectOutbox(connection)
        session = self._new_session(outbox, _address(connection))
        self._outboxes.add(outbox)
        try:
            connection.attach(session.receive, session.receive_binary)
            await connection.wait_closed()
        finally:
            self._outboxes.discard(outbox)
            session.lost()
            connection.detach()


def _address(connection: ServerConnection) -> str:
    """The peer's IP address; empty where it is not known."""
    peer = connection.remote_address
    return str(peer[0]) if peer else ""
