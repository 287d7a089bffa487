"""Asking again where the server says that waiting helps: it is busy, or we were too fast."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from parlour_client.faults import Refused

LONGEST_WAIT = 10.0
"""In seconds. A server that wants more is not waited for."""

AnswerT = TypeVar("AnswerT")


async def patiently(ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
    """Ask until it is answered; each time with a fresh id, as `ask` makes it. Raises `Refused`."""
    while True:
        try:
            return await ask()
        except Refused as refused:
            wait = refused.refusal.retry_after
            if wait is None or wait > LONGEST_WAIT:
                raise
            await asyncio.sleep(wait)
