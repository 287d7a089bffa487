"""A server over a real socket that says what a test tells it to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, TypeVar

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from parlour_client import Client, GuestIdentity, Room
from parlour_client.sdk.connection import Connection
from parlour_protocol import SUBPROTOCOL
from parlour_protocol.answers import Accepted, Welcome
from parlour_protocol.codec import ToClient, decode_to_server, encode_to_client
from parlour_protocol.commands import Command, Hello, Subscribe, ToServer
from parlour_protocol.events import Event, OfferMade, Snapshot
from parlour_protocol.views.rooms import Limits
from tests.client import rooms

PATIENCE = 30.0
"""A test that hears nothing for so long has failed."""

M = TypeVar("M")


class Talk:
    """One connection, from the server's end."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.over = asyncio.Event()

    async def receive(self, kind: type[M]) -> M:
        """The next message, which must be of this kind."""
        async with asyncio.timeout(PATIENCE):
            message: ToServer = decode_to_server(await self.socket.recv())
        assert isinstance(message, kind), message
        return message

    async def say(self, *messages: ToClient) -> None:
        for message in messages:
            await self.socket.send(encode_to_client(message).decode())

    async def greet(self, token: str | None = None) -> Hello:
        """Hear hello and say welcome."""
        hello = await self.receive(Hello)
        await self.welcome(hello, token)
        return hello

    async def welcome(self, hello: Hello, token: str | None = None) -> None:
        await self.say(Welcome(hello.id, 1, "script", "p1", hello.name, Limits(16384, 20, 40, 10), token))

    async def accept(self, command: Command[Any], version: int = 1) -> None:
        await self.say(Accepted(command.id, "KMRTQA", version))

    def drop(self) -> None:
        """As a killed server does: no goodbye, no closing handshake."""
        self.socket.transport.abort()
        self.over.set()

    async def close(self, code: int = 1000) -> None:
        await self.socket.close(code)
        self.over.set()


class Scripted:
    """Listens on loopback; `await talk()` is the next connection that comes in.

    `answer` may turn a handshake away with an HTTP status.
    """

    def __init__(self, answer: Callable[[], HTTPStatus | None] = lambda: None) -> None:
        self._answer = answer
        self._talks: asyncio.Queue[Talk] = asyncio.Queue()
        self._open: list[Talk] = []

    async def __aenter__(self) -> Self:
        self._server: Server = await serve(
            self._meet,
            "127.0.0.1",
            0,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            process_request=self._check,
        )
        port = next(iter(self._server.sockets)).getsockname()[1]
        self.address = f"ws://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for talk in self._open:
            talk.drop()
        self._server.close()
        await self._server.wait_closed()

    async def talk(self) -> Talk:
        async with asyncio.timeout(PATIENCE):
            return await self._talks.get()

    def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        status = self._answer()
        return None if status is None else connection.respond(status, "no\n")

    async def _meet(self, socket: ServerConnection) -> None:
        talk = Talk(socket)
        self._open.append(talk)
        self._talks.put_nowait(talk)
        await talk.over.wait()


def snapshot(version: int) -> Snapshot:
    return rooms.snapshot(version, rooms.view())


@asynccontextmanager
async def entered(
    server: Scripted, address: str | None = None, name: str = "Ada"
) -> AsyncIterator[tuple[Client, Talk]]:
    """A client without pauses, with the server's end of it; at another `address` there is a line between."""
    client = Client(Connection(address or server.address, GuestIdentity(name), pause=lambda longest: 0.0))
    entering = asyncio.create_task(client.__aenter__())
    talk = await server.talk()
    await talk.greet("token")
    await entering
    try:
        yield client, talk
    finally:
        await client.close()


async def look_on(client: Client, talk: Talk, version: int = 5, shown: Snapshot | None = None) -> Room:
    """The room, as the server shows it."""
    watching = asyncio.create_task(client.watch("KMRTQA"))
    await talk.accept(await talk.receive(Subscribe), version)
    await talk.say(shown or snapshot(version))
    return await watching


def event(version: int) -> Event:
    """An event of which nothing but its version matters."""
    return Event("KMRTQA", version, 0, OfferMade(0, "rematch"))
