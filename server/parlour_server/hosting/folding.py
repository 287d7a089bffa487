"""Logs that are long: folding one takes as long as it is, and the event loop waits for nobody."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from parlour_server.room.log import LogRecord
from parlour_server.room.state import RoomState, evolve

LONG = 2_000
"""Records that are folded within some milliseconds; more go to a thread."""

T = TypeVar("T")


async def beside(records: Sequence[LogRecord], work: Callable[[], T]) -> T:
    """Do what reads through so many records: at once where they are few, else beside the event loop."""
    return work() if len(records) < LONG else await asyncio.to_thread(work)


async def folded(code: str, records: Sequence[LogRecord]) -> RoomState:
    """The state that a room's log leads to."""

    def fold() -> RoomState:
        state = RoomState(code)
        for record in records:
            evolve(state, record)
        return state

    return await beside(records, fold)
