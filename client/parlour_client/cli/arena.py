"""The command `parlour arena`: two bots play a match, and how it went is shown."""

from typing import TYPE_CHECKING, Annotated

import typer

from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import As, Game, Json, Server, entrant, found, screen, seconds, whole
from parlour_client.sdk import local_server

if TYPE_CHECKING:
    from parlour_client.render.console import Screen
    from parlour_client.render.tables import Tally
    from parlour_client.sdk.client import Client

app = typer.Typer()


@app.command(
    cls=ParlourCommand, epilog="Example: parlour arena tictactoe --first perfect --second random --games 100"
)
def arena(
    game: Game = "tictactoe",
    first: Annotated[
        str,
        typer.Option(
            metavar="BOT|FILE", help="The bot that moves first, or a file of yours.", callback=entrant
        ),
    ] = "perfect",
    second: Annotated[
        str, typer.Option(metavar="BOT|FILE", help="The bot that moves second.", callback=entrant)
    ] = "perfect",
    games: Annotated[
        int, typer.Option(metavar="1..1000000", parser=whole(1, 1_000_000), help="How many games.")
    ] = 10,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole(0, 2**63 - 1), help="With it, the same match is played each time."
        ),
    ] = None,
    move_seconds: Annotated[
        float,
        typer.Option(
            "--move-seconds",
            metavar="SECONDS",
            parser=seconds(0.01, 86_400),
            help="What a file's move may take; then it resigns that game.",
        ),
    ] = 60.0,
    in_turn: Annotated[
        bool, typer.Option("--in-turn", help="Let the second begin every other game.")
    ] = False,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Let two bots play each other, and count who wins.

    A file with a function choose(position) plays like any bot: --first ./mybot.py. See `parlour bot`.
    """
    found((first, second))
    with local_server.place(server, own=True) as place:
        from parlour_client.cli import session

        session.Visit(place, name, screen(as_json)).ask(
            lambda client, screen: _run(
                client, screen, game, (first, second), games, seed, move_seconds, in_turn=in_turn
            )
        )


async def _run(
    client: "Client",
    screen: "Screen",
    game: str,
    bots: tuple[str, str],
    games: int,
    seed: int | None,
    move_seconds: float | None = None,
    *,
    in_turn: bool = False,
) -> None:
    """Let two bots play a match, and show how it went; where it is stopped, as far as it went.

    A file takes `move_seconds` for a move at most.
    """
    from parlour_client.bots import contestant
    from parlour_client.bots.entrant import is_file
    from parlour_client.bots.match import play_match
    from parlour_client.render.progress import bar
    from parlour_client.render.tables import arena_line, arena_table

    so_far: Tally | None = None
    try:
        with bar(screen, "games", games) as progress:

            def tell(tally: "Tally") -> None:
                nonlocal so_far
                so_far = tally
                progress(tally.games)

            if any(is_file(bot) for bot in bots):
                await contestant.play(
                    client, screen, game, bots, games, seed, move_seconds, tell, in_turn=in_turn
                )
            else:
                await play_match(client, game, *bots, games, seed, tell, in_turn=in_turn)
    finally:
        if so_far is not None and screen.as_json:
            screen.emit(so_far.as_json())
        elif so_far is not None:
            screen.say(arena_table(so_far, ascii_only=screen.ascii_only), "", arena_line(so_far))
