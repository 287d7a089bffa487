"""Answers that come later than they would."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot


class Late:
    """A call whose answer comes, and is held back until it is let through."""

    def __init__(self, call: Callable[..., Awaitable[Any]]) -> None:
        self._call = call
        self._through = asyncio.Event()
        self.held = False

    async def __call__(self, *given: Any, **named: Any) -> Any:
        try:
            return await self._call(*given, **named)
        finally:
            self.held = True
            await self._through.wait()

    async def let_through(self, pilot: Pilot[None]) -> None:
        self._through.set()
        await pilot.pause()
