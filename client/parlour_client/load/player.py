"""A player under load: says hello, sends commands, keeps a room's view, and reconnects.

What the server asks for is done: a command whose refusal says when to try again is sent again then, and no
connection sends more than the server's limits allow.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from pydantic_core import from_json

from parlour_client.load.connection import Connection, Unreachable, connect
from parlour_client.load.plan import Outcome
from parlour_client.sdk.requests import new_id
from parlour_protocol import PROTOCOL_VERSION
from parlour_protocol.codec import encode_to_server
from parlour_protocol.commands import Command, Hello, Subscribe
from parlour_protocol.fold import fold
from parlour_protocol.words import say

Message = dict[str, Any]

PRESENCE = ("online", "watching", "away_since", "claim_from")
"""What a view shows of who is connected: notices change it, no event does."""
SHARE = 0.9
"""The part of a server's message limit that is used."""
RETRY_SECONDS = 1.0
ANSWER_SECONDS = 30.0


class CommandRefused(Exception):
    """The server refused a command for good. `refusal` is what it sent."""

    def __init__(self, refusal: Message) -> None:
        super().__init__(refusal["message"])
        self.refusal = refusal


class Player:
    """One player with one connection. `view` is the room that it subscribed to, folded from its events."""

    def __init__(
        self,
        url: str,
        name: str,
        outcome: Outcome,
        *,
        headers: Mapping[str, str] | None = None,
        on_change: Callable[[Message], None] = lambda message: None,
        folds: bool = True,
    ) -> None:
        """`on_change` is called with each event and snapshot, once it is folded; not `folds`: versions are
        checked alone, as suffices for a spectator."""
        self.name = name
        self.outcome = outcome
        self.view: Message = {}
        self.room: str | None = None
        self.token: str | None = None
        self.connected = False
        self.url, self._headers = url, headers
        self._on_change, self._folds = on_change, folds
        self._connection: Connection | None = None
        self._pending: dict[str, tuple[Command[Any], Callable[[Message], None]]] = {}
        self._retries: set[asyncio.TimerHandle] = set()
        self._tokens, self._rate, self._burst = 0.0, 0.0, 1.0
        self._refilled = 0.0
        self._closed = False
        self._returning: asyncio.Task[None] | None = None

    # ------------------------------------------------------------ connections

    async def open(self, seconds: float) -> None:
        """Connect and say hello, and try again while the server asks for patience. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds):
            while not await self._dial():
                pass

    async def _dial(self) -> bool:
        welcome: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        welcome.add_done_callback(lambda done: done.cancelled() or done.exception())

        def first(text: bytes) -> None:
            if not welcome.done():
                welcome.set_result(from_json(text))
            else:
                self._on_text(text)

        def lost(why: str) -> None:
            if not welcome.done():
                welcome.set_exception(Unreachable(why))
            else:
                self._on_lost(why)

        try:
            self._connection = await connect(self.url, first, lost, self._headers)
            hello = Hello(id=new_id(), protocols=[PROTOCOL_VERSION], name=self.name, token=self.token)
            self._connection.send(encode_to_server(hello))
            message = await welcome
        except Unreachable as error:
            self.outcome.refused[error.code] += 1
            await asyncio.sleep(error.retry_after or RETRY_SECONDS)
            return False
        if message["type"] == "welcome":
            limits = message["limits"]
            self.token = message.get("token") or self.token
            self._rate, self._burst = limits["messages_per_second"] * SHARE, max(1.0, limits["burst"] * SHARE)
            self._tokens, self._refilled = self._burst - 1, time.monotonic()
            self.connected = True
            return True
        self.outcome.refused[message.get("code") or "no_welcome"] += 1
        self._connection.close()
        if message["type"] == "refused" and "retry_after" not in message:
            raise CommandRefused(message)
        await asyncio.sleep(message.get("retry_after") or RETRY_SECONDS)
        return False

    def close(self) -> None:
        """Leave for good."""
        self._end()
        if self._connection is not None:
            self._connection.close()

    def abort(self) -> None:
        """Leave for good, without a goodbye."""
        self._end()
        if self._connection is not None:
            self._connection.abort()

    def _end(self) -> None:
        self._closed, self.connected = True, False
        if self._returning is not None:
            self._returning.cancel()
        for retry in self._retries:
            retry.cancel()

    def drop(self) -> None:
        """Lose the connection, as by a bad line, and come back."""
        if self._connection is not None:
            self._connection.abort()
            self._on_lost("")

    @property
    def transport(self) -> asyncio.Transport:
        """The socket under the connection."""
        assert self._connection is not None
        return self._connection.transport

    def _on_lost(self, why: str) -> None:
        if self._closed:
            return
        self.connected = False
        if why:
            self.outcome.lost[why] += 1
        if self._returning is not None:
            self._returning.cancel()
        self._returning = asyncio.get_running_loop().create_task(self._return())

    async def _return(self) -> None:
        try:
            while not await self._dial():
                pass
        except CommandRefused:
            return
        unanswered = [command for command, _ in self._pending.values()]
        if self.room is not None:
            self.request(Subscribe(id=new_id(), room=self.room), lambda answer: None)
        for command in unanswered:
            self.send(command)

    # ------------------------------------------------------------ commands

    def send(self, command: Command[Any]) -> None:
        """Write a command as soon as the server's limits allow it."""
        if (delay := self.delay()) > 0:
            self._later(delay, command)
            return
        self._tokens -= 1
        if self.connected and self._connection is not None:
            self._connection.send(encode_to_server(command))

    def delay(self) -> float:
        """In how many seconds the server's limits allow the next message; 0: now."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._refilled) * self._rate)
        self._refilled = now
        return max(0.0, (1 - self._tokens) / self._rate)

    def request(self, command: Command[Any], answered: Callable[[Message], None]) -> None:
        """Send a command; `answered` is called with what came of it, once.

        A lost connection, or a refusal that says when to try again, sends it again with the same id.
        """
        self._pending[command.id] = command, answered
        self.send(command)

    async def ask(self, command: Command[Any], seconds: float = ANSWER_SECONDS) -> Message:
        """The same, awaited. Raises `CommandRefused` where it was refused, and `TimeoutError`."""
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self.request(command, lambda message: None if answer.done() else answer.set_result(message))
        try:
            async with asyncio.timeout(seconds):
                message = await answer
        finally:
            self._pending.pop(command.id, None)
        if message["type"] == "refused":
            raise CommandRefused(message)
        return message

    async def shown(self, seconds: float) -> None:
        """Wait until there is a view. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds):
            while not self.view:  # noqa: ASYNC110 - seldom, and an event would cost with each message
                await asyncio.sleep(0.01)

    @property
    def most_messages(self) -> float:
        """How many messages a second are sent at most, by the server's limits; infinite without any."""
        return self._rate or math.inf

    @property
    def waits(self) -> bool:
        """Is a command without its answer?"""
        return bool(self._pending)

    def _later(self, seconds: float, command: Command[Any]) -> None:
        def again() -> None:
            self._retries.discard(handle)
            if command.id in self._pending:
                self.send(command)

        handle = asyncio.get_running_loop().call_later(seconds, again)
        self._retries.add(handle)

    # ------------------------------------------------------------ what comes in

    def _on_text(self, text: bytes) -> None:
        message: Message = from_json(text)
        kind = message["type"]
        if kind == "event":
            self._event(message)
        elif kind == "snapshot":
            self._snapshot(message)
        elif kind == "presence":
            if self._folds and self.view:
                _fold(self.view, message)
        elif (command_id := message.get("id")) is not None:
            self._answer(command_id, message)
        elif kind == "refused":
            self.outcome.refused[message["code"]] += 1
            # Nobody can say which one that was: all that wait are sent again.
            for command, _ in self._pending.values():
                self._later(message.get("retry_after") or RETRY_SECONDS, command)

    def _answer(self, command_id: str, message: Message) -> None:
        pending = self._pending.get(command_id)
        if pending is None:
            return
        command, answered = pending
        if message["type"] == "refused":
            self.outcome.refused[message["code"]] += 1
            if "retry_after" in message:
                self._later(message["retry_after"], command)
                return
        del self._pending[command_id]
        answered(message)

    def _snapshot(self, message: Message) -> None:
        if self.view and message["version"] < self.view["version"]:
            return
        self.room = message["room"]
        self.view = message["view"] if self._folds else {"version": message["version"]}
        self._on_change(message)

    def _event(self, message: Message) -> None:
        if not self.view:
            return
        known, version = self.view["version"], message["version"]
        if version != known + 1:
            seen = {"room": message["room"], "version": str(version), "known": str(known)}
            self.outcome.faults.append(say("command.loadtest.saw_version", name=self.name, **seen))
        if self._folds:
            _fold(self.view, message)
        else:
            self.view["version"] = version
        self._on_change(message)


def _fold(view: Message, message: Message) -> None:
    change = SimpleNamespace(set=message.get("set", {}), splice=message.get("splice", {}))
    if "version" in message:
        change.version = message["version"]
    fold(view, change)
