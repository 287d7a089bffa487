"""A server on a loop of its own, for tests that wait as plain scripts do."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.server import READY_SECONDS, serving


@contextmanager
def serving_in_thread(**settings: Any) -> Iterator[str]:
    """As `serving`, in a thread. Gives its address."""
    loop, stop, ready = asyncio.new_event_loop(), asyncio.Event(), threading.Event()
    found: list[str] = []

    async def serve() -> None:
        async with serving(**settings) as url:
            found.append(url)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(READY_SECONDS)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
