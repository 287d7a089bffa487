"""How late the event loop is: what keeps it busy keeps all players waiting."""

import asyncio

from parlour_server.counters import Histogram

EVERY_SECONDS = 0.1


class LoopLag:
    """Sets a timer ten times a second, and observes by how much it comes late, until `stop`.

    A single moment of work is seen only where it falls on a timer; what happens again and again is.
    """

    def __init__(self, seen: Histogram) -> None:
        self._loop = asyncio.get_running_loop()
        self._seen = seen
        self._set()

    def stop(self) -> None:
        """Observe no more."""
        self._timer.cancel()

    def _set(self) -> None:
        self._due = self._loop.time() + EVERY_SECONDS
        self._timer = self._loop.call_at(self._due, self._came)

    def _came(self) -> None:
        self._seen.observe(max(0.0, self._loop.time() - self._due))
        self._set()
