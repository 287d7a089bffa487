"""A connection that returns by itself: what screens, bots and the arena talk to a server through.

    async with Connection("ws://127.0.0.1:8765", Guest("Ada")) as connection:
        made = await connection.request(CreateRoom(id=new_id(), game="tictactoe"))
        await connection.request(Watch(id=new_id(), room=made.room))
        async for heard in connection:
            ...

When the line is lost it dials again: at once, then after growing random pauses, for as long as it is
not told to stop. Back again, it says hello, follows each room from the version that it has, and then
sends every command that was not answered, in order and under its old id: the server counts an id
once, so it does not matter whether it went down before the command, or between doing and answering.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self, overload

from websockets.exceptions import ConnectionClosed

from parlour_client.dialing import (
    HEARTBEAT,
    OUTSIDE,
    Journal,
    Line,
    Outside,
    Socket,
    dial,
    new_id,
    read,
    send,
)
from parlour_client.dialogue import ANSWERS, Back, Command, ForRoom, Heard, Lost, RoomLost
from parlour_client.faults import ConnectFailed, ConnectionEnded, Refused
from parlour_client.following import Following
from parlour_client.identity import Identity
from parlour_protocol import codec, to_client, to_server
from parlour_protocol.codec import BadMessage
from parlour_protocol.errors import Code
from parlour_protocol.ids import CommandId
from parlour_protocol.to_client import (
    Accepted,
    Answer,
    Event,
    Goodbye,
    Lobby,
    Presence,
    Progress,
    Replaced,
    Snapshot,
    Thinking,
    Welcome,
)

__all__ = ["Back", "Connection", "Heard", "Lost", "RoomLost", "new_id"]

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0
STEADY_SECONDS = 5.0
"""A line that held this long was sound: when it breaks, the next try is at once."""

WAITING_HELPS = frozenset({Code.TOO_FAST, Code.BUSY, Code.SERVER_FULL, Code.NOT_SAVED, Code.INTERNAL})
MOST_UNREAD = 256
"""While so much is unread, thoughts are not kept: they only show."""
_TO_FOLLOW = (to_server.TakeSeat, to_server.TakeOver, to_server.QuickMatch, to_server.Watch)
"""Who asks one of these follows the room from then on."""
OUR_FAULT = frozenset({1003, 1007, 1009})
"""Close codes that say our message was at fault: sent again, it would be so again."""


@dataclass(slots=True)
class _Unanswered:
    command: Command
    answer: asyncio.Future[Answer]
    sent_on: Socket | None = None
    times: int = 0


class Connection:
    """A player's line to a server. Enter it (`async with`) to connect; it is for one task to iterate.

    Entering raises `ConnectFailed` or `Refused`. The stream ends when the connection is closed, and
    raises `ConnectionEnded`, `ConnectFailed` or `Refused` where the server would not have us back.
    It holds as many events as the server sends; while it is not read, only thoughts are dropped.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        *,
        journal: Journal | None = None,
        heartbeat: tuple[float, float] = HEARTBEAT,
        pause: Callable[[float], float] | None = None,
        outside: Outside = OUTSIDE,
    ) -> None:
        self.server = server
        self.identity = identity
        self._journal = journal
        self._heartbeat = heartbeat
        self._outside = outside
        # Full jitter: a thousand clients of one server must not all come back in the same moment.
        self._pause = pause or (lambda longest: random.SystemRandom().uniform(0, longest))
        self._following = Following()
        self._unanswered: dict[CommandId, _Unanswered] = {}
        self._refetching: dict[CommandId, to_server.Watch] = {}
        self._owed: set[str] = set()
        """Rooms of which a snapshot was asked for and has not come: the next line asks for it again."""
        self._contested: dict[str, Replaced] = {}
        """Rooms that a newer connection of ours follows, unless what we asked for makes us the newest."""
        self._heard: asyncio.Queue[Heard | None] = asyncio.Queue()
        self._socket: Socket | None = None
        self._goodbye: Goodbye | None = None
        self._ended: BaseException | None = None
        self._closed = False
        self._keeper: asyncio.Task[None] | None = None
        self._slowing: asyncio.Task[None] | None = None
        self._watching_later: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        line = await self._dial()
        self._welcome = line.welcome
        self._keeper = asyncio.create_task(self._keep(line))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def welcome(self) -> Welcome:
        """The server's last welcome: who we are there, and its limits."""
        return self._welcome

    async def close(self) -> None:
        """Hang up. Commands still unanswered raise `ConnectionEnded`."""
        self._closed = True
        if self._keeper is not None:
            tasks = [self._keeper, *self._watching_later]
            if self._slowing is not None:
                tasks.append(self._slowing)
            for task in tasks:
                task.cancel()
            try:
                await asyncio.wait(tasks)
            finally:
                # Also where nobody waits any longer for the farewell to be said.
                self._end(ConnectionEnded("The connection was closed."))

    async def __aiter__(self) -> AsyncIterator[Heard]:
        while (heard := await self._heard.get()) is not None:
            yield heard
        if self._ended is not None and not self._closed:
            raise self._ended

    # ------------------------------------------------------------ commands

    @overload
    async def request(self, command: ForRoom) -> Accepted: ...
    @overload
    async def request(self, command: to_server.AskHint) -> to_client.Hint: ...
    @overload
    async def request(self, command: to_server.AskThoughts) -> to_client.Thoughts: ...
    @overload
    async def request(self, command: to_server.ListRooms) -> to_client.Rooms: ...
    @overload
    async def request(self, command: to_server.ListGames) -> to_client.Games: ...
    @overload
    async def request(self, command: to_server.ListBots) -> to_client.Bots: ...
    @overload
    async def request(self, command: to_server.Analyse) -> to_client.Analysis: ...
    @overload
    async def request(self, command: to_server.AskTree) -> to_client.GameTree: ...
    @overload
    async def request(self, command: to_server.Race) -> to_client.Raced: ...
    @overload
    async def request(self, command: to_server.AskRecord) -> to_client.Record: ...
    @overload
    async def request(self, command: to_server.AskBoard) -> to_client.Board: ...
    @overload
    async def request(self, command: to_server.AskHistory) -> to_client.History: ...

    async def request(self, command: Command) -> Answer:
        """Send a command, its `id` drawn by `new_id`, and wait for its answer, however long it takes.

        Raises `Refused` with what the server sent, and what the stream raises where that ended.
        """
        if self._ended is not None:
            raise self._ended
        if self._keeper is None:
            raise ConnectionEnded("Not connected: use it as `async with connect(...) as parlour:`.")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._unanswered[command.id] = _Unanswered(command, answer)
        try:
            if self._socket is not None:
                await self._send_unanswered(self._socket)
            return await answer
        finally:
            self._unanswered.pop(command.id, None)

    async def _send_unanswered(self, socket: Socket) -> None:
        """Send what this line has not carried yet, in order."""
        for waiting in list(self._unanswered.values()):
            if waiting.sent_on is not socket:
                # Noted before the send: another task may come through here while it waits.
                waiting.sent_on = socket
                waiting.times += 1
                try:
                    await send(socket, waiting.command, self._journal)
                except ConnectionClosed:
                    return  # the keeper notices, and the next line carries it

    # ------------------------------------------------------------ the line

    async def _keep(self, line: Line) -> None:
        """Live on one line after the other, until told to stop or sent away."""
        attempt = 0
        try:
            while True:
                since = asyncio.get_running_loop().time()
                await self._live(line)
                if asyncio.get_running_loop().time() - since > STEADY_SECONDS:
                    attempt = 0
                line, attempt = await self._return(attempt)
                self._welcome = line.welcome
                self._heard.put_nowait(Back())
        except Exception as error:
            # A fault is for the person, anything else our own bug: both are for whoever reads the stream.
            self._end(error)

    async def _live(self, line: Line) -> None:
        """Take up what was going on, and listen until the line is lost. Raises `ConnectionEnded`."""
        socket = line.socket
        self._goodbye = None
        self._refetching.clear()
        for replaced in list(self._contested.values()):
            self._let_go(replaced)
        try:
            self._owed = {room for room in self._owed if room in self._following}
            for room, version in self._following.rooms():
                await self._watch(socket, room, None if room in self._owed else version)
            self._socket = socket
            await self._send_unanswered(socket)
            async for text in socket:
                await self._take(socket, text)
        except ConnectionClosed:
            pass
        finally:
            self._socket = None
            await socket.close()
        if socket.close_code in OUR_FAULT:
            raise ConnectionEnded(f"The server could not take what was sent ({socket.close_reason}).")

    async def _dial(self) -> Line:
        return await dial(self.server, self.identity, self._journal, self._heartbeat, self._outside)

    async def _return(self, attempt: int) -> tuple[Line, int]:
        """Dial until somebody answers; the number of tries so far comes back with the line.

        Raises `ConnectFailed` or `Refused` where trying again can't help.
        """
        at_least, reason = 0.0, ""
        if self._goodbye is not None:
            at_least, reason = self._goodbye.retry_after or 0.0, self._goodbye.message
        while True:
            longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt - 1, 10)) if attempt else 0.0
            if at_least:
                longest = max(longest, FIRST_PAUSE)
            pause = at_least + self._pause(longest)
            self._heard.put_nowait(Lost(pause, attempt, reason))
            await asyncio.sleep(pause)
            attempt += 1
            at_least, reason = 0.0, ""
            try:
                return await self._dial(), attempt
            except ConnectFailed as failed:
                if failed.lasting:
                    raise
            except Refused as refused:
                if refused.code not in WAITING_HELPS:
                    raise
                at_least, reason = refused.refusal.retry_after or 0.0, str(refused)

    def _end(self, error: BaseException) -> None:
        if self._ended is not None:
            return
        self._ended = error
        for waiting in self._unanswered.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(error)
        self._heard.put_nowait(None)

    # ------------------------------------------------------------ what comes in

    async def _take(self, socket: Socket, text: str | bytes) -> None:
        try:
            message = read(text, self._journal)
        except BadMessage as error:
            if error.id is None:
                self._unreadable(text, error)
                return
            # But whoever asked must hear something.
            message = to_client.Refused(
                Code.INTERNAL, f"The server's answer could not be read: {error.message}", id=error.id
            )
        match message:
            case Snapshot() | Event():
                verdict = self._following.judge(message)
                if verdict in ("show", "show and refetch"):
                    self._heard.put_nowait(message)
                    if isinstance(message, Snapshot) and not self._is_asked_anew(message.room):
                        self._owed.discard(message.room)
                if verdict in ("refetch", "show and refetch"):
                    await self._watch(socket, message.room, None)
            case Thinking() | Progress():
                if self._heard.qsize() < MOST_UNREAD:
                    self._heard.put_nowait(message)
            case Presence() | Lobby():
                self._heard.put_nowait(message)
            case Replaced(room=room):
                if any(watch.room == room for watch in self._refetching.values()):
                    # It crossed our asking for the room, which makes us the newest again, if it is granted.
                    self._contested[room] = message
                else:
                    self._let_go(message)
            case Goodbye():
                self._goodbye = message
            case None | Welcome():
                pass
            case to_client.Refused(id=None):
                if message.code is Code.TOO_FAST:
                    self._slow_down(socket, message.retry_after or FIRST_PAUSE)
                else:
                    self._heard.put_nowait(message)
            case _:
                await self._answered(socket, message)

    def _unreadable(self, text: str | bytes, error: BadMessage) -> None:
        """An event that is lost so leaves a gap, which a snapshot heals; what heals a snapshot?"""
        room = codec.snapshot_of(text)
        if room is not None and room in self._following:
            said = f"This client can't show that room: {error.message}"
            self._following.stop(room)
            self._heard.put_nowait(RoomLost(room, to_client.Refused(Code.INTERNAL, said)))

    async def _answered(self, socket: Socket, answer: Answer) -> None:
        assert answer.id is not None
        watch = self._refetching.pop(answer.id, None)
        if watch is not None:
            contested = self._contested.pop(watch.room, None)
            if isinstance(answer, to_client.Refused) and contested is not None:
                self._let_go(contested)
            elif isinstance(answer, to_client.Refused):
                self._not_watched(socket, watch, answer)
            elif watch.room not in self._following:
                await self._was_left(socket, watch.room)
            return
        waiting = self._unanswered.pop(answer.id, None)
        if waiting is None or waiting.answer.done():
            return
        if isinstance(answer, to_client.Refused):
            waiting.answer.set_exception(Refused(answer))
            return
        if not isinstance(answer, ANSWERS.get(type(waiting.command), Accepted)):
            waiting.answer.set_exception(ConnectionEnded("The server's answer does not fit the question."))
            return
        # Before anything more is sent: the line may break at that, and this is answered.
        waiting.answer.set_result(answer)
        # People say a room's name in their own way; the answer has it as all that follows will.
        match waiting.command, answer:
            case command, Accepted(room=room) if isinstance(command, _TO_FOLLOW):
                followed = self._following.version(room) is not None
                self._following.start(room)
                if waiting.times > 1 or (followed and not isinstance(command, to_server.Watch)):
                    # A repeated command gets its first answer again, but its snapshot may have gone down
                    # with the line before; and whoever looked on already is sent none for sitting down.
                    await self._watch(socket, room, None)
            case to_server.Unwatch(), Accepted(room=room):
                self._following.stop(room)

    def _is_asked_anew(self, room: str) -> bool:
        """Is a snapshot of it asked for, and the answer, which goes before the snapshot, not here yet?"""
        return any(watch.room == room and watch.since is None for watch in self._refetching.values())

    async def _was_left(self, socket: Socket, room: str) -> None:
        """A room that was left while it was asked for again: the server has us look on there once more."""
        asked = [waiting.command for waiting in self._unanswered.values()]
        if any(
            getattr(command, "room", None) == room and isinstance(command, _TO_FOLLOW) for command in asked
        ):
            self._following.start(room)
        else:
            with suppress(ConnectionClosed):
                await send(socket, to_server.Unwatch(id=self._outside.new_id(), room=room), self._journal)

    def _let_go(self, replaced: Replaced) -> None:
        """A newer connection of ours follows this room: asking for it again would be a fight."""
        self._contested.pop(replaced.room, None)
        self._following.stop(replaced.room)
        for command, watch in list(self._refetching.items()):
            if watch.room == replaced.room:
                del self._refetching[command]
        self._heard.put_nowait(replaced)

    def _not_watched(self, socket: Socket, watch: to_server.Watch, refusal: to_client.Refused) -> None:
        """A room that we follow was refused: ask again where waiting helps, else give it up."""
        if refusal.code not in WAITING_HELPS:
            self._following.stop(watch.room)
            self._heard.put_nowait(RoomLost(watch.room, refusal))
            return

        async def again() -> None:
            await asyncio.sleep(refusal.retry_after or FIRST_PAUSE)
            # Another line has asked for its rooms itself, and a room may have been left meanwhile.
            if self._socket is socket and watch.room in self._following:
                with suppress(ConnectionClosed):
                    await self._watch(socket, watch.room, watch.since)

        task = asyncio.create_task(again())
        self._watching_later.add(task)
        task.add_done_callback(self._watching_later.discard)

    def _slow_down(self, socket: Socket, pause: float) -> None:
        """Something was refused unread, so nobody can say what it was: after a pause, all is sent again."""

        async def again() -> None:
            await asyncio.sleep(pause)
            if self._socket is not socket:
                return
            for waiting in self._unanswered.values():
                waiting.sent_on = None
            await self._send_unanswered(socket)
            rooms, self._refetching = {watch.room for watch in self._refetching.values()}, {}
            with suppress(ConnectionClosed):
                for room in rooms:
                    await self._watch(socket, room, None)

        if self._slowing is None or self._slowing.done():
            self._slowing = asyncio.create_task(again())

    async def _watch(self, socket: Socket, room: str, since: int | None) -> None:
        """Ask for a room's events since a version, or for a snapshot."""
        if since is None:
            self._owed.add(room)
        watch = to_server.Watch(id=self._outside.new_id(), room=room, since=since)
        self._refetching[watch.id] = watch
        await send(socket, watch, self._journal)
