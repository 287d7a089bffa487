"""A connection that reconnects by itself: the asyncio layer around `protocol.Protocol`.

    async with Connection("ws://127.0.0.1:8765", Guest("Ada")) as connection:
        created = await connection.request(CreateRoom(id=new_id(), game="tictactoe"))
        await connection.request(Subscribe(id=new_id(), room=created.room))
        async for message in connection:
            ...

When the connection is lost it dials again: at once, then with growing backoff, for as long as it is not
closed, or for as long as it has patience. Reconnected, it says hello; what goes over the new connection then
is `Protocol`'s to say.
"""

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from websockets.exceptions import ConnectionClosed

from parlour_client.sdk.dial import (
    HEARTBEAT,
    OUTSIDE,
    Environment,
    Journal,
    OpenConnection,
    Socket,
    dial,
    record,
    send,
)
from parlour_client.sdk.errors import ConnectionFailed, ConnectionLost, Refused, ServerClosed
from parlour_client.sdk.identity import Identity
from parlour_client.sdk.messages import Disconnected, Reconnected, Update
from parlour_client.sdk.protocol import Delay, Protocol, Reply
from parlour_client.sdk.requests import Requester
from parlour_client.sdk.sanitize import clean
from parlour_protocol.answers import Answer, Welcome
from parlour_protocol.commands import Command
from parlour_protocol.errors import RETRIED
from parlour_protocol.ids import CommandId, Version
from parlour_protocol.messages import Signal, Unasked
from parlour_protocol.views.rooms import Limits
from parlour_protocol.words import language, say, translated

FIRST_BACKOFF = 0.25
LONGEST_BACKOFF = 5.0
"""In seconds."""
STABLE_SECONDS = 5.0
"""A connection that lasted this long was sound: when it breaks, the next attempt is at once."""

MOST_UNREAD = 256
"""While so much is unread, what only shows is dropped."""
FINAL = frozenset({"closed", "kicked", "banned"})
"""Goodbyes after which we don't come back by ourselves."""
OUR_ERROR = frozenset({1003, 1007, 1009})
"""Close codes that say that our message was wrong: sent again, it would be so again."""


