"""What runs inside a worker, be it a process or a thread: one search at a time.

A search learns that it is no longer wanted through a byte that it shares with the scheduler, and
publishes what it has found through a function that it is given. A worker process gets both once,
when it starts: bytes in shared memory, and a queue.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from parlour_protocol.views.reports import Report
from parlour_server.games import UnknownGame, all_games, find_game
from parlour_server.games.game import Game, Move
from parlour_server.search import thinking
from parlour_server.search.control import Control
from parlour_server.search.kernels.inner_search import TableMemory
from parlour_server.search.levels import BotSpec, time_limit
from parlour_server.search.thinking import analyse, knows_at_once, think, uses_machine_code

SHOW_EVERY = 0.1
"""Seconds between two shown reports of one search."""

NICE = 5
"""How far searches step back where cores are few."""


class PositionTask(Protocol):
    """What is done with a position other than choosing a move: see `position_tasks.py`. In plain Python, so
    in a process of its own wherever there is one."""

    def run(self, game: Game[Any], position: Any, control: Control) -> Any:
        """Do it; the result can be pickled."""


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
    also: Move | None = None
    """With that, a move to be scored in any case."""
    seconds: float | None = None
    """How long it may take; None: as long as its bot does. Never longer than the scheduler allows."""
    task: PositionTask | None = None
    """Do this instead, in plain Python; `bot` then only names it in the log."""
    lasting: bool = False
    """May it go on beyond the scheduler's usual limit, while nobody else waits for a worker?"""
    patience: float | None = None
    """How many seconds it waits for compiled code that is not ready; None: as long as that takes."""


def run(job: Job, control: Control) -> Any:
    """Search, and return the report; one that was stopped says so by not being finished.

    A job with a task returns what that makes.
    """
    game = find_game(job.game)
    if job.task is not None:
        return job.task.run(game, job.position, control)
    if job.every_move:
        return analyse(game, job.position, job.bot, control=control, also=job.also)
    return think(game, job.position, job.bot, move_number=job.move_number, control=control)


def seconds_for(job: Job) -> float | None:
    """How long a search takes at most by its own account; None: it says nothing about that."""
    return job.seconds if job.seconds is not None or job.task is not None else time_limit(job.bot)


def open_ended(job: Job) -> bool:
    """Does it search on until it is stopped, having no bound of its own?"""
    game = None if job.task is not None else _game(job)
    return game is not None and job.seconds is None and thinking.open_ended(game, job.bot)


def compiled_game(job: Job) -> Game[Any] | None:
    """The game whose machine code the job would spend its time in; None: it stays in plain Python."""
    game = None if job.task is not None else _game(job)
    return game if game is not None and uses_machine_code(game, job.bot) else None


def light(job: Job) -> bool:
    """Does it take a worker but a moment?"""
    return job.task is None and (thinking.light(job.bot) or known_at_once(job))


def known_at_once(job: Job) -> bool:
    """Is the answer there without a search? Then it takes any worker but a moment."""
    game = None if job.task is not None else _game(job)
    try:
        return game is not None and knows_at_once(game, job.position, job.bot, every_move=job.every_move)
    except Exception:
        # Whatever is wrong with it, the search itself will say.
        return False


def _game(job: Job) -> Game[Any] | None:
    try:
        return find_game(job.game)
    except UnknownGame:
        # The search will say so.
        return None


def make_control(
    flag: memoryview, show: Callable[[Report], None], *, compiled: bool, memory: TableMemory | None = None
) -> Control:
    """A search's control: stopped by the byte `flag`, publishing by `show` now and then."""
    last_shown = time.monotonic()

    def due() -> bool:
        return time.monotonic() - last_shown >= SHOW_EVERY

    def publish(report: Report) -> None:
        nonlocal last_shown
        if due():
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


# ---------------------------------------------------------------- a worker process


class ReportQueue(Protocol):
    """The queue to the server: `(ticket, report)` pairs."""

    def put(self, item: tuple[int, Report]) -> None:
        """Put a pair into the queue."""


_flags: memoryview
_progress: ReportQueue


def yield_to_the_loop() -> None:
    """Have this thread, of a search, wait where the event loop or a commit wants its core.

    Only on Linux has each thread a niceness of its own; elsewhere the whole process would step back.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # Who was started by `nice` may step back further, never forward.
        niceness = max(NICE, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)


def start_worker(flags: Any, progress: ReportQueue) -> None:
    """A worker process's initializer: the stop bytes, in shared memory, and the queue of reports."""
    import multiprocessing

    global _flags, _progress
    _flags, _progress = memoryview(flags).cast("B"), progress
    yield_to_the_loop()
    # Ctrl-C in a terminal goes to every process there; the server decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    # A server that is killed can't tell its workers to go, so each looks out for itself.
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    from multiprocessing.connection import wait

    wait([sentinel])
    os._exit(1)


def run_in_process(job: Job, ticket: int, slot: int) -> Any:
    """`run` in a worker process, which knows the rules as they are written and nothing compiled."""

    def show(report: Report) -> None:
        _progress.put((ticket, report))

    return run(job, make_control(_flags[slot : slot + 1], show, compiled=False))


def warm() -> None:
    """Load the games, in a worker that is thereby started: no search's time should go into that."""
    all_games()
