"""Searches to ask a desk for, and somebody who waits for them."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal

from parlour_protocol.views import Report
from parlour_server.games import find_game
from parlour_server.games.mnk import MNK, Position
from parlour_server.live.searches import Search, SearchDesk
from parlour_server.live.worker import Job
from parlour_server.search.bots import parse_bot

DEADLINE = 20.0
ENDLESS = MNK(4, 4, 4, name="endless")
"""A game that plain minimax does not search to its end in anybody's lifetime."""


class Deaf(MNK):
    """A game whose rules never come back, so that a search of it never looks at its flag."""

    def legal_moves(self, position: Position) -> Sequence[int]:
        while True:
            time.sleep(0.05)


DEAF = Deaf(3, 3, 3, name="deaf")

DISTRIBUTION = {
    "endless.py": "from tests.live.desk import DEAF, ENDLESS\n",
    "endless-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: endless\nVersion: 1.0\n",
    "endless-1.0.dist-info/entry_points.txt": (
        "[parlour.games]\nendless = endless:ENDLESS\ndeaf = endless:DEAF\n"
    ),
}
"""The same games as somebody's package would bring them, so that other processes find them too."""


def job(bot: str = "random:seed=1", *, every_move: bool = False) -> Job:
    """A search of tic-tac-toe's first position."""
    return Job("tictactoe", find_game("tictactoe").initial(), parse_bot(bot), 0, every_move)


def endless() -> Job:
    """A search that ends only when it is told to."""
    return Job("endless", ENDLESS.initial(), parse_bot("minimax:depth=16"), 0)


def deaf() -> Job:
    """A search that does not end even then."""
    return Job("deaf", DEAF.initial(), parse_bot("minimax"), 0)


async def until(what: Callable[[], bool]) -> None:
    """Wait for what other threads and processes bring about."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.005)


class Waiting:
    """One search and what is heard of it."""

    def __init__(self, desk: SearchDesk, asked: Job) -> None:
        self.shown: list[Report] = []
        self.answers: list[Report | None] = []
        self._answered = asyncio.Event()
        self.search: Search = desk.search(asked, self._done, self.shown.append)

    def _done(self, report: Report | None) -> None:
        self.answers.append(report)
        self._answered.set()

    async def answer(self) -> Report | None:
        """The answer, which comes once."""
        async with asyncio.timeout(DEADLINE):
            await self._answered.wait()
        (report,) = self.answers
        return report

    async def started(self) -> None:
        """Until a worker has it."""
        await until(lambda: self.search.slot is not None)


@contextlib.asynccontextmanager
async def open_desk(
    kind: Literal["process", "thread"], *, workers: int = 1, waiting: int = 8, seconds: float = 60.0
) -> AsyncIterator[SearchDesk]:
    """A desk whose workers have started."""
    desk = SearchDesk(kind=kind, workers=workers, waiting=waiting, seconds=seconds)
    try:
        assert await Waiting(desk, job()).answer() is not None
        yield desk
    finally:
        await desk.close()
