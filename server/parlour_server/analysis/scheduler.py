"""Schedules searches: a fair queue, as many at once as there are workers; each can be cancelled.

A search that runs in machine code goes to workers that have it loaded, any other to those of plain Python
(`pools.py`). The scheduler submits a job only when a worker is free for it, so a waiting one can be cancelled
at no cost and its place in the queue is known.

Which search waits for which (`fair_queue.py` has the order):

    the first worker      a bot that a person waits for; while there is none, any other search, which is
                          interrupted for one, begins again when its turn comes, and elsewhere if it can
    the other workers     all searches in their order
    one worker more       searches that take a moment, such as those of easy and random bots: nothing else

A lasting search may go on beyond the usual limit as long as no other waits for a worker: the first one that
does ends it.

The states of a search, and what moves it from one to another:

    queued       -> running      a worker is free for it
    running      -> interrupted  a bot that a person waits for needs its worker: its stop is requested
    running      -> timed out    its time is over: its stop is requested, and what it has found is its answer
    interrupted  -> queued       it has stopped; its next turn is its requester's next
    any of these -> queued       its worker has died, for the first time
    any of these -> done         it has an answer, or has failed
    any of these -> cancelled    its answer is no longer wanted; where it runs its stop is requested

Machine code is loaded when the first search wants it (`kernel_loader.py`): searches wait for that in the
queue, as for a worker, also while it has to be compiled, so that a bot is as strong in its first move as in
its tenth. What a book knows it answers meanwhile. Only where that fails plain Python searches.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import chain
from math import inf
from typing import Any, Literal, NoReturn, assert_never

from parlour_protocol.views.reports import Report
from parlour_server.analysis import log, pools
from parlour_server.analysis.fair_queue import FairQueue, Place, Requester
from parlour_server.analysis.kernel_compiler import KernelCompiler
from parlour_server.analysis.kernel_loader import CodeState, KernelLoader
from parlour_server.analysis.plan import Plan, make_plan, runs_compiled
from parlour_server.analysis.pools import ThreadPool, WorkerPool
from parlour_server.analysis.worker import Ended, Event, Job, Kernels, Loaded, NotCompiled, Shown
from parlour_server.analysis.worker_process import WorkerDied, WorkerProcess
from parlour_server.counters import Counters
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.levels import BotSpec
from parlour_server.search.thinking import light

Where = Literal["auto", "process", "thread"]
"""What runs in threads of this process: nothing, or with `thread` all. With `process` all is plain Python."""

PLACE_AFTER = 0.1
"""How many seconds the first search waits before its place is shown: most waits are over by then."""
PLACES_EVERY = 0.5
"""Seconds between two looks at whose place in the queue has changed, or is to be shown. One look serves all,
however many wait."""
PLACES_AT_ONCE = 50
"""How many are shown their place without a break for the loop's other work."""

TURN_SECONDS = 10.0
"""How much of a worker's time a review has before those of others go on. Most reviews end sooner."""

STARVED_SECONDS = 0.1
"""A search that waited for a core for longer, of its grace, has so much more."""

RESERVED = 0
"""The slot in which bots that a person waits for have the right of way."""


class QueueFull(Exception):
    """As many questions of the player, or of their address, wait as may: says which."""

    def __init__(self, whose: Literal["player", "address"]) -> None:
        super().__init__(f"too many questions of one {whose} wait")
        self.whose = whose


class State(Enum):
    """Where a search is: see the table above."""

    QUEUED = auto()
    RUNNING = auto()
    INTERRUPTED = auto()
    TIMED_OUT = auto()
    CANCELLED = auto()
    DONE = auto()


