"""The socket: takes connections, feeds their sessions, and closes them calmly."""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import structlog
from websockets.http11 import Request, Response

from parlour_protocol import notices
from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.ids import parse_code
from parlour_protocol.words import Sentence
from parlour_server.counters import Counters
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.net.connection import CLOSE_SECONDS, Connection, ConnectionFactory
from parlour_server.net.connection_limiter import ConnectionLimiter, TurnedAway, room_for
from parlour_server.net.http import (
    ending,
    forbidden,
    healthy,
    may_read_metrics,
    metrics,
    misread,
    origin_allowed,
    own_origin,
    page_allowed,
    plain_path,
    public_origin,
    readiness,
    refused,
    shut_out,
    turned_away,
    was_forwarded,
    who_arrives,
    wrong_path,
)
from parlour_server.net.peers import FORWARDED, Proxies
from parlour_server.net.site import (
    Shell,
    Site,
    card_answer,
    card_code,
    is_page,
    misdirected,
    own_site,
    preferred,
)
from parlour_server.refusals import Refusal
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.previews import Previews
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerSettings

log = structlog.get_logger()

GOING_AWAY = 1001
STOP_SECONDS = 3.5
"""How long the connections are given to close calmly: a little more than one closing handshake."""
COME_BACK_SECONDS = 2.0
"""What a stopping server tells its clients to wait."""
STOPPING = notices.Goodbye("stopping", Sentence("refusal.stopped"), COME_BACK_SECONDS)
MOVED = notices.Goodbye("stopping", Sentence("refusal.moved"), 0.1)
"""Of a node among others."""
CLOSED = notices.Goodbye("closed", Sentence("refusal.closed"))
"""Of a shared server: it is not started again in a moment."""


NewSession = Callable[[Outbox, str, str], Session]
"""Makes the session of a connection, from its way out, the address of its peer and its name in the log."""


async def _no_metrics() -> bytes:
    return b""


async def _nothing_amiss() -> list[str]:
    return []


@dataclass(slots=True)
class Net:
    """What a server listens with beside its settings."""

    shared_port: bool = False
    """Do other processes listen at the same port?"""
    tls: ssl.SSLContext | None = None
    site: Site = field(default_factory=own_site)
    """The page that browsers get."""
    counters: Counters = field(default_factory=Counters)
    metrics: Callable[[], Awaitable[bytes]] = field(default=_no_metrics)
    """Gives the page of metrics."""
    unready: Callable[[], Awaitable[list[str]]] = field(default=_nothing_amiss)
    """Gives the reasons why no client should be sent here now."""
    expect: Callable[[], bool] = lambda: True
    """Called for a player who is about to connect. False: it is too late for that."""
    banned: Callable[[str], object | None] = lambda address: None
    """Called with the address of a peer who is about to connect: anything but None keeps it out."""
    previews: Previews | None = None
    """Gives what a room's link shows; None: nothing of its own."""
    goodbye: notices.Goodbye = field(default_factory=lambda: STOPPING)
    """What is sent to everyone when the server ends."""


