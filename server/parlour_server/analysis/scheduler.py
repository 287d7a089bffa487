"""Schedules searches: a bounded queue, so many at once as there are workers; each can be cancelled.

A search that runs in compiled code goes to the threads, any other to the processes (`pools.py`). The
scheduler submits a job only when a worker is free for it, so a waiting one can be cancelled at no cost
and the queue's length is known.

Kernels are loaded in the background (`kernel_loader.py`), and a search that would use one waits for it,
without taking a worker or a place in the queue. How long is the job's own affair: a bot whose clock runs
searches by the plain rules after a while.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, Literal

from parlour_protocol.reports import Compiling, Report
from parlour_server.analysis import log, pools, worker
from parlour_server.analysis.kernel_loader import Compiler, KernelLoader, Kernels
from parlour_server.analysis.pools import ProcessPool, ThreadPool, WorkerPool, call_on_loop
from parlour_server.analysis.worker import Job
from parlour_server.counters import Counters
from parlour_server.games.game import Game
from parlour_server.search.levels import BotSpec
from parlour_server.search.thinking import uses_machine_code

Where = Literal["auto", "process", "thread"]
"""What runs in threads: what is compiled, nothing, or everything."""


PROCESSES_AFTER_SECONDS = 1.5
"""How long after machine code began to be loaded the processes are started, unless one is needed before."""

USUAL_SECONDS = 5.0
"""How long a search without a bound of its own may take where the scheduler sets no limit."""

LOADER_SECONDS = 0.5
"""How long a compiler that was stopped is waited for. To load machine code may take longer than that."""


class QueueFull(Exception):
    """As many searches wait as may; try again in a moment."""


@dataclass(slots=True, eq=False)
class Search:
    """One search that was asked for. `cancel` it when its answer is no longer wanted."""

    job: Job
    on_report: Callable[[Report], None]
    on_done: Callable[[Report | None], None]
    ticket: int
    _scheduler: "SearchScheduler"
    seconds: float = 0.0
    """How long it may run."""
    cut_after: float | None = None
    """The scheduler's limit, where that is sooner than the end that the search has by itself."""
    timed_out: bool = False
    """Was it stopped when that time was over?"""
    kernel_of: Game[Any] | None = None
    """The game whose compiled code it would use; None: it is for the plain rules."""
    at_once: bool = False
    """Is its answer there without a search?"""
    waits_for_kernel: bool = False
    """Does it wait for that code?"""
    pool: WorkerPool | None = None
    """Who has it, or had it last."""
    slot: int | None = None
    """Its stop byte there, while it runs."""
    retried: bool = False
    wanted: bool = True
    since: float = 0.0
    """When it was asked for, and then when its worker began: the loop's time."""
    timer: asyncio.TimerHandle | None = field(default=None)

    def cancel(self) -> None:
        """Stop it; its callbacks are not called any more."""
        self._scheduler.cancel(self)


