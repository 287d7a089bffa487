"""Schedules searches: a fair queue, so many at once as there are workers; each can be cancelled.

A search that runs in compiled code goes to the threads, any other to the processes (`pools.py`). The
scheduler submits a job only when a worker is free for it, so a waiting one can be cancelled at no cost and
its place in the queue is known.

Who waits for whom (`fair_queue.py` has the order):

    the first worker      a bot that a person waits for; while there is none, any other search, which is
                          interrupted for one, begins again when its turn comes, and elsewhere if it can
    the other workers     all searches in their order
    one worker more       searches that take a moment, such as those of easy and random bots: nothing else

A lasting search may go on beyond the usual limit as long as nobody waits for a worker: the first who does
ends it.

Kernels are loaded in the background (`kernel_loader.py`), and a search that would use one waits for it,
without taking a worker or a place in the queue. How long is the job's own affair: a bot whose clock runs
searches by the plain rules after a while.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, Literal, NoReturn

from parlour_protocol.views.reports import Compiling, Report
from parlour_server.analysis import log, pools, worker
from parlour_server.analysis.fair_queue import FairQueue, Place, Requester
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

PLACE_AFTER = 0.1
"""How many seconds a search waits before its place is shown: most waits are over by then."""
PLACES_EVERY = 0.5
"""Seconds between two looks at whose place in the queue has changed."""
PLACES_AT_ONCE = 50
"""So many are shown their place without a break for the loop's other work."""

TURN_SECONDS = 10.0
"""How much of a worker's time a review has before those of others go on. Most reviews end sooner."""

RESERVED = 0
"""The slot in which bots that a person waits for have the right of way."""


class QueueFull(Exception):
    """As many questions of the player, or of their address, wait as may: says which."""

    def __init__(self, whose: Literal["player", "address"]) -> None:
        super().__init__(f"too many questions of one {whose} wait")
        self.whose = whose


@dataclass(slots=True, eq=False)
class Search:
    """One search that was asked for. `cancel` it when its answer is no longer wanted."""

    job: Job
    asker: Requester
    on_report: Callable[[Report], None]
    on_done: Callable[[Report | None], None]
    ticket: int
    _scheduler: "SearchScheduler"
    seconds: float = 0.0
    """How long it may run."""
    cut_after: float | None = None
    """The scheduler's limit, where that is sooner than the end that the search has by itself."""
    yields_after: float = inf
    """After how many seconds it ends as soon as another one waits for a worker."""
    timed_out: bool = False
    """Was it stopped when that time was over?"""
    kernel_of: Game[Any] | None = None
    """The game whose compiled code it would use; None: it is for the plain rules."""
    at_once: bool = False
    """Is its answer there without a search?"""
    light: bool = False
    """Does it take but a moment? Then it has a worker for its like alone."""
    waits_since: float | None = None
    """Since when it waits for a worker, by the loop's clock; not while it waits for compiled code."""
    waited_before: float = 0.0
    """How many seconds it waited for a worker until its last turn."""
    begun: float = 0.0
    """When its last turn began."""
    used: float = 0.0
    """Seconds of a worker's time that it has had, together with those before it in a review's turn."""
    place: int | None = None
    """How many it was last shown to have before it; None: not shown."""
    pool: WorkerPool | None = None
    """Who has it, or had it last."""
    slot: int | None = None
    """Its stop byte there, while it runs."""
    retried: bool = False
    makes_way: bool = False
    """Was its turn interrupted, for it to begin again?"""
    interrupted: bool = False
    """Was one of its turns? None is a second time."""
    wanted: bool = True
    timer: asyncio.TimerHandle | None = field(default=None)

    @property
    def waited(self) -> float:
        """How many seconds it has waited for a worker, by now; a turn that was broken off counts as well."""
        now = 0.0 if self.waits_since is None else self._scheduler.time() - self.waits_since
        return self.waited_before + now

    def cancel(self) -> None:
        """Stop it; its callbacks are not called any more."""
        self._scheduler.cancel(self)


