"""One try to reach a server: the socket, the handshake, hello and welcome."""

import asyncio
import secrets
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException
from websockets.typing import Subprotocol

from parlour_client.faults import ConnectFailed, Refused
from parlour_client.identity import Identity, is_loopback
from parlour_protocol import PROTOCOL_VERSION, SUBPROTOCOL, codec
from parlour_protocol.errors import Code
from parlour_protocol.to_client import Refused as RefusedMessage
from parlour_protocol.to_client import ToClient, Welcome
from parlour_protocol.to_server import Hello, ToServer

Journal = Callable[[float, Literal["sent", "heard"], str], None]
"""Told of every message, with the loop's time. What it hears holds the player's token."""

LARGEST_ANSWER = 16 * 1024 * 1024
"""A long game's thoughts are the largest thing that a server says."""

OPEN_SECONDS = 10.0
CLOSE_SECONDS = 2.0

HEARTBEAT = (5.0, 7.0)
"""Seconds between pings, and to wait for a pong: with the closing, a dead server is noticed within 14."""

TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP answers of a server, or a proxy before it, that may soon be another."""


def new_id() -> str:
    """A fresh id for a command, unlike any other."""
    return secrets.token_urlsafe(12)


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
        """Hang up."""


async def open_socket(server: str, heartbeat: tuple[float, float]) -> Socket:
    """Reach a server: seconds between pings, and to wait for a pong. Raises `ConnectFailed`."""
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
        raise _stranger(server)
    return connection


@dataclass(frozen=True, slots=True)
class Outside:
    """What a connection takes from outside, so that it can live on a simulated network, too."""

    open: Callable[[str, tuple[float, float]], Awaitable[Socket]] = open_socket
    new_id: Callable[[], str] = new_id


OUTSIDE = Outside()


@dataclass(frozen=True, slots=True)
class Line:
    """An open line to a server that has said welcome."""

    socket: Socket
    welcome: Welcome


async def dial(
    server: str,
    identity: Identity,
    journal: Journal | None,
    heartbeat: tuple[float, float] = HEARTBEAT,
    outside: Outside = OUTSIDE,
) -> Line:
    """Reach a server and say hello.

    Raises `ConnectFailed`, or `Refused` where the server won't have us.
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
            answer = await _hello(server, socket, hello, journal)
            if isinstance(answer, RefusedMessage):
                if answer.code is not Code.WRONG_TOKEN or token is None:
                    raise Refused(answer)
                identity.forget(token)
            elif answer.token is None or identity.keep(answer.token) == answer.token:
                return Line(socket, answer)
            # Else another terminal of ours was first: come back as the player that it became.
        except BaseException:
            await socket.close()
            raise
        await socket.close()


async def knock(server: str) -> None:
    """Find out whether a Parlour server answers, and leave. Raises `ConnectFailed`."""
    await (await open_socket(server, HEARTBEAT)).close()


async def _hello(
    server: str, socket: Socket, hello: Hello, journal: Journal | None
) -> Welcome | RefusedMessage:
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            await send(socket, hello, journal)
            while True:
                answer = read(await socket.recv(), journal)
                if isinstance(answer, Welcome | RefusedMessage):
                    return answer
    except (ConnectionClosed, TimeoutError) as error:
        raise ConnectFailed(server, "it did not say welcome", "Try again in a moment.") from error
    except codec.BadMessage as error:
        raise _stranger(server) from error


async def send(socket: Socket, message: ToServer, journal: Journal | None) -> None:
    """Write a message. Raises `websockets.exceptions.ConnectionClosed`."""
    text = codec.encode_to_server(message)
    if journal is not None:
        journal(asyncio.get_running_loop().time(), "sent", text)
    await socket.send(text)


def read(text: str | bytes, journal: Journal | None) -> ToClient | None:
    """Read a message; None for a kind that we are too old for. Raises `codec.BadMessage`."""
    if journal is not None:
        said = text if isinstance(text, str) else text.decode(errors="replace")
        journal(asyncio.get_running_loop().time(), "heard", said)
    return codec.decode_to_client(text)


def _stranger(server: str) -> ConnectFailed:
    return ConnectFailed(
        server, "what answers there is not a Parlour server", "Check the address.", lasting=True
    )


def _explain(server: str, error: Exception) -> ConnectFailed:
    match error:
        case InvalidStatus():
            status = error.response.status_code
            advice = "Try again in a moment." if status in TRY_AGAIN else "Is it a Parlour server's address?"
            return ConnectFailed(
                server, f"it answered HTTP {status}", advice, lasting=status not in TRY_AGAIN
            )
        case InvalidURI():
            return ConnectFailed(server, "that is no server's address", "Check it.", lasting=True)
        case ssl.SSLCertVerificationError():
            return ConnectFailed(
                server,
                f"its certificate is not trusted here ({error.verify_message})",
                "Check the address, or name a file with the certificate in SSL_CERT_FILE.",
            )
        case ssl.SSLError() | ConnectionResetError():
            return _hung_up(server)
        case socket.gaierror():
            return ConnectFailed(server, "there is no such host", "Check the address.")
        case TimeoutError():
            return ConnectFailed(server, "it does not answer", "Check the address, or try again later.")
        case OSError():
            return ConnectFailed(
                server,
                "nobody listens there",
                "Name a server with --server."
                if getattr(sys, "frozen", False)
                else "Start a server with `parlour serve`, or name one with --server.",
            )
        case ImportError():
            return ConnectFailed(server, f"its proxy needs more ({error})", "Unset the proxy.", lasting=True)
    # Cut off in the handshake, a restarting server looks like that too; what speaks no HTTP is a stranger.
    return _hung_up(server) if isinstance(error.__cause__, EOFError) else _stranger(server)


def _hung_up(server: str) -> ConnectFailed:
    """So does a server that restarts, and one that is spoken to with TLS and has none, or the reverse."""
    tls, scheme = ("no TLS", "ws") if server.startswith("wss:") else ("TLS", "wss")
    advice = f"Try again in a moment; if that server has {tls}, begin its address with {scheme}://."
    return ConnectFailed(server, "it hung up", advice)
