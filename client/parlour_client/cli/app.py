"""The command `parlour`: each command's options, and how every error is shown.

What a command needs is imported when it runs: `parlour --help` loads neither rich nor the wire.
"""

import atexit
import gc
import io
import json
import logging
import math
import os
import shutil
import sys
import tempfile
import textwrap
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from parlour_client.cli import (
    admin,
    analysis_commands,
    arena,
    bot_command,
    grade,
    loadtest,
    query,
    record_commands,
    tournament,
)
from parlour_client.cli.help_text import ParlourGroup, command, fault
from parlour_client.cli.options import (
    As,
    Code,
    Csv,
    From,
    Json,
    MaybeGame,
    NoAnimation,
    Plain,
    Server,
    is_given,
    legible,
    room_of,
    screen,
    seconds,
)
from parlour_client.cli.setting_options import room_settings
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import ParlourError, UsageError
from parlour_client.sdk.source import linked_position
from parlour_client.tui import start_up
from parlour_client.tui.launch_request import LaunchRequest
from parlour_protocol.words import available, say, spoken, system_fault

if TYPE_CHECKING:
    from parlour_client.sdk.source import Source
    from parlour_client.tui.app_port import OpenRoom
    from parlour_protocol.commands import AskedSettings

TICTACTOE = "tictactoe"
"""What is played where no game is named."""

app = typer.Typer(
    cls=ParlourGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    epilog=say("help.example", example="parlour play tictactoe --vs minimax"),
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"parlour {version('parlour-client')}")
        raise typer.Exit


@app.callback(help=say("command.parlour.help"))
def parlour(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help=say("option.version"))
    ] = False,
    language: Annotated[
        str | None, typer.Option("--lang", metavar="TAG", help=say("command.lang", known=available()))
    ] = None,
    name: As = None,
    plain: Plain = False,
    no_animation: NoAnimation = False,
) -> None:
    """What holds for every command; without one, the lobby."""
    # What stands here was taken by `start`, before this was imported.
    if language is not None:
        raise typer.BadParameter(say("command.no_language", asked=repr(language), known=available()))
    # For whatever command follows, too.
    if plain:
        os.environ["PARLOUR_PLAIN"] = "1"
    if name is not None:
        os.environ["PARLOUR_NAME"] = name
    if ctx.invoked_subcommand is not None:
        return
    if start_up.wanted():
        _lobby(None, None)
    elif start_up.lines_wanted():
        with local_server.shared_server(None) as place:
            from parlour_client.cli import session

            session.Session(place, None, screen(as_json=False)).lobby()
    else:
        typer.echo(ctx.get_help())


@command(app, "command.play.help", "parlour play tictactoe --vs perfect --side second")
@room_settings
def play(
    ctx: typer.Context,
    game: MaybeGame = None,
    vs: Annotated[str, typer.Option(metavar="BOT", help=say("option.vs"), callback=legible)] = "minimax",
    side: Annotated[Literal["first", "second", "random"], typer.Option(help=say("option.side"))] = "first",
    quick: Annotated[bool, typer.Option("--quick", help=say("option.quick"))] = False,
    bot_after: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", parser=seconds(0, 3600), help=say("option.bot_after")),
    ] = None,
    begin: From = None,
    *,
    settings: dict[str, object],
    server: Server = None,
    name: As = None,
    plain: Plain = False,
    no_animation: NoAnimation = False,
    as_json: Json = False,
) -> None:
    """Play against a bot, a friend or the next person who wants the same."""
    full = start_up.wanted(plain=plain, as_json=as_json)
    if full and not _chosen(ctx):
        _lobby(server, name)
        return
    human = vs == "human"
    if bot_after is not None and (not quick or human):
        raise UsageError(say("error.bot_after_without_quick"))
    source = _begin(game, begin, server)
    if quick and (side != "first" or source is not None):
        raise UsageError(say("error.quick_with_side"))
    where = local_server.shared_server(source.server if source else server)
    from parlour_client.sdk.seek import Seek

    bot = None if bot_after is None else vs
    seek = Seek(game or TICTACTOE, _settings(**settings), bot, bot_after or 0.0) if quick else None
    if full and seek is not None:
        _show(server, name, LaunchRequest(lambda: where, name, seek=seek))
        return
    from parlour_client.tui.game_request import FRIEND, GameRequest

    wanted = GameRequest(game or TICTACTOE, FRIEND if human else vs, side, settings, source=source)
    if full:
        _show(server, name, LaunchRequest(lambda: where, name, wanted.get, str(wanted)))
        return
    with where as place:
        from parlour_client.cli import session

        session.Session(place, name, screen(as_json)).sit(
            wanted.get if seek is None else seek.start, seeks=seek is not None
        )


