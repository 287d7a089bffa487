"""What runs inside an executor's worker, be it a process or a thread: one search at a time.

A worker learns that its search is no longer wanted through a shared byte, its slot, and reports
through a shared queue; both are handed to it once, when it starts.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import MutableSequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from parlour_protocol.views import Report
from parlour_server.games import find_game
from parlour_server.search.bots import BotSpec, analyse, think
from parlour_server.search.search import Control

SHOW_EVERY = 0.1
"""Seconds between two shown reports of one search."""


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


class Progress(Protocol):
    """The queue to the server: `(ticket, report)` pairs."""

    def put(self, item: tuple[int, Report]) -> None:
        """Hand over."""


_stop_flags: MutableSequence[int]
_progress: Progress


def start_worker(stop_flags: MutableSequence[int], progress: Progress) -> None:
    """An executor's initializer."""
    global _stop_flags, _progress
    _stop_flags, _progress = stop_flags, progress
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Ctrl-C in a terminal goes to every process there; the server decides when its workers end.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A server that is killed can't tell its workers to go, so each looks out for itself.
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def run(job: Job, ticket: int, slot: int) -> Report:
    """Search, and return the report; one that was stopped says so by not being finished."""
    last_shown = time.monotonic()

    def publish(report: Report) -> None:
        nonlocal last_shown
        if time.monotonic() - last_shown >= SHOW_EVERY:
            last_shown = time.monotonic()
            _progress.put((ticket, report))

    flags = _stop_flags
    control = Control(stopped=lambda: flags[slot] != 0, publish=publish, clock=time.perf_counter)
    game = find_game(job.game)
    if job.every_move:
        return analyse(game, job.position, job.bot, control=control)
    return think(game, job.position, job.bot, move_number=job.move_number, control=control)


def warm() -> None:
    """Do nothing, in a worker that is thereby started."""