@dataclass(slots=True, eq=False)
class Search:
    """One search that was asked for. `cancel` it when its answer is no longer wanted."""

    plan: Plan
    requester: Requester
    on_report: Callable[[Report], None]
    on_done: Callable[[Report | None], None]
    ticket: int
    _scheduler: "SearchScheduler"
    state: State = State.QUEUED
    waits_since: float | None = None
    """Since when it waits for a worker, by the loop's clock."""
    waited_before: float = 0.0
    """How many seconds it waited for a worker until its last turn."""
    begun: float = 0.0
    """When its last turn began."""
    used: float = 0.0
    """Seconds of a worker's time that it has had, together with those before it in a review's turn."""
    place: int | None = None
    """How many it was last shown to have before it; None: not shown."""
    pool: WorkerPool | None = None
    """The pool that has it, or had it last."""
    slot: int | None = None
    """Where it runs there, while it does."""
    cut_after: float | None = None
    """The scheduler's limit that ends it, as its answer is to say."""
    book: Literal["unasked", "asking", "asked"] = "unasked"
    """Does a book know its answer, while the machine code is missing that would find it?"""
    was_interrupted: bool = False
    """No search is a second time."""
    retried: bool = False
    """Was it begun again after its worker's death? No search is a second time."""
    timer: asyncio.TimerHandle | None = None

    @property
    def job(self) -> Job:
        """What was asked for."""
        return self.plan.job

    @property
    def wanted(self) -> bool:
        """Is its answer waited for?"""
        return self.state is not State.CANCELLED

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
    most. Without `kernels` nothing is compiled.
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
        compiler: KernelCompiler | None = None,
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
        self._running: dict[int, Search] = {}
        self._free = set(range(workers))
        """The free slots, but for the one of light searches, which is the last."""
        self._light_slot_free = True
        self._places_timer: asyncio.TimerHandle | None = None
        self._tickets = 0
        self._closed = False
        slots = workers + 1
        self._plain: list[WorkerPool]
        """By slot: plain Python keeps its interpreter busy, so that each slot has a process."""
        self._compiled: WorkerPool
        """Machine code leaves its interpreter alone, and takes memory: all slots have it in one process."""
        if kind == "thread":
            self._compiled = ThreadPool(slots, self._happened, kernels)
            self._plain = [self._compiled] * slots
        else:
            self._plain = [
                WorkerProcess(slots, self._happened, self._changed, kind="plain") for _ in range(slots)
            ]
            self._compiled = WorkerProcess(slots, self._happened, self._code_changed, kind="compiled")
        self._loader: KernelLoader | None = None
        if kind != "process" and kernels is not None:
            self._loader = KernelLoader(kernels, self._compiled, compiler or KernelCompiler(), self._changed)
        self.lingers = False
        """Once closed: does something go on that can't be ended?"""

    def compile_missing(self, games: Iterable[Game[Any]]) -> None:
        """Compile in the background what the cache lacks of these games."""
        if self._loader is not None:
            self._loader.compile_missing(games)

    def expect(self, game: Game[Any], bot: BotSpec) -> None:
        """Start what this bot will want."""
        if self._loader is not None and runs_compiled(game, bot):
            self._loader.want(game)
        else:
            self._plain[self.workers if light(bot) else RESERVED].start()

    def has_code(self, game: Game[Any]) -> bool:
        """Do searches of this game run in machine code, as far as is known?"""
        return self._loader is not None and self._loader.has_code(game)

    def time(self) -> float:
        """Seconds of the clock by which searches wait."""
        return self._loop.time()

    def search(
        self,
        job: Job,
        requester: Requester,
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
        plan = make_plan(job, self._longest, self._longest_lasting)
        asked = Search(plan, requester, on_report, on_done, self._tickets, self)
        if requester.kind == "question" and used is None:
            self._check_room(self._queue_of(asked), requester)
        if used is not None and used < TURN_SECONDS:
            asked.used = used
            self._enqueue(asked, "next")
        else:
            self._enqueue(asked)
        return asked

    def _check_room(self, queue: FairQueue[Search], requester: Requester) -> None:
        if queue.length(requester.kind, requester.address, requester.player) >= self._most_of_player:
            self._refuse("player")
        if queue.length(requester.kind, requester.address) >= self._most_waiting:
            self._refuse("address")

    def _refuse(self, whose: Literal["player", "address"]) -> NoReturn:
        self._counters.searches_refused += 1
        raise QueueFull(whose)

    @property
    def waiting(self) -> int:
        """How many searches wait for a worker."""
        return len(self._queue) + len(self._light_queue)

    @property
    def running(self) -> int:
        """How many searches have a worker."""
        return len(self._running)

    @property
    def workers_failing(self) -> bool:
        """Could workers not be started when that was last tried?"""
        return any(pool.failing for pool in self._pools())

    def _pools(self) -> set[WorkerPool]:
        return {*self._plain, self._compiled}

    def cancel(self, search: Search) -> None:
        """See `Search.cancel`. Its worker is free again as soon as the search looks at its flag."""
        match search.state:
            case State.QUEUED:
                search.waits_since = None
                self._queue_of(search).remove(search.requester, search)
            case State.RUNNING | State.INTERRUPTED | State.TIMED_OUT:
                self._stop(search)
            case State.CANCELLED | State.DONE:
                return
            case _:
                assert_never(search.state)
        search.state = State.CANCELLED

    def ending(self) -> None:
        """It is to be closed soon: start no more workers, and don't speak of those that end."""
        for pool in self._pools():
            pool.ending()

    async def close(self) -> None:
        """Stop everything that runs and let the workers go."""
        self._closed = True
        if self._places_timer is not None:
            self._places_timer.cancel()
        for search in [*self._waiting(), *self._running.values()]:
            search.cancel()
            if search.timer is not None:
                search.timer.cancel()
        if self._loader is not None:
            await self._loader.stop()
        ended = await asyncio.gather(*(pool.close() for pool in self._pools()))
        self.lingers = not all(ended)
        if self._running and self.lingers:
            log.error("a search does not stop, and is left behind")

    # ------------------------------------------------------------ the queue

    def _queue_of(self, search: Search) -> FairQueue[Search]:
        return self._light_queue if search.plan.light else self._queue

    def _waiting(self) -> Iterator[Search]:
        return chain(self._queue, self._light_queue)

    def _enqueue(self, search: Search, place: Place = "last") -> None:
        """Have it wait for a worker; it need not, where one is free."""
        search.state = State.QUEUED
        if search.waits_since is None:
            search.waits_since = self._loop.time()
        self._queue_of(search).add(search.requester, search, place)
        self._assign()
        if search.state is State.QUEUED and self._places_timer is None:
            self._places_timer = self._loop.call_later(PLACE_AFTER, self._show_places)

    def _runs_as(self, search: Search) -> Literal["compiled", "plain"] | None:
        """How it can run now; None: it waits for machine code."""
        game = search.plan.code
        if game is None or self._loader is None:
            return "plain"
        match self._loader.state(game):
            case CodeState.READY:
                return "compiled"
            case CodeState.FAILED:
                return "plain"
        self._loader.want(game)
        return "plain" if self._asks_book(search) else None

    def _asks_book(self, search: Search) -> bool:
        """Is its answer to be looked for in a book, since its machine code is not there?"""
        if (
            search.book != "unasked"
            or not search.plan.exact
            or search.plan.code is None
            or self._loader is None
        ):
            return False
        return self._loader.state(search.plan.code) not in (CodeState.READY, CodeState.FAILED)

    def _ready_pool(self, search: Search, slot: int) -> WorkerPool | None:
        """The pool that can begin it now in this slot. What it waits for is started."""
        runs_as = self._runs_as(search)
        if runs_as is None:
            return None
        pool = self._plain[slot] if runs_as == "plain" else self._compiled
        pool.start()
        return pool if pool.up else None

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
        if search.requester.kind == "seat":
            slot = min(self._free)
        else:
            slot = max(self._free)
            if slot == RESERVED and search.was_interrupted and self.workers > 1:
                return False
        return self._begin(search, slot)

    def _begin(self, search: Search, slot: int) -> bool:
        pool = self._ready_pool(search, slot)
        if pool is None:
            return False
        if search.place is not None:
            # Before its first thoughts, which a worker may have at once.
            self._loop.call_soon(self._show_begun, search)
        self._queue_of(search).take(search.requester, search)
        if slot == self.workers:
            self._light_slot_free = False
        else:
            self._free.remove(slot)
        job = search.job
        if self._asks_book(search):
            job, search.book = replace(job, book_only=True), "asking"
        pool.submit(job, search.ticket, slot)
        search.state, search.pool, search.slot = State.RUNNING, pool, slot
        self._running[search.ticket] = search
        search.waited_before, search.waits_since, search.place = search.waited, None, None
        search.begun = self._loop.time()
        self._counters.search_waits.observe(search.waited_before)
        plan = search.plan
        if plan.seconds < inf:
            search.timer = self._loop.call_later(plan.seconds, self._out_of_time, search, plan.cut_after)
        if plan.yields_after < plan.seconds:
            self._loop.call_later(plan.yields_after, self._end_lasting)
        return True

    def _end_lasting(self) -> None:
        """End the search that has gone on for longest beyond the usual limit, if somebody's waits for it."""
        now = self._loop.time()
        beyond = [one for one in self._running.values() if now - one.begun >= one.plan.yields_after]
        if self._free or not beyond or any(one.state is State.TIMED_OUT for one in beyond):
            return
        if any(self._runs_as(search) for search in self._queue if search.requester.kind != "idle"):
            longest = min(beyond, key=lambda one: one.begun)
            self._out_of_time(longest, longest.plan.yields_after)

    def _make_way(self) -> None:
        """Interrupt what runs in the reserved slot, if a bot waits that a person waits for."""
        inside = next((search for search in self._running.values() if search.slot == RESERVED), None)
        if inside is None or inside.requester.kind == "seat" or inside.was_interrupted:
            return
        if inside.state is State.RUNNING and any(self._runs_as(search) for search in self._queue.of("seat")):
            inside.state, inside.was_interrupted = State.INTERRUPTED, True
            self._stop(inside)

    # ------------------------------------------------------------ what those who wait are shown

    def _show_places(self) -> None:
        self._places_timer = None
        places = [*enumerate(self._queue), *enumerate(self._light_queue)]
        # That others came in between, since it was their turn, is not shown.
        changed = [(one, place) for place, one in places if one.place is None or place < one.place]
        for search, place in changed[:PLACES_AT_ONCE]:
            self._show_place(search, place)
        if places:
            more = len(changed) > PLACES_AT_ONCE
            self._places_timer = self._loop.call_later(0 if more else PLACES_EVERY, self._show_places)

    def _show_place(self, search: Search, place: int) -> None:
        search.place = place
        code = search.plan.code
        compiling = None
        if self._loader is not None and code is not None and self._loader.state(code) is CodeState.COMPILING:
            compiling = self._loader.compiling
        queued = place if compiling is None else None
        search.on_report(Report(str(search.job.bot), [], queued=queued, compiling=compiling))

    def _show_begun(self, search: Search) -> None:
        if search.state is State.RUNNING:
            search.on_report(Report(str(search.job.bot), []))

    # ------------------------------------------------------------ what happens to a search

    def _changed(self) -> None:
        """Workers have been started, or have ended; or machine code has come nearer."""
        if self._closed:
            return
        for search in list(self._waiting()):
            # Shown again: how far the code is that it waits for.
            if search.place is not None and self._runs_as(search) is None:
                self._show_place(search, search.place)
        self._assign()

    def _code_changed(self) -> None:
        """The workers that have machine code have been started, or have ended."""
        assert self._loader is not None
        if not self._closed:
            self._loader.pool_changed()
            self._changed()

    def _happened(self, event: Event) -> None:
        match event:
            case Shown(ticket, report):
                search = self._running.get(ticket)
                if search is not None and search.wanted:
                    search.on_report(report)
            case Ended():
                if (search := self._running.pop(event.ticket, None)) is not None:
                    self._ended(search, event)
            case Loaded() | NotCompiled():
                if self._loader is not None and not self._closed:
                    self._loader.took(event, find_game(event.game))
            case _:
                assert_never(event)

    def _stop(self, search: Search) -> None:
        """Tell it to stop; it ends when it looks."""
        assert search.pool is not None
        assert search.slot is not None
        search.pool.stop(search.slot)

    def _out_of_time(self, search: Search, cut_after: float | None) -> None:
        """Stop it: what it has found until now is its answer."""
        if search.state is State.RUNNING:
            search.state, search.cut_after = State.TIMED_OUT, cut_after
        if search.slot is None:
            return
        self._stop(search)
        if search.timer is not None:
            search.timer.cancel()
        self._give_grace(search, pools.GRACE_SECONDS, self._loop.time() + pools.LONGEST_GRACE_SECONDS)

    def _give_grace(self, search: Search, seconds: float, until: float) -> None:
        assert search.pool is not None
        waited = search.pool.waited_for_core()
        search.timer = self._loop.call_later(seconds, self._stuck, search, waited, until)

    def _stuck(self, search: Search, waited: float, until: float) -> None:
        """It does not look at its flag: it counts as failed, and its worker ends if that can be forced."""
        if search.pool is None or search.slot is None:
            return
        # Where all else has the cores it may not have come to look.
        starved = min(search.pool.waited_for_core() - waited, until - self._loop.time())
        if starved > STARVED_SECONDS:
            self._give_grace(search, starved, until)
            return
        log.error("a search does not stop", bot=str(search.job.bot), game=search.job.game)
        search.retried = True
        if search.pool.can_end_workers:
            search.pool.kill()
        elif search.wanted:
            # A thread can't be ended: its slot stays taken until it ends by itself.
            search.state = State.CANCELLED
            search.on_done(None)

    def _ended(self, search: Search, event: Ended) -> None:
        if search.timer is not None:
            search.timer.cancel()
        assert search.slot is not None
        seconds = self._loop.time() - search.begun
        search.used += seconds
        self._counters.search_times.observe(seconds)
        if search.slot == self.workers:
            self._light_slot_free = True
        else:
            self._free.add(search.slot)
        search.slot = None
        report, state, error = event.result, search.state, event.error
        interrupted = state is State.INTERRUPTED and not (isinstance(report, Report) and report.finished)
        died = isinstance(error, WorkerDied) and not search.retried
        unknown = search.book == "asking" and report is None and error is None
        if search.book == "asking":
            search.book = "unasked" if died else "asked"
        if state is not State.CANCELLED and (interrupted or died or unknown) and not self._closed:
            # All that ran beside a killed worker failed with it; each is tried once more.
            search.retried = search.retried or died
            self._begin_again(search)
            return
        if error is not None:
            job = search.job
            log.error("a search failed", bot=str(job.bot), game=job.game, exc_info=error)
        elif state is State.TIMED_OUT and search.cut_after is not None and isinstance(report, Report):
            report.cut_after = None if report.finished else search.cut_after
        outcome = "cancelled" if state is State.CANCELLED else "failed" if report is None else "done"
        self._counters.searches[search.requester.kind, outcome] += 1
        try:
            if state is not State.CANCELLED:
                search.state = State.DONE
                search.on_done(report)
        finally:
            # Only now: what goes on after it may have the next turn.
            self._assign()

    def _begin_again(self, search: Search) -> None:
        """Its turn was broken off: it has the next one of its requester's, and has only waited until now."""
        search.waits_since, search.cut_after = search.begun, None
        self._enqueue(search, "first")
