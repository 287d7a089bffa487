"""Runs searches in threads of this process: the server's own, or one of workers (`worker_process.py`).

A search learns that it is no longer wanted through a byte, and publishes what it has found through a function
that it is given. What happens is sent to the scheduler as events.
"""

import asyncio
import contextlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from parlour_protocol.views.reports import Report
from parlour_server.games import find_game
from parlour_server.games.game import Game, Move
from parlour_server.search.control import Control
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.kernels.numba_modules import can_keep
from parlour_server.search.levels import BotSpec
from parlour_server.search.thinking import analyse, known, think

SHOW_EVERY = 0.1
"""Seconds between two shown reports of one search."""

NICE = 15
"""How far searches step back where cores are few: at 5 a move's p99 was twice that at 15."""


Task = Callable[..., Any]
"""What is done with a position other than choosing a move, such as growing a game tree: called with the game,
the position and `control`. It can be pickled, and so can what it makes. In plain Python, so in a process of
its own wherever there is one."""


class Kernels(Protocol):
    """What has machine code of games: the module `kernels.compiled`."""

    def kernel_for(self, game: Game[Any], /) -> str | None:
        """The name of the kernel that knows the game; cheap."""

    def is_kept(self, game: Game[Any], /) -> bool:
        """Is its machine code in the cache on the disk?"""

    def prepare(self, game: Game[Any], /) -> None:
        """Load or compile it now, however long it takes. Raises where that fails."""


@dataclass(frozen=True, slots=True)
class Job:
    """One search to be done. Small, and can be pickled."""

    game: str
    position: Any
    bot: BotSpec
    move_number: int
    """Together with the bot's seed it decides every random choice."""
    every_move: bool = False
    """Score all legal moves, rather than choose one."""
    also: Sequence[Move] = ()
    """With that, moves to be scored in any case."""
    seconds: float | None = None
    """How long it may take; None: as long as its bot does. Never longer than the scheduler allows."""
    task: Task | None = None
    """Do this instead, in plain Python; `bot` then only names it in the log."""
    brief: bool = False
    """Does its task take but a moment, as a light bot's move does?"""
    lasting: bool = False
    """May it go on beyond the scheduler's usual limit, while no other search waits for a worker?"""
    book_only: bool = False
    """Answer at once, or not at all."""


# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class Shown:
    """A search shows what it has found until now."""

    ticket: int
    report: Report


@dataclass(frozen=True, slots=True)
class Ended:
    """A search has ended: with what it made, or an error."""

    ticket: int
    result: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A game's machine code is loaded; or a fault says why it can't be."""

    game: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """A game's machine code is not in the cache yet."""

    game: str


Event = Shown | Ended | Loaded | NotCompiled


def run(job: Job, control: Control) -> Any:
    """Search, and return the report; one that was stopped says so by not being finished.

    A job with a task returns what that makes; one that asks a book None where that has nothing.
    """
    game = find_game(job.game)
    if job.book_only:
        return known(game, job.position, job.bot, control=control, every_move=job.every_move)
    if job.task is not None:
        return job.task(game, job.position, control=control)
    if job.every_move:
        return analyse(game, job.position, job.bot, control=control, also=job.also)
    return think(game, job.position, job.bot, move_number=job.move_number, control=control)


class Runner:
    """Threads that search, one for each slot. `send` is called in them with what happens.

    Without `kernels` all searches are plain Python.
    """

    def __init__(self, slots: int, send: Callable[[Event], None], kernels: Kernels | None) -> None:
        self._send, self._kernels = send, kernels
        self._flags = memoryview(bytearray(slots))
        """The stop byte of each slot."""
        self._memories = [TableMemory() for _ in range(slots)]
        self._executor = ThreadPoolExecutor(slots, "parlour-search", yield_to_the_loop)
        self._futures: set[Future[None]] = set()
        self._one_at_a_time = threading.Lock()
        self._loader: threading.Thread | None = None
        """The thread that was begun last to load machine code."""

    def submit(self, job: Job, ticket: int, slot: int) -> None:
        """Begin a search."""
        self._flags[slot] = 0
        future = self._executor.submit(self._run, job, ticket, slot)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def stop(self, slot: int) -> None:
        """Tell the search in this slot to stop; it ends when it looks."""
        self._flags[slot] = 1

    def load(self, game: str) -> None:
        """Load a game's machine code, in a thread of its own; searches go on meanwhile."""
        # A daemon: it is not waited for at the end.
        self._loader = threading.Thread(target=self._load, args=(game,), name="parlour-load", daemon=True)
        self._loader.start()

    def _run(self, job: Job, ticket: int, slot: int) -> None:
        def show(report: Report) -> None:
            self._send(Shown(ticket, report))

        control = _make_control(
            self._flags[slot : slot + 1], show, self._memories[slot], compiled=self._kernels is not None
        )
        try:
            ended = Ended(ticket, run(job, control))
        except Exception as error:
            # Its traceback does not come along to another process.
            error.add_note(traceback.format_exc())
            ended = Ended(ticket, None, error)
        self._send(ended)

    def _load(self, name: str) -> None:
        assert self._kernels is not None
        fault = None
        with self._one_at_a_time:
            try:
                game = find_game(name)
                # Where nothing can be kept it is compiled here, for this process alone.
                if not self._kernels.is_kept(game) and can_keep():
                    self._send(NotCompiled(name))
                    return
                self._kernels.prepare(game)
            except Exception as error:
                # Whatever a compiler stumbles over, plain Python remains.
                fault = str(error)
        self._send(Loaded(name, fault))


def _make_control(
    flag: memoryview, show: Callable[[Report], None], memory: TableMemory, *, compiled: bool
) -> Control:
    """A search's control: stopped by the byte `flag`, publishing by `show` now and then."""
    last_shown = time.monotonic()

    def due() -> bool:
        return time.monotonic() - last_shown >= SHOW_EVERY

    def publish(report: Report) -> None:
        nonlocal last_shown
        # Few functions are compiled in less, and each is shown.
        if report.compiling is not None or due():
            last_shown = time.monotonic()
            show(report)

    return Control(
        stopped=lambda: flag[0] != 0,
        publish=publish,
        due=due,
        clock=time.perf_counter,
        flag=flag,
        compiled=compiled,
        memory=memory,
    )


def call_on_loop(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: Any) -> None:
    """Call on the loop from any thread, without waiting for it."""
    # Once the loop has closed there is nothing to call. To check before would leave it time to close.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(callback, *arguments)


def yield_to_the_loop(process: int | None = None) -> None:
    """Have a new process, or else this thread, wait where the event loop or a commit wants its core.

    Only on Linux has each thread a niceness of its own; elsewhere the whole process would step back.
    """
    if sys.platform == "linux":
        which = threading.get_native_id() if process is None else process
        with contextlib.suppress(ProcessLookupError):
            # A server that was started by `nice` may step back further, never forward.
            niceness = max(NICE, os.getpriority(os.PRIO_PROCESS, which))
            os.setpriority(os.PRIO_PROCESS, which, niceness)
