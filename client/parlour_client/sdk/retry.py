"""Retries where the server says that waiting helps: it is busy, or we were too fast."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from parlour_client.sdk.errors import Refused

LONGEST_WAIT = 10.0
"""In seconds. A server that wants more is not waited for, unless somebody has the time."""

AnswerT = TypeVar("AnswerT")


async def with_retries(
    ask: Callable[[], Awaitable[AnswerT]],
    longest: float = LONGEST_WAIT,
    waiting: Callable[[Refused, float], None] | None = None,
) -> AnswerT:
    """Retry until it is answered; each time with a fresh id, as `ask` makes it. Raises `Refused`.

    No wait is longer than `longest` seconds; `waiting` is called with each refusal and how long the wait is.
    """
    while True:
        try:
            return await ask()
        except Refused as refused:
            wait = refused.refusal.retry_after
            if wait is None or wait > longest:
                raise
            if waiting is not None:
                waiting(refused, wait)
            await asyncio.sleep(wait)
