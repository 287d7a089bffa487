"""Work that can wait: some of it in each turn of the loop, so that a lot of it keeps no move waiting."""

import asyncio
from collections import deque
from collections.abc import Callable

ARRIVALS_AT_ONCE = 4
"""Handshakes, or hellos, between two looks at the sockets: about a millisecond's work."""
QUERIES_AT_ONCE = 10.0
"""Milliseconds of queries, by their prices, which are what they cost at worst."""


class TurnQueue:
    """Lines for what can wait, one for each key, which have their turns one after the other.

    `most` is what is done in a turn of the loop, in whatever work costs. Work may give how much less it was:
    turns with hardly anything in them cost more than what is in them, and a commit has to wait for them.
    """

    def __init__(self, most: float = ARRIVALS_AT_ONCE) -> None:
        self._most = most
        self._done = 0.0
        """Of this turn."""
        self._lines: dict[str, deque[tuple[Callable[[], float | None], float]]] = {}
        self._moving = False

    def run(self, work: Callable[[], float | None], cost: float = 1.0, key: str = "") -> None:
        """Do it at once where nothing waits and this turn has time left; else when it is its turn."""
        if self._lines or self._done >= self._most:
            self.join(work, cost, key)
        else:
            self._move_on()
            self._do(work, cost)

    def join(self, work: Callable[[], float | None], cost: float = 1.0, key: str = "") -> None:
        """Do it when it is its turn."""
        self._lines.setdefault(key, deque()).append((work, cost))
        self._move_on()

    async def turn(self) -> None:
        """Wait for one's turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A waiter that gave up has gone.
        self.join(lambda: None if turn.done() else turn.set_result(None))
        await turn

    def _move_on(self) -> None:
        if not self._moving:
            self._moving = True
            asyncio.get_running_loop().call_soon(self._some)

    def _some(self) -> None:
        self._moving, self._done = False, 0.0
        # What joins meanwhile has its turn in the next one.
        left = sum(map(len, self._lines.values()))
        try:
            while left and self._done < self._most:
                left -= 1
                work, cost = self._take()
                self._do(work, cost)
        finally:
            if self._lines or self._done:
                self._move_on()

    def _do(self, work: Callable[[], float | None], cost: float) -> None:
        self._done += cost
        self._done -= work() or 0.0

    def _take(self) -> tuple[Callable[[], float | None], float]:
        key, line = next(iter(self._lines.items()))
        taken = line.popleft()
        # The line's next is behind all other lines.
        del self._lines[key]
        if line:
            self._lines[key] = line
        return taken
