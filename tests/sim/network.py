"""A simulated network between clients and the server's sessions.

Within one connection nothing is reordered: it is a stream. But it is delayed, it stalls, and it breaks after
any of its bytes, in one direction first: either both ends notice that, each in its time, or it is half-open
and swallows everything until a heartbeat is missed.
"""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextvars import Context
from dataclasses import dataclass
from typing import Protocol

from websockets.exceptions import ConnectionClosed, ConnectionClosedError, ConnectionClosedOK
from websockets.frames import Close

from parlour_client.sdk.errors import ConnectionFailed
from parlour_protocol.errors import CloseCode
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.session import Session
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather

GIVE_UP_SECONDS = 10.0
"""How long somebody waits for a server that doesn't answer."""
CLIENT_NOTICES = (5.0, 12.0)
SERVER_NOTICES = (7.0, 14.0)
"""Seconds until a missed heartbeat ends a silent connection, from and to, at either end."""
CLOSE_SECONDS = 3.0
"""How long a server waits for the answer to its close."""
MOST_ON_THE_WAY = 160
"""Messages that a client may be behind before it is cut."""
FRAME_BYTES = 4
ABNORMAL = 1006
GOING_AWAY = 1001


class Host(Protocol):
    """A server that takes connections."""

    name: str
    context: Context
    sockets: Context
    """The process in which things arrive: it stands still while the server does."""

    def new_session(self, outbox: Outbox) -> Session:
        """Take one."""


@dataclass(frozen=True, slots=True)
class Hangup:
    """A closing frame."""

    code: int
    reason: str


class Network:
    """Whoever dials reaches one of the servers that listen now, if any does."""

    def __init__(self, loop: SimulatedLoop, dice: random.Random, weather: Weather, trace: Trace) -> None:
        self.loop, self.dice, self.weather, self.trace = loop, dice, weather, trace
        self.context = loop.new_process("network")
        self.hosts: list[Host] = []
        """Who listens."""
        self.links: dict[int, Link] = {}
        self.repeated: list[tuple[str, str]] = []
        """What was sent twice, and by whom."""
        self._numbers = 0

    async def open(self, who: str, context: Context) -> "ClientSocket":
        """Dial. Raises `ConnectionFailed`."""
        await asyncio.sleep(2 * self.delay())
        dice = self.dice
        host = None if not self.hosts else self.hosts[0] if len(self.hosts) == 1 else dice.choice(self.hosts)
        if self.weather.unreachable and dice.random() < self.weather.unreachable:
            if dice.random() < 0.3:
                await asyncio.sleep(GIVE_UP_SECONDS)
                raise ConnectionFailed("the server", "it does not answer", "Try again later.")
            host = None
        if host is None:
            raise ConnectionFailed("the server", "nothing is listening there", "Start one.")
        if self.loop.is_paused(host.name):
            await asyncio.sleep(GIVE_UP_SECONDS)
            raise ConnectionFailed("the server", "it does not answer", "Try again later.")
        self._numbers += 1
        link = self.links[self._numbers] = Link(self, self._numbers, who, host, context)
        return link.client

    def delay(self) -> float:
        """How long one message takes."""
        seconds = self.dice.uniform(*self.weather.latency)
        if self.weather.stall and self.dice.random() < self.weather.stall:
            seconds += self.dice.uniform(0.5, 6.0)
        return seconds

    def on_the_way(self) -> int:
        """How many messages have been sent and have not arrived."""
        return sum(len(pipe.items) for link in self.links.values() for pipe in (link.up, link.down))

    def is_connected(self, context: Context) -> bool:
        """Has a client's process a connection that is whole?"""
        return any(
            link.context is context and not link.up.broken and not link.down.broken
            for link in self.links.values()
        )

    def lines_of(self, host: Host) -> list["Link"]:
        """The connections of a server."""
        return [link for link in self.links.values() if link.host is host]

    def paused(self, host: Host) -> None:
        """A server is stopped while its connections stay open: its clients notice in their time."""
        for link in self.lines_of(host):
            self.loop.call_later(
                self.dice.uniform(*CLIENT_NOTICES), self._gives_up, link, context=self.context
            )

    def _gives_up(self, link: "Link") -> None:
        if self.loop.is_paused(link.host.name):
            link.up.send(Hangup(ABNORMAL, ""))
            link.client.end(ABNORMAL, "")

    def break_one(self) -> None:
        """Cut one connection now, somewhere in what is on its way."""
        if self.links:
            link = self.dice.choice(list(self.links.values()))
            self.dice.choice((link.up, link.down)).cut()


