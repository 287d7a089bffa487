"""The commands for games that were played: export one, step through one, list one's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, get_args

import typer

from parlour_client.cli import query
from parlour_client.cli.help_text import command
from parlour_client.cli.options import As, Csv, Force, Json, Number, Server, legible, room_of, screen
from parlour_client.cli.output_file import Form, target
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError
from parlour_protocol.words import say

app = typer.Typer()

_BY_SUFFIX: Mapping[str, Form] = {one: one for one in get_args(Form)} | {"txt": "text"}
"""What a file's name asks for."""


@command(app, "command.export.help", "parlour export KMRTQA --out game.json")
def export(
    game: Annotated[str, typer.Argument(metavar="FILE|CODE", help=say("option.recorded_until"))],
    number: Number = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=say("option.out"))] = None,
    force: Force = False,
    form: Annotated[Form | None, typer.Option("--format", help=say("option.format"))] = None,
    server: Server = None,
    name: As = None,
) -> None:
    """Write a game down, as data, as text or as a picture."""
    written = target(out, force=force)
    form = form or _form_of(written)
    if written is None and form in ("png", "gif"):
        raise UsageError(say("error.picture_to_stdout", format=form))
    from parlour_client.cli import export as exporting

    if number is None and Path(game).suffix == ".jsonl" and form in ("pgn", "csv"):
        exporting.export_match(screen(False), Path(game), target=written, form=form)
        return
    if form == "csv":
        raise UsageError(say("error.csv_single"))
    from parlour_client.cli import source as recorded

    source = recorded.position(game, server, number)

    query.ask_of_game(
        source,
        name,
        screen(False),
        lambda client, here: exporting.export(client, here, source, target=written, form=form),
    )


def _form_of(file: Path | None) -> Form:
    """What is written to a file of this name. Raises `UsageError` where it ends with none of them."""
    suffix = file.suffix.removeprefix(".").lower() if file else ""
    if suffix and suffix not in _BY_SUFFIX:
        raise UsageError(say("error.export_format", file=repr(str(file))))
    return _BY_SUFFIX.get(suffix, "json")


@command(app, "command.replay.help", "parlour replay game.json")
def replay(
    game: Annotated[str, typer.Argument(metavar="FILE|CODE", help=say("option.recorded_at"))],
    number: Number = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Step through a game, board by board."""
    from parlour_client.cli import source as recorded

    source = recorded.position(game, server, number)
    from parlour_client.cli import replay as replaying

    query.ask_of_game(
        source, name, screen(as_json), lambda client, here: replaying.replay(client, here, source)
    )


@command(app, "command.history.help", "parlour history KMRTQA")
def history(
    code: Annotated[str | None, typer.Argument(help=say("option.history_code"))] = None,
    remove: Annotated[bool, typer.Option("--remove", help=say("option.remove"))] = False,
    restore: Annotated[bool, typer.Option("--restore", help=say("option.restore"))] = False,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """List the rooms in which one has played, or the games of one room."""
    if (remove or restore) and code is None:
        raise UsageError(say("error.remove_what"))
    room, address = (None, server) if code is None else room_of(code, server)
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session

        visit = session.Session(place, name, screen(as_json, as_csv))
        if room is None:
            visit.ask(session.reports.history)
        elif remove or restore:
            visit.ask(lambda client, here: session.reports.remove(client, here, room, back=restore))
        else:
            visit.ask(lambda client, here: session.reports.room_history(client, here, room))


@command(app, "command.ratings.help", "parlour ratings connect4 Ada")
def ratings(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", callback=legible, help=say("option.ratings_game"))
    ] = None,
    player: Annotated[
        str | None, typer.Argument(metavar="PLAYER", callback=legible, help=say("option.ratings_player"))
    ] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show who is rated in a game, or a player's way there."""
    with local_server.shared_server(server) as place:
        from parlour_client.cli import ratings as rated
        from parlour_client.cli import session

        visit = session.Session(place, name, screen(as_json, as_csv))
        if game is None:
            visit.ask(rated.games)
        elif player is None:
            visit.ask(lambda client, here: rated.board(client, here, game))
        else:
            visit.ask(lambda client, here: rated.player(client, here, game, player))
