"""The command `parlour arena`: two bots play a match, and how it went is shown."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.bots.entrant import is_file
from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import command
from parlour_client.cli.options import (
    As,
    Csv,
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
from parlour_protocol.words import say

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


@command(app, "command.arena.help", "parlour arena tictactoe --first perfect --second random --games 100")
def arena(
    ctx: typer.Context,
    game: Game = "tictactoe",
    first: Annotated[
        str, typer.Option(metavar="BOT|FILE", help=say("option.first"), callback=entrant)
    ] = "perfect",
    second: Annotated[
        str, typer.Option(metavar="BOT|FILE", help=say("option.second"), callback=entrant)
    ] = "perfect",
    games: Annotated[
        int, typer.Option(metavar="1..1000000", parser=whole(1, 1_000_000), help=say("option.games"))
    ] = 10,
    random_plies: Annotated[
        int | None,
        typer.Option("--random-plies", metavar="0..40", parser=whole(0, 40), help=say("option.random_plies")),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=whole(0, 2**63 - 1), help=say("option.seed"))
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="1..64", parser=whole(1, 64), help=say("option.jobs"))] = 1,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=say("option.match_out"))] = None,
    force: Force = False,
    move_seconds: Annotated[
        float,
        typer.Option(
            "--move-seconds",
            metavar="SECONDS",
            parser=seconds(0.01, 86_400),
            help=say("option.match_move_seconds"),
        ),
    ] = MOVE_SECONDS,
    memory: Memory = MEMORY,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Let two bots play a match."""
    found((first, second))
    if out == "-":
        raise UsageError(say("error.games_to_stdout"))
    if not is_file(first) and not is_file(second):
        for option, parameter in (("--move-seconds", "move_seconds"), ("--memory", "memory")):
            if is_given(ctx, parameter):
                raise UsageError(say("error.for_own_files", option=option))
    kept = target(out, force=force)
    with local_server.own_server(server) as place:
        from parlour_client.bots.contestant import FileLimits
        from parlour_client.cli import session

        wanted = _Wanted(game, (first, second), games, seed, random_plies, jobs)
        session.Session(place, name, screen(as_json, as_csv)).ask(
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
        with bar(screen, say("command.arena.games"), wanted.games) as progress, file or nullcontext():

            def played(pair: int, record: "GameRecord") -> None:
                so_far.add(pair, record, time.perf_counter() - begun)
                progress(so_far.result.all.games)
                if file is not None:
                    file.add(record)

            def compiling(now: "Compiling") -> None:
                progress(now.done, now.of, compiling_title(now))

            def waiting(refused: "Refused", seconds: float) -> None:
                if screen.err.is_terminal:
                    title = say("command.arena.server_waits", span=wording.seconds(seconds))
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
    from parlour_client.render.match_result import STANDINGS, sentences, standings

    if screen.as_json:
        screen.emit(match.as_json())
    else:
        screen.show_list(STANDINGS, standings(match))
        screen.say("", *sentences(match))
    if file is not None:
        screen.note(say("command.arena.written", count=file.count, file=str(file.path)))


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
        bound = f"{name}:{'nodes=100000' if 'nodes' in settings.get(name, []) else 'depth=6'}"
        screen.note(say("command.arena.timed", bot=bot, game=wanted.game, bound=bound))
