"""The commands for games that were played: export one, step through one, list one's own."""

from typing import Annotated

import typer

from parlour_client.cli import query
from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import As, Force, Json, Number, Server, room_of, screen
from parlour_client.cli.output_file import target
from parlour_client.sdk import local_server

app = typer.Typer()


@app.command(cls=ParlourCommand, epilog="Example: parlour export KMRTQA --out game.json")
def export(
    game: Annotated[str, typer.Argument(metavar="FILE|CODE", help="A file, or a room's code or link.")],
    number: Number = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write it there, and not to standard output.")
    ] = None,
    force: Force = False,
    text: Annotated[bool, typer.Option("--text", help="As text for people.")] = False,
    server: Server = None,
    name: As = None,
) -> None:
    """Write a game down, finished or running: as JSON with the bots' thoughts, or as text.

    Of a match's file (`parlour arena --out`) it writes the game that --game names.
    What is written as JSON, `parlour replay`, `review` and `play --from` take.
    """
    written = target(out, force=force)
    from parlour_client.cli import source as recorded

    source = recorded.source(game, server, number)
    from parlour_client.cli import export as exporting

    query.ask_of_game(
        source,
        name,
        screen(False),
        lambda client, here: exporting.export(client, here, source, target=written, text=text),
    )


@app.command(cls=ParlourCommand, epilog="Example: parlour replay game.json")
def replay(
    game: Annotated[
        str,
        typer.Argument(
            metavar="FILE|CODE",
            help="A file, or a room's code or link; with @ and a number it begins after so many moves.",
        ),
    ],
    number: Number = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Step through a game, board by board.

    To a file or a pipe all its boards are printed, or with @ and a number that one alone.
    """
    from parlour_client.cli import source as recorded

    source = recorded.position(game, server, number)
    from parlour_client.cli import replay as replaying

    query.ask_of_game(
        source, name, screen(as_json), lambda client, here: replaying.replay(client, here, source)
    )


@app.command(cls=ParlourCommand, epilog="Example: parlour history KMRTQA")
def history(
    code: Annotated[
        str | None, typer.Argument(help="A room's code, or a link to it: list that room's games.")
    ] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """List the rooms in which you have played, the last used first; or the games of one room."""
    room, address = (None, server) if code is None else room_of(code, server)
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session

        visit = session.Visit(place, name, screen(as_json))
        if room is None:
            visit.ask(session.reports.history)
        else:
            visit.ask(lambda client, here: session.reports.room_history(client, here, room))
