"""The command `parlour compile`: machine code is made ahead, so that no search has to wait for it."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

if TYPE_CHECKING:
    from parlour_server.analysis.kernel_compiler import Progress
    from parlour_server.games.game import Game

Result = Literal["compiled", "kept", "plain", "failed"]
"""Compiled now; there already; searched in plain Python, having no kernel; not to be compiled."""

Games = Annotated[
    list[str] | None,
    typer.Argument(metavar="GAME", help="The games; without any, all. `parlour games` lists them."),
]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one game."""

    game: str
    result: Result
    seconds: float = 0.0
    error: str | None = None

    def __str__(self) -> str:
        return (
            f"{self.game}: "
            + {
                "compiled": f"compiled in {self.seconds:.1f} s.",
                "kept": "compiled already.",
                "plain": "searched in plain Python, as nothing of it can be compiled.",
                "failed": f"can't be compiled, so plain Python searches it. {self.error}",
            }[self.result]
        )


def compile_games(
    games: Games = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Compile what the bots search with ahead of time: about 10 s for a game, once.

    A server makes what is missing by itself, and its bots think in plain Python meanwhile; analyses in a
    terminal wait for it. Ctrl-C keeps what is done by then.
    """
    from parlour_server.analysis import log
    from parlour_server.games import UnknownGame, all_games, find_game
    from parlour_server.search.kernels.numba_modules import available, cache_folder, can_keep

    try:
        chosen = [find_game(name) for name in games] if games else all_games()
    except UnknownGame as error:
        _fail(str(error), code=2)
    folder = cache_folder()
    if not available():
        _fail(
            "There is no compiler here, so bots search in plain Python. "
            "Install it: pip install 'parlour-server[fast]'"
        )
    if not can_keep():
        _fail(f"Nothing can be written to {folder}. Name another folder in PARLOUR_CACHE.")
    done = []
    log.for_a_person = True
    try:
        for game in chosen:
            done.append(_compile(game))
            if not as_json:
                print(done[-1], flush=True)
    finally:
        log.for_a_person = False
    if as_json:
        print(json.dumps({"folder": str(folder), "games": [asdict(one) for one in done]}))
    elif all(one.result in ("kept", "plain") for one in done):
        print(f"There was nothing to do. Compiled code is kept in {folder}")
    else:
        print(f"Compiled code is kept in {folder}")
    if any(one.result == "failed" for one in done):
        raise SystemExit(1)


def _compile(game: "Game[Any]") -> Done:
    from parlour_server.analysis.kernel_compiler import KernelCompiler
    from parlour_server.search.kernels import compiled

    if compiled.kernel_for(game) is None:
        return Done(game.name, "plain")
    if compiled.is_kept(game):
        return Done(game.name, "kept")
    begun = time.perf_counter()
    with _bar(game.name) as progress:
        error = asyncio.run(KernelCompiler().compile(game.name, progress))
    seconds = round(time.perf_counter() - begun, 3)
    return Done(game.name, "compiled" if error is None else "failed", seconds, error)


@contextmanager
def _bar(game: str) -> Iterator["Progress"]:
    """A bar on a terminal's standard error, called with how far it is."""
    if not sys.stderr.isatty():
        yield lambda compiling: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(f"Compiling {game} (once; about 10 s)", total=None)
        yield lambda compiling: shown.update(task, completed=compiling.done, total=compiling.of)


def _fail(sentence: str, code: int = 1) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
