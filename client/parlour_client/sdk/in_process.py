"""Queries answered in this process: by the server's own handlers, without a child process or a socket."""

import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from parlour_client.sdk.errors import Refused, ServerStartFailed
from parlour_client.sdk.queries import QueryClient
from parlour_protocol import answers
from parlour_protocol.answers import Answer
from parlour_protocol.commands import Command
from parlour_protocol.views.rooms import Limits
from parlour_protocol.words import say

if TYPE_CHECKING:  # so that a query needs none of what only rooms bring
    from parlour_client.sdk.messages import Notice

SERVER = "parlour_server"
MODULE = f"{SERVER}.query_server"
"""Imported by its name, where it is installed: a client without a server is a whole one."""

UNLIMITED = Limits(message_bytes=sys.maxsize, messages_per_second=0.0, burst=0, heartbeat_seconds=0.0)


class QueryServer(Protocol):
    """As much of the server's `query_server.QueryServer` as is used here."""

    def receive(self, command: Any) -> None:
        """Take a command; its answer comes at once, or later."""

    async def close(self) -> None:
        """Stop what is searched."""


class InProcessClient(QueryClient):
    """Asks the server that is installed here. Enter it (`async with`) to load it.

    Entering raises `ServerStartFailed` where no server is installed.
    """

    def __init__(self) -> None:
        super().__init__()
        self._replies: dict[str, asyncio.Future[Answer]] = {}

    async def __aenter__(self) -> Self:
        if importlib.util.find_spec(SERVER) is None:
            raise ServerStartFailed(say("error.none_to_ask"))
        new_server: Callable[..., QueryServer] = importlib.import_module(MODULE).QueryServer
        self._server = new_server(self._take)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.close()
        self._end(None)

    @property
    def limits(self) -> Limits:
        """None: nobody else asks this server."""
        return UNLIMITED

    async def _request(self, command: Command[Any]) -> Answer:
        reply = self._replies[command.id] = asyncio.get_running_loop().create_future()
        try:
            self._server.receive(command)
            answer: Answer = await reply
        finally:
            del self._replies[command.id]
        if isinstance(answer, answers.Refused):
            raise Refused(answer)
        return answer

    def _take(self, message: "Answer | Notice") -> None:
        """Take an answer, or a notice."""
        if not isinstance(message, Answer):
            self._publish(message)
            return
        reply = self._replies.get(message.id or "")
        # Where its caller was cancelled nobody waits for it.
        if reply is not None and not reply.done():
            reply.set_result(message)
