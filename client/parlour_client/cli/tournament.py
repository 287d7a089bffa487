"""The command `parlour tournament`: make one, take part, see how it stands, and run it as its host."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour_client.cli import tournament_files
from parlour_client.cli.help_text import ParlourSubgroup, command
from parlour_client.cli.options import (
    As,
    Csv,
    Json,
    Plain,
    Server,
    legible,
    legible_game,
    screen,
    tournament_of,
    whole,
)
from parlour_client.cli.setting_options import tournament_settings
from parlour_client.sdk import local_server
from parlour_client.tui import start_up
from parlour_client.tui.launch_request import LaunchRequest
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.render.console import Screen
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room

app = typer.Typer(
    cls=ParlourSubgroup,
    name="tournament",
    rich_markup_mode=None,
    invoke_without_command=True,
    epilog=say("help.example", example="parlour tournament join KMRTQA7 --as Ada"),
)


app.registered_commands += tournament_files.app.registered_commands


@app.callback(help=say("command.tournament.help"))
def tournament(ctx: typer.Context) -> None:
    """Tournaments; without a command, its help."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


Code = Annotated[str, typer.Argument(metavar="CODE", help=say("option.tournament_code"))]
Round = Annotated[int, typer.Argument(metavar="ROUND", parser=whole(1, 1000), help=say("option.round"))]
Board = Annotated[int, typer.Argument(metavar="BOARD", parser=whole(1, 1000), help=say("option.board"))]
Number = Annotated[
    int | None, typer.Option("--entrant", metavar="N", parser=whole(1, 1000), help=say("option.entrant"))
]


@command(app, "command.tournament.create.help", "parlour tournament create connect4 --bot hard --bot easy")
@tournament_settings
def create(
    game: Annotated[str, typer.Argument(help=say("option.game"), callback=legible_game)],
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help=say("option.tournament_title"), callback=legible)
    ] = None,
    *,
    settings: dict[str, Any],
    bot: Annotated[list[str] | None, typer.Option(metavar="BOT", help=say("option.tournament_bot"))] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Make a tournament."""

    async def made(client: "Client", here: "Screen") -> None:
        from parlour_client.text.names import game_name
        from parlour_protocol.ids import room_link

        code = await client.create_tournament(title or game_name(game), game, **settings)
        for one in bot or []:
            await client.enter_bot(code, one)
        link = room_link(client.public_url, code)
        if here.as_json:
            here.emit({"tournament": code, "server": client.url, "link": link})
            return
        here.note(say("command.tournament.made", code=code))
        here.whole([link])

    _visit(server, name, screen(as_json), made)


@command(app, "command.tournament.list.help", "parlour tournament list --server ws://example.org:8765")
def list_all(server: Server = None, name: As = None, as_json: Json = False, as_csv: Csv = False) -> None:
    """List the tournaments."""

    async def listed(client: "Client", here: "Screen") -> None:
        from parlour_client.render.tournament import TOURNAMENTS

        here.show_list(TOURNAMENTS, await client.tournaments(), say("command.tournament.none"))

    _visit(server, name, screen(as_json, as_csv), listed)


app.registered_commands[-1].name = "list"


@command(app, "command.tournament.show.help", "parlour tournament show KMRTQA7 --follow")
def show(
    code: Code,
    follow: Annotated[bool, typer.Option("--follow", help=say("option.tournament_follow"))] = False,
    number: Annotated[
        int | None,
        typer.Option("--round", metavar="N", parser=whole(1, 1000), help=say("option.tournament_round")),
    ] = None,
    server: Server = None,
    name: As = None,
    plain: Plain = False,
    as_json: Json = False,
) -> None:
    """Show how a tournament stands."""
    found, address = tournament_of(code, server)
    if follow and start_up.wanted(plain=plain, as_json=as_json):
        _on_screen(found, address, name)
        return

    async def shown(client: "Client", here: "Screen") -> None:
        from parlour_client.plain.tournament import follow_until, show_once

        if follow:
            await follow_until(client.follow_tournament(found), here, lambda view: view.phase == "over")
        else:
            show_once(here, await client.tournament(found, round=number))

    _visit(address, name, screen(as_json), shown, for_ever=follow)


@command(app, "command.tournament.join.help", "parlour tournament join KMRTQA7 --as Ada")
def join(
    code: Code, server: Server = None, name: As = None, plain: Plain = False, as_json: Json = False
) -> None:
    """Take part, and be taken to each game's table."""
    found, address = tournament_of(code, server)
    if start_up.wanted(plain=plain, as_json=as_json):
        _on_screen(found, address, name, joins=True)
        return
    here = screen(as_json)
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session
        from parlour_client.plain.tournament import attend

        visit = session.Session(place, name, here)
        been: set[str] = set()
        while True:
            room = ""

            async def wait(client: "Client", here: "Screen") -> None:
                nonlocal room
                room = await attend(client, here, found, been) or ""

            visit.ask(wait, patience=float("inf"))
            if not room:
                return
            been.add(room)
            visit.sit(partial(_seat, room))


