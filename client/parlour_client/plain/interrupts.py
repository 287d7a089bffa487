"""Ctrl-C while something runs that a person may want to stop, but not leave."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """While the block runs Ctrl-C calls `stop`, on the running loop, and does nothing else."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    loop = asyncio.get_running_loop()
    # Not the loop's own handler: taking that away would lose the one by which `asyncio.run` ends.
    before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
