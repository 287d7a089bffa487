"""The commands that show thought: analyse a position, review a game, draw a tree, race the algorithms."""

from pathlib import Path
from typing import Annotated

import typer

from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import (
    As,
    Bot,
    Depth,
    Force,
    Game,
    Json,
    Moves,
    Seconds,
    Server,
    screen,
    searcher,
    whole,
)
from parlour_client.cli.output_file import target
from parlour_client.sdk import local_server
from parlour_client.sdk.errors import UsageError
from parlour_protocol import MOST_NODES, REVIEW_SECONDS

PERFECT = "perfect"
LONG_SEARCH = 30.0
"""In seconds, what a server of our own lets a tree or a race take: they are searched in plain Python."""
TIME_TO_END = 1.0
"""A search with a time of its own gets this much longer from a server of ours."""

app = typer.Typer()


@app.command(cls=ParlourCommand, epilog='Example: parlour analyse connect4 "4444 2" --time 2')
def analyse(
    game: Game,
    moves: Moves = "",
    bot: Bot = PERFECT,
    depth: Depth = None,
    seconds: Seconds = None,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Analyse every line's moves, and print JSON, one object a line. - reads standard input.",
        ),
    ] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Show what every legal move of a position is worth.

    With --file, a line that can't be analysed prints an object with its "error"; the others are done all
    the same, and the exit code is 2. A blank line is the beginning of the game.
    """
    bot = searcher(bot, depth, seconds)
    if file is not None and moves:
        raise UsageError("The moves stand on the command line and in a file: leave one of them out.")
    if file not in (None, "-"):
        _check_file(Path(str(file)))
    with local_server.place(server, own=True, search_seconds=_patience(seconds)) as place:
        from parlour_client.cli import batch, session

        if file is not None:
            session.Visit(place, name, screen(True)).ask(
                lambda client, out: batch.analyse(client, out, game, file, bot)
            )
        else:
            session.Visit(place, name, screen(as_json)).ask(
                lambda client, out: session.reports.analyse(client, out, game, moves, bot)
            )


@app.command(cls=ParlourCommand, epilog="Example: parlour review KMRTQA --time 2")
def review(
    game: Annotated[
        str,
        typer.Argument(metavar="FILE|CODE", help="A file, or a room's code or link; - reads standard input."),
    ],
    bot: Bot = PERFECT,
    depth: Depth = None,
    seconds: Seconds = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Grade each move of a game: perfect, good, mistake or blunder.

    A game comes from its room, where it may be running yet, or from a file: a JSON object with its
    "game" and its "moves". Each position is given two seconds, unless you say otherwise.
    """
    if (bot, depth, seconds) == (PERFECT, None, None):
        seconds = REVIEW_SECONDS
    bot = searcher(bot, depth, seconds)
    from parlour_client.cli import source as recorded

    source = recorded.source(game, server)
    own = source.game is not None
    with local_server.place(source.server, own=own, search_seconds=_patience(seconds)) as place:
        from parlour_client.cli import review as reviewing
        from parlour_client.cli import session

        session.Visit(place, name, screen(as_json)).ask(
            lambda client, out: reviewing.review(client, out, source, bot)
        )


@app.command(cls=ParlourCommand, epilog='Example: parlour tree tictactoe "a1 b2 c3 a3" --out tree.svg')
def tree(
    game: Game,
    moves: Moves = "",
    depth: Depth = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write it to a .svg, .dot or .json file; - draws it here."),
    ] = None,
    force: Force = False,
    minimax: Annotated[bool, typer.Option("--minimax", help="The whole tree, without pruning.")] = False,
    limit: Annotated[
        int,
        typer.Option(
            metavar=f"1..{MOST_NODES}",
            parser=whole(1, MOST_NODES),
            help="The most boards that it may have.",
        ),
    ] = 400,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Draw the game tree that a search of a position visits.

    Triangles up maximise, triangles down minimise; each board has the value passed up to it. What
    alpha-beta cut off are stubs, with the bound that cut them. Without a depth it is as deep as it may be.
    """
    if out not in (None, "-") and Path(str(out)).suffix not in (".svg", ".dot", ".json"):
        name_of = Path(str(out)).name
        raise UsageError(f"{name_of!r} does not say what to write: end it with .svg, .dot or .json.")
    written = target(out, force=force)
    with local_server.place(server, own=True, search_seconds=LONG_SEARCH) as place:
        from parlour_client.cli import session, trees

        session.Visit(place, name, screen(as_json)).ask(
            lambda client, here: trees.tree(
                client, here, game, moves, depth=depth, prune=not minimax, limit=limit, target=written
            )
        )


@app.command(cls=ParlourCommand, epilog="Example: parlour lab tictactoe")
def lab(
    game: Game,
    moves: Moves = "",
    depth: Depth = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Race the searches that are taught on one position, to the same depth.

    Plain minimax, alpha-beta, with good moves first, with a transposition table, and with iterative
    deepening: each has one idea more than the one before, and all find the same value. Last runs the engine.
    """
    with local_server.place(server, own=True, search_seconds=LONG_SEARCH) as place:
        from parlour_client.cli import lab as racing
        from parlour_client.cli import session

        session.Visit(place, name, screen(as_json)).ask(
            lambda client, out: racing.race(client, out, game, moves, depth)
        )


def _check_file(path: Path) -> None:
    """Raises `UsageError` for what can't be read; a pipe can."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder: name a file with a position's moves on each line.")
    if not path.exists():
        raise UsageError(f"There is no file {str(path)!r}.")


def _patience(seconds: float | None) -> float | None:
    """How long a server of our own lets a search take."""
    return None if seconds is None else max(5.0, seconds + TIME_TO_END)
