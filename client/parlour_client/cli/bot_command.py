"""The command `parlour bot`: a file of one's own, seated, hosting, or checked."""

from typing import Annotated

import typer

from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import command
from parlour_client.cli.options import (
    As,
    CalledAs,
    Json,
    Memory,
    Server,
    found,
    legible,
    room_of,
    screen,
    seconds,
    tournament_of,
    whole,
)
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError
from parlour_protocol.words import say

app = typer.Typer()

MoveSeconds = Annotated[
    float | None,
    typer.Option(
        "--move-seconds",
        metavar="SECONDS",
        parser=seconds(0.01, 86_400),
        help=say("option.move_seconds"),
    ),
]


@command(app, "command.bot.help", "parlour bot mybot.py --room KMRTQA")
def bot(
    file: Annotated[str, typer.Argument(metavar="FILE", help=say("option.bot_file"))],
    room: Annotated[str | None, typer.Option("--room", metavar="CODE", help=say("option.bot_room"))] = None,
    host_games: Annotated[
        str | None,
        typer.Option("--host-games", metavar="GAME", help=say("option.host_games"), callback=legible),
    ] = None,
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="CODE", help=say("option.bot_tournament"))
    ] = None,
    games: Annotated[
        int | None, typer.Option(metavar="N", parser=whole(1, 1_000_000), help=say("option.bot_games"))
    ] = None,
    check: Annotated[bool, typer.Option("--check", help=say("option.check"))] = False,
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help=say("option.check_game"))
    ] = None,
    interface: CalledAs = None,
    move_seconds: MoveSeconds = None,
    memory: Memory = MEMORY,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Let a bot of one's own play."""
    if [room is not None, tournament is not None, host_games is not None, check].count(True) != 1:
        raise UsageError(say("error.one_of_three"))
    (file,) = found([file], interface)
    if check:
        _check(file, server, game, move_seconds, memory, as_json=as_json)
        return
    if game:
        raise UsageError(say("error.option_needs", option="--game", needed="--check"))
    code, address = (None, server) if room is None else room_of(room, server)
    if tournament is not None:
        tournament, address = tournament_of(tournament, server)
    with local_server.shared_server(address) as place:
        import asyncio

        from parlour_client.bots import host

        here = screen(as_json)
        try:
            asyncio.run(
                host.run(
                    place,
                    file,
                    here,
                    room=code,
                    tournament=tournament,
                    game=host_games,
                    games=games,
                    name=name,
                    limit=move_seconds,
                    memory=memory,
                )
            )
        except KeyboardInterrupt:
            here.note(say("command.stopped"))
            raise


def _check(
    file: str,
    server: str | None,
    games: list[str] | None,
    move_seconds: float | None,
    memory: int,
    *,
    as_json: bool,
) -> None:
    # It makes many rooms, more than a server that others use lets anybody make.
    with local_server.own_server(server, usual=False) as place:
        import asyncio

        from parlour_client.bots import check

        asyncio.run(check.run(place.server, file, screen(as_json), games, move_seconds, memory))
