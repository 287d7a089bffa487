"""Searches to ask a scheduler for, and what waits for them."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from parlour_protocol.views.reports import Compiling, Report
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.kernel_compiler import KernelCompiler, Progress
from parlour_server.analysis.pools import WorkerPool
from parlour_server.analysis.scheduler import Search, SearchScheduler, Where
from parlour_server.analysis.worker import Job, Kernels
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.games.mnk import MNK, Position
from parlour_server.search.levels import parse_bot

DEADLINE = 60.0
ENDLESS = MNK(4, 4, 4, name="endless")
"""A game that plain minimax does not search to its end in a lifetime."""


class Stuck(Position):
    """A position that no play leads to: a game is checked by play when it is loaded."""


class Deaf(MNK):
    """A game whose rules don't return from `Stuck` until they are let, so that no flag stops its search."""

    def legal_moves(self, position: Position) -> Sequence[int]:
        if isinstance(position, Stuck):
            BUSY.set()
            LET_GO.wait()
        return super().legal_moves(position)


BUSY, LET_GO = threading.Event(), threading.Event()
DEAF = Deaf(3, 3, 3, name="deaf")

QUESTION = Requester("question", "ada")

DISTRIBUTION = {
    "endless.py": "from tests.analysis.searches import DEAF, ENDLESS\n",
    "endless-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: endless\nVersion: 1.0\n",
    "endless-1.0.dist-info/entry_points.txt": (
        "[parlour.games]\nendless = endless:ENDLESS\ndeaf = endless:DEAF\n"
    ),
}
"""The same games as another package would bring them, so that other processes find them too."""


def job(bot: str = "minimax:depth=1", *, every_move: bool = False) -> Job:
    """A search of tic-tac-toe's first position."""
    return Job("tictactoe", find_game("tictactoe").initial(), parse_bot(bot), 0, every_move)


def endless(bot: str = "minimax:depth=16", **more: Any) -> Job:
    """A search that ends only when it is told to."""
    return Job("endless", ENDLESS.initial(), parse_bot(bot), 0, **more)


def deaf() -> Job:
    """A search that does not end even then."""
    return Job("deaf", Stuck(*DEAF.initial()), parse_bot("minimax"), 0)


async def until(what: Callable[[], bool]) -> None:
    """Wait for what other threads and processes bring about."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.005)


class Waiting:
    """One search and what is received of it."""

    def __init__(self, scheduler: SearchScheduler, asked: Job, requester: Requester = QUESTION) -> None:
        self.shown: list[Report] = []
        self.answers: list[Report | None] = []
        self._answered = asyncio.Event()
        self.search: Search = scheduler.search(asked, requester, self._done, self.shown.append)

    def _done(self, report: Report | None) -> None:
        self.answers.append(report)
        self._answered.set()

    async def answer(self) -> Report | None:
        """The answer, which comes once."""
        async with asyncio.timeout(DEADLINE):
            await self._answered.wait()
        (report,) = self.answers
        return report

    async def report(self) -> Report:
        """The answer, where the search does not fail."""
        report = await self.answer()
        assert report is not None
        return report

    async def started(self) -> None:
        """Until a worker has it."""
        await until(lambda: self.search.slot is not None)

    async def pool(self) -> type[WorkerPool]:
        """The pool that has it, once one has."""
        await until(lambda: self.search.pool is not None)
        return type(self.search.pool)  # type: ignore[return-value]


class HandKernels:
    """Stands in for machine code: knows some games, and loads each when it is let, or never.

    What it has loaded is searched plainly all the same: where, and when, is what the scheduler decides. Those
    that are not `kept` have to be compiled first.
    """

    def __init__(self, *known: str, broken: Sequence[str] = (), kept: bool = True) -> None:
        self.known, self.broken = known, broken
        self.kept: set[str] = {*known, *broken} if kept else set()
        self.ready: set[str] = set()
        self.asked: list[str] = []
        self._let = threading.Semaphore(0)

    def kernel_for(self, game: Game[Any], /) -> str | None:
        return game.name if game.name in (*self.known, *self.broken) else None

    def is_kept(self, game: Game[Any], /) -> bool:
        return game.name in self.kept

    def prepare(self, game: Game[Any], /) -> None:
        self.asked.append(game.name)
        self._let.acquire()
        if game.name in self.broken:
            raise RuntimeError("no machine code for this")
        self.ready.add(game.name)

    def let(self, number: int = 1) -> None:
        """Let that many more be loaded."""
        self._let.release(number)


class HandCompiler(KernelCompiler):
    """Stands in for the compiler's processes: one ends when it is let, and leaves its code to the kernels."""

    def __init__(self, kernels: HandKernels) -> None:
        self._kernels = kernels
        self.compiling: list[str] = []
        """Every game that was begun, in order."""
        self._let = asyncio.Semaphore(0)
        self._progress: Progress | None = None

    async def missing(self, games: Sequence[str]) -> list[str]:
        return [game for game in games if game not in self._kernels.kept]

    async def compile(self, game: str, progress: Progress) -> str | None:
        self._progress = progress
        self.compiling.append(game)
        await self._let.acquire()
        self._kernels.kept.add(game)
        return None

    def tell(self, done: int, of: int) -> None:
        """Say how far it is."""
        assert self._progress is not None
        self._progress(Compiling(self.compiling[-1], done, of))

    def let(self, number: int = 1) -> None:
        """Let that many more be done."""
        for _ in range(number):
            self._let.release()


@contextlib.asynccontextmanager
async def open_scheduler(
    kind: Where,
    *,
    workers: int = 1,
    waiting: int = 8,
    waiting_of_player: int = 8,
    longest: float = 60.0,
    longest_lasting: float = 60.0,
    kernels: Kernels | None = None,
    compiler: KernelCompiler | None = None,
) -> AsyncIterator[SearchScheduler]:
    """A scheduler whose workers have started."""
    scheduler = SearchScheduler(
        kind=kind,
        workers=workers,
        waiting=waiting,
        waiting_of_player=waiting_of_player,
        longest=longest,
        longest_lasting=longest_lasting,
        kernels=kernels,
        compiler=compiler,
    )
    try:
        assert await Waiting(scheduler, job()).answer() is not None
        yield scheduler
    finally:
        await scheduler.close()