class SearchScheduler:
    """Takes jobs, runs as many at once as there are workers, and calls back on the loop.

    `on_done` gets the report, or None where the search failed. `longest` bounds each search, in seconds; 0:
    each takes as long as it was asked to. `longest_lasting` bounds a lasting one. Of one address `waiting`
    questions may wait, of one player `waiting_of_player`; bots' searches always may, since a room has one at
    most. Without `kernels` nothing is compiled; a `compiler` keeps that out of this process. `on_loaded` is
    called on the loop whenever a game's machine code has been loaded.
    """

    def __init__(
        self,
        *,
        kind: Where = "auto",
        workers: int = 2,
        waiting: int = 64,
        waiting_of_player: int = 8,
        longest: float = 5.0,
        longest_lasting: float = 60.0,
        kernels: Kernels | None = None,
        compiler: Compiler | None = None,
        on_loaded: Callable[[], None] = lambda: None,
        counters: Counters | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._counters = counters or Counters()
        self.workers = workers
        """How many searches run at once, beside a light one."""
        self._most_waiting, self._most_of_player = waiting, waiting_of_player
        self._longest, self._longest_lasting = longest, max(longest, longest_lasting)
        self._queue: FairQueue[Search] = FairQueue()
        self._light_queue: FairQueue[Search] = FairQueue()
        self._awaiting_kernels: dict[Search, None] = {}
        self._running: dict[int, Search] = {}
        self._free = set(range(workers))
        """The free slots, but for the one of light searches, which is the last."""
        self._light_slot_free = True
        self._places_timer: asyncio.TimerHandle | None = None
        self._tickets = 0
        self._closed = False
        self._on_loaded = on_loaded
        self.compiles = kind != "process" and kernels is not None
        """Is machine code used, where it is ready?"""
        self._kernels = kernels if self.compiles else None
        self._loader = (
            None
            if self._kernels is None
            else KernelLoader(self._kernels, self._compiled, compiler, self._compiling_goes_on)
        )
        self._compiling: Compiling | None = None
        """What is being compiled, and how far that is."""
        self._for_compiled, self._for_plain, self._for_light = self._open_pools(kind)
        self._pools = {self._for_compiled, self._for_plain, self._for_light}
        self.lingers = False
        """Once closed: does something go on that can't be ended?"""

    def _open_pools(self, kind: Where) -> tuple[WorkerPool, WorkerPool, WorkerPool]:
        """The pools of searches in compiled code, of those in plain Python, and of light ones among these."""
        if kind == "process":
            processes = ProcessPool(self.workers + 1, self._report, self._assign)
            return processes, processes, processes
        compiled = self._kernels is not None
        threads = ThreadPool(self.workers + 1, self._report, self._assign, compiled=compiled)
        if kind == "thread":
            return threads, threads, threads
        processes = ProcessPool(self.workers + 1, self._report, self._assign)
        return threads, processes, processes

    def warm(self, games: Iterable[Game[Any]] = ()) -> None:
        """Start the workers, and prepare these games' compiled code, all in the background."""
        if self._loader is None:
            for pool in self._pools:
                pool.start()
        else:
            # To load machine code and to start processes takes a core each. Most searches want the former.
            self._loader.prepare(games)
            self._loop.call_later(PROCESSES_AFTER_SECONDS, self._for_plain.start)

    def expect(self, game: Game[Any], bot: BotSpec) -> None:
        """Load the compiled code that this bot will want, before all that nobody waits for."""
        if self._loader is not None and uses_machine_code(game, bot):
            self._loader.load_next(game)

    def time(self) -> float:
        """Seconds of the clock by which searches wait."""
        return self._loop.time()

    def search(
        self,
        job: Job,
        asker: Requester,
        on_done: Callable[[Report | None], None],
        on_report: Callable[[Report], None],
        used: float | None = None,
    ) -> Search:
        """Ask for a search. Raises `QueueFull` for a question.

        One that goes on with a review says how many seconds of a worker's time those before it `used`. It is
        never refused, since no more than one of these waits; and it keeps the review's turn until they used
        `TURN_SECONDS`: then it waits behind all others, for another turn.
        """
        self._tickets += 1
        asked = Search(job, asker, on_report, on_done, self._tickets, self)
        asked.light = worker.light(job)
        if asker.kind == "question" and used is None:
            self._check_room(self._queue_of(asked), asker)
        self._set_limit(asked)
        if self._kernels is not None and self._loader is not None:
            game = worker.compiled_game(job)
            if game is not None and self._kernels.kernel_for(game) is not None:
                asked.kernel_of = game
                asked.at_once = not self._kernels.is_ready(game) and worker.known_at_once(job)
                if not asked.at_once:
                    self._loader.load_next(game)
                    if self._loader.may_become_ready(game):
                        self._wait_for_kernel(asked)
                        return asked
        if used is not None and used < TURN_SECONDS:
            asked.used = used
            self._enqueue(asked, "next")
        else:
            self._enqueue(asked)
        return asked

    def _check_room(self, queue: FairQueue[Search], asker: Requester) -> None:
        if queue.length(asker.kind, asker.address, asker.player) >= self._most_of_player:
            self._refuse("player")
        if queue.length(asker.kind, asker.address) >= self._most_waiting:
            self._refuse("address")

    def _refuse(self, whose: Literal["player", "address"]) -> NoReturn:
        self._counters.searches_refused += 1
        raise QueueFull(whose)

    def _queue_of(self, search: Search) -> FairQueue[Search]:
        return self._light_queue if search.light else self._queue

    def _enqueue(self, search: Search, place: Place = "last") -> None:
        """Have it wait for a worker; it need not, where one is free."""
        if search.waits_since is None:
            search.waits_since = self._loop.time()
        self._queue_of(search).add(search.asker, search, place)
        self._assign()
        if search.waits_since is not None:
            self._loop.call_later(PLACE_AFTER, self._show_new_place, search)

    def _set_limit(self, search: Search) -> None:
        asked, open_ended = worker.seconds_for(search.job), worker.open_ended(search.job)
        if open_ended:
            asked = self._longest or USUAL_SECONDS
        wanted = inf if asked is None else asked
        limit = self._longest or inf
        if search.job.lasting and self._longest:
            search.yields_after, limit = self._longest, self._longest_lasting
        search.seconds = min(wanted, limit)
        if search.seconds < wanted:
            search.cut_after = search.seconds

    def _wait_for_kernel(self, search: Search) -> None:
        self._awaiting_kernels[search] = None
        self._loop.call_soon(self._show_compiling, search)
        if search.job.patience is not None:
            self._loop.call_later(search.job.patience, self._stop_waiting, search)

    def _show_compiling(self, search: Search) -> None:
        """Show what a search waits for."""
        if self._compiling is not None and search in self._awaiting_kernels:
            search.on_report(Report(str(search.job.bot), [], compiling=self._compiling))

    @property
    def waiting(self) -> int:
        """How many searches wait for a worker, or for their compiled code."""
        return len(self._awaiting_kernels) + len(self._queue) + len(self._light_queue)

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
        elif search.waits_since is not None:
            search.waits_since = None
            self._queue_of(search).remove(search.asker, search)
        else:
            self._awaiting_kernels.pop(search, None)

    def ending(self) -> None:
        """It is to be closed soon: start no more workers, and don't speak of those that end."""
        for pool in self._pools:
            pool.ending()

    async def close(self) -> None:
        """Stop everything that runs and let the workers go."""
        self._closed = True
        if self._places_timer is not None:
            self._places_timer.cancel()
        waiting = [*self._awaiting_kernels, *self._queue, *self._light_queue]
        for search in [*waiting, *self._running.values()]:
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

    def _pool_for(self, search: Search) -> WorkerPool:
        """Who shall do it."""
        game = search.kernel_of
        if game is None or self._kernels is None:
            return self._for_light if search.light else self._for_plain
        return self._for_compiled if search.at_once or self._kernels.is_ready(game) else self._for_plain

    def _assign(self) -> None:
        """Give free workers to those whose turn it is."""
        if self._closed:
            return
        if self._light_slot_free:
            next((search for search in self._light_queue if self._begin(search, self.workers)), None)
        while self._free and any(self._begin_in_turn(search) for search in self._queue):
            pass
        self._end_lasting()
        self._make_way()

    def _begin_in_turn(self, search: Search) -> bool:
        """Begin it in a slot that suits it, if one is free and its workers are up."""
        if search.asker.kind == "seat":
            slot = min(self._free)
        else:
            slot = max(self._free)
            if slot == RESERVED and search.interrupted and self.workers > 1:
                return False
        return self._begin(search, slot)

    def _begin(self, search: Search, slot: int) -> bool:
        pool = self._pool_for(search)
        if not pool.up:
            pool.start()
            return False
        if search.place is not None:
            # Before its first thoughts, which a worker may have at once.
            self._loop.call_soon(self._show_begun, search)
        try:
            running = pool.submit(search.job, search.ticket, slot)
        except BrokenExecutor:
            return False
        self._queue_of(search).take(search.asker, search)
        if slot == self.workers:
            self._light_slot_free = False
        else:
            self._free.remove(slot)
        search.pool, search.slot = pool, slot
        self._running[search.ticket] = search
        self._begun(search)
        running.future.add_done_callback(partial(self._back_on_loop, search, running.executor))
        return True

    def _begun(self, search: Search) -> None:
        """It has a worker now: its time runs."""
        search.waited_before, search.waits_since, search.place = search.waited, None, None
        search.begun = self._loop.time()
        self._counters.search_waits.observe(search.waited_before)
        if search.timer is not None:
            search.timer.cancel()
        if search.seconds < inf:
            search.timer = self._loop.call_later(search.seconds, self._out_of_time, search)
        if search.yields_after < search.seconds:
            self._loop.call_later(search.yields_after, self._end_lasting)

    def _end_lasting(self) -> None:
        """End the search that has gone on for longest beyond the usual limit, if another one waits for it."""
        if self._free or not len(self._queue):
            return
        now = self._loop.time()
        beyond = [
            one
            for one in self._running.values()
            if one.waits_since is None and now - one.begun >= one.yields_after
        ]
        if beyond and not any(one.timed_out for one in beyond):
            longest = min(beyond, key=lambda one: one.begun)
            longest.cut_after = longest.yields_after
            self._out_of_time(longest)

    def _make_way(self) -> None:
        """Interrupt what runs in the reserved slot, if a bot waits that a person waits for."""
        inside = next((search for search in self._running.values() if search.slot == RESERVED), None)
        if inside is None or inside.asker.kind == "seat" or inside.interrupted:
            return
        if inside.timed_out or not inside.wanted:
            return  # it ends by itself
        if next(self._queue.of("seat"), None) is not None:
            assert inside.pool is not None
            inside.makes_way = inside.interrupted = True
            inside.pool.stop(RESERVED)

    def _stop_waiting(self, search: Search) -> None:
        """Its patience is over: search without compiled code."""
        if search in self._awaiting_kernels:
            del self._awaiting_kernels[search]
            self._enqueue(search)

    # ------------------------------------------------------------ what those who wait are shown

    def _show_new_place(self, search: Search) -> None:
        if search.waits_since is None:
            return
        place = next(n for n, one in enumerate(self._queue_of(search)) if one is search)
        if _falls(search, place):
            self._show_place(search, place)
        if self._places_timer is None:
            self._places_timer = self._loop.call_later(PLACES_EVERY, self._show_places)

    def _show_places(self) -> None:
        self._places_timer = None
        places = [*enumerate(self._queue), *enumerate(self._light_queue)]
        changed = [(search, place) for place, search in places if _falls(search, place)]
        for search, place in changed[:PLACES_AT_ONCE]:
            self._show_place(search, place)
        if places:
            more = len(changed) > PLACES_AT_ONCE
            self._places_timer = self._loop.call_later(0 if more else PLACES_EVERY, self._show_places)

    def _show_place(self, search: Search, place: int) -> None:
        search.place = place
        search.on_report(Report(str(search.job.bot), [], queued=place))

    def _show_begun(self, search: Search) -> None:
        if search.wanted and search.slot is not None:
            search.on_report(Report(str(search.job.bot), []))

    # ------------------------------------------------------------ what happens to a search

    def _compiled(self) -> None:
        """Called in the loader's thread: a game is ready, and some may have waited for it."""
        call_on_loop(self._loop, self._loaded)

    def _compiling_goes_on(self, compiling: Compiling) -> None:
        """Called in the loader's thread."""
        call_on_loop(self._loop, self._compiled_more, compiling)

    def _compiled_more(self, compiling: Compiling) -> None:
        self._compiling = compiling
        for search in list(self._awaiting_kernels):
            self._show_compiling(search)

    def _loaded(self) -> None:
        self._compiling = None
        self._on_loaded()
        assert self._loader is not None
        for search in list(self._awaiting_kernels):
            game = search.kernel_of
            assert game is not None
            if not self._loader.may_become_ready(game):
                self._stop_waiting(search)

    def _out_of_time(self, search: Search) -> None:
        # What it has found until now is its answer.
        if search.pool is not None and search.slot is not None:
            search.timed_out = True
            search.pool.stop(search.slot)
            if search.timer is not None:
                search.timer.cancel()
            search.timer = self._loop.call_later(pools.GRACE_SECONDS, self._stuck, search)

    def _stuck(self, search: Search) -> None:
        """It does not look at its flag: it counts as failed, and its worker ends if that can be forced."""
        if search.pool is None or search.slot is None:
            return
        log.error("a search does not stop", bot=str(search.job.bot), game=search.job.game)
        search.retried = True
        if search.pool.can_end_workers:
            search.pool.end_worker(search.slot)
        elif search.wanted:
            # A thread can't be ended: its slot stays taken until it ends by itself.
            search.wanted = False
            search.on_done(None)

    def _back_on_loop(self, search: Search, executor: Executor | None, future: Future[Report]) -> None:
        call_on_loop(self._loop, self._done, search, executor, future)

    def _done(self, search: Search, executor: Executor | None, future: Future[Report]) -> None:
        assert search.pool is not None
        assert search.slot is not None
        if search.timer is not None:
            search.timer.cancel()
        del self._running[search.ticket]
        if search.waits_since is None:
            seconds = self._loop.time() - search.begun
            search.used += seconds
            self._counters.search_times.observe(seconds)
        if search.slot == self.workers:
            self._light_slot_free = True
        else:
            self._free.add(search.slot)
        pool, search.slot = search.pool, None
        report: Report | None = None
        if not future.cancelled():
            error = future.exception()
            if error is None:
                report = future.result()
                if search.timed_out and search.cut_after is not None and isinstance(report, Report):
                    report.cut_after = None if report.finished else search.cut_after
            elif isinstance(error, BrokenExecutor) and not self._closed:
                if executor is not None:
                    pool.broke(executor)
                # All that ran beside the killed worker failed with it; each is tried once more.
                if search.wanted and not search.retried:
                    search.retried = True
                    self._begin_again(search)
                    return
            elif not search.makes_way:
                log.error("a search failed", bot=str(search.job.bot), game=search.job.game, exc_info=error)
        if search.makes_way and search.wanted and not _finished(report):
            self._begin_again(search)
            return
        outcome = "cancelled" if not search.wanted else "failed" if report is None else "done"
        self._counters.searches[search.asker.kind, outcome] += 1
        try:
            if search.wanted:
                search.on_done(report)
        finally:
            # Only now: what goes on after it may have the next turn.
            self._assign()

    def _begin_again(self, search: Search) -> None:
        """Its turn was broken off: it has the next one of its asker's, and has only waited until now."""
        search.makes_way = search.timed_out = False
        if search.waits_since is None:
            search.waits_since = search.begun
        self._enqueue(search, "first")

    def _report(self, ticket: int, report: Report) -> None:
        search = self._running.get(ticket)
        if search is not None and search.wanted:
            search.on_report(report)


def _falls(search: Search, place: int) -> bool:
    """Is it new to those who wait? That others came in between, since it was their turn, is not shown."""
    return search.place is None or place < search.place


def _finished(found: Any) -> bool:
    return isinstance(found, Report) and found.finished
