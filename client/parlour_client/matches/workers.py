"""Where a match's pairs are played: in this process, in others on this machine, or by a cluster's workers.

All are executors of `concurrent.futures`, so that who hands pairs out does not care.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Literal

from parlour_client.matches.pair import PlayedPair, Task, close_tables, play_pairs
from parlour_client.sdk.errors import ParlourError, UsageError
from parlour_protocol.words import say

CONNECT_SECONDS = 5
START: Literal["fork", "spawn"] = "fork" if sys.platform == "linux" else "spawn"
"""A forked worker has all loaded already; elsewhere that is not safe, or not there."""


END_SECONDS = 10.0
"""So long a worker that is to end may take to write what it has played."""
TASK_SECONDS = 0.1
"""Pairs are handed out by as many as take about so long: handing out costs more than many a short game."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who plays pairs."""

    executor: Executor
    in_hand: int
    """How many batches it is given at once: beside those that are played, some to be taken up next."""

    def play(
        self,
        missing: Callable[[], Iterator[Task]],
        played: Callable[[PlayedPair], None],
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play pairs until it is `over`, or none is missing; `played` is called with each.

        `missing` gives those that are to be played next, whatever is being played. Raises what a pair raises.
        """
        playing: dict[Future[tuple[list[PlayedPair], float]], list[int]] = {}
        size = 1
        try:
            while not over():
                busy = {number for numbers in playing.values() for number in numbers}
                free = (task for task in missing() if task.number not in busy)
                while len(playing) < self.in_hand and (batch := [*islice(free, size)]):
                    future = self.executor.submit(_play, batch)
                    playing[future] = [task.number for task in batch]
                if not playing:
                    return
                for future in wait(playing, return_when=FIRST_COMPLETED).done:
                    del playing[future]
                    pairs, seconds = future.result()
                    for pair in pairs:
                        played(pair)
                    if len(pairs) == size:
                        # In steps: on a machine that does much beside, one measurement says little.
                        size = 4 * size if seconds < TASK_SECONDS / 2 else size
                        size = max(1, size // 2) if seconds > 2 * TASK_SECONDS else size
        except BrokenProcessPool:
            raise ParlourError(say("error.worker_died")) from None


@contextmanager
def workers(jobs: int, dask: str | None = None) -> Iterator[Workers]:
    """Workers for the block: `jobs` processes here, or all of a Dask scheduler's at this address.

    Raises `UsageError` where Dask is not installed, or its scheduler not there.
    """
    if dask is not None:
        with _cluster(dask) as found:
            yield found
    elif jobs == 1:
        try:
            yield Workers(_Here(), 1)
        finally:
            close_tables()
    else:
        with _processes(jobs) as executor:
            yield Workers(executor, 2 * jobs)


class _Here(Executor):
    """Plays what is submitted at once."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    # Each holds one end of a pipe: it ends when we end, however that comes, and when we want it to.
    theirs, ours = multiprocessing.Pipe(duplex=False)
    begin = (theirs, None if START == "spawn" else ours)
    executor = ProcessPoolExecutor(count, multiprocessing.get_context(START), _begin, begin)
    try:
        # Forked at once, before there are threads, and files that they should not hold.
        executor.submit(int).result()
        yield executor
    finally:
        # Games under way are given up, but their processes' ends are waited for: else the interpreter's
        # shutdown races with the pool's thread for the pipe that wakes it.
        ours.close()
        executor.shutdown(cancel_futures=True)


def _begin(line: Connection, other_end: Connection | None) -> None:
    """In a new process: a Ctrl-C is for its parent, and its parent's end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if other_end is not None:
        other_end.close()

    _between.acquire()

    def listen() -> None:
        with suppress(EOFError, OSError):
            line.recv()
        # Who reads half a result would wait for the rest.
        _between.acquire(timeout=END_SECONDS)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()


_between = threading.Lock()
"""Held by a process that was started here while it plays nothing: it is not ended then."""


def _play(tasks: list[Task]) -> tuple[list[PlayedPair], float]:
    if not _between.locked():
        return play_pairs(tasks)
    _between.release()
    try:
        return play_pairs(tasks)
    finally:
        _between.acquire()


@contextmanager
def _cluster(address: str) -> Iterator[Workers]:
    try:
        client_of: Any = importlib.import_module("distributed").Client
    except ImportError:
        raise UsageError(say("error.no_dask")) from None
    try:
        client = client_of(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(say("error.no_scheduler", address=address, why=str(error) or repr(error))) from None
    with client:
        # However many threads one has, it plays one pair at a time.
        count = len(client.nthreads())
        if not count:
            raise UsageError(say("error.no_dask_workers", address=address))
        # A lost worker's pairs are played again by another.
        yield Workers(client.get_executor(pure=False, retries=3), 2 * count)
