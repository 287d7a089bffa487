"""The workers behind the scheduler: threads of this process, or processes of their own.

Each search that runs has a slot, in which it can be stopped. Machine code releases the interpreter's lock, so
one process has threads for all of it, and loads it once; plain Python has a process for each slot. All is
called on the loop, and calls back there.
"""

import asyncio
import gc
from abc import ABC, abstractmethod
from collections.abc import Callable

from parlour_server.analysis.worker import Event, Job, Kernels, Loaded, Runner, call_on_loop
from parlour_server.analysis.worker_process import WorkerProcess

GRACE_SECONDS = 2.0
"""How long a search may go on after it was told to stop."""


class WorkerPool(ABC):
    """Workers of one kind."""

    can_end_workers: bool
    """Can a search that does not listen be ended by force?"""

    @abstractmethod
    def is_up(self, slot: int) -> bool:
        """Can a search be submitted there now?"""

    @abstractmethod
    def start(self, slot: int) -> None:
        """Have the slot's worker started, in the background, unless it is; `on_change` is called then."""

    @abstractmethod
    def submit(self, job: Job, ticket: int, slot: int) -> None:
        """Begin a search. `Ended` tells of its end."""

    @abstractmethod
    def stop(self, slot: int) -> None:
        """Tell the search in this slot to stop; it ends when it looks."""

    @abstractmethod
    def end_worker(self, slot: int) -> None:
        """End the worker of the search in this slot by force; others may have to go with it."""

    @abstractmethod
    def load(self, game: str) -> None:
        """Load a game's machine code into a pool that is up. `Loaded` or `NotCompiled` tells of it."""

    @property
    def failing(self) -> bool:
        """Could a worker not be started when that was last tried?"""
        return False

    def ending(self) -> None:  # noqa: B027 - threads have nothing to do
        """It is to be closed soon: start no more workers, and let those that end do so without a word."""

    @abstractmethod
    async def close(self) -> bool:
        """End the workers, whose searches have been cancelled. False: something goes on."""


class ThreadPool(WorkerPool):
    """Threads of this process, always up. They can't be ended by force."""

    can_end_workers = False

    def __init__(self, slots: int, on_event: Callable[[Event], None], kernels: Kernels | None) -> None:
        loop = asyncio.get_running_loop()
        self._on_event = on_event
        self._runner = Runner(slots, lambda event: call_on_loop(loop, self._happened, event), kernels)
        self._closed = False

    def is_up(self, slot: int) -> bool:
        """Threads start at once, when they are needed."""
        return not self._closed

    def start(self, slot: int) -> None:
        """Nothing to do."""

    def submit(self, job: Job, ticket: int, slot: int) -> None:
        """See `WorkerPool.submit`."""
        self._runner.submit(job, ticket, slot)

    def stop(self, slot: int) -> None:
        """See `WorkerPool.stop`."""
        self._runner.stop(slot)

    def end_worker(self, slot: int) -> None:
        """Not possible."""

    def load(self, game: str) -> None:
        """See `WorkerPool.load`."""
        self._runner.load(game)

    def _happened(self, event: Event) -> None:
        if isinstance(event, Loaded):
            # Loading leaves hardly anything in cycles (some fifty objects were counted), and a look for them
            # through all that numba is would keep everybody waiting for 0.05 s.
            gc.freeze()
        self._on_event(event)

    async def close(self) -> bool:
        """Wait for what runs, within the grace."""
        self._closed = True
        self._runner.close()
        running = [asyncio.wrap_future(future) for future in list(self._runner.running)]
        left = (await asyncio.wait(running, timeout=GRACE_SECONDS))[1] if running else set()
        loader = self._runner.loader
        return not left and (loader is None or not loader.is_alive())


class ProcessPool(WorkerPool):
    """Processes, started when they are needed: one for each slot; with machine code, one for all of them."""

    can_end_workers = True

    def __init__(
        self, slots: int, on_event: Callable[[Event], None], on_change: Callable[[], None], *, compiled: bool
    ) -> None:
        together = slots if compiled else 1
        process = WorkerProcess(together, on_event, on_change, compiled=compiled)
        others = [] if compiled else range(1, slots)
        self._processes = [
            process,
            *(WorkerProcess(together, on_event, on_change, compiled=compiled) for _ in others),
        ]

    def _of(self, slot: int) -> tuple[WorkerProcess, int]:
        """A slot's process, and the slot's number there."""
        if len(self._processes) == 1:
            return self._processes[0], slot
        return self._processes[slot], 0

    def is_up(self, slot: int) -> bool:
        """See `WorkerPool.is_up`."""
        return self._of(slot)[0].up

    def start(self, slot: int) -> None:
        """See `WorkerPool.start`."""
        self._of(slot)[0].start()

    def submit(self, job: Job, ticket: int, slot: int) -> None:
        """See `WorkerPool.submit`."""
        process, number = self._of(slot)
        process.submit(job, ticket, number)

    def stop(self, slot: int) -> None:
        """See `WorkerPool.stop`."""
        process, number = self._of(slot)
        process.stop(number)

    def end_worker(self, slot: int) -> None:
        """Kill its process. The searches in it end with `WorkerDied`."""
        self._of(slot)[0].kill()

    def load(self, game: str) -> None:
        """See `WorkerPool.load`."""
        self._processes[0].load(game)

    @property
    def failing(self) -> bool:
        """See `WorkerPool.failing`."""
        return any(process.failing for process in self._processes)

    def ending(self) -> None:
        """See `WorkerPool.ending`."""
        for process in self._processes:
            process.ending()

    async def close(self) -> bool:
        """Kill what runs: it was told to stop, and its answer is not wanted."""
        await asyncio.gather(*(process.close() for process in self._processes))
        return True
