"""A connection that is not let in, and costs no handshake."""

import asyncio
from collections.abc import Awaitable, Callable

from websockets.http11 import Response

from parlour_server.net.connection_limiter import ConnectionLimiter, TurnedAway
from parlour_server.net.http import healthy, readiness, serialized, turned_away
from parlour_server.net.peers import Address

ASK_SECONDS = 2.0
"""How long a client that is turned away has to ask, and then to read why."""
LOOK_SECONDS = 3.0
"""How long it has where it asks whether the server is ready: a look at the store takes time."""
LONGEST_PATH = 64
"""More bytes than the first line has of a request for /healthz or /readyz."""


class TurnedAwayConnection(asyncio.Protocol):
    """Answers why it is turned away when it asks: before that a close would discard the answer, too.

    A request that only asks whether the server is well is answered that.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        why: TurnedAway,
        limiter: ConnectionLimiter,
        peer: Address | None,
        unready: Callable[[], Awaitable[list[str]]],
    ) -> None:
        self._transport, self._why, self._limiter, self._unready = transport, why, limiter, unready
        self._asked = b""
        self._look: asyncio.Task[None] | None = None
        self._answered = False
        self._has_place = limiter.may_answer(peer)
        limiter.answering += self._has_place
        self._abort_after(ASK_SECONDS if self._has_place else 0.0)
        transport.set_protocol(self)

    def _abort_after(self, seconds: float) -> None:
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._answered:
            return
        self._asked += data[:LONGEST_PATH]
        line, ended, _ = self._asked.partition(b"\r\n")
        if not ended and len(line) < LONGEST_PATH:
            return
        self._answered = True
        match line.partition(b"?")[0].split(b" ")[:2]:
            case [b"GET" | b"HEAD", b"/healthz"]:
                self._answer(healthy())
            case [b"GET" | b"HEAD", b"/readyz"]:
                self._deadline.cancel()
                self._abort_after(LOOK_SECONDS)
                self._look = asyncio.create_task(self._answer_readiness())
            case _:
                self._answer(turned_away(self._why))

    async def _answer_readiness(self) -> None:
        reasons = await self._unready()
        if self._why.reason == "full":
            reasons = [*reasons, self._why.sentence]
        self._answer(readiness(reasons))

    def _answer(self, answer: Response) -> None:
        if not self._transport.is_closing():
            self._transport.write(serialized(answer))
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._limiter.answering -= self._has_place
        self._deadline.cancel()
        if self._look is not None:
            self._look.cancel()
