"""The command `parlour bot`: a file of one's own, seated, hosting, or checked."""

from pathlib import Path
from typing import Annotated

import typer

from parlour_client.bots.limits import MEMORY
from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import (
    As,
    Json,
    Memory,
    Server,
    found,
    legible,
    room_of,
    screen,
    seconds,
    whole,
)
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError

app = typer.Typer()

MoveSeconds = Annotated[
    float | None,
    typer.Option(
        "--move-seconds",
        metavar="SECONDS",
        parser=seconds(0.01, 86_400),
        help="Resign a game in which a move takes longer. Default: as long as the room's clock allows.",
    ),
]


@app.command(cls=ParlourCommand, epilog="Example: parlour bot mybot.py --room KMRTQA")
def bot(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A Python file with a function choose(position).")
    ],
    room: Annotated[
        str | None, typer.Option("--room", metavar="CODE", help="Sit down in this room: a code, or a link.")
    ] = None,
    host_games: Annotated[
        str | None,
        typer.Option(
            "--host-games",
            metavar="GAME",
            help="Make rooms of this game, and wait for challengers.",
            callback=legible,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole(1, 1_000_000), help="Stop after so many games. Default: at Ctrl-C."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Play it through all that can happen, on a server of its own unless --server names one, "
            "and print a table.",
        ),
    ] = False,
    move_seconds: MoveSeconds = None,
    memory: Memory = MEMORY,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Let a bot of your own play: a file with a function that chooses a move.

    Where it has an error, raises say or plays what is illegal, that is shown, it resigns that game and plays
    the next. How to write one stands in docs/writing-a-bot.md.
    """
    if [room is not None, host_games is not None, check].count(True) != 1:
        raise UsageError("Choose exactly one of --room CODE, --host-games GAME and --check.")
    found([file])
    if check:
        _check(file, server, move_seconds, memory, as_json=as_json)
        return
    code, address = (None, server) if room is None else room_of(room, server)
    with local_server.shared_server(address) as place:
        import asyncio

        from parlour_client.bots import host

        here = screen(as_json)
        try:
            asyncio.run(
                host.run(
                    place,
                    Path(file),
                    here,
                    room=code,
                    game=host_games,
                    games=games,
                    name=name,
                    limit=move_seconds,
                    memory=memory,
                )
            )
        except KeyboardInterrupt:
            here.note("Stopped.")
            raise


def _check(file: str, server: str | None, move_seconds: float | None, memory: int, *, as_json: bool) -> None:
    # It makes many rooms, more than a server that others use lets anybody make.
    with local_server.own_server(server, usual=False) as place:
        import asyncio

        from parlour_client.bots import check

        asyncio.run(check.run(place.server, Path(file), screen(as_json), move_seconds, memory))
