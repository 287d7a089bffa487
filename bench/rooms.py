"""Rooms that play by themselves: one move at a time in each, as fast as they may or on schedule.

A room's dialogue is a subclass's business; when its next move may go is decided here.
"""

import asyncio
import math
from collections import deque
from collections.abc import Coroutine
from time import perf_counter
from typing import Any, TypeVar

from bench.link import Link, text_frame
from bench.servers import Server

T = TypeVar("T")


class Tally:
    """What the rooms of one phase count together, and the first thing that went wrong."""

    def __init__(self) -> None:
        self.moves = 0
        """Moves that the other side has received."""
        self.since = math.inf
        """From when on latencies are kept, by `perf_counter`: moves due earlier warm up."""
        self.latencies: list[float] = []
        self._fault: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def fail(self, fault: Exception) -> None:
        """Call the phase off; the first fault is the one that counts."""
        if not self._fault.done():
            self._fault.set_result(fault)

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work unless a fault is reported first; then raise it."""
        task = asyncio.ensure_future(work)
        self._fault.add_done_callback(lambda _: task.cancel())
        try:
            return await task
        except asyncio.CancelledError:
            if self._fault.done():
                raise self._fault.result() from None
            raise


class Room:
    """A place where one move at a time is under way.

    It may be let run (`run`), told to make single moves at set times (`schedule`), and brought to
    rest (`halt`). A subclass calls `_may_move` when its dialogue allows the next move and `_heard`
    when one has arrived, and makes it in `_move`.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._runs = False
        self._due: deque[float] = deque()
        self._since = 0.0
        self.idle = False
        """It could move and was not told to."""

    async def open(self, server: Server) -> None:
        """Connect, and get to where the first move can be made."""
        raise NotImplementedError

    async def close(self) -> None:
        """Leave in peace."""
        raise NotImplementedError

    async def connect(self, server: Server) -> int:
        """Connect, and do no more than a connection has to; gives how many there are."""
        await self.open(server)
        return 2

    def run(self) -> None:
        """Let each move follow the one before at once."""
        self._runs = True
        if self.idle:
            self._may_move()

    def halt(self) -> None:
        """Make no further moves. Those that were scheduled are still made."""
        self._runs = False

    def schedule(self, due: float) -> None:
        """Make a move that is due now, or as soon as the one before it has been received.

        Its latency counts from `due` in either case, so a slow server can't slow its own exam down.
        """
        self._due.append(due)
        if self.idle:
            self._may_move()

    def _may_move(self) -> None:
        if self._due:
            self.idle = False
            self._since = self._due.popleft()
            self._move()
        elif self._runs:
            self.idle = False
            self._move()
        else:
            self.idle = True

    def _received(self) -> None:
        tally = self._tally
        tally.moves += 1
        if self._since >= tally.since:
            tally.latencies.append(perf_counter() - self._since)

    def _move(self) -> None:
        raise NotImplementedError


class EchoRoom(Room):
    """One connection to the echo server: a move is a message there and back."""

    MOVE = text_frame(b'{"id":"1234","type":"play","room":"KMRTQA","version":1234,"move":"b2"}')
    """The bytes of an ordinary move, so that both servers read messages of the same size."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self._link = _EchoLink(self)

    async def open(self, server: Server) -> None:
        """Connect; an echo server needs nothing more."""
        await self._link.open(server)
        self._may_move()

    async def close(self) -> None:
        """Say goodbye."""
        await self._link.close()

    async def connect(self, server: Server) -> int:
        """See `Room.connect`."""
        await self.open(server)
        return 1

    def _move(self) -> None:
        self._link.write(self.MOVE)

    def echoed(self) -> None:
        """The message came back."""
        self._received()
        self._may_move()

    def fail(self, fault: Exception) -> None:
        """Call the phase off."""
        self._tally.fail(fault)


class _EchoLink(Link):
    def __init__(self, room: EchoRoom) -> None:
        super().__init__(room.fail)
        self._room = room

    def on_message(self, message: bytes) -> None:
        self._room.echoed()
