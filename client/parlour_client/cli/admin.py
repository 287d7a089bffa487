"""The command `parlour admin`: what the keeper of a running server can see and do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from parlour_client.cli.help_text import ParlourCommand, ParlourSubgroup
from parlour_client.cli.options import Json, screen, seconds, whole
from parlour_client.sdk.errors import UsageError
from parlour_client.text.durations import read_span

if TYPE_CHECKING:
    from rich.console import RenderableType

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
    epilog="Example: parlour admin ban 203.0.113.7 --for 2h",
)


@app.callback()
def admin(ctx: typer.Context) -> None:
    """See and change a running server of yours: who is there, kick, ban, announce, drain.

    Each command talks to the server on this machine that has the data file open (--data), or the port
    (--port); without either, to the one that `parlour serve` starts. Only the account that the server runs
    under can do that, and root. What changes something is written into an audit log.
    """
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _time(longest: float) -> Callable[[str | float], float]:
    def read(given: str | float) -> float:
        try:
            return given if isinstance(given, float) else read_span(given, longest)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


Data = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The server that has this data file open.", show_default=False),
]
Port = Annotated[
    int | None,
    typer.Option(
        metavar="PORT",
        parser=whole(1, 65_535),
        help="The server that listens at this port.",
        show_default=False,
    ),
]
Most = Annotated[
    int, typer.Option("--most", metavar="N", parser=whole(1, 1000), help="Show so many at most.")
]
Player = Annotated[str, typer.Argument(help="A player's name, or id: `parlour admin players` lists them.")]


@app.command(cls=ParlourCommand, epilog="Example: parlour admin status --port 9000")
def status(data: Data = None, port: Port = None, as_json: Json = False) -> None:
    """Show how the server is: connections, rooms, searches, memory."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskStatus

    _show(data, port, screen(as_json), AskStatus(), render.status_lines)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin rooms --most 20")
def rooms(data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False) -> None:
    """List the rooms that are awake, the latest used first, private ones too."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskRooms

    _show(data, port, screen(as_json), AskRooms(most=most), render.rooms_report)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin players --json")
def players(data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False) -> None:
    """List who is connected, from where, and what was refused them; the most refused first."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskPlayers

    _show(data, port, screen(as_json), AskPlayers(most=most), render.players_report)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin addresses --most 10")
def addresses(data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False) -> None:
    """List where connections come from, the addresses with the most first."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskAddresses

    _show(data, port, screen(as_json), AskAddresses(most=most), render.addresses_report)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin kick Ada")
def kick(player: Player, data: Data = None, port: Port = None, as_json: Json = False) -> None:
    """Disconnect a player, who may come back."""
    from parlour_protocol.local.admin import Kick

    _do(data, port, as_json, Kick, player=player)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin close KMRTQA")
def close(
    room: Annotated[str, typer.Argument(help="The room's code.")],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Close a room for good. Its games stay in its players' history."""
    from parlour_protocol.ids import parse_code
    from parlour_protocol.local.admin import CloseRoom

    if (code := parse_code(room)) is None:
        raise UsageError(f"{room[:40]!r} is not a room's code, such as KMRTQA.")
    _do(data, port, as_json, CloseRoom, room=code)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin ban 203.0.113.7 --for 2h")