class Connection(Requester):
    """A player's connection to a server. Enter it (`async with`) to connect; one task iterates it.

    Entering raises `ConnectionFailed` or `Refused`. The stream ends when the connection is closed, and
    raises `ConnectionLost`, `ConnectionFailed` or `Refused` where the server would not have us back.
    It holds as many events as the server sends; while it is not read, what only shows is dropped.
    What is sent and delivered is decided by `Protocol`; here are the socket, the clock and the tasks.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        *,
        journal: Journal | None = None,
        heartbeat: tuple[float, float] = HEARTBEAT,
        pause: Callable[[float], float] | None = None,
        outside: Environment = OUTSIDE,
        advice: Callable[[], str] = str,
        patience: float = math.inf,
    ) -> None:
        self.server = server
        self.identity = identity
        self._journal = journal
        self._heartbeat = heartbeat
        self._outside = outside
        self._advice = advice
        """Called for what `Disconnected` says once an attempt has failed, where the server gave no reason."""
        # Full jitter: a thousand clients of one server must not all come back in the same moment.
        self._pause = pause or (lambda longest: random.SystemRandom().uniform(0, longest))
        self._patience = patience
        """For how many seconds a server that is gone is dialled again; then the connection is over."""
        self._protocol = Protocol(outside.new_id)
        self._replies: dict[CommandId, asyncio.Future[Answer]] = {}
        self._unread: asyncio.Queue[Update | None] = asyncio.Queue()
        self._socket: Socket | None = None
        self._ended: BaseException | None = None
        self._closed = False
        self._keeper: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._first = opened = await self._dial()
        self._welcome = opened.welcome
        self._keeper = asyncio.create_task(self._keep(opened))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def welcome(self) -> Welcome:
        """The server's last welcome: who we are there, and its limits."""
        return self._welcome

    @property
    def limits(self) -> Limits:
        """How much the server takes, and how fast."""
        return self._welcome.limits

    @property
    def subscriptions(self) -> dict[str, Version | None]:
        """Each subscribed room with the last version received; None until its snapshot has come."""
        return self._protocol.subscriptions

    async def close(self) -> None:
        """Disconnect. Commands still unanswered raise `ConnectionLost`."""
        self._closed = True
        if self._keeper is not None:
            tasks = [self._keeper, *self._tasks]
            for task in tasks:
                task.cancel()
            try:
                await asyncio.wait(tasks)
                # A keeper that was cancelled before it began has closed nothing.
                await self._first.socket.close()
            finally:
                # Also where nobody waits any longer for the closing handshake.
                self._end(ConnectionLost(say("error.closed")))

    async def __aiter__(self) -> AsyncIterator[Update]:
        while (message := await self._unread.get()) is not None:
            yield message
        if self._ended is not None and not self._closed:
            raise self._ended

    async def _request(self, command: Command[Any]) -> Answer:
        if self._ended is not None:
            raise self._ended
        if self._keeper is None:
            raise ConnectionLost(say("error.not_connected"))
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._replies[command.id] = reply
        try:
            self._protocol.request(command)
            await self._flush()
            answer = await reply
            self._protocol.collected(command.id)
            return answer
        except asyncio.CancelledError:
            # An answer that came in the same moment is undone, which has to be sent.
            self._run(self._flush())
            raise
        finally:
            self._replies.pop(command.id, None)
            self._protocol.abandon(command.id)

    def signal(self, signal: Signal) -> None:
        """Say what wants no answer: it is lost where we are not connected."""
        self._protocol.signal(signal)
        self._run(self._flush())

    def undo(self, command: Command[Any], room: str) -> None:
        """Leave a room again that an accepted command led to: see `Protocol.undo`."""
        self._protocol.undo(command, room)
        self._run(self._flush())

    # ------------------------------------------------------------ connecting and reconnecting

    async def _keep(self, opened: OpenConnection) -> None:
        """Live on one connection after the other, until closed or turned away."""
        attempt = 0
        try:
            while True:
                since = asyncio.get_running_loop().time()
                await self._live(opened)
                if asyncio.get_running_loop().time() - since > STABLE_SECONDS:
                    attempt = 0
                opened, attempt = await self._reconnect(attempt)
                self._welcome = opened.welcome
                self._unread.put_nowait(Reconnected())
        except Exception as error:
            # An error for the person, or our own bug: both are for the stream's reader.
            self._end(error)

    async def _live(self, opened: OpenConnection) -> None:
        """Exchange messages until the connection is gone. Raises `ConnectionLost`."""
        socket = self._socket = opened.socket
        self._protocol.connected()
        try:
            await self._process()
            async for text in socket:
                record(self._journal, "received", text)
                self._protocol.receive(text)
                await self._process()
        except ConnectionClosed:
            pass
        finally:
            self._socket = None
            self._protocol.disconnected()
            await socket.close()
        if socket.close_code in OUR_ERROR:
            raise ConnectionLost(say("error.not_taken", reason=clean(str(socket.close_reason))))

    async def _dial(self) -> OpenConnection:
        return await dial(self.server, self.identity, self._journal, self._heartbeat, self._outside)

    async def _reconnect(self, attempt: int) -> tuple[OpenConnection, int]:
        """Dial with growing backoff until a server answers; gives the attempts so far beside the connection.

        Raises `ServerClosed`, `ConnectionFailed` or `Refused` where trying again can't help, and
        `ConnectionFailed` where patience is at its end.
        """
        clock = asyncio.get_running_loop().time
        lost, at_least, said = clock(), 0.0, ""
        if (goodbye := self._protocol.goodbye) is not None:
            at_least, said = goodbye.retry_after or 0.0, translated(goodbye.said, goodbye.message, language())
            if goodbye.code in FINAL:
                raise ServerClosed(said)
        reason = said
        while True:
            longest = min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(attempt - 1, 10)) if attempt else 0.0
            if at_least:
                longest = max(longest, FIRST_BACKOFF)
            backoff = at_least + self._pause(longest)
            self._unread.put_nowait(
                Disconnected(backoff, attempt, reason or (self._advice() if attempt else ""))
            )
            await asyncio.sleep(backoff)
            attempt += 1
            at_least, reason = 0.0, said
            try:
                return await self._dial(), attempt
            except ConnectionFailed as failed:
                if failed.lasting or clock() - lost >= self._patience:
                    raise
                at_least, reason = failed.retry_after, failed.said or said
            except Refused as refused:
                if refused.code not in RETRIED:
                    raise
                at_least, reason = refused.refusal.retry_after or 0.0, str(refused)

    def _end(self, error: BaseException) -> None:
        if self._ended is not None:
            return
        self._ended = error
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(error)
        self._unread.put_nowait(None)

    # ------------------------------------------------------------ what the protocol wants done

    async def _process(self) -> None:
        """Hand up what has come in, note what is to be done later, and write what is to be sent."""
        # Handed up first: the connection may break at a write, and an answer counts all the same.
        for delivery in self._protocol.take_deliveries():
            match delivery:
                case Reply(id=command, outcome=outcome):
                    self._resolve(command, outcome)
                case Unasked(only_shows=True) if self._unread.qsize() >= MOST_UNREAD:
                    pass
                case _:
                    self._unread.put_nowait(delivery)
        for delay in self._protocol.take_delays():
            self._run(self._later(delay))
        await self._flush()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside, until it is done or the connection is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _resolve(self, command: CommandId, outcome: Answer | Refused) -> None:
        reply = self._replies.get(command)
        if reply is None or reply.done():
            return
        if isinstance(outcome, Refused):
            reply.set_exception(outcome)
        else:
            reply.set_result(outcome)

    async def _later(self, delay: Delay) -> None:
        await asyncio.sleep(delay.seconds)
        self._protocol.elapsed(delay)
        await self._flush()

    async def _flush(self) -> None:
        """Write all that is to be sent. A connection that breaks meanwhile shows to its reader."""
        socket = self._socket
        with suppress(ConnectionClosed):
            while socket is not None and socket is self._socket:
                message = self._protocol.next_to_send()
                if message is None:
                    return
                await send(socket, message, self._journal)