async def _seat(room: str, client: "Client") -> "Room":
    return await client.join(room)


def _on_screen(code: str, address: str | None, name: str | None, *, joins: bool = False) -> None:
    """Show it on the full screen. What is wrong with the command is raised before that."""
    from parlour_client.sdk.identity import chosen_name

    local_server.named_server(address)
    chosen_name(name)
    place = partial(local_server.shared_server, address)
    start_up.run(LaunchRequest(place, name, tournament=code, joins=joins))


@command(app, "command.tournament.enter.help", "parlour tournament enter KMRTQA7 minimax:depth=4")
def enter(
    code: Code,
    bot: Annotated[str, typer.Argument(metavar="BOT", help=say("option.bot"), callback=legible)],
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Have a bot take part."""
    _do(code, server, name, as_json, lambda client, found: client.enter_bot(found, bot))


@command(app, "command.tournament.start.help", "parlour tournament start KMRTQA7")
def start(code: Code, server: Server = None, name: As = None, as_json: Json = False) -> None:
    """Begin the first round."""
    _do(code, server, name, as_json, lambda client, found: client.start_tournament(found))


@command(app, "command.tournament.withdraw.help", "parlour tournament withdraw KMRTQA7 --entrant 4")
def withdraw(
    code: Code, entrant: Number = None, server: Server = None, name: As = None, as_json: Json = False
) -> None:
    """Leave, or take somebody out."""
    _do(code, server, name, as_json, lambda client, found: client.withdraw(found, entrant))


@command(app, "command.tournament.forfeit.help", "parlour tournament forfeit KMRTQA7 2 1 --loser 4")
def forfeit(
    code: Code,
    number: Round,
    board: Board,
    loser: Annotated[
        int | None, typer.Option(metavar="N", parser=whole(1, 1000), help=say("option.loser"))
    ] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Decide a game."""
    _do(
        code,
        server,
        name,
        as_json,
        lambda client, found: client.forfeit_game(found, number, board, loser),
    )


@command(app, "command.tournament.replay.help", "parlour tournament replay KMRTQA7 2 1")
def replay(
    code: Code, number: Round, board: Board, server: Server = None, name: As = None, as_json: Json = False
) -> None:
    """Have a game played again."""
    _do(code, server, name, as_json, lambda client, found: client.replay_game(found, number, board))


@command(app, "command.tournament.end.help", "parlour tournament end KMRTQA7")
def end(code: Code, server: Server = None, name: As = None, as_json: Json = False) -> None:
    """End a tournament."""
    _do(code, server, name, as_json, lambda client, found: client.end_tournament(found))


# ---------------------------------------------------------------- what they share


def _visit(
    server: str | None,
    name: str | None,
    here: "Screen",
    query: Callable[["Client", "Screen"], Awaitable[None]],
    *,
    for_ever: bool = False,
) -> None:
    with local_server.shared_server(server) as place:
        from parlour_client.cli import session

        patience = float("inf") if for_ever else session.PATIENCE_SECONDS
        session.Session(place, name, here).ask(query, patience)


def _do(
    code: str,
    server: str | None,
    name: str | None,
    as_json: bool,
    act: Callable[["Client", str], Awaitable[None]],
) -> None:
    """Do something in a tournament, and show how it stands then."""
    found, address = tournament_of(code, server)

    async def done(client: "Client", here: "Screen") -> None:
        from parlour_client.plain.tournament import show_once

        await act(client, found)
        show_once(here, await client.tournament(found))

    _visit(address, name, screen(as_json), done)
