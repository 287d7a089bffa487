"""The workers behind the scheduler: a pool of threads, and a pool of processes.

Threads are for searches in compiled code, which releases the interpreter's lock and so leaves the event
loop alone. Plain Python does not, and has processes of its own. Both pools run `worker.run` in an
`Executor` of the standard library's kind; all methods are called on the loop.

    a pool is   down -> starting -> up -> (a process was killed) -> starting -> up -> closed
"""

import asyncio
import contextlib
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from parlour_protocol.views.reports import Report
from parlour_server.analysis import log
from parlour_server.analysis.worker import (
    Job,
    make_control,
    run,
    run_in_process,
    start_worker,
    warm,
    yield_to_the_loop,
)
from parlour_server.search.kernels.inner_search import TableMemory

START_AGAIN_SECONDS = 1.0
GRACE_SECONDS = 2.0
"""How long a search may go on after its stop flag was set."""

OnReport = Callable[[int, Report], None]
"""Called on the loop with a search's ticket and what it has found until now."""


def call_on_loop(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: Any) -> None:
    """Call on the loop from any thread, without waiting for it."""
    # Once the loop has closed there is nobody to call. To check before would leave it time to close.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(callback, *arguments)


@dataclass(frozen=True, slots=True)
class Running:
    """A search in the hands of a pool."""

    future: Future[Report]
    executor: Executor | None = None
    """Which one it was given to, for a pool may get another."""


