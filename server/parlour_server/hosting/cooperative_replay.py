"""Logs that are long: reading through one takes as long as it is, and all else goes on meanwhile."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from parlour_server.log import LogRecord, Steps

RECORDS_AT_ONCE = 100
"""Records folded in a millisecond; then all else has its turn."""
FREED_AT_ONCE = 10
"""A move's report may be a thousand objects."""

T = TypeVar("T")


class CooperativeReplay:
    """Works through logs on the event loop, a part in each of its turns.

    One log after the other: many long ones make each other wait, and nothing else. (In a thread of its own it
    would hold the interpreter for five milliseconds at a time.)
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, work: Callable[[Sequence[LogRecord]], Steps[T]], records: list[LogRecord]) -> T:
        """Do all steps of some work on a log, which is emptied then. Raises what they raise."""
        async with self._turn:
            try:
                return await self._do(work(records))
            finally:
                await free(records)

    async def _do(self, steps: Steps[T]) -> T:
        while True:
            done = 0
            try:
                while done < RECORDS_AT_ONCE:
                    done += next(steps)
            except StopIteration as end:
                found: T = end.value
                return found
            await asyncio.sleep(0)


async def free(items: list[Any]) -> None:
    """Empty a long list bit by bit: to free all that it holds at once takes many milliseconds."""
    while items:
        del items[-FREED_AT_ONCE:]
        await asyncio.sleep(0)