class SearchScheduler:
    """Takes jobs, runs as many at once as there are workers, and calls back on the loop.

    `on_done` gets the report, or None where the search failed. `longest` bounds each search, in seconds; 0:
    each takes as long as it was asked to. Without `kernels` nothing is compiled; a `compiler` keeps that out
    of this process. `on_loaded` is called on the loop whenever a game's machine code has been loaded.
    """

    def __init__(
        self,
        *,
        kind: Where = "auto",
        workers: int = 2,
        waiting: int = 32,
        longest: float = 5.0,
        kernels: Kernels | None = None,
        compiler: Compiler | None = None,
        on_loaded: Callable[[], None] = lambda: None,
        counters: Counters | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._counters = counters or Counters()
        self._most_waiting = waiting
        self.workers = workers
        """How many searches run at once."""
        self._longest = longest
        self._waiting: deque[Search] = deque()
        self._running: dict[int, Search] = {}
        self._free_slots = list(range(workers))
        self._tickets = 0
        self._closed = False
        self._on_loaded = on_loaded
        self._kernels = None if kind == "process" else kernels
        self.compiles = self._kernels is not None
        """Is machine code used, where it is ready?"""
        self._loader = (
            None
            if self._kernels is None
            else KernelLoader(self._kernels, self._compiled, compiler, self._compiling_goes_on)
        )
        self._compiling: Compiling | None = None
        """What is being compiled, and how far that is."""
        self._pools: list[WorkerPool] = []
        if kind != "process":
            compiled = self._kernels is not None
            self._pools.append(ThreadPool(workers, self._report, self._assign, compiled=compiled))
        if kind != "thread":
            self._pools.append(ProcessPool(workers, self._report, self._assign))
        self._for_compiled, self._for_plain = self._pools[0], self._pools[-1]
        self.lingers = False
        """Once closed: does something go on that can't be ended?"""

    def warm(self, games: Iterable[Game[Any]] = ()) -> None:
        """Start the workers, and prepare these games' compiled code, all in the background."""
        if self._loader is None:
            self._for_plain.start()
        else:
            # To load machine code and to start processes takes a core each. Most searches want the former.
            self._loader.prepare(games)
            self._loop.call_later(PROCESSES_AFTER_SECONDS, self._for_plain.start)

    def expect(self, game: Game[Any], bot: BotSpec) -> None:
        """Load the compiled code that this bot will want, before all that nobody waits for."""
        if self._loader is not None and uses_machine_code(game, bot):
            self._loader.load_next(game)

    def search(
        self, job: Job, on_done: Callable[[Report | None], None], on_report: Callable[[Report], None]
    ) -> Search:
        """Ask for a search. Raises `QueueFull`."""
        if sum(not search.waits_for_kernel for search in self._waiting) >= self._most_waiting:
            self._counters.searches_refused += 1
            raise QueueFull
        self._tickets += 1
        asked = Search(job, on_report, on_done, self._tickets, self, since=self._loop.time())
        self._set_limit(asked)
        if self._kernels is not None and self._loader is not None:
            game = worker.compiled_game(job)
            if game is not None and self._kernels.kernel_for(game) is not None:
                asked.kernel_of = game
                asked.at_once = not self._kernels.is_ready(game) and worker.known_at_once(job)
                if not asked.at_once:
                    self._loader.load_next(game)
                    self._wait_for_kernel(asked, game)
        self._waiting.append(asked)
        self._assign()
        return asked

    def _set_limit(self, search: Search) -> None:
        asked, open_ended = worker.seconds_for(search.job), worker.open_ended(search.job)
        if open_ended:
            asked = self._longest or USUAL_SECONDS
        wanted = inf if asked is None else asked
        search.seconds = min(wanted, self._longest or inf)
        if search.seconds < wanted:
            search.cut_after = search.seconds

    def _wait_for_kernel(self, search: Search, game: Game[Any]) -> None:
        assert self._loader is not None
        if not self._loader.may_become_ready(game):
            return
        search.waits_for_kernel = True
        self._loop.call_soon(self._show_compiling, search)
        if search.job.patience is not None:
            self._loop.call_later(search.job.patience, self._stop_waiting, search)

    def _show_compiling(self, search: Search) -> None:
        """Show what a search waits for."""
        if self._compiling is not None and search in self._waiting and search.waits_for_kernel:
            search.on_report(Report(str(search.job.bot), [], compiling=self._compiling))

    @property
    def waiting(self) -> int:
        """How many searches wait for a worker, or for their compiled code."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many searches have a worker."""
        return len(self._running)

    @property
    def workers_failing(self) -> bool:
        """Could workers not be started when that was last tried?"""
        return any(pool.failing for pool in self._pools)

    def cancel(self, search: Search) -> None:
        """See `Search.cancel`. Its worker is free again as soon as the search looks at its flag."""
        search.wanted = False
        if search.pool is not None and search.slot is not None:
            search.pool.stop(search.slot)
        elif search in self._waiting:
            self._waiting.remove(search)

    def ending(self) -> None:
        """It is to be closed soon: start no more workers, and don't speak of those that end."""
        for pool in self._pools:
            pool.ending()

    async def close(self) -> None:
        """Stop everything that runs and let the workers go."""
        self._closed = True
        for search in [*self._waiting, *self._running.values()]:
            search.cancel()
        if self._loader is not None:
            self._loader.stop()
        stopped = await asyncio.gather(*(pool.close() for pool in self._pools))
        if not all(stopped):
            log.error("a search does not stop, and is left behind")
        if self._loader is not None:
            await asyncio.to_thread(self._loader.join, LOADER_SECONDS)
        self.lingers = not all(stopped) or (self._loader is not None and self._loader.working)

    # ------------------------------------------------------------ the way of a search

    def _pool_for(self, search: Search) -> WorkerPool | None:
        """Who shall do it; None: it waits for its compiled code."""
        game = search.kernel_of
        if game is None or self._kernels is None or self._loader is None:
            return self._for_plain
        if search.at_once or self._kernels.is_ready(game):
            return self._for_compiled
        if search.waits_for_kernel and self._loader.may_become_ready(game):
            return None
        return self._for_plain

    def _assign(self) -> None:
        if self._closed:
            return
        for search in list(self._waiting):
            if not self._free_slots:
                return
            pool = self._pool_for(search)
            if pool is None:
                continue
            if not pool.up:
                pool.start()
                continue
            slot = self._free_slots[-1]
            try:
                running = pool.submit(search.job, search.ticket, slot)
            except BrokenExecutor:
                continue
            self._free_slots.pop()
            self._waiting.remove(search)
            search.pool, search.slot = pool, slot
            self._running[search.ticket] = search
            now = self._loop.time()
            self._counters.search_waits.observe(now - search.since)
            search.since = now
            if search.seconds < inf:
                search.timer = self._loop.call_later(search.seconds, self._out_of_time, search)
            running.future.add_done_callback(partial(self._back_on_loop, search, running.executor))

    def _stop_waiting(self, search: Search) -> None:
        search.waits_for_kernel = False
        self._assign()

    def _compiled(self) -> None:
        """Called in the loader's thread: a game is ready, and some may have waited for it."""
        call_on_loop(self._loop, self._loaded)

    def _compiling_goes_on(self, compiling: Compiling) -> None:
        """Called in the loader's thread."""
        call_on_loop(self._loop, self._compiled_more, compiling)

    def _compiled_more(self, compiling: Compiling) -> None:
        self._compiling = compiling
        for search in list(self._waiting):
            self._show_compiling(search)

    def _loaded(self) -> None:
        self._compiling = None
        self._on_loaded()
        self._assign()

    def _out_of_time(self, search: Search) -> None:
        # What it has found until now is its answer.
        if search.pool is not None and search.slot is not None:
            search.timed_out = True
            search.pool.stop(search.slot)
            search.timer = self._loop.call_later(pools.GRACE_SECONDS, self._stuck, search)

    def _stuck(self, search: Search) -> None:
        """It does not look at its flag: it counts as failed, and its worker ends if that can be forced."""
        if search.pool is None or search.slot is None:
            return
        log.error("a search does not stop", bot=str(search.job.bot), game=search.job.game)
        search.retried = True
        if search.pool.can_end_workers:
            search.pool.end_workers()
        elif search.wanted:
            # A thread can't be ended: its slot stays taken until it ends by itself.
            search.wanted = False
            search.on_done(None)

    def _back_on_loop(self, search: Search, executor: Executor, future: Future[Report]) -> None:
        call_on_loop(self._loop, self._done, search, executor, future)

    def _done(self, search: Search, executor: Executor, future: Future[Report]) -> None:
        assert search.pool is not None
        assert search.slot is not None
        if search.timer is not None:
            search.timer.cancel()
        del self._running[search.ticket]
        self._counters.search_times.observe(self._loop.time() - search.since)
        self._free_slots.append(search.slot)
        pool, search.slot = search.pool, None
        report: Report | None = None
        if not future.cancelled():
            error = future.exception()
            if error is None:
                report = future.result()
                if search.timed_out and search.cut_after is not None and isinstance(report, Report):
                    report.cut_after = None if report.finished else search.cut_after
            elif isinstance(error, BrokenExecutor) and not self._closed:
                pool.broke(executor)
                # All that ran beside the killed worker failed with it; each is tried once more.
                if search.wanted and not search.retried:
                    search.retried = True
                    self._waiting.appendleft(search)
                    self._assign()
                    return
            else:
                log.error("a search failed", bot=str(search.job.bot), game=search.job.game, exc_info=error)
        outcome = "cancelled" if not search.wanted else "failed" if report is None else "done"
        self._counters.searches[outcome] += 1
        self._assign()
        if search.wanted:
            search.on_done(report)

    def _report(self, ticket: int, report: Report) -> None:
        search = self._running.get(ticket)
        if search is not None and search.wanted:
            search.on_report(report)