class SocketServer:
    """Listens from `start` to `stop`."""

    def __init__(self, settings: ServerSettings, net: Net, new_session: NewSession) -> None:
        self._settings, self._net = settings, net
        self._proxies = Proxies(settings.trusted_proxy)
        self._new_session = new_session
        self._server: asyncio.Server | None = None
        self._stopping = False
        self._warned = False
        # What strangers send is not our news: a bad handshake or a lost connection is no error here.
        quiet = logging.getLogger("parlour.websockets")
        quiet.setLevel(logging.CRITICAL)
        self._factory = ConnectionFactory(
            ConnectionLimiter(
                settings, _connections(settings.connections), self._proxies, asyncio.get_running_loop().time
            ),
            self._answer,
            self._open_session,
            net.unready,
            net.counters,
            quiet,
        )

    @property
    def open_connections(self) -> int:
        """How many connections are open, those among them that have not shaken hands."""
        return len(self._factory.open)

    @property
    def open_sessions(self) -> int:
        """How many connections have shaken hands."""
        return sum(connection.session is not None for connection in self._factory.open)

    async def start(self, *, free_port: bool = False) -> int:
        """Listen, at a free port in place of the one that is set; returns the port. Raises `OSError`."""
        settings, net = self._settings, self._net
        self._server = await asyncio.get_running_loop().create_server(
            self._factory,
            settings.host,
            0 if free_port else settings.port,
            ssl=net.tls,
            reuse_port=net.shared_port or None,
            # Only with TLS may a call have these.
            ssl_handshake_timeout=settings.handshake_seconds if net.tls else None,
            ssl_shutdown_timeout=CLOSE_SECONDS if net.tls else None,
        )
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Say goodbye to everyone, and end all connections."""
        if self._server is None:
            return
        log.debug("stopping", connections=self.open_connections)
        self._stopping = True
        self._server.close()
        goodbye = encode_to_client(self._net.goodbye)
        for connection in list(self._factory.open):
            if connection.session is not None:
                connection.send(goodbye)
                connection.close(GOING_AWAY, "the server is stopping")
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._factory.all_closed()
        except TimeoutError:
            # Peers that don't read, and some that never finished their handshake.
            for connection in list(self._factory.open):
                connection.abort()
            await self._factory.all_closed()
        await self._server.wait_closed()

    def _answer(
        self, connection: Connection, request: Request
    ) -> Response | Coroutine[Any, Any, Response] | None:
        net = self._net
        if answer := misread(request):
            return answer
        path = plain_path(request)
        # Before all limits and bans: a supervisor restarts a server that does not answer this.
        if path == "/healthz":
            return healthy()
        if path == "/readyz":
            return self._look_ready()
        if self._proxies.trusts(connection.peer):
            try:
                connection.come_from(self._proxies.origin(connection.peer, request.headers))
            except TurnedAway as why:
                self._net.counters.connections_refused[why.reason] += 1
                return turned_away(why, preferred(request.headers))
        elif FORWARDED in request.headers and not is_limited(connection.address):
            self._warn_of_proxy(connection)
        if path == "/metrics":
            known = may_read_metrics(request, str(connection.peer or ""), self._settings.metrics_from)
            return self._measure() if known else net.site.nothing_here(request)
        if self._net.banned(str(connection.origin or "")) is not None:
            self._net.counters.connections_refused["banned"] += 1
            return shut_out(preferred(request.headers))
        if path is not None:
            return self._answer_plain(connection, request, path)
        if request.path != "/":
            return wrong_path()
        if not origin_allowed(request, self._settings.origins, secure=self._net.tls is not None):
            self._net.counters.connections_refused["origin"] += 1
            return forbidden()
        return ending() if self._stopping else None

    async def _look_ready(self) -> Response:
        return readiness(await self._net.unready())

    async def _measure(self) -> Response:
        return metrics(await self._net.metrics())

    def _answer_plain(
        self, connection: Connection, request: Request, path: str
    ) -> Response | Coroutine[Any, Any, Response]:
        net = self._net
        if path == "/arriving":
            return who_arrives(request, net.expect)
        if net.previews is not None and (code := card_code(path)) is not None:
            return self._draw(net.previews, code, connection, request)
        file = net.site.find(path)
        if file is None:
            return net.site.nothing_here(request)
        if is_page(path) and not page_allowed(request, self._settings.origins, secure=net.tls is not None):
            here = None if was_forwarded(request) else connection.own_address
            return misdirected(
                own_origin(request), here and f"http://{here}{path}", preferred(request.headers)
            )
        connection.took_file()
        code = parse_code(path[1:])
        if net.previews is not None and code is not None and isinstance(file, Shell):
            return self._preview(net.previews, code, connection, request, file)
        return file.answer(request)

    async def _preview(
        self, previews: Previews, code: str, connection: Connection, request: Request, page: Shell
    ) -> Response:
        """A room's page, with its preview where there is one."""
        try:
            preview = await previews.of(code, connection.address)
        except Refusal:
            return page.answer(request)
        origin = public_origin(request, self._settings.origins, secure=self._net.tls is not None)
        return page.answer_with(request, preview, origin)

    async def _draw(
        self, previews: Previews, code: str, connection: Connection, request: Request
    ) -> Response:
        """A room's picture."""
        try:
            return card_answer(await previews.card(code, connection.address))
        except Refusal as refusal:
            if refusal.code is Code.UNKNOWN_ROOM:
                return self._net.site.nothing_here(request)
            return refused(refusal, preferred(request.headers))

    def _warn_of_proxy(self, connection: Connection) -> None:
        if not self._warned:
            self._warned = True
            log.warning(
                "a proxy on this machine is not trusted, so no address is limited: see --trusted-proxy",
                proxy=str(connection.peer),
            )

    def _open_session(self, connection: Connection) -> Session:
        log.debug("connected", connection=connection.number, address=str(connection.origin))
        return self._new_session(connection, connection.address, connection.number)


def _connections(wanted: int) -> int:
    """How many there may be: no more than there are file handles for."""
    most = room_for(wanted)
    if most < wanted:
        log.warning(
            "file handles are too few for as many connections as may be: raise the limit (ulimit -n)",
            connections=most,
            wanted=wanted,
        )
    return most
