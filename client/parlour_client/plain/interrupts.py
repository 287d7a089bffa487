"""What Ctrl-C does while a person sits at a plain table or in the plain lobby."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupts:
    """Ctrl-C at a table: it ends what is being done there, and the table is left as by `quit`.

    Entered in the loop. Where nobody sits at the terminal, and where the system knows no other way,
    Ctrl-C stays the `KeyboardInterrupt` that it is.
    """

    def __init__(self, interactive: bool) -> None:
        self._interactive = interactive
        self.came = False
        """Is it by Ctrl-C that the table is left?"""
        self._doing: asyncio.Task[object] | None = None
        self._stop: Callable[[], object] | None = None
        """What Ctrl-C does instead, while something runs that can be stopped alone."""

    def __enter__(self) -> None:
        # A script ignores it for what it starts in the background.
        if self._interactive and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            with suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        with suppress(NotImplementedError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    def _interrupt(self) -> None:
        if self._stop is not None:
            self._stop()
            return
        self.came = True
        if self._doing is not None:
            self._doing.cancel()

    async def end(self, doing: Coroutine[Any, Any, T]) -> T | None:
        """Do something to its end (gives what it gives), or to a Ctrl-C (None)."""
        task = asyncio.create_task(doing)
        self._doing = task
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled() and self.came:
                return None
            task.cancel()
            raise
        finally:
            self._doing = None

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """While the block runs Ctrl-C calls `stop`, and does nothing else."""
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None