class Pipe:
    """One direction of a connection."""

    def __init__(
        self, link: "Link", name: str, arrive: Callable[[str | Hangup], None], context: Context
    ) -> None:
        self.items: deque[str | Hangup] = deque()
        self.broken = False
        self._link, self._name, self._arrive = link, name, arrive
        self._context = context
        """Of the process in which things arrive."""
        self._last = 0.0
        mean = link.network.weather.cut_bytes
        self._bytes_left = None if mean is None else round(link.network.dice.expovariate(1 / mean))

    def send(self, item: str | Hangup) -> None:
        """Send something on its way, if it is not lost there."""
        if self.broken:
            return
        if self._bytes_left is not None:
            self._bytes_left -= len(item) + FRAME_BYTES if isinstance(item, str) else FRAME_BYTES
            if self._bytes_left < 0:
                self._break()
                return
        network = self._link.network
        self._last = max(self._last, network.loop.time() + network.delay())
        self.items.append(item)
        network.loop.call_at(self._last, self._deliver, context=self._context)

    def cut(self) -> None:
        """Break now: of what is on the way some is lost, from any place to the end."""
        for _ in range(self._link.network.dice.randint(0, len(self.items))):
            self.items.pop()
        self._break()

    def stop(self) -> None:
        """Take nothing any more; what is on the way is lost."""
        self.broken = True
        self.items.clear()

    def _break(self) -> None:
        if not self.broken:
            self.broken = True
            self._link.broke(self)

    def _deliver(self) -> None:
        if not self.items:
            return  # what was to arrive now was lost on the way
        item = self.items.popleft()
        link = self._link
        link.network.trace.note(f"{self._name} {link.number} {link.who}", item)
        self._arrive(item)


class Link:
    """A connection: a client's socket, a server's session, and a pipe each way."""

    def __init__(self, network: Network, number: int, who: str, host: Host, context: Context) -> None:
        self.network, self.number, self.who, self.host = network, number, who, host
        self.client = ClientSocket(self)
        self.server = ServerEnd(self)
        self.context = context
        self.up = Pipe(self, "->", self.server.take, host.sockets)
        self.down = Pipe(self, "<-", self.client.take, network.context)
        self.session: Session = host.context.copy().run(host.new_session, self.server)

    def broke(self, pipe: Pipe) -> None:
        """A direction is broken: whether, and when, its ends notice that."""
        dice, weather = self.network.dice, self.network.weather
        silent = dice.random() < weather.silent
        self.network.trace.note(f"cut {self.number} {self.who}", "silent" if silent else "reset")
        if silent:
            self._tell(dice.uniform(*CLIENT_NOTICES), dice.uniform(*SERVER_NOTICES))
        else:
            first, second = self.network.delay(), self.network.delay()
            # The end that is sent to notices it first.
            client, server = (first + second, first) if pipe is self.up else (first, first + second)
            self._tell(client, server)

    def _tell(self, client: float, server: float) -> None:
        loop = self.network.loop
        loop.call_later(client, self.client.end, ABNORMAL, "", context=self.network.context)
        loop.call_later(server, self.server.lose, context=self.host.sockets)

    def server_died(self) -> None:
        """The server is gone, in the middle of what it said."""
        self.up.stop()
        self.server.gone = True
        self.down.cut()

    def client_died(self) -> None:
        """The client is gone, in the middle of what it said."""
        self.down.stop()
        self.client.die()
        self.up.cut()

    def over(self) -> None:
        """Either end knows that it is over."""
        if self.client.close_code is not None and self.server.gone:
            self.network.links.pop(self.number, None)


