"""The command `parlour arena`: two bots play a match, and how it went is shown."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.bots.entrant import is_file
from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import (
    As,
    Force,
    Game,
    Json,
    Memory,
    Server,
    entrant,
    found,
    is_given,
    screen,
    seconds,
    whole,
)
from parlour_client.cli.output_file import target
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from parlour_client.bots.contestant import FileLimits
    from parlour_client.cli.game_file import GameFile
    from parlour_client.render.console import Screen
    from parlour_client.render.match_result import PlayedMatch
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.errors import Refused
    from parlour_protocol.views.records import GameRecord
    from parlour_protocol.views.reports import Compiling

MOVE_SECONDS = 60.0
PATIENCE_SECONDS = 60.0
"""How long a match looks for a server that is gone: it may be starting anew."""

app = typer.Typer()


@app.command(
    cls=ParlourCommand, epilog="Example: parlour arena tictactoe --first perfect --second random --games 100"
)
def arena(
    ctx: typer.Context,
    game: Game = "tictactoe",
    first: Annotated[
        str,
        typer.Option(
            metavar="BOT|FILE", help="The bot whose score is shown; or your file.", callback=entrant
        ),
    ] = "perfect",
    second: Annotated[
        str, typer.Option(metavar="BOT|FILE", help="The bot that it plays against.", callback=entrant)
    ] = "perfect",
    games: Annotated[
        int, typer.Option(metavar="1..1000000", parser=whole(1, 1_000_000), help="How many games.")
    ] = 10,
    random_plies: Annotated[
        int | None,
        typer.Option(
            "--random-plies",
            metavar="0..40",
            parser=whole(0, 40),
            help="Begin each pair of games with so many random moves. Default: as many as it takes for the "
            "pairs to differ, 2 to 8.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(0, 2**63 - 1),
            help="What all chance follows from: the same match each time, between bots that are bound by "
            "nodes or depth and not by time.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            metavar="1..64",
            parser=whole(1, 64),
            help="How many games to play at once; bots that are stopped by time then see less.",
        ),
    ] = 1,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Keep the games there, a record a line: for `parlour review FILE#3`."
        ),
    ] = None,
    force: Force = False,
    move_seconds: Annotated[
        float,
        typer.Option(
            "--move-seconds",
            metavar="SECONDS",
            parser=seconds(0.01, 86_400),
            help="What a file's move may take; then it resigns that game.",
        ),
    ] = MOVE_SECONDS,
    memory: Memory = MEMORY,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Let two bots play a match, and show who is stronger.

    Games are played in pairs: both from the same random opening, with colours swapped. A file with a function
    choose(position) plays like any bot: --first ./mybot.py. See `parlour bot`.
    """
    found((first, second))
    if out == "-":
        raise UsageError(
            "The games can't go to standard output, where the result is: name a file with --out."
        )
    if not is_file(first) and not is_file(second):
        for option, parameter in (("--move-seconds", "move_seconds"), ("--memory", "memory")):
            if is_given(ctx, parameter):
                raise UsageError(
                    f"{option} is for your own files, and none plays here. A bot of the server's gets its "
                    "time with its name: --first hard:time=1."
                )
    kept = target(out, force=force)
    with local_server.own_server(server) as place:
        from parlour_client.bots.contestant import FileLimits
        from parlour_client.cli import session

        wanted = _Wanted(game, (first, second), games, seed, random_plies, jobs)
        session.Visit(place, name, screen(as_json)).ask(
            lambda client, screen: _run(client, screen, wanted, FileLimits(move_seconds, memory), kept),
            patience=PATIENCE_SECONDS,
        )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A match as it was asked for."""

    game: str
    entrants: tuple[str, str]
    games: int
    seed: int | None
    random_plies: int | None
    jobs: int


async def _run(
    client: "Client", screen: "Screen", wanted: _Wanted, limits: "FileLimits", kept: "Path | None"
) -> None:
    """Let the bots play, and show how it went; where that is stopped, as far as it went."""
    import secrets
    import time
    from contextlib import nullcontext

    from parlour_client.bots.contestant import seated
    from parlour_client.bots.host import show_waiting
    from parlour_client.bots.match import Match, play_match
    from parlour_client.cli.game_file import GameFile
    from parlour_client.render.match_result import PlayedMatch
    from parlour_client.render.progress import bar
    from parlour_client.sdk.match_result import MatchResult
    from parlour_client.text import wording
    from parlour_client.text.reports import compiling_title

    timed = await _timed(client, wanted)
    if wanted.seed is not None:
        await _warn(client, screen, wanted, timed)
    # Drawn here, so that a match that was not asked for by its seed can be played again, too.
    seed = secrets.randbelow(2**31) if wanted.seed is None else wanted.seed
    begun = time.perf_counter()
    so_far = PlayedMatch(wanted.game, wanted.entrants, seed, MatchResult(), 0, 0.0, timed)
    file = None if kept is None else GameFile(kept)
    try:
        with bar(screen, "games", wanted.games) as progress, file or nullcontext():

            def played(pair: int, record: "GameRecord") -> None:
                so_far.add(pair, record, time.perf_counter() - begun)
                progress(so_far.result.all.games)
                if file is not None:
                    file.add(record)

            def compiling(now: "Compiling") -> None:
                progress(now.done, now.of, compiling_title(now))

            def waiting(refused: "Refused", seconds: float) -> None:
                if screen.err.is_terminal:
                    title = f"the server asks to wait {wording.seconds(seconds)}"
                    progress(so_far.result.all.games, wanted.games, title)
                else:
                    show_waiting(screen)(refused, seconds)

            async with seated(client, screen, wanted.game, wanted.entrants, wanted.jobs, limits) as table:
                so_far.names = table.names
                match = Match(wanted.game, wanted.entrants, wanted.games, seed, wanted.random_plies)
                await play_match(client, match, table.tables, played, compiling, waiting)
    finally:
        # Only now: the bar has left the terminal, and the file is whole.
        if so_far.result.all.games:
            _show(screen, so_far, file)


def _show(screen: "Screen", match: "PlayedMatch", file: "GameFile | None") -> None:
    from parlour_client.render.match_result import result_table, sentences

    if screen.as_json:
        screen.emit(match.as_json())
    else:
        screen.say(result_table(match, ascii_only=screen.ascii_only), "", *sentences(match))
    if file is not None:
        games = "1 game" if file.count == 1 else f"{file.count:,} games"
        screen.note(f"{games} written to {file.path}.")


async def _timed(client: "Client", wanted: _Wanted) -> tuple[bool, bool]:
    """Whether time ends the searches of each; False of files, whose ways are their own. Raises `Refused`."""
    from parlour_client.sdk.requests import new_id
    from parlour_protocol import commands

    timed = []
    for bot in wanted.entrants:
        if is_file(bot):
            timed.append(False)
            continue
        checked = await client.request(commands.CheckBot(id=new_id(), bot=bot, game=wanted.game))
        timed.append(any(one.timed for one in checked.plays))
    return timed[0], timed[1]


async def _warn(client: "Client", screen: "Screen", wanted: _Wanted, timed: tuple[bool, bool]) -> None:
    """Say where the seed can't keep its promise, and what would help."""
    settings = {bot.name: [setting.name for setting in bot.settings] for bot in await client.bots()}
    for bot in dict.fromkeys(bot for bot, by_time in zip(wanted.entrants, timed, strict=True) if by_time):
        name = bot.partition(":")[0].strip().lower()
        bound = "nodes=100000" if "nodes" in settings.get(name, []) else "depth=6"
        screen.note(
            f"{bot} is stopped by time in {wanted.game}, so the same seed may not give the same match again. "
            f"Bound it otherwise, as in {name}:{bound}."
        )
