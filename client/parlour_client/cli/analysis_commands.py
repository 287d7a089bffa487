"""The commands that show thought: analyse a position, review a game, draw a tree, race the algorithms."""

from pathlib import Path
from typing import Annotated

import typer

from parlour_client.cli import query
from parlour_client.cli.help_text import ParlourCommand
from parlour_client.cli.options import (
    As,
    Bot,
    Depth,
    Force,
    Game,
    Json,
    Moves,
    Number,
    Seconds,
    Server,
    screen,
    searcher,
    whole,
)
from parlour_client.cli.output_file import target
from parlour_client.sdk.errors import UsageError
from parlour_protocol import MOST_NODES

PERFECT = "perfect"

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
    if file is not None:
        from parlour_client.cli import batch

        query.ask(
            server,
            name,
            screen(True),
            lambda client, out: batch.analyse(client, out, game, file, bot),
        )
    else:
        from parlour_client.cli import reports

        query.ask(
            server,
            name,
            screen(as_json),
            lambda client, out: reports.analyse(client, out, game, moves, bot),
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
    number: Number = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Grade each move of a game: perfect, good, mistake or blunder.

    A game comes from its room, where it may be running yet, or from a file: a JSON object with its
    "game" and its "moves". Unless you set a limit, as many positions are searched for each move as
    a second or two allows, the same ones each time.
    """
    bot = searcher(bot, depth, seconds)
    from parlour_client.cli import source as recorded

    source = recorded.source(game, server, number)
    from parlour_client.cli import review as reviewing

    query.ask_of_game(
        source,
        name,
        screen(as_json),
        lambda client, out: reviewing.review(client, out, source, bot),
    )


@app.command(cls=ParlourCommand, epilog='Example: parlour tree tictactoe "a1 b2 c3 a3" --out tree.svg')
def tree(
    game: Game,
    moves: Moves = "",
    depth: Depth = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write it to a .svg, .html, .dot or .json file; - draws it here."),
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
    A file that ends in .html is the web page's lecture: the tree is opened node by node there, and the search
    goes on to the depth.
    """
    if out not in (None, "-") and Path(str(out)).suffix not in (".svg", ".html", ".dot", ".json"):
        name_of = Path(str(out)).name
        raise UsageError(f"{name_of!r} does not say what to write: end it with .svg, .html, .dot or .json.")
    written = target(out, force=force)
    if written is not None and written.suffix == ".html":
        from parlour_client.cli import lecture

        query.ask(
            server,
            name,
            screen(as_json),
            lambda client, here: lecture.write_lecture(
                client, here, game, moves, depth=depth, prune=not minimax, limit=limit, target=written
            ),
        )
        return
    from parlour_client.cli import trees

    query.ask(
        server,
        name,
        screen(as_json),
        lambda client, here: trees.tree(
            client, here, game, moves, depth=depth, prune=not minimax, limit=limit, target=written
        ),
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
    from parlour_client.cli import lab as racing

    query.ask(
        server,
        name,
        screen(as_json),
        lambda client, out: racing.race(client, out, game, moves, depth),
    )


def _check_file(path: Path) -> None:
    """Raises `UsageError` for what can't be read; a pipe can."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder: name a file with a position's moves on each line.")
    if not path.exists():
        raise UsageError(f"There is no file {str(path)!r}.")
