"""Those who arrive are let in a few at a time, so that hundreds at once keep nobody's move waiting."""

import asyncio
from collections import deque
from collections.abc import Callable

AT_ONCE = 4
"""So many have their turn before the loop looks at the sockets again: about a millisecond's work."""


class AdmissionQueue:
    """A line for what can wait a moment."""

    def __init__(self) -> None:
        self._line: deque[Callable[[], object]] = deque()
        self._moving = False

    def join(self, work: Callable[[], object]) -> None:
        """Have it done when it is its turn."""
        self._line.append(work)
        self._move_on()

    async def turn(self) -> None:
        """Wait for one's turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Who gave up has gone.
        self.join(lambda: None if turn.done() else turn.set_result(None))
        await turn

    def _move_on(self) -> None:
        if self._line and not self._moving:
            self._moving = True
            asyncio.get_running_loop().call_soon(self._some)

    def _some(self) -> None:
        try:
            for _ in range(min(AT_ONCE, len(self._line))):
                self._line.popleft()()
        finally:
            self._moving = False
            self._move_on()
