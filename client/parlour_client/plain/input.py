"""Lines typed on standard input, for an event loop."""

import asyncio
import io
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import cast

LONGEST_LINE = 4096
"""What is longer is no line for us: its beginning is handed up, the rest dropped."""


class Lines:
    """Reads standard input in a thread of its own: no other way works for ttys, pipes and Windows alike.

    `await next()` gives a line without its end, or None when input has ended, then and ever after.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[str | None] = deque()
        self._comes = asyncio.Event()
        self._over = False
        # A daemon: nothing can wake a thread that waits for a person, and it must not keep us from leaving.
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        """The next line; waits for it."""
        if self._over:
            return None
        while not self._waiting:
            await self._come()
        line = self._waiting.popleft()
        self._over = line is None
        return line

    async def wait_for(self, says: Callable[[str], bool]) -> None:
        """Wait until there is a line that says so; all stay where they are, for `next`."""
        while not any(line is not None and says(line) for line in self._waiting):
            await self._come()

    async def _come(self) -> None:
        self._comes.clear()
        await self._comes.wait()

    def _read(self) -> None:
        try:
            # Raw: a buffer's lock, held by a thread that waits, would be fatal at the interpreter's end.
            raw = cast(io.BufferedReader, sys.stdin.buffer).raw
        except AttributeError:  # no standard input at all
            self._put(None)
            return
        rest = b""
        with suppress(OSError, ValueError):
            while chunk := raw.read(65536):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._put(_text(line))
                rest = rest[:LONGEST_LINE]
        if rest:
            self._put(_text(rest))
        self._put(None)

    def _put(self, line: str | None) -> None:
        # The loop may have gone home already.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._add, line)

    def _add(self, line: str | None) -> None:
        self._waiting.append(line)
        self._comes.set()


def _text(line: bytes) -> str:
    return line[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r")