class ServerEnd:
    """A session's outbox: see `live.outbox.Outbox`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.gone = False
        self._closing = False
        self._reading = True
        self._unread: deque[str] = deque()

    def send(self, message: bytes) -> None:
        """See `Outbox.send`."""
        if self.gone or self._closing:
            return
        if len(self._link.down.items) > MOST_ON_THE_WAY:
            self._link.network.trace.note(f"slow {self._link.number} {self._link.who}", "")
            self.close(CloseCode.TOO_SLOW, "you read too slowly; come back")
            return
        self._link.down.send(message.decode())

    def close(self, code: int, reason: str) -> None:
        """See `Outbox.close`."""
        if not self.gone and not self._closing:
            self._closing = True
            self._link.down.send(Hangup(code, reason))
            network = self._link.network
            network.loop.call_later(CLOSE_SECONDS, self.lose, context=self._link.host.sockets)

    def pause(self) -> None:
        """See `Outbox.pause`."""
        self._reading = False

    def resume(self) -> None:
        """See `Outbox.resume`."""
        self._reading = True
        self._link.network.loop.call_soon(self._read_on, context=self._link.host.sockets)

    def lag(self) -> int:
        """See `Outbox.lag`."""
        return round(2000 * self._link.network.weather.latency[1])

    def take(self, item: str | Hangup) -> None:
        """Something has arrived."""
        if self.gone:
            return
        if isinstance(item, Hangup):
            if not self._closing:
                self._link.down.send(Hangup(item.code, ""))
            self.lose()
        elif self._reading and not self._unread:
            self._link.host.context.copy().run(self._link.session.receive, item)
        else:
            self._unread.append(item)

    def _read_on(self) -> None:
        while self._unread and self._reading and not self.gone:
            self._link.host.context.copy().run(self._link.session.receive, self._unread.popleft())

    def lose(self) -> None:
        """The connection has ended."""
        if not self.gone:
            self.gone = True
            self._link.host.context.copy().run(self._link.session.lost)
            self._link.over()


class ClientSocket:
    """As much of a `websockets` connection as a client uses: see `dial.Socket`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._received: deque[str] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._closing: asyncio.Future[None] | None = None
        self._end: Close | None = None

    @property
    def host(self) -> Host:
        """The server at its other end."""
        return self._link.host

    @property
    def close_code(self) -> int | None:
        """See `Socket.close_code`."""
        return None if self._end is None else self._end.code

    @property
    def close_reason(self) -> str | None:
        """See `Socket.close_reason`."""
        return None if self._end is None else self._end.reason

    async def send(self, message: str) -> None:
        """See `Socket.send`."""
        if self._end is not None or self._closing is not None:
            raise self._closed()
        self._link.up.send(message)
        network = self._link.network
        if network.weather.repeats and network.dice.random() < network.weather.repeats:
            # No network does that, but clients do.
            network.repeated.append((self._link.who, message))
            self._link.up.send(message)

    async def recv(self) -> str | bytes:
        """See `Socket.recv`."""
        while not self._received:
            if self._end is not None:
                raise self._closed()
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._received.popleft()

    def __aiter__(self) -> AsyncIterator[str | bytes]:
        return self

    async def __anext__(self) -> str | bytes:
        try:
            return await self.recv()
        except ConnectionClosedOK:
            raise StopAsyncIteration from None

    async def close(self) -> None:
        """See `Socket.close`."""
        if self._end is None and self._closing is None:
            self._link.up.send(Hangup(1000, ""))
            self._closing = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(2.0):
                    await self._closing
            except TimeoutError:
                self.end(ABNORMAL, "")

    def take(self, item: str | Hangup) -> None:
        """Something has arrived."""
        if isinstance(item, Hangup):
            if self._closing is None:
                self._link.up.send(item)
            self.end(item.code, item.reason)
        elif self._end is None:
            self._received.append(item)
            self._wake(self._waiting)

    def end(self, code: int, reason: str) -> None:
        """The connection has ended."""
        if self._end is None:
            self._end = Close(code, reason)
            self._wake(self._waiting)
            self._wake(self._closing)
            self._link.over()

    def die(self) -> None:
        """Its process is gone: nobody reads any more."""
        self._end = self._end or Close(ABNORMAL, "")
        self._received.clear()

    @staticmethod
    def _wake(sleeper: asyncio.Future[None] | None) -> None:
        if sleeper is not None and not sleeper.done():
            sleeper.set_result(None)

    def _closed(self) -> ConnectionClosed:
        end = self._end
        if end is not None and end.code in (1000, GOING_AWAY):
            return ConnectionClosedOK(end, end, True)
        return ConnectionClosedError(None, None, None)
