"""Waiting for something that changes to be as one wishes."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiting(Generic[T]):
    """Those who wait for a state, each for its own.

    Every state is looked at as it comes about, and not when its waiter gets round to it: states follow each
    other faster than that where a line brings several messages at once.
    """

    def __init__(self) -> None:
        self._waiters: list[tuple[Callable[[T], bool], asyncio.Future[T]]] = []

    async def until(self, ready: Callable[[T], bool]) -> T:
        """Wait for the first state from now on that is as wished. Raises what `end` is given."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiter = (ready, future)
        self._waiters.append(waiter)
        try:
            return await future
        finally:
            self._waiters.remove(waiter)

    def show(self, state: T) -> None:
        """Let everybody look at a state."""
        for ready, future in self._waiters:
            if future.done():
                continue
            try:
                if ready(state):
                    future.set_result(state)
            except Exception as error:
                # It is the waiter's own, and not of whoever brought the state.
                future.set_exception(error)

    def end(self, error: BaseException) -> None:
        """Let everybody who still waits wait no more."""
        for _, future in self._waiters:
            if not future.done():
                future.set_exception(error)
