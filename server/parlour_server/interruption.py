"""To end what strangers' code does, where that may go on for ever."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupted(BaseException):
    """It has taken all of its time. No `Exception`: what is interrupted shall not catch it."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `Interrupted` in what this thread does after so long, even in a loop without end.

    A timer's signal would reach the main thread alone, and this is any thread's. What waits in C goes on.
    """
    caller, done = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def watch() -> None:
        # Again and again, since a bare `except` in a loop would go on with it.
        pause = seconds
        while not done.wait(pause):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(caller, ctypes.py_object(Interrupted))
            pause = 0.1

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        # What it raised in the last moment is not to strike later.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(caller, None)
