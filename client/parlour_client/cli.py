"""The command `parlour`: each command's options, and how everything that goes wrong is told.

What a command needs is imported when it runs: `parlour --help` loads neither rich nor the wire.
"""

import io
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parlour_client import localserver
from parlour_client.faults import Fault, UsageFault
from parlour_client.helptext import Command, Group
from parlour_protocol import LONGEST_MOVES, LONGEST_WORD

if TYPE_CHECKING:
    from parlour_client.screen import Screen
    from parlour_protocol.to_server import AskedSettings

app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    epilog="Example: parlour play tictactoe --vs minimax",
)


def _legible(text: str | None) -> str | None:
    """What no server would take is refused here. An argument that isn't UTF-8 holds lone surrogates."""
    if text is not None and not (0 < len(text) <= LONGEST_WORD and text.isprintable()):
        raise typer.BadParameter(f"1 to {LONGEST_WORD} visible characters are needed.")
    return text


def _legible_moves(text: str) -> str:
    if len(text) > LONGEST_MOVES or not text.replace("\n", " ").isprintable():
        raise typer.BadParameter(f"{LONGEST_MOVES} visible characters at most.")
    return text


Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="The server, ws://host:port. Default: the environment's PARLOUR_SERVER."
    ),
]
As = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Be this player; another one than you usually are.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Game = Annotated[str, typer.Argument(help="The game's name; `parlour games` lists them.", callback=_legible)]
Code = Annotated[str, typer.Argument(help="The room's code, or a link to it.")]
Starts = Annotated[
    Literal["first", "second", "random", "loser", "alternate"],
    typer.Option(help="Which seat begins each game."),
]
Reports = Annotated[
    Literal["at_once", "after", "never"], typer.Option(help="When a bot's opponents see how it thinks.")
]
Hints = Annotated[Literal["bots", "always", "never"], typer.Option(help="When players may ask for hints.")]
Pace = Annotated[float, typer.Option(min=0, max=60, help="Seconds between moves while bots play each other.")]


@app.callback()
def parlour(ctx: typer.Context) -> None:
    """Two-player board games against friends and bots, on a server of your own."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command(cls=Command, epilog="Example: parlour play tictactoe --vs perfect --side second")
def play(
    game: Game = "tictactoe",
    vs: Annotated[
        str,
        typer.Option(
            metavar="BOT",
            help="A bot, such as easy or minimax:depth=4, or human for a friend.",
            callback=_legible,
        ),
    ] = "minimax",
    side: Annotated[
        Literal["first", "second", "random"], typer.Option(help="Your seat; the first begins the first game.")
    ] = "first",
    starts: Starts = "alternate",
    reports: Reports = "at_once",
    hints: Hints = "bots",
    pace: Pace = 1.0,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Play a game against a bot or a friend, here in this terminal.

    Without a server's name, one is started for you. A friend takes the other seat with `parlour join`.
    """
    human = vs == "human"
    where = localserver.meeting_place(server) if human else localserver.place(server, own=True)
    with where as place:
        from parlour_client import session

        seat = session.seat_of_side(side)
        settings = _settings(starts=starts, reports=reports, hints=hints, pace=pace)
        bot = None if human else vs
        session.Visit(place, name, _screen(as_json)).sit(
            lambda connection: session.new_table(connection, game, bot, seat, settings)
        )


@app.command(cls=Command, epilog="Example: parlour create tictactoe --starts loser")
def create(
    game: Game = "tictactoe",
    starts: Starts = "alternate",
    reports: Reports = "at_once",
    hints: Hints = "bots",
    pace: Pace = 1.0,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Make a room without sitting down, and print its code."""
    with localserver.place(server, own=False) as place:
        from parlour_client import session

        settings = _settings(starts=starts, reports=reports, hints=hints, pace=pace)
        session.Visit(place, name, _screen(as_json)).ask(
            lambda connection, screen: session.reports.create(connection, screen, game, settings)
        )


@app.command(cls=Command, epilog="Example: parlour join KMRTQA --as Ada")
def join(code: Code, server: Server = None, name: As = None, as_json: Json = False) -> None:
    """Take a room's free seat, or come back to yours."""
    room, address = _room(code, server)
    with localserver.place(address, own=False) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).sit(
            lambda connection: session.free_seat(connection, room)
        )


@app.command(cls=Command, epilog="Example: parlour watch KMRTQA")
def watch(code: Code, server: Server = None, name: As = None, as_json: Json = False) -> None:
    """Look on while others play.

    At a table where you sit yourself, this is one more terminal to play in: look on as another with --as.
    When standard input is at its end, as in a script, it stops after the game.
    """
    room, address = _room(code, server)
    with localserver.place(address, own=False) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).sit(
            lambda connection: session.onlooker(connection, room)
        )


@app.command(cls=Command, epilog="Example: parlour rooms --server ws://example.org:8765")
def rooms(server: Server = None, name: As = None, as_json: Json = False) -> None:
    """List what is being played."""
    with localserver.place(server, own=False) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).ask(session.reports.rooms)


