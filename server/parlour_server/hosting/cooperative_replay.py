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

    Logs take turns, so that a short one does not wait for a long one, and only one has a part in each turn of
    the loop. (In a thread of its own it would hold the interpreter for five milliseconds at a time.)
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, work: Callable[[Sequence[LogRecord]], Steps[T]], records: list[LogRecord]) -> T:
        """Do all steps of some work on a log, which is emptied then. Raises what they raise."""
        try:
            return await self._do(work(records))
        finally:
            await free(records)

    async def _do(self, steps: Steps[T]) -> T:
        while True:
            # Those that wait get it in the order in which they came.
            async with self._turn:
                done = 0
                try:
                    while done < RECORDS_AT_ONCE:
                        done += next(steps)
                except StopIteration as end:
                    found: T = end.value
                    return found
                finally:
                    await asyncio.sleep(0)


async def free(items: list[Any]) -> None:
    """Empty a long list bit by bit: to free all that it holds at once takes many milliseconds."""
    while items:
        del items[-FREED_AT_ONCE:]
        await asyncio.sleep(0)
