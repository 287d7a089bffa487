"""May people be sent here now? Load balancers and monitoring ask."""

import asyncio
from collections.abc import Callable

from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.store.port import Store, StoreError

KEPT_SECONDS = 1.0
"""How long an answer is given again: anyone may ask, and a look costs the disk a commit."""
STORE_SECONDS = 2.0
"""How long the store may take for a commit before it counts as stuck."""


class Readiness:
    """Looks at what a server needs to be of use. Why something is amiss is for the log; here it is named."""

    def __init__(
        self, store: Store, directory: Directory, scheduler: SearchScheduler, monotonic: Callable[[], float]
    ) -> None:
        self._store, self._directory, self._scheduler = store, directory, scheduler
        self._monotonic = monotonic
        self._look: asyncio.Task[list[str]] | None = None
        self._looked_at = 0.0

    async def unready(self) -> list[str]:
        """The reasons to send no one here now; empty where all is well."""
        now = self._monotonic()
        if self._look is None or (self._look.done() and now - self._looked_at >= KEPT_SECONDS):
            self._looked_at = now
            self._look = asyncio.create_task(self._find())
        return await asyncio.shield(self._look)

    async def _find(self) -> list[str]:
        found = []
        if not self._directory.loaded:
            found.append("the rooms are not loaded yet")
        context = self._directory.context
        if context.drain_until is not None or context.leaving:
            found.append("the server is being drained")
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._store.check()
        except TimeoutError:
            found.append("the store does not answer")
        except StoreError:
            found.append("the store can't save")
        if self._scheduler.workers_failing:
            found.append("the search workers can't be started")
        return found
