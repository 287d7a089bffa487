"""What is done beside everything else, until it ends: named timers, and tasks."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from parlour_server.hosting.context import Context, Timer


class Background:
    """The timers and tasks of one node, or of one registry of actors."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._timers: dict[str, Timer] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.ended = False

    def spawn(self, work: Coroutine[Any, Any, None] | None) -> None:
        """Run something, if there is anything, until the end."""
        if work is not None:
            task = self._context.spawn(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def waits_for(self, name: str) -> bool:
        """Is the timer of this name set?"""
        return name in self._timers

    def later(self, name: str, seconds: float, work: Callable[[], None]) -> None:
        """Set the one timer of this name, unless all has ended."""
        if self.ended:
            return
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()

        def fire() -> None:
            del self._timers[name]
            work()

        self._timers[name] = self._context.later(max(0.0, seconds), fire)

    def every(self, seconds: float, work: Callable[[], None]) -> None:
        """Do something now, and again each time so many seconds have passed: in the one timer of its name."""
        self.later(work.__name__, seconds, partial(self.every, seconds, work))
        work()

    def stop_timers(self) -> None:
        """Cancel all timers, for good."""
        self.ended = True
        for timer in self._timers.values():
            timer.cancel()

    async def end(self) -> None:
        """Cancel everything."""
        self.stop_timers()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
