"""A stream of what happens, for one reader: bounded, and ended with a reason."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, Self, TypeVar

T = TypeVar("T")

MOST_UNREAD = 1024
"""So much may wait for a reader; then `overflow` decides what becomes of it."""


class Stream(Generic[T]):
    """What one reader has not read yet; iterate it with `async for`.

    When it is full `overflow` is called with the stream in place of taking one thing more: it lets the
    stream begin again, or end. What was put in before the end is still read, then the error is raised, or
    without one the iteration is over.
    """

    def __init__(self, overflow: Callable[["Stream[T]"], None], most: int = MOST_UNREAD) -> None:
        self._overflow = overflow
        self._most = most
        self._unread: deque[T] = deque()
        self._ended = False
        self._error: BaseException | None = None
        self._more = asyncio.Event()

    def put(self, item: T) -> None:
        """Add something; nothing happens where the stream has ended."""
        if self._ended:
            return
        if len(self._unread) >= self._most:
            self._overflow(self)
            return
        self._unread.append(item)
        self._more.set()

    def begin_again(self, *items: T) -> None:
        """Drop what was not read, and go on with these."""
        self._unread = deque(items)
        self._more.set()

    def end(self, error: BaseException | None = None) -> None:
        """Let the reader come to an end. The first reason counts."""
        if not self._ended:
            self._ended, self._error = True, error
            self._more.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        while not self._unread:
            if self._error is not None:
                raise self._error
            if self._ended:
                raise StopAsyncIteration
            self._more.clear()
            await self._more.wait()
        return self._unread.popleft()
