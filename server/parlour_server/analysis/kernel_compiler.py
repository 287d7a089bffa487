"""Compiling in a process of its own, which takes neither the server's time nor its memory.

A game's machine code is made there and left in the cache on the disk, from which workers load it. The
process can be ended at any moment: each function that has been compiled by then is kept, and the next process
goes on from there.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from parlour_protocol.views.reports import Compiling, Report
from parlour_protocol.words import Sentence
from parlour_server.analysis.worker import Ended, Event, Job, Shown, Task
from parlour_server.analysis.worker_process import WorkerProcess
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.kernels.numba_modules import can_keep, counted
from parlour_server.search.levels import BotSpec

LONGEST_SECONDS = 300.0
"""How long a game may take: far longer than any, so that what hangs keeps no other game waiting for ever."""

LONGEST_ERROR = 300
"""How many characters of a compiler's error go into the log."""

NAME = "compiler"

Progress = Callable[[Compiling], None]
"""Called with how far it is."""


class KernelCompiler:
    """Has what it is asked for done by a worker process of its own. To be called on the loop, and cancelled
    where it is no longer wanted."""

    async def compile(self, game: str, progress: Progress) -> str | None:
        """Make a game's machine code and leave it in the cache: seconds. None when done, or where nothing can
        be kept; else why it could not be made."""
        if not can_keep():
            return None

        def show(report: Report) -> None:
            assert report.compiling is not None
            progress(report.compiling)

        ended = await _run(game, _compile, show)
        return ended.result if ended.error is None else Sentence("compile.failed", why=str(ended.error))

    async def missing(self, games: Sequence[str]) -> list[str]:
        """The games among these whose machine code is not in the cache: tenths of a second."""
        ended = await _run(games[0], partial(_find_missing, games=games), lambda report: None)
        return ended.result or []


async def _run(game: str, task: Task, show: Callable[[Report], None]) -> Ended:
    """Run a task in a process that ends with it."""
    changed = asyncio.Event()
    done: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()

    def happened(event: Event) -> None:
        match event:
            case Shown(_, report):
                show(report)
            case Ended():
                done.set_result(event)

    process = WorkerProcess(1, happened, changed.set, kind="compiler")
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            process.start()
            await changed.wait()
            if not process.up:
                return Ended(0, None, RuntimeError("it can't be started"))
            process.submit(Job(game, None, BotSpec(NAME), 0, task=task), 0, 0)
            return await done
    except TimeoutError:
        return Ended(0, None, RuntimeError("it takes too long"))
    except Exception as error:
        # Whatever it is, searches wait for the outcome.
        return Ended(0, None, error)
    finally:
        await process.close()


# ---------------------------------------------------------------- in the process


def _compile(game: Game[Any], position: None, *, control: Control) -> str | None:
    """Compile the game, and show how far that is; a sentence where it can't be."""

    def progress(done: int) -> None:
        control.publish(Report(NAME, [], compiling=Compiling(game.name, done, of, game.title)))

    try:
        of = compiled.functions(game)
        progress(0)
        with counted(progress):
            compiled.prepare(game)
    except Exception as error:
        # It may be numba's own, which a server does not import.
        return " ".join(str(error).split())[:LONGEST_ERROR]
    return None


def _find_missing(game: Game[Any], position: None, *, games: Sequence[str], control: Control) -> list[str]:
    return [name for name in games if not compiled.is_kept(find_game(name))]