@command(app, "command.create.help", "parlour create connect4 --bot hard --bot medium --games 10")
@room_settings
def create(
    game: MaybeGame = None,
    begin: From = None,
    bot: Annotated[list[str] | None, typer.Option(metavar="BOT", help=say("option.seated_bot"))] = None,
    *,
    settings: dict[str, object],
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Make a room without sitting down."""
    bots = [legible(one) or one for one in bot or []]
    if len(bots) > 2:
        raise UsageError(say("error.two_bots_at_most"))
    source = _begin(game, begin, server)
    with local_server.shared_server(source.server if source else server) as place:
        from parlour_client.cli import session

        session.Session(place, name, screen(as_json)).ask(
            lambda client, here: session.new_room(
                client, here, game or TICTACTOE, source, bots, _settings(**settings)
            )
        )


@command(app, "command.join.help", "parlour join KMRTQA --as Ada")
def join(
    code: Code,
    server: Server = None,
    name: As = None,
    plain: Plain = False,
    no_animation: NoAnimation = False,
    as_json: Json = False,
) -> None:
    """Take a room's free seat, or come back to yours."""
    room, address = room_of(code, server)
    _take_over(code, name)
    if start_up.wanted(plain=plain, as_json=as_json):
        _show_room(room, address, name, lambda parlour: parlour.join(room))
        return
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session

        here = screen(as_json)
        session.Session(place, name, here).sit(
            lambda client: session.free_seat(client, here, room, named=name is not None)
        )


@command(app, "command.watch.help", "parlour watch KMRTQA")
def watch(
    code: Annotated[str | None, typer.Argument(help=say("option.code"))] = None,
    every: Annotated[bool, typer.Option("--all", help=say("option.all"))] = False,
    change: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", parser=seconds(1, 86_400), help=say("option.every_game")),
    ] = 30.0,
    server: Server = None,
    name: As = None,
    plain: Plain = False,
    no_animation: NoAnimation = False,
    as_json: Json = False,
) -> None:
    """Watch one game, or all of them."""
    if every:
        if code is not None:
            raise UsageError(say("error.all_with_code"))
        _watch_all(server, name, change, full=start_up.wanted(plain=plain, as_json=as_json), as_json=as_json)
        return
    if code is None:
        raise UsageError(say("error.which_room"))
    room, address = room_of(code, server)
    if start_up.wanted(plain=plain, as_json=as_json):
        _show_room(room, address, name, lambda parlour: parlour.watch(room))
        return
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session

        session.Session(place, name, screen(as_json)).sit(lambda client: client.watch(room))


