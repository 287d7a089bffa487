"""Await a predicate over published states."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class StateWaiters(Generic[T]):
    """Tasks that each await a predicate.

    Every state is tested when it is published, and not when its waiter runs: states follow each other faster
    than that where several messages arrive at once.
    """

    def __init__(self) -> None:
        self._waiters: list[tuple[Callable[[T], bool], asyncio.Future[T]]] = []

    async def until(self, ready: Callable[[T], bool]) -> T:
        """Wait for the first published state for which `ready` is true. Raises what `end` is given."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiter = (ready, future)
        self._waiters.append(waiter)
        try:
            return await future
        finally:
            self._waiters.remove(waiter)

    def publish(self, state: T) -> None:
        """Publish a state to all waiters."""
        for ready, future in self._waiters:
            if future.done():
                continue
            try:
                if ready(state):
                    future.set_result(state)
            except Exception as error:
                # The waiter's own error, not the publisher's.
                future.set_exception(error)

    def end(self, error: BaseException) -> None:
        """Raise an error for all who still wait."""
        for _, future in self._waiters:
            if not future.done():
                future.set_exception(error)