@app.command("add-bot", cls=Command, epilog="Example: parlour add-bot KMRTQA --bot minimax:depth=4")
def add_bot(
    code: Code,
    bot: Annotated[
        str, typer.Option(help="The bot; `parlour bots` lists them.", callback=_legible)
    ] = "minimax",
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Put a bot in a room's free seat; called twice, two bots play each other."""
    room, address = _room(code, server)
    with localserver.place(address, own=False) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).ask(
            lambda connection, screen: session.reports.add_bot(connection, screen, room, bot)
        )


@app.command(
    cls=Command, epilog="Example: parlour arena tictactoe --first perfect --second random --games 100"
)
def arena(
    game: Game = "tictactoe",
    first: Annotated[
        str, typer.Option(metavar="BOT", help="The bot that moves first.", callback=_legible)
    ] = "perfect",
    second: Annotated[
        str, typer.Option(metavar="BOT", help="The bot that moves second.", callback=_legible)
    ] = "perfect",
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 10,
    seed: Annotated[int | None, typer.Option(help="With it, the same match is played each time.")] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Let two bots play each other, and count who wins."""
    with localserver.place(server, own=True) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).ask(
            lambda connection, screen: session.arena(connection, screen, game, (first, second), games, seed)
        )


@app.command(cls=Command, epilog='Example: parlour analyse tictactoe "a1 b2"')
def analyse(
    game: Game,
    moves: Annotated[
        str, typer.Argument(help="The moves that lead to the position.", callback=_legible_moves)
    ] = "",
    bot: Annotated[str, typer.Option(help="Who searches.", callback=_legible)] = "perfect",
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Show what every legal move of a position is worth."""
    with localserver.place(server, own=True) as place:
        from parlour_client import session

        session.Visit(place, name, _screen(as_json)).ask(
            lambda connection, screen: session.reports.analyse(connection, screen, game, moves, bot)
        )


@app.command(cls=Command, epilog="Example: parlour games --json")
def games(server: Server = None, as_json: Json = False) -> None:
    """List the games there are."""
    with localserver.place(server, own=True) as place:
        from parlour_client import session

        session.Visit(place, None, _screen(as_json)).ask(session.reports.games)


@app.command(cls=Command, epilog="Example: parlour bots")
def bots(server: Server = None, as_json: Json = False) -> None:
    """List the bots there are, with their settings."""
    with localserver.place(server, own=True) as place:
        from parlour_client import session

        session.Visit(place, None, _screen(as_json)).ask(session.reports.bots)


@app.command(cls=Command, epilog="Example: parlour schema --asyncapi > parlour.json")
def schema(
    asyncapi: Annotated[bool, typer.Option("--asyncapi", help="As an AsyncAPI 3 document.")] = False,
) -> None:
    """Print the protocol as JSON Schema, for whoever writes a client."""
    from parlour_protocol import schema as documents

    typer.echo(json.dumps(documents.asyncapi() if asyncapi else documents.json_schema(), indent=2))


# ---------------------------------------------------------------- what commands share


def _screen(as_json: bool) -> "Screen":
    from parlour_client.screen import Screen

    return Screen(as_json=as_json)


def _settings(**chosen: object) -> "AskedSettings":
    from parlour_protocol.to_server import AskedSettings

    return AskedSettings.model_validate(chosen)


def _room(text: str, server: str | None) -> tuple[str, str | None]:
    """A room's code, and the server: a link's own, else the one asked for. Raises `UsageFault`."""
    from parlour_client.clean import clean
    from parlour_protocol.ids import parse_link

    link = parse_link(text)
    if link is None:
        raise UsageFault(
            f"{clean(text)[:80]!r} is no room's code, which has six letters like KMRTQA, nor a link to one."
        )
    return link.code, link.server or server


# ---------------------------------------------------------------- what can go wrong


def main(arguments: list[str] | None = None) -> int:
    """The console entry: runs a command and returns its exit code. Nothing is told by a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A name that this terminal has no signs for is shown with question marks, and is no error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        done = typer.main.get_command(app).main(arguments, prog_name="parlour", standalone_mode=False)
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except Fault as fault:
        return _tell(str(fault), fault.exit_code)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "parlour"
        return _tell(f"{error.format_message()} See: {path} --help", error.exit_code)
    except typer.Abort:
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read us has left. Nothing more can be said, not even at the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        # A full disk, a terminal that is gone: the system's word, and no bug.
        return _tell(f"The system says: {error.strerror or error}.", 1)
    except Exception:
        return _tell(_keep_details(), 1)


def _tell(sentence: str, code: int) -> int:
    from parlour_client.clean import clean

    print(clean(sentence), file=sys.stderr)
    return code


def _keep_details() -> str:
    """Write the traceback where it can be found; a sentence that says so."""
    try:
        handle, path = tempfile.mkstemp(prefix="parlour-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            traceback.print_exc(file=file)
    except OSError:
        return "That was a bug of ours, not your mistake, and its details could not be kept."
    return f"That was a bug of ours, not your mistake. The details are in {Path(path)}."
