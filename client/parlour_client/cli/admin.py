"""The command `parlour admin`: what the keeper of a running server can see and do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from parlour_client.cli.help_text import ParlourSubgroup, command
from parlour_client.cli.options import Csv, Json, screen, seconds, whole
from parlour_client.sdk.errors import UsageError
from parlour_client.text.durations import read_span
from parlour_protocol.words import say, spoken, what_is_wrong

if TYPE_CHECKING:
    from parlour_client.render.console import Screen
    from parlour_protocol.local.admin import AdminRequest, Done

AnswerT = TypeVar("AnswerT")
RequestT = TypeVar("RequestT", bound="AdminRequest[Any]")

LONGEST_BAN_DAYS = 3650
LONGEST_DRAIN_HOURS = 24

app = typer.Typer(
    cls=ParlourSubgroup,
    name="admin",
    rich_markup_mode=None,
    invoke_without_command=True,
    epilog=say("help.example", example="parlour admin ban 203.0.113.7 --for 2h"),
)


@app.callback(help=say("command.admin.help"))
def admin(ctx: typer.Context) -> None:
    """See and change a running server; without a command, its help."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _time(longest: float) -> Callable[[str | float], float]:
    def read(given: str | float) -> float:
        try:
            return given if isinstance(given, float) else read_span(given, longest)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


Data = Annotated[str | None, typer.Option(metavar="FILE", help=say("option.admin_data"), show_default=False)]
Port = Annotated[
    int | None,
    typer.Option(metavar="PORT", parser=whole(1, 65_535), help=say("option.admin_port"), show_default=False),
]
Most = Annotated[int, typer.Option("--most", metavar="N", parser=whole(1, 1000), help=say("option.most"))]
Player = Annotated[str, typer.Argument(help=say("option.player"))]


@command(app, "command.admin.status.help", "parlour admin status --port 9000")
def status(data: Data = None, port: Port = None, as_json: Json = False, as_csv: Csv = False) -> None:
    """Show how the server is."""
    from parlour_client.render.admin import STATUS
    from parlour_protocol.local.admin import AskStatus

    here = screen(as_json, as_csv)
    here.show_facts(STATUS, _ask(data, port, here, AskStatus(), wait=False))


@command(app, "command.admin.rooms.help", "parlour admin rooms --most 20")
def rooms(
    data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False, as_csv: Csv = False
) -> None:
    """List the rooms that are awake."""
    from parlour_protocol.local.admin import AskRooms

    _list(data, port, screen(as_json, as_csv), AskRooms(most=most))


@command(app, "command.admin.players.help", "parlour admin players --json")
def players(
    data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False, as_csv: Csv = False
) -> None:
    """List the players who are connected."""
    from parlour_protocol.local.admin import AskPlayers

    _list(data, port, screen(as_json, as_csv), AskPlayers(most=most))


@command(app, "command.admin.addresses.help", "parlour admin addresses --most 10")
def addresses(
    data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False, as_csv: Csv = False
) -> None:
    """List where connections come from."""
    from parlour_protocol.local.admin import AskAddresses

    _list(data, port, screen(as_json, as_csv), AskAddresses(most=most))


@command(app, "command.admin.kick.help", "parlour admin kick Ada")
def kick(player: Player, data: Data = None, port: Port = None, as_json: Json = False) -> None:
    """Disconnect a player."""
    from parlour_protocol.local.admin import Kick

    _do(data, port, as_json, Kick, player=player)


