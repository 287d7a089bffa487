"""The workers behind the scheduler: threads of this process, or of another one (`worker_process.py`).

Each search that runs has a slot, in which it can be stopped. All is called on the loop, and calls back there.
"""

import asyncio
import gc
from abc import ABC, abstractmethod
from collections.abc import Callable

from parlour_server.analysis.worker import Event, Job, Kernels, Loaded, Runner, call_on_loop

GRACE_SECONDS = 2.0
"""How long a search may go on after its stop was requested, but for what its worker waits for a core."""
LONGEST_GRACE_SECONDS = 30.0
"""The same with that."""


class WorkerPool(ABC):
    """Workers in one process, one for each slot that is used."""

    can_end_workers: bool
    """Can a search that does not listen be ended by force?"""
    up = False
    """Can a search be submitted now?"""
    failing = False
    """Could it not be started when that was last tried?"""

    @abstractmethod
    def start(self) -> None:
        """Have the workers started, in the background, unless they are."""

    @abstractmethod
    def submit(self, job: Job, ticket: int, slot: int) -> None:
        """Begin a search. `Ended` tells of its end; with `WorkerDied` where its process dies, or has died."""

    @abstractmethod
    def stop(self, slot: int) -> None:
        """Tell the search in this slot to stop; it ends when it looks."""

    @abstractmethod
    def load(self, game: str) -> None:
        """Load a game's machine code into a pool that is up. `Loaded` or `NotCompiled` tells of it."""

    @abstractmethod
    def kill(self) -> None:
        """End all its searches by force, where that is possible."""

    def waited_for_core(self) -> float:
        """How many seconds its threads have waited for a core by now, where that is known."""
        return 0.0

    @abstractmethod
    def ending(self) -> None:
        """It is to be closed soon: start no more workers, and let those that end do so without a word."""

    @abstractmethod
    async def close(self) -> bool:
        """End the workers, whose searches have been cancelled. False: something goes on."""


class ThreadPool(Runner, WorkerPool):
    """Threads of this process, always up. They can't be ended by force."""

    can_end_workers = False
    up = True

    def __init__(self, slots: int, on_event: Callable[[Event], None], kernels: Kernels | None) -> None:
        loop = asyncio.get_running_loop()
        self._on_event = on_event
        super().__init__(slots, lambda event: call_on_loop(loop, self._happened, event), kernels)

    def start(self) -> None:
        """They start at once, when they are needed."""

    def kill(self) -> None:
        """Not possible."""

    def ending(self) -> None:
        """Threads have nothing to do then."""

    def _happened(self, event: Event) -> None:
        if isinstance(event, Loaded):
            # Loading leaves hardly anything in cycles (some fifty objects were counted), and a look for them
            # through all that numba is would keep the loop waiting for 0.05 s.
            gc.freeze()
        self._on_event(event)

    async def close(self) -> bool:
        """Wait for what runs, within the grace."""
        self.up = False
        self._executor.shutdown(wait=False, cancel_futures=True)
        running = [asyncio.wrap_future(future) for future in list(self._futures)]
        left = (await asyncio.wait(running, timeout=GRACE_SECONDS))[1] if running else set()
        return not left and (self._loader is None or not self._loader.is_alive())
