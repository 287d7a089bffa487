"""The command `parlour loadtest`: many players on a server at once, and how long they wait."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.cli.help_text import command
from parlour_client.cli.options import Game, Json, Server, screen, seconds, whole
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.load.plan import Plan
    from parlour_client.load.run import LoadResult
    from parlour_client.render.console import Screen

app = typer.Typer()


@command(app, "command.loadtest.help", "parlour loadtest --rooms 200 --moves-per-second 1000 --seconds 30")
def loadtest(
    game: Game = "tictactoe",
    rooms: Annotated[
        int, typer.Option(metavar="1..10000", parser=whole(1, 10_000), help=say("option.load_rooms"))
    ] = 50,
    duration: Annotated[
        float,
        typer.Option(
            "--seconds", metavar="SECONDS", parser=seconds(0.5, 86_400), help=say("option.load_seconds")
        ),
    ] = 10.0,
    rate: Annotated[
        float | None,
        typer.Option(
            "--moves-per-second",
            metavar="R",
            parser=seconds(0.1, 1_000_000, "input.number_needed"),
            help=say("option.moves_per_second"),
            show_default=False,
        ),
    ] = None,
    spectators: Annotated[
        int, typer.Option(metavar="0..10000", parser=whole(0, 10_000), help=say("option.spectators"))
    ] = 0,
    bots: Annotated[bool, typer.Option("--bots", help=say("option.load_bots"))] = False,
    processes: Annotated[
        int | None,
        typer.Option(metavar="1..64", parser=whole(1, 64), help=say("option.processes"), show_default=False),
    ] = None,
    server: Server = None,
    data: Annotated[str | None, typer.Option(metavar="FILE", help=say("option.load_data"))] = None,
    as_json: Json = False,
) -> None:
    """Let many players play on a server at once, and show how long they wait."""
    if data is not None and server is not None:
        raise UsageError(say("error.data_with_server"))
    if data is not None and Path(data).exists():
        # Hundreds of rooms would stand beside somebody's games, and for good.
        raise UsageError(say("error.file_exists", file=repr(data)))
    with local_server.own_server(server, data=data) as place:
        from parlour_client.load.plan import Plan

        most = min(4, os.cpu_count() or 1)
        plan = Plan(place.server, rooms, duration, rate, spectators, bots, game)
        _run(screen(as_json), plan, min(processes or most, rooms), place.pid)


def _run(screen: "Screen", plan: "Plan", processes: int, server_pid: int | None) -> None:
    import asyncio

    from parlour_client.load.run import LoadFailed, load
    from parlour_client.render.progress import bar

    with bar(screen, say("command.loadtest.rooms"), plan.rooms) as progress:

        def show(what: str, done: float, of: float) -> None:
            if what == "rooms":
                progress(int(done), int(of))
            else:
                progress(int(done), int(of), say("command.loadtest.seconds"))

        result = asyncio.run(load(plan, processes, server_pid, show))
    _show(screen, result)
    if not result.sound:
        raise LoadFailed(_why(result))


def _show(screen: "Screen", result: "LoadResult") -> None:
    from parlour_client.render.load import SPREAD, WAITS, load_sentences, spread, waits
    from parlour_client.render.tables import table

    if screen.as_json:
        screen.emit(result.as_json())
        return
    outcome = result.outcome
    took = table(SPREAD, spread(outcome.latency), ascii_only=screen.ascii_only)
    screen.say(table(WAITS, waits(result)), "", took, "")
    screen.say(*load_sentences(result))


def _why(result: "LoadResult") -> str:
    outcome = result.outcome
    if outcome.faults:
        return say("error.load.contradicts", count=len(outcome.faults))
    return say("error.load.unanswered", count=outcome.missing)