@command(app, "command.admin.close.help", "parlour admin close KMRTQA")
def close(
    room: Annotated[str, typer.Argument(help=say("option.close_code"))],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Close a room for good."""
    from parlour_protocol.ids import parse_code
    from parlour_protocol.local.admin import CloseRoom

    if (code := parse_code(room)) is None:
        raise UsageError(say("error.no_code", text=repr(room[:40])))
    _do(data, port, as_json, CloseRoom, room=code)


@command(app, "command.admin.ban.help", "parlour admin ban 203.0.113.7 --for 2h")
def ban(
    who: Annotated[str, typer.Argument(help=say("option.ban"))],
    how_long: Annotated[
        float | None,
        typer.Option(
            "--for",
            metavar="TIME",
            parser=_time(LONGEST_BAN_DAYS * 86_400.0),
            help=say("option.ban_for"),
            show_default=False,
        ),
    ] = None,
    ahead: Annotated[bool, typer.Option("--ahead", help=say("option.ahead"))] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Keep an address, a network, a name or a player out."""
    from parlour_protocol.local.admin import Ban

    _do(data, port, as_json, Ban, who=who, seconds=how_long, ahead=ahead)


@command(app, "command.admin.unban.help", "parlour admin unban 203.0.113.7")
def unban(
    who: Annotated[str, typer.Argument(help=say("option.unban"))],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Lift a ban."""
    from parlour_protocol.local.admin import Unban

    _do(data, port, as_json, Unban, who=who)


@command(app, "command.admin.bans.help", "parlour admin bans")
def bans(data: Data = None, port: Port = None, as_json: Json = False, as_csv: Csv = False) -> None:
    """List the bans."""
    from parlour_protocol.local.admin import AskBans

    _list(data, port, screen(as_json, as_csv), AskBans())


@command(app, "command.admin.announce.help", 'parlour admin announce "Back in five minutes."')
def announce(
    text: Annotated[str, typer.Argument(help=say("option.announcement"))],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Show a sentence to everyone who is connected."""
    from parlour_protocol.local.admin import Announce

    _do(data, port, as_json, Announce, text=text)


@command(app, "command.admin.drain.help", "parlour admin drain --within 10m --wait")
def drain(
    within: Annotated[
        float,
        typer.Option(
            metavar="TIME",
            parser=_time(LONGEST_DRAIN_HOURS * 3600.0),
            help=say("option.within"),
            show_default=False,
        ),
    ] = 600.0,
    wait: Annotated[bool, typer.Option("--wait", help=say("option.wait"))] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Stop the server once the running games are over."""
    from parlour_protocol.local.admin import Drain

    _do(data, port, as_json, Drain, wait=wait, within=within)


@command(app, "command.admin.forget.help", "parlour admin forget p0123456789abcdef --yes")
def forget(
    player: Player,
    yes: Annotated[bool, typer.Option("--yes", help=say("option.yes"))] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Remove a player's name, token and chat for good."""
    from parlour_protocol.local.admin import Forget, Identify

    if not yes:
        from parlour_client.sdk.sanitize import clean

        named = player
        # By id from here on: who is asked about is who is forgotten.
        player = _ask(data, port, screen(False), _valid(Identify, player=player), wait=False).player
        sure = (
            say("command.admin.forget.sure", name=clean(named))
            if named == player
            else say("command.admin.forget.sure_by_id", name=clean(named), id=player)
        )
        typer.confirm(sure, abort=True, err=True)
    _do(data, port, as_json, Forget, player=player)


@command(app, "command.admin.log.help", "parlour admin log --most 20")
def log(
    data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False, as_csv: Csv = False
) -> None:
    """Show what was done with this command."""
    from parlour_protocol.local.admin import AskAudit

    _list(data, port, screen(as_json, as_csv), AskAudit(most=most))


outside = typer.Typer()
"""What is not behind `admin`."""


@command(outside, "command.top.help", "parlour top --port 9000")
def top(
    data: Data = None,
    port: Port = None,
    every: Annotated[
        float,
        typer.Option(metavar="SECONDS", parser=seconds(0.2, 3600), help=say("option.top_every")),
    ] = 2.0,
) -> None:
    """Show a running server live."""
    from parlour_client.tui import start_up

    if not start_up.wanted():
        raise UsageError(say("error.needs_full_screen"))
    from parlour_client.tui.top.app import TopApp

    watching = TopApp(data, port, every)
    with start_up.screen_to_ourselves():
        watching.run()
    if watching.fault is not None:
        raise watching.fault


# ---------------------------------------------------------------- what they share


def _list(data: str | None, port: int | None, here: "Screen", request: "AdminRequest[Any]") -> None:
    """Ask for a list, and show it."""
    from parlour_client.render.admin import show_rows

    answer = _ask(data, port, here, request, wait=False)
    if not here.as_json:
        show_rows(here, answer)


def _do(
    data: str | None,
    port: int | None,
    as_json: bool,
    kind: "type[AdminRequest[Done]]",
    *,
    wait: bool = False,
    **fields: Any,
) -> None:
    """Have something done, and show the server's sentence. Raises `UsageError` for what none would take."""
    from parlour_client.text.names import localised

    request = _valid(kind, **fields)
    here = screen(as_json)
    done = _ask(data, port, here, request, wait=wait)
    here.say(localised(done.message, done.said))


def _valid(kind: "type[RequestT]", **fields: Any) -> "RequestT":
    """A request. Raises `UsageError` for what no server would take."""
    from pydantic import ValidationError

    try:
        return kind(**fields)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        why = spoken(what_is_wrong(found))
        raise UsageError(say("invalid.field", field=str(found["loc"][-1]), why=why)) from None


def _ask(
    data: str | None, port: int | None, here: "Screen", request: "AdminRequest[AnswerT]", *, wait: bool
) -> "AnswerT":
    """Ask the server; `wait` until it has ended, too. Raises `AdminFailed`."""
    import asyncio

    from pydantic_core import to_jsonable_python

    from parlour_client.sdk.admin import connected
    from parlour_protocol.local.admin import AskStatus

    async def asked() -> "AnswerT":
        async with connected(data, port) as connection:
            # Asked before: afterwards it may be about to end.
            file = (await connection.ask(AskStatus())).data if wait else ""
            answer = await connection.ask(request)
            if here.as_json:
                here.emit(to_jsonable_python(answer))
            if wait:
                here.progress(say("command.admin.drain.still_runs"))
                await connection.stopped(file)
            return answer

    return asyncio.run(asked())
