"""Waiting for what other tasks bring about."""

import asyncio
import time
from collections.abc import Callable


async def within(seconds: float, happens: Callable[[], bool]) -> None:
    """Wait until something is so; an `AssertionError` if it is not in time."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.01)
