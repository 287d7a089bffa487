"""The desk where searches are asked for: bounded, fair, and each can be stopped.

Searches run in an executor; any `concurrent.futures.Executor` whose workers were started with
`worker.start_worker` will do. The desk hands a job over only when a worker is free for it, so a
waiting one can be withdrawn at no cost and the number that wait is known.
"""

import asyncio
import multiprocessing
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, MutableSequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import structlog

from parlour_protocol.views import Report
from parlour_server.live.worker import Job, run, start_worker, warm

log = structlog.get_logger()


START_AGAIN_SECONDS = 1.0
GRACE_SECONDS = 2.0
"""How long a search that was told to stop may take to notice."""


class DeskFull(Exception):
    """As many searches wait as may; try again in a moment."""


@dataclass(slots=True, eq=False)
class Search:
    """One search that was asked for. `cancel` it when its answer is no longer wanted."""

    job: Job
    on_report: Callable[[Report], None]
    on_done: Callable[[Report | None], None]
    ticket: int
    _desk: "SearchDesk"
    slot: int | None = None
    """Its byte among the stop flags while it runs."""
    retried: bool = False
    wanted: bool = True
    timer: asyncio.TimerHandle | None = field(default=None)

    def cancel(self) -> None:
        """Stop it; nothing more is heard of it."""
        self._desk.cancel(self)


