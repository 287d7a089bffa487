"""One attempt to reach a server: the socket, the handshake, hello and welcome."""

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException
from websockets.http11 import Response
from websockets.typing import Subprotocol

from parlour_client.sdk.errors import ConnectionFailed, Refused
from parlour_client.sdk.identity import Identity, is_loopback
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.sanitize import clean, clean_json
from parlour_protocol import PROTOCOL_VERSION, SUBPROTOCOL, codec
from parlour_protocol.answers import Refused as RefusedMessage
from parlour_protocol.answers import Welcome
from parlour_protocol.commands import Hello, ToServer
from parlour_protocol.errors import Code
from parlour_protocol.words import say, spoken, system_fault

Journal = Callable[[float, Literal["sent", "received"], str], None]
"""Called with every message and the loop's time. What it is given holds the player's token."""

LARGEST_ANSWER = 16 * 1024 * 1024
"""A long game's thoughts are the largest message of a server."""

OPEN_SECONDS = 10.0
CLOSE_SECONDS = 2.0

HEARTBEAT = (5.0, 7.0)
"""Seconds between pings, and to wait for a pong: with the closing, a dead server is noticed within 14."""

TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP answers of a server, or a proxy before it, that may soon be another."""


LONGEST_WAIT = 60
"""No server is waited for longer because it asks for it, in seconds."""
LONGEST_SENTENCE = 300
"""Of a server that turns us away, in bytes."""


class Socket(Protocol):
    """As much of a `websockets` connection as is used here."""

    @property
    def close_code(self) -> int | None:
        """Why it was closed; None while it is not."""

    @property
    def close_reason(self) -> str | None:
        """The same, in words."""

    async def send(self, message: str) -> None:
        """Write a message. Raises `ConnectionClosed`."""

    async def recv(self) -> str | bytes:
        """The next message. Raises `ConnectionClosed`."""

    def __aiter__(self) -> AsyncIterator[str | bytes]:
        """All messages until it is closed. Raises `ConnectionClosed` where that was no good end."""

    async def close(self) -> None:
        """Close it."""


async def open_socket(server: str, heartbeat: tuple[float, float]) -> Socket:
    """Reach a server: seconds between pings, and to wait for a pong. Raises `ConnectionFailed`."""
    try:
        connection = await connect(
            server,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            # A proxy could not reach our own machine's loopback.
            proxy=None if is_loopback(server) else True,
            open_timeout=OPEN_SECONDS,
            ping_interval=heartbeat[0],
            ping_timeout=heartbeat[1],
            close_timeout=CLOSE_SECONDS,
            max_size=LARGEST_ANSWER,
        )
    except (OSError, WebSocketException, ImportError) as error:
        raise _explain(server, error) from error
    if connection.subprotocol != SUBPROTOCOL:
        await connection.close()
        raise _not_parlour(server)
    return connection


@dataclass(frozen=True, slots=True)
class Environment:
    """What a connection takes from outside, so that it can live on a simulated network, too."""

    open: Callable[[str, tuple[float, float]], Awaitable[Socket]] = open_socket
    new_id: Callable[[], str] = new_id


OUTSIDE = Environment()


@dataclass(frozen=True, slots=True)
class OpenConnection:
    """An open connection whose server has said welcome."""

    socket: Socket
    welcome: Welcome


async def dial(
    server: str,
    identity: Identity,
    journal: Journal | None,
    heartbeat: tuple[float, float] = HEARTBEAT,
    outside: Environment = OUTSIDE,
) -> OpenConnection:
    """Reach a server and say hello.

    Raises `ConnectionFailed`, or `Refused` where the server won't have us.
    """
    while True:
        socket = await outside.open(server, heartbeat)
        try:
            token = identity.token()
            hello = Hello(
                id=outside.new_id(),
                protocols=[PROTOCOL_VERSION],
                name=identity.name,
                token=token,
                client="parlour-client",
            )
            answer = await say_hello(server, socket, hello, journal)
            if isinstance(answer, RefusedMessage):
                if answer.code is not Code.WRONG_TOKEN or token is None:
                    raise Refused(answer)
                identity.forget(token)
                if identity.token() == token:
                    # That player is meant, and no other.
                    raise Refused(answer)
            elif answer.token is None or identity.keep(answer.token) == answer.token:
                return OpenConnection(socket, answer)
            # Else another terminal of ours was first: come back as the player that it became.
        except BaseException:
            await socket.close()
            raise
        await socket.close()


async def say_hello(
    server: str, socket: Socket, hello: Hello, journal: Journal | None
) -> Welcome | RefusedMessage:
    """Send a hello; gives its answer. Raises `ConnectionFailed`."""
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            await send(socket, hello, journal)
            while True:
                text = await socket.recv()
                record(journal, "received", text)
                answer = codec.decode_to_client(clean_json(text))
                if isinstance(answer, Welcome | RefusedMessage):
                    return answer
    except (ConnectionClosed, TimeoutError) as error:
        raise ConnectionFailed(
            server, say("error.unreachable.no_welcome", server=server), say("error.advice.in_a_moment")
        ) from error
    except codec.BadMessage as error:
        raise _not_parlour(server) from error


async def send(socket: Socket, message: ToServer, journal: Journal | None) -> None:
    """Write a message. Raises `websockets.exceptions.ConnectionClosed`."""
    text = codec.encode_to_server(message)
    record(journal, "sent", text)
    await socket.send(text)


def record(journal: Journal | None, direction: Literal["sent", "received"], text: str | bytes) -> None:
    """Write a message down in the journal, where there is one."""
    if journal is not None:
        readable = text if isinstance(text, str) else text.decode(errors="replace")
        journal(asyncio.get_running_loop().time(), direction, readable)


def _not_parlour(server: str) -> ConnectionFailed:
    return ConnectionFailed(
        server, say("error.unreachable.not_parlour", server=server), say("error.advice.check"), lasting=True
    )


def _explain(server: str, error: Exception) -> ConnectionFailed:
    match error:
        case InvalidStatus():
            return _turned_away(server, error.response)
        case InvalidURI():
            return ConnectionFailed(
                server,
                say("error.unreachable.no_address", server=server),
                say("error.advice.check_it"),
                lasting=True,
            )
        case ssl.SSLCertVerificationError():
            return ConnectionFailed(
                server,
                say("error.unreachable.certificate", server=server, reason=spoken(system_fault(error))),
                say("error.advice.certificate"),
            )
        case ssl.SSLError() | ConnectionResetError():
            return _closed_early(server)
        case socket.gaierror() if error.errno != socket.EAI_AGAIN:
            return ConnectionFailed(
                server, say("error.unreachable.no_host", server=server), say("error.advice.check")
            )
        case TimeoutError():
            return ConnectionFailed(
                server, say("error.unreachable.silent", server=server), say("error.advice.later")
            )
        case ConnectionRefusedError():
            return ConnectionFailed(
                server,
                say("error.unreachable.nothing_there", server=server),
                say("error.advice.name_server")
                if getattr(sys, "frozen", False)
                else say("error.advice.start_server"),
            )
        case OSError():
            why = spoken(system_fault(error))
            return ConnectionFailed(
                server, say("error.unreachable.system", server=server, why=why), say("error.advice.later")
            )
        case ImportError():
            return ConnectionFailed(
                server,
                say("error.unreachable.proxy", server=server, reason=str(error)),
                say("error.advice.proxy"),
                lasting=True,
            )
    # Cut off in the handshake, a restarting server looks like that too; what speaks no HTTP is a stranger.
    return _closed_early(server) if isinstance(error.__cause__, EOFError) else _not_parlour(server)


def _turned_away(server: str, answer: Response) -> ConnectionFailed:
    """What a server, or a proxy before it, answers in plain HTTP."""
    status, body, said = answer.status_code, answer.body or b"", ""
    if answer.headers.get_all("Server") == ["parlour"] and len(body) <= LONGEST_SENTENCE:
        said = clean(body.decode(errors="replace")).strip()
    why = (
        say("error.unreachable.says", server=server, text=said.rstrip("."))
        if said
        else say("error.unreachable.status", server=server, status=str(status))
    )
    if status not in TRY_AGAIN:
        advice = say("error.advice.ask_host") if said else say("error.advice.is_it_a_server")
        return ConnectionFailed(server, why, advice, lasting=True, said=said)
    # A date may stand there, too; and any header may be there twice.
    seconds = next(iter(answer.headers.get_all("Retry-After")), "")
    wait = min(int(seconds), LONGEST_WAIT) if seconds.isdecimal() else 0
    span = say("span.seconds", number=wait)
    advice = say("connection.try_again_in", span=span) if wait else say("error.advice.in_a_moment")
    return ConnectionFailed(server, why, advice, retry_after=wait, said=said)


def _closed_early(server: str) -> ConnectionFailed:
    """So does a server that restarts, and one that is spoken to with TLS and has none, or the reverse."""
    tls = server.startswith("wss:")
    advice = say("error.advice.without_tls") if tls else say("error.advice.with_tls")
    return ConnectionFailed(server, say("error.unreachable.closed", server=server), advice)