class WorkerPool(ABC):
    """Workers of one kind. Each search that runs has a slot: its stop byte, one of its `flags`."""

    can_end_workers: bool
    """Can a search that does not listen be ended by force?"""

    def __init__(
        self, workers: int, flags: memoryview, on_report: OnReport, on_up: Callable[[], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._workers = workers
        self._flags = flags
        self._on_report, self._on_up = on_report, on_up
        self._closed = False
        self.failing = False
        """Could its workers not be started when that was last tried?"""

    @property
    @abstractmethod
    def up(self) -> bool:
        """Can a search be submitted now?"""

    @abstractmethod
    def start(self) -> None:
        """Have the workers started, in the background, unless they are; `on_up` is called then."""

    def submit(self, job: Job, ticket: int, slot: int) -> Running:
        """Begin a search. Raises `BrokenExecutor`, and starts other workers then."""
        self._flags[slot] = 0
        return self._submit(job, ticket, slot)

    @abstractmethod
    def _submit(self, job: Job, ticket: int, slot: int) -> Running:
        """See `submit`."""

    def stop(self, slot: int) -> None:
        """Tell the search in this slot to stop; it ends when it looks."""
        self._flags[slot] = 1

    @abstractmethod
    def end_worker(self, slot: int) -> None:
        """End the worker of the search in this slot by force; others may have to go with it."""

    @abstractmethod
    def broke(self, executor: Executor) -> None:
        """A search failed since its executor broke: start another."""

    def ending(self) -> None:
        """It is to be closed soon: start no more workers, and let those that end do so without a word."""
        self._closed = True

    @abstractmethod
    async def close(self) -> bool:
        """End the workers, whose searches have been cancelled. False: some go on."""


class ThreadPool(WorkerPool):
    """Threads of this process, always up. They can't be ended by force."""

    can_end_workers = False

    def __init__(
        self, workers: int, on_report: OnReport, on_up: Callable[[], None], *, compiled: bool
    ) -> None:
        super().__init__(workers, memoryview(bytearray(workers)), on_report, on_up)
        self._compiled = compiled
        self._memories = [TableMemory() for _ in range(workers)]
        self._executor = ThreadPoolExecutor(workers, "parlour-search", yield_to_the_loop)
        self._running: set[Future[Report]] = set()

    @property
    def up(self) -> bool:
        """Threads start at once, when they are needed."""
        return not self._closed

    def start(self) -> None:
        """Nothing to do."""

    def _submit(self, job: Job, ticket: int, slot: int) -> Running:
        def show(report: Report) -> None:
            call_on_loop(self._loop, self._on_report, ticket, report)

        control = make_control(
            self._flags[slot : slot + 1], show, compiled=self._compiled, memory=self._memories[slot]
        )
        future = self._executor.submit(run, job, control)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return Running(future, self._executor)

    def end_worker(self, slot: int) -> None:
        """Not possible."""

    def broke(self, executor: Executor) -> None:
        """Threads don't."""

    async def close(self) -> bool:
        """Wait for what runs, within the grace."""
        self._closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
        running = [asyncio.wrap_future(future) for future in list(self._running)]
        if not running:
            return True
        done, left = await asyncio.wait(running, timeout=GRACE_SECONDS)
        for future in done:
            # The scheduler handles its result; here it would be reported as never retrieved.
            future.cancelled() or future.exception()
        return not left


def _keep_ctrl_c_from_children() -> None:
    """Have what this thread starts begin with SIGINT blocked: a process complains until it ignores it."""
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        # Its start, which would be ours otherwise, unblocks the signal again.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class ProcessPool(WorkerPool):
    """Processes, which take tenths of a second to start. One that is killed takes all others with it."""

    can_end_workers = True

    def __init__(self, workers: int, on_report: OnReport, on_up: Callable[[], None]) -> None:
        # Imported where it is used: a server without processes starts sooner.
        import multiprocessing

        # Not fork: this process has threads. The server of forks starts clean and at once.
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(["parlour_server.analysis.worker"])
        self._shared = self._context.RawArray("B", workers)
        super().__init__(workers, memoryview(self._shared).cast("B"), on_report, on_up)
        self._executor: Executor | None = None
        self._progress: Any = None
        """The present executor's reports. Each has a queue of its own: a killed worker may leave its lock."""
        self._listener: threading.Thread | None = None
        """Carries them to the loop."""
        self._ending = threading.Event()
        self._starter: threading.Thread | None = None
        """Starts the executor, while it does."""

    @property
    def up(self) -> bool:
        """Have the workers been started?"""
        return self._executor is not None and not self._closed

    def start(self) -> None:
        """In a thread, since it waits for the processes."""
        if self._executor is None and self._starter is None and not self._closed:
            self._starter = threading.Thread(target=self._start_executor, name="parlour-warm", daemon=True)
            self._starter.start()

    def _start_executor(self) -> None:
        from concurrent.futures import ProcessPoolExecutor

        _keep_ctrl_c_from_children()
        try:
            progress = self._context.SimpleQueue()
            executor = ProcessPoolExecutor(
                self._workers,
                mp_context=self._context,
                initializer=start_worker,
                initargs=(self._shared, progress),
            )
            started = [executor.submit(warm) for _ in range(self._workers)]
            # A search's time begins when it is submitted: not to a worker that has yet to load its code.
            wait(started)
            started[0].result()
        except Exception as error:
            # What asked the server to end may have ended its workers first, and that is no news.
            if not self._ending.wait(START_AGAIN_SECONDS):
                log.error("the search workers can't be started; trying again", exc_info=error)
            call_on_loop(self._loop, self._started, None, None)
            return
        call_on_loop(self._loop, self._started, executor, progress)

    def _started(self, executor: Executor | None, progress: Any) -> None:
        self._starter = None
        self._executor, self._progress = executor, progress
        self.failing = executor is None
        if progress is not None:
            self._listener = threading.Thread(
                target=self._listen, args=(progress,), name="parlour-reports", daemon=True
            )
            self._listener.start()
        if not self._closed:
            self._on_up()

    def _listen(self, progress: Any) -> None:
        """Carry reports from the workers to the loop; a thread, since the queue blocks."""
        with contextlib.suppress(EOFError, OSError):
            while (item := progress.get()) is not None:
                call_on_loop(self._loop, self._on_report, *item)

    def _forget_executor(self) -> None:
        """Forget the present executor, and have its listener end."""
        progress, self._executor, self._progress = self._progress, None, None
        # In a thread of its own, since a killed worker may have taken the queue's lock with it.
        threading.Thread(target=progress.put, args=(None,), daemon=True).start()

    def _submit(self, job: Job, ticket: int, slot: int) -> Running:
        assert self._executor is not None
        executor = self._executor
        try:
            return Running(executor.submit(run_in_process, job, ticket, slot), executor)
        except BrokenExecutor:
            self.broke(executor)
            raise

    def broke(self, executor: Executor) -> None:
        """A worker was killed, and the executor with it: start another."""
        executor.shutdown(wait=False)
        if self._executor is executor:
            self._forget_executor()
            if not self._closed:
                log.warning("the search workers died; starting new ones")
            self.start()

    def end_worker(self, slot: int) -> None:
        """Kill the processes. Their searches fail with the executor."""
        if self._executor is not None:
            _kill(self._executor)

    def ending(self) -> None:
        """See `WorkerPool.ending`."""
        super().ending()
        self._ending.set()

    async def close(self) -> bool:
        """Wait for what runs, within the grace; then kill it."""
        self.ending()
        if self._starter is not None:
            # Workers half started would find the floor gone from under them, and say so in the log. The
            # thread's last deed was to have `_started` called, before it let this wait end.
            await asyncio.to_thread(self._starter.join)
        if self._executor is not None:
            executor = self._executor
            # A search that never looks at its flag must not keep the server from stopping.
            killing = self._loop.call_later(GRACE_SECONDS, _kill, executor)
            await asyncio.to_thread(executor.shutdown, wait=True, cancel_futures=True)
            killing.cancel()
            self._forget_executor()
        if self._listener is not None:
            # Its queue's semaphores go with it, before the interpreter looks for forgotten ones.
            await asyncio.to_thread(self._listener.join, GRACE_SECONDS)
        return True


def _kill(executor: Executor) -> None:
    """End an executor's processes, whatever they do."""
    # No public name for them before Python 3.14.
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        process.kill()
