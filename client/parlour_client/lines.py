"""Lines typed on standard input, for an event loop."""

import asyncio
import io
import sys
import threading
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
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._over = False
        # A daemon: nothing can wake a thread that waits for a person, and it must not keep us from leaving.
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        """The next line; waits for it."""
        if self._over:
            return None
        line = await self._lines.get()
        self._over = line is None
        return line

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
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _text(line: bytes) -> str:
    return line[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r")