def ban(
    who: Annotated[
        str, typer.Argument(help="An address, a network such as 203.0.113.0/24, a name, or a player's id.")
    ],
    how_long: Annotated[
        float | None,
        typer.Option(
            "--for",
            metavar="TIME",
            parser=_time(LONGEST_BAN_DAYS * 86_400.0),
            help="For so long: 30m, 2h or 7d. Default: for good.",
            show_default=False,
        ),
    ] = None,
    ahead: Annotated[bool, typer.Option("--ahead", help="Ban a name that no player has had here.")] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Keep an address, a network, a name or a player out, and end their connections.

    An IPv6 address stands for its /64. A player who is banned by name may choose another, and one who is
    banned by id may begin anew: only an address keeps a person out, with everyone who shares it.
    """
    from parlour_protocol.local.admin import Ban

    _do(data, port, as_json, Ban, who=who, seconds=how_long, ahead=ahead)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin unban 203.0.113.7")
def unban(
    who: Annotated[str, typer.Argument(help="Who is banned, as `parlour admin bans` shows it.")],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Lift a ban."""
    from parlour_protocol.local.admin import Unban

    _do(data, port, as_json, Unban, who=who)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin bans")
def bans(data: Data = None, port: Port = None, as_json: Json = False) -> None:
    """List who is banned, and for how long."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskBans

    _show(data, port, screen(as_json), AskBans(), render.bans_report)


@app.command(cls=ParlourCommand, epilog='Example: parlour admin announce "Back in five minutes."')
def announce(
    text: Annotated[str, typer.Argument(help="A sentence, of 300 characters at most.")],
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Show everybody who is connected a sentence."""
    from parlour_protocol.local.admin import Announce

    _do(data, port, as_json, Announce, text=text)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin drain --within 10m --wait")
def drain(
    within: Annotated[
        float,
        typer.Option(
            metavar="TIME",
            parser=_time(LONGEST_DRAIN_HOURS * 3600.0),
            help="Stop after so long at the latest: 30s, 10m or 2h.",
            show_default=False,
        ),
    ] = 600.0,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the server has stopped.")] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Stop the server once the running games are over; no new ones begin. Everybody is told.

    Without --within it stops after ten minutes at the latest; what is unfinished then goes on after the
    next start. Clients come back by themselves when it is started again. Where other nodes share its
    database, people and games go on there, and it stops after five seconds.
    """
    from parlour_protocol.local.admin import Drain

    _do(data, port, as_json, Drain, wait=wait, within=within)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin forget p0123456789abcdef --yes")
def forget(
    player: Player,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask: there is no way back.")] = False,
    data: Data = None,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Remove a player's name, token and chat for good; their games stay as somebody's.

    One who is not connected is named by id. What was copied or exported before is not changed.
    """
    from parlour_protocol.local.admin import Forget, Identify

    if not yes:
        from parlour_client.text.sanitize import clean

        named = player
        # By id from here on: who is asked about is who is forgotten.
        player = _ask(data, port, screen(False), _valid(Identify, player=player), wait=False).player
        known_as = "" if named == player else f" ({player})"
        typer.confirm(f"Forget {clean(named)}{known_as} for good?", abort=True, err=True)
    _do(data, port, as_json, Forget, player=player)


@app.command(cls=ParlourCommand, epilog="Example: parlour admin log --most 20")
def log(data: Data = None, port: Port = None, most: Most = 100, as_json: Json = False) -> None:
    """Show what was done with this command: when, by which account, and what came of it."""
    from parlour_client.render import admin as render
    from parlour_protocol.local.admin import AskAudit

    _show(data, port, screen(as_json), AskAudit(most=most), render.audit_report)


outside = typer.Typer()
"""What is not behind `admin`."""


@outside.command(cls=ParlourCommand, epilog="Example: parlour top --port 9000")
def top(
    data: Data = None,
    port: Port = None,
    every: Annotated[
        float,
        typer.Option(metavar="SECONDS", parser=seconds(0.2, 3600), help="Look so often."),
    ] = 2.0,
) -> None:
    """Show a running server of yours live: its numbers, rooms, players and addresses.

    Kick, close a room or ban from there; `parlour admin` does the same from the command line.
    """
    from parlour_client.tui import start_up

    if not start_up.wanted():
        raise UsageError(
            "This needs a terminal's full screen. `parlour admin status` shows the numbers once."
        )
    from parlour_client.tui.top.app import TopApp

    watching = TopApp(data, port, every)
    with start_up.screen_to_ourselves():
        watching.run()
    if watching.fault is not None:
        raise watching.fault


# ---------------------------------------------------------------- what they share


def _show(
    data: str | None,
    port: int | None,
    here: "Screen",
    request: "AdminRequest[AnswerT]",
    drawn: "Callable[[AnswerT], list[RenderableType]]",
) -> None:
    """Ask, and show the answer."""
    answer = _ask(data, port, here, request, wait=False)
    here.say(*drawn(answer))


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
    request = _valid(kind, **fields)
    here = screen(as_json)
    here.say(_ask(data, port, here, request, wait=wait).message)


def _valid(kind: "type[RequestT]", **fields: Any) -> "RequestT":
    """A request. Raises `UsageError` for what no server would take."""
    from pydantic import ValidationError

    try:
        return kind(**fields)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        raise UsageError(f"{found['loc'][-1]}: {found['msg']}.") from None


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
                here.progress("The server still runs ... Ctrl-C leaves it to that.")
                await connection.stopped(file)
            return answer

    return asyncio.run(asked())
