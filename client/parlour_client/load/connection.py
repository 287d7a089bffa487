"""A WebSocket on a bare asyncio protocol: a third of the cost of the library's own connection.

The frames are the library's business still. Thousands of players in one process need no task for each.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import OPEN
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from parlour_client.sdk.dial import LARGEST_ANSWER
from parlour_protocol import SUBPROTOCOL

OPEN_SECONDS = 10.0


class Unreachable(Exception):
    """No connection came of it. `code` says why in one word, as it is counted: `http_503`, `no_answer`."""

    def __init__(self, code: str, retry_after: float | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.retry_after = retry_after


class Connection(asyncio.Protocol):
    """One connection: `on_text` is called with each message, `on_lost` once when it is over."""

    def __init__(self, url: str, on_text: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        self._wire = ClientProtocol(
            parse_uri(url), subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=LARGEST_ANSWER
        )
        self._on_text, self._on_lost = on_text, on_lost
        self._parts: list[bytes] = []
        self._handshake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Who gave up waiting does not ask for the error.
        self._handshake.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._transport: asyncio.Transport | None = None

    def send(self, text: str) -> None:
        """Write a message; nothing where the connection is over."""
        if self._transport is not None and self._wire.state is OPEN:
            self._wire.send_text(text.encode())
            self._flush()

    def close(self) -> None:
        """Say goodbye; `on_lost` is not called any more."""
        self._on_lost = lambda why: None
        if self._transport is not None:
            if self._wire.state is OPEN:
                self._wire.send_close(1000)
                self._flush()
            self._transport.close()

    def abort(self) -> None:
        """Cut it without a goodbye, as a cable that is pulled; `on_lost` is not called."""
        self._on_lost = lambda why: None
        if self._transport is not None:
            self._transport.abort()

    @property
    def transport(self) -> asyncio.Transport:
        """The socket's, once it is open."""
        assert self._transport is not None
        return self._transport

    # ------------------------------------------------------------ asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what is written to."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Read what came in."""
        self._wire.receive_data(data)
        self._flush()
        for event in self._wire.events_received():
            if isinstance(event, Response):
                self._answered(event)
            elif isinstance(event, Frame):
                self._frame(event)
        if self._wire.close_expected() and self._transport is not None:
            self._transport.close()

    def eof_received(self) -> None:
        """The server has nothing more to say."""
        self._wire.receive_eof()

    def connection_lost(self, error: Exception | None) -> None:
        """Say that it is over, and why as far as that was said."""
        self._transport = None
        if not self._handshake.done():
            self._handshake.set_exception(Unreachable("no_answer"))
            return
        code = self._wire.close_rcvd.code if self._wire.close_rcvd else None
        self._on_lost("cut" if code is None else f"close_{code}")

    def _flush(self) -> None:
        for data in self._wire.data_to_send():
            if data and self._transport is not None:
                self._transport.write(data)

    def _frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.TEXT and frame.fin:
            self._on_text(bytes(frame.data))
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            self._parts.append(bytes(frame.data))
            if frame.fin:
                whole, self._parts = b"".join(self._parts), []
                self._on_text(whole)

    def _answered(self, response: Response) -> None:
        if self._handshake.done():
            return
        error = self._wire.handshake_exc
        if error is None:
            self._handshake.set_result(None)
        elif isinstance(error, InvalidStatus):
            after = response.headers.get("Retry-After", "")
            seconds = float(after) if after.isdigit() else None
            self._handshake.set_exception(Unreachable(f"http_{response.status_code}", seconds))
        else:
            self._handshake.set_exception(Unreachable("no_websocket"))

    async def shake_hands(self, headers: Mapping[str, str]) -> None:
        """Ask for a WebSocket, and wait until it is one. Raises `Unreachable`."""
        request = self._wire.connect()
        request.headers.update(headers)
        self._wire.send_request(request)
        self._flush()
        await self._handshake


async def connect(
    url: str,
    on_text: Callable[[bytes], None],
    on_lost: Callable[[str], None],
    headers: Mapping[str, str] | None = None,
    seconds: float = OPEN_SECONDS,
) -> Connection:
    """Reach a server, with `headers` besides the usual ones. Raises `Unreachable`."""
    parts = urlsplit(url)
    secure = parts.scheme == "wss"
    connection = Connection(url, on_text, on_lost)
    try:
        async with asyncio.timeout(seconds):
            await asyncio.get_running_loop().create_connection(
                lambda: connection,
                parts.hostname or "",
                parts.port or (443 if secure else 80),
                ssl=ssl.create_default_context() if secure else None,
            )
            await connection.shake_hands(headers or {})
    except Unreachable:
        connection.abort()
        raise
    except TimeoutError:
        connection.abort()
        raise Unreachable("no_answer") from None
    except (OSError, WebSocketException) as error:
        connection.abort()
        raise Unreachable("refused" if isinstance(error, ConnectionRefusedError) else "no_answer") from None
    return connection
