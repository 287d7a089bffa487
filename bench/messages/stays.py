"""How long each callback keeps the event loop, by which all else waits."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch


class Stay(NamedTuple):
    """The longest on the loop, in seconds."""

    wall: float
    cpu: float
    """Of the loop's thread: without its waiting for the interpreter, or for a core that others had."""


class Stays:
    """The longest stays since they were last asked for."""

    def __init__(self) -> None:
        self._longest = Stay(0.0, 0.0)

    def note(self, wall: float, cpu: float) -> None:
        """One callback has ended."""
        self._longest = Stay(max(self._longest.wall, wall), max(self._longest.cpu, cpu))

    def take(self) -> Stay:
        """The longest ones; counting begins anew."""
        longest, self._longest = self._longest, Stay(0.0, 0.0)
        return longest


@contextmanager
def measured_stays() -> Iterator[Stays]:
    """Time every callback of asyncio's own loop; uvloop's can't be watched so."""
    stays, run = Stays(), asyncio.Handle._run

    def timed(handle: Any) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            run(handle)
        finally:
            stays.note(time.perf_counter() - wall, time.thread_time() - cpu)

    with patch.object(asyncio.Handle, "_run", timed):
        yield stays