@command(app, "command.rooms.help", "parlour rooms --server ws://example.org:8765")
def rooms(
    follow: Annotated[bool, typer.Option("--follow", help=say("option.follow"))] = False,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """List what is being played, or follow it."""
    if follow and as_csv:
        raise UsageError(say("error.either_or", first="--follow", second="--csv"))
    with local_server.shared_server(server) as place:
        from parlour_client.cli import session

        visit = session.Session(place, name, screen(as_json, as_csv))
        if follow:
            visit.ask(session.reports.follow_rooms, patience=math.inf)
        else:
            visit.ask(session.reports.rooms)


@command(app, "command.add_bot.help", "parlour add-bot KMRTQA --bot minimax:depth=4")
def add_bot(
    code: Code,
    bot: Annotated[str, typer.Option(metavar="BOT", help=say("option.bot"), callback=legible)] = "minimax",
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Put a bot in a room's free seat."""
    room, address = room_of(code, server)
    with local_server.shared_server(address) as place:
        from parlour_client.cli import session

        session.Session(place, name, screen(as_json)).ask(
            lambda client, screen: session.reports.add_bot(client, screen, room, bot)
        )


for brought in [
    *arena.app.registered_commands,
    *bot_command.app.registered_commands,
    *grade.app.registered_commands,
    *record_commands.app.registered_commands,
    *analysis_commands.app.registered_commands,
    *loadtest.app.registered_commands,
    *admin.outside.registered_commands,
]:
    app.registered_commands.append(brought)
app.add_typer(tournament.app)
app.add_typer(admin.app)


@command(app, "command.games.help", "parlour games reversi")
def games(
    game: Annotated[
        str | None,
        typer.Argument(help=say("command.games.game"), callback=legible, show_default=False),
    ] = None,
    server: Server = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """List the games, or tell how one is played."""
    from parlour_client.cli import reports

    told = reports.games if game is None else partial(reports.rules, game=game)
    query.ask(server, None, screen(as_json, as_csv), told)


@command(app, "command.bots.help", "parlour bots")
def bots(server: Server = None, as_json: Json = False, as_csv: Csv = False) -> None:
    """List the bots."""
    from parlour_client.cli import reports

    query.ask(server, None, screen(as_json, as_csv), reports.bots)


@command(app, "command.schema.help", "parlour schema --asyncapi > parlour.json")
def schema(
    asyncapi: Annotated[bool, typer.Option("--asyncapi", help=say("option.asyncapi"))] = False,
) -> None:
    """Print the protocol as a schema."""
    from parlour_protocol import schema as documents

    typer.echo(json.dumps(documents.asyncapi() if asyncapi else documents.json_schema(), indent=2))


# ---------------------------------------------------------------- the full screen


def _take_over(link: str, name: str | None) -> None:
    """Become the player whom a link carries, where it does."""
    from parlour_protocol.ids import parse_link

    found = parse_link(link)
    if found is not None and found.carry is not None and found.server is not None:
        from parlour_client.cli.carry import take_over_here

        take_over_here(found.server, found.carry, name, screen(as_json=False).note)


def _chosen(ctx: typer.Context) -> bool:
    """Was anything said about what to play, and not only where and as whom?"""
    given = {name for name in ctx.params if is_given(ctx, name)}
    return bool(given - {"server", "name", "plain", "no_animation", "as_json"})


def _lobby(server: str | None, name: str | None) -> None:
    """Show the lobby of the server that is named, of the one on this machine, or of one of our own."""
    _show(server, name, LaunchRequest(partial(local_server.shared_server, server), name))


def _watch_all(server: str | None, name: str | None, seconds: float, *, full: bool, as_json: bool) -> None:
    """Show all running games, on the full screen or line by line."""
    if full:
        _show(server, name, LaunchRequest(partial(local_server.shared_server, server), name, wall=seconds))
        return
    with local_server.shared_server(server) as place:
        from parlour_client.cli import session
        from parlour_client.plain.wall import Wall

        visit = session.Session(place, name, screen(as_json))
        visit.ask(lambda client, here: Wall(client, here, seconds).run(), patience=math.inf)


def _show_room(room: str, address: str | None, name: str | None, way: "OpenRoom") -> None:
    """Open the full screen at a room's table."""
    place = partial(local_server.shared_server, address)
    _show(address, name, LaunchRequest(place, name, way, say("screen.to_room", room=room)))


def _show(server: str | None, name: str | None, begin: LaunchRequest) -> None:
    """Open the full screen. What is wrong with the command is raised before that: raises `UsageError`."""
    from parlour_client.sdk.identity import chosen_name

    local_server.named_server(server)
    chosen_name(name)
    start_up.run(begin)


# ---------------------------------------------------------------- what commands share


def _begin(game: str | None, begin: str | None, server: str | None) -> "Source | None":
    """The position that is asked for with --from, or by a link. Raises `UsageError`."""
    if game is not None and begin is not None:
        raise UsageError(say("error.from_with_game", game=repr(game)))
    if begin is None:
        begin = game if game is not None and linked_position(game) else None
    if begin is None:
        return None
    from parlour_client.cli import source as recorded

    return recorded.position(begin, server)


def _settings(**chosen: object) -> "AskedSettings":
    from parlour_protocol.commands import AskedSettings

    return AskedSettings.model_validate(chosen)


# ---------------------------------------------------------------- what can go wrong


def main(arguments: list[str] | None = None) -> int:
    """The console entry: runs a command and returns its exit code. No error is shown as a traceback."""
    # To import what a command needs leaves no garbage, and to look for it takes a seventh of the time.
    gc.set_threshold(20_000, 20, 20)
    # What a library of ours logs is for those who write code.
    logging.lastResort = logging.NullHandler()
    code = _run(arguments)
    if arguments is None and query.was_answered_here:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End this process now. The interpreter's own end takes a tenth of a second, to hand back one by one what
    the system takes back at once, and would wait for a search or a compiler that does not stop."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _run(arguments: list[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A name that this terminal has no signs for is shown with question marks, and is no error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        done = typer.main.get_command(app).main(arguments, prog_name="parlour", standalone_mode=False)
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except ParlourError as error:
        for sentence in error.sentences:
            _tell(sentence, error.exit_code)
        return error.exit_code
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "parlour"
        return _tell(say("error.see_help", said=fault(error), command=path), error.exit_code)
    except typer.Abort:
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has left. Nothing more can be said, not even at the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        # A full disk, a terminal that is gone: the system's word, and no bug.
        return _tell(say("error.system", why=spoken(system_fault(error))), 1)
    except Exception:
        return _tell(_keep_details(), 1)


def _tell(sentence: str, code: int) -> int:
    from parlour_client.sdk.sanitize import clean

    said = clean(sentence)
    if sys.stderr.isatty():
        # A terminal by itself would break the words.
        width = shutil.get_terminal_size().columns
        said = textwrap.fill(said, width, break_long_words=False, break_on_hyphens=False)
    print(said, file=sys.stderr)
    return code


def _keep_details() -> str:
    """Write the traceback where it can be found; a sentence that says so."""
    try:
        handle, path = tempfile.mkstemp(prefix="parlour-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            traceback.print_exc(file=file)
    except OSError:
        return say("error.bug_not_kept")
    return say("error.bug", file=str(Path(path)))
