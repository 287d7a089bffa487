"""Work that runs at the same time, and ends together."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def first_done(*work: Awaitable[T], beside: Iterable[Awaitable[object]] = ()) -> T:
    """Run all of these until the first of `work` is done; give its result, or raise its error.

    Where several are done at once, the first in order counts. What runs `beside` them may be done earlier,
    and ends the rest only by an error, which is raised. What is not done then is cancelled and awaited.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    others = [asyncio.ensure_future(one) for one in beside]
    running: set[asyncio.Future[T] | asyncio.Future[object]] = {*tasks, *others}
    try:
        while True:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for other in others:
                if other.done():
                    other.result()
            for task in tasks:
                if task.done():
                    return task.result()
    finally:
        for one in (*tasks, *others):
            one.cancel()
        await asyncio.gather(*tasks, *others, return_exceptions=True)