class SearchDesk:
    """Takes jobs, runs as many at once as there are workers, and calls back on the loop.

    `on_done` hears the report, or None where the search failed. `seconds` bounds each search.
    """

    def __init__(
        self,
        *,
        kind: Literal["process", "thread"] = "process",
        workers: int = 2,
        waiting: int = 32,
        seconds: float = 5.0,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._kind: Literal["process", "thread"] = kind
        self._workers = workers
        self._most_waiting = waiting
        self._seconds = seconds
        self._waiting: deque[Search] = deque()
        self._running: dict[int, Search] = {}
        self._free_slots = list(range(workers))
        self._tickets = 0
        self._closed = False
        self._flags: MutableSequence[int]
        if kind == "process":
            # Not fork: this process has threads. The server of forks starts clean and at once.
            method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
            self._context: Any = multiprocessing.get_context(method)
            if method == "forkserver":
                self._context.set_forkserver_preload(["parlour_server.live.worker"])
            self._flags = self._context.RawArray("B", workers)
        else:
            self._context = None
            self._flags = bytearray(workers)
        self._executor: Executor | None = None
        self._progress: Any = None
        """The present executor's reports. Each has a queue of its own: a killed worker may leave its lock."""
        self._starter: threading.Thread | None = None
        """Starts the executor, while it does."""

    # ------------------------------------------------------------ the executor

    def warm(self) -> None:
        """Start the workers in the background, so that the first bot need not wait for them."""
        if self._executor is None and self._starter is None and not self._closed:
            self._starter = threading.Thread(target=self._start_executor, name="parlour-warm", daemon=True)
            self._starter.start()

    def _start_executor(self) -> None:
        # The first submission starts the processes, which takes tenths of a second: not on the loop.
        try:
            executor, progress = self._new_executor()
        except Exception as error:
            log.error("the search workers can't be started; trying again", exc_info=error)
            time.sleep(START_AGAIN_SECONDS)
            self._loop.call_soon_threadsafe(self._started, None, None)
            return
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._started, executor, progress)

    def _new_executor(self) -> tuple[Executor, Any]:
        executor: Executor
        if self._kind == "process":
            progress: Any = self._context.SimpleQueue()
            executor = ProcessPoolExecutor(
                self._workers,
                mp_context=self._context,
                initializer=start_worker,
                initargs=(self._flags, progress),
            )
        else:
            progress = queue.SimpleQueue()
            executor = ThreadPoolExecutor(
                self._workers, "parlour-search", initializer=start_worker, initargs=(self._flags, progress)
            )
        for _ in range(self._workers):
            executor.submit(warm)
        threading.Thread(target=self._listen, args=(progress,), name="parlour-reports", daemon=True).start()
        return executor, progress

    def _started(self, executor: Executor | None, progress: Any) -> None:
        self._starter = None
        self._executor, self._progress = executor, progress
        if not self._closed:
            self._hand_over()

    def _broke(self, executor: Executor) -> None:
        """A worker was killed, and the executor with it: start another."""
        executor.shutdown(wait=False)
        if self._executor is executor:
            self._executor = None
            log.warning("the search workers died; starting new ones")
            self.warm()

    def search(
        self, job: Job, on_done: Callable[[Report | None], None], on_report: Callable[[Report], None]
    ) -> Search:
        """Ask for a search. Raises `DeskFull`."""
        if len(self._waiting) >= self._most_waiting:
            raise DeskFull
        self._tickets += 1
        asked = Search(job, on_report, on_done, self._tickets, self)
        self._waiting.append(asked)
        self._hand_over()
        return asked

    def cancel(self, search: Search) -> None:
        """See `Search.cancel`. Its worker is free again as soon as the search looks at its flag."""
        search.wanted = False
        if search.slot is not None:
            self._flags[search.slot] = 1
        elif search in self._waiting:
            self._waiting.remove(search)

    async def close(self) -> None:
        """Stop everything that runs and let the workers go."""
        self._closed = True
        for search in [*self._waiting, *self._running.values()]:
            search.cancel()
        if self._starter is not None:
            # Workers half started would find the floor gone from under them, and say so in the log. The
            # thread's last deed was to have `_started` called, before it let this wait end.
            await asyncio.to_thread(self._starter.join)
        if self._executor is not None:
            executor = self._executor
            # A search that never looks at its flag must not keep the server from stopping.
            killing = self._loop.call_later(GRACE_SECONDS, _kill_workers, executor)
            await asyncio.to_thread(executor.shutdown, wait=True, cancel_futures=True)
            killing.cancel()
            # In a thread of its own, since a killed worker may have taken the queue's lock with it.
            threading.Thread(target=self._progress.put, args=(None,), daemon=True).start()

    # ------------------------------------------------------------ the way of a search

    def _hand_over(self) -> None:
        if self._executor is None:
            if self._waiting:
                self.warm()
            return
        while self._waiting and self._free_slots and not self._closed:
            search = self._waiting.popleft()
            executor, slot = self._executor, self._free_slots[-1]
            self._flags[slot] = 0
            try:
                future = executor.submit(run, search.job, search.ticket, slot)
            except BrokenExecutor:
                self._waiting.appendleft(search)
                self._broke(executor)
                return
            self._free_slots.pop()
            search.slot = slot
            self._running[search.ticket] = search
            search.timer = self._loop.call_later(self._seconds, self._out_of_time, search)
            future.add_done_callback(partial(self._back_on_loop, search, executor))

    def _out_of_time(self, search: Search) -> None:
        # What it has found until now is its answer.
        if search.slot is not None:
            self._flags[search.slot] = 1
            search.timer = self._loop.call_later(GRACE_SECONDS, self._stuck, search)

    def _stuck(self, search: Search) -> None:
        """It does not look at its flag: its worker is killed, and it counts as failed."""
        if search.slot is not None and self._executor is not None:
            log.error("a search does not stop", bot=str(search.job.bot), game=search.job.game)
            search.retried = True
            _kill_workers(self._executor)

    def _back_on_loop(self, search: Search, executor: Executor, future: Future[Report]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._done, search, executor, future)

    def _done(self, search: Search, executor: Executor, future: Future[Report]) -> None:
        assert search.slot is not None
        if search.timer is not None:
            search.timer.cancel()
        del self._running[search.ticket]
        self._free_slots.append(search.slot)
        search.slot = None
        report: Report | None = None
        if not future.cancelled():
            error = future.exception()
            if error is None:
                report = future.result()
            elif isinstance(error, BrokenExecutor) and not self._closed:
                self._broke(executor)
                # All that ran beside the killed worker failed with it; each is tried once more.
                if search.wanted and not search.retried:
                    search.retried = True
                    self._waiting.appendleft(search)
                    return
            else:
                log.error("a search failed", bot=str(search.job.bot), game=search.job.game, exc_info=error)
        self._hand_over()
        if search.wanted:
            search.on_done(report)

    # ------------------------------------------------------------ reports while it runs

    def _listen(self, progress: Any) -> None:
        """Carry reports from the workers to the loop; a thread, since the queue blocks."""
        while True:
            try:
                item = progress.get()
            except (EOFError, OSError):
                return
            if item is None or self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(self._report, *item)

    def _report(self, ticket: int, report: Report) -> None:
        search = self._running.get(ticket)
        if search is not None and search.wanted:
            search.on_report(report)


def _kill_workers(executor: Executor) -> None:
    """End an executor's processes, whatever they do. Threads can't be ended."""
    # No public name for them before Python 3.14.
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        process.kill()
