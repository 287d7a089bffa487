"""The command `parlour compile`: machine code is made ahead, so that no search has to wait for it."""

import asyncio
import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from parlour_protocol.words import language, say, spoken
from parlour_server.data_commands import fail, progress_bar

if TYPE_CHECKING:
    from parlour_server.games.game import Game

Result = Literal["compiled", "kept", "plain", "failed"]
"""Compiled now; there already; searched in plain Python, having no kernel; not to be compiled."""

Games = Annotated[
    list[str] | None,
    typer.Argument(metavar="GAME", help=say("compile.option.game")),
]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one game."""

    game: str
    result: Result
    seconds: float = 0.0
    error: str | None = None

    def __str__(self) -> str:
        facts = {
            "compiled": {"seconds": language().number(self.seconds, 1)},
            "failed": {"why": spoken(self.error)},
        }
        return say(f"compile.done.{self.result}", game=self.game, **facts.get(self.result, {}))


def compile_games(
    games: Games = None,
    as_json: Annotated[bool, typer.Option("--json", help=say("option.json"))] = False,
) -> None:
    """Compile what the bots search with ahead of time."""
    from parlour_server.analysis import log
    from parlour_server.games import UnknownGame, all_games, find_game
    from parlour_server.search.kernels.numba_modules import available, cache_folder, can_keep

    try:
        chosen = [find_game(name) for name in games] if games else all_games()
    except UnknownGame as error:
        fail(spoken(error), code=2)
    folder = cache_folder()
    if not available():
        fail(say("compile.no_compiler"))
    if not can_keep():
        fail(say("compile.unwritable", folder=str(folder)))
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
        print(say("compile.nothing_to_do", folder=str(folder)))
    else:
        print(say("compile.kept_in", folder=str(folder)))
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
    with progress_bar(say("compile.bar", game=game.name)) as progress:
        error = asyncio.run(
            KernelCompiler().compile(game.name, lambda compiling: progress(compiling.done, compiling.of))
        )
    seconds = round(time.perf_counter() - begun, 3)
    return Done(game.name, "compiled" if error is None else "failed", seconds, error)
