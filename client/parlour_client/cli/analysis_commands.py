"""The commands that show thought: analyse a position, review a game, draw a tree, race the algorithms."""

from pathlib import Path
from typing import Annotated

import typer

from parlour_client.cli import query
from parlour_client.cli.help_text import command
from parlour_client.cli.options import (
    As,
    Bot,
    CalledAs,
    Depth,
    Force,
    Game,
    Json,
    Moves,
    Number,
    Seconds,
    Server,
    found,
    is_own,
    legible,
    position_of,
    screen,
    searcher,
    whole,
)
from parlour_client.cli.output_file import target
from parlour_client.sdk.errors import UsageError
from parlour_protocol import MOST_NODES
from parlour_protocol.words import say

PERFECT = "perfect"

app = typer.Typer()


@command(app, "command.analyse.help", 'parlour analyse connect4 "4444 2" --time 2')
def analyse(
    game: Game,
    moves: Moves = "",
    bot: Bot = PERFECT,
    depth: Depth = None,
    seconds: Seconds = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help=say("option.positions_file"))] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Show what every legal move of a position is worth, or of many positions."""
    bot = searcher(bot, depth, seconds)
    game, moves = position_of(game, moves)
    if file is not None and moves:
        raise UsageError(say("error.moves_twice"))
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


@command(app, "command.review.help", "parlour review KMRTQA --time 2")
def review(
    game: Annotated[str, typer.Argument(metavar="FILE|CODE", help=say("option.recorded_or_stdin"))],
    bot: Bot = PERFECT,
    depth: Depth = None,
    seconds: Seconds = None,
    number: Number = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Grade each move of a game."""
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


@command(app, "command.puzzle.help", "parlour puzzle connect4")
def puzzle(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", callback=legible, help=say("option.puzzle_game"))
    ] = None,
    day: Annotated[
        str | None, typer.Option(metavar="DATE", callback=legible, help=say("option.puzzle_day"))
    ] = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Solve the puzzle of the day."""
    from parlour_client.cli import puzzle as solving

    query.ask(server, name, screen(as_json), lambda client, out: solving.puzzle(client, out, game, day))


@command(app, "command.tree.help", 'parlour tree tictactoe "a1 b2 c3 a3" --out tree.svg')
def tree(
    game: Game,
    moves: Moves = "",
    depth: Depth = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=say("option.tree_out"))] = None,
    force: Force = False,
    minimax: Annotated[bool, typer.Option("--minimax", help=say("option.minimax"))] = False,
    bot: Annotated[str | None, typer.Option("--bot", metavar="FILE", help=say("option.tree_bot"))] = None,
    interface: CalledAs = None,
    limit: Annotated[
        int,
        typer.Option(metavar=f"1..{MOST_NODES}", parser=whole(1, MOST_NODES), help=say("option.limit")),
    ] = 400,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Draw the game tree that a search of a position visits."""
    scenes = Path(game) if game.endswith(".txt") else None
    game, moves = position_of(game, moves)
    if out not in (None, "-") and Path(str(out)).suffix not in (".svg", ".html", ".dot", ".json"):
        raise UsageError(say("error.tree_format", file=repr(Path(str(out)).name)))
    written = target(out, force=force)
    if scenes is not None and (bot is not None or written is None or written.suffix != ".html"):
        raise UsageError(say("error.scenes_format", file=repr(scenes.name)))
    if bot is not None:
        if written is not None and written.suffix == ".html":
            raise UsageError(say("error.tree_format", file=repr(written.name)))
        (bot,) = found([bot], interface)
        if not is_own(bot):
            raise UsageError(say("error.bot.not_python", file=repr(bot[:80])))
        import asyncio

        from parlour_client.cli import trees

        asyncio.run(trees.own(screen(as_json), bot, game, moves, limit=limit, target=written))
        return
    if written is not None and written.suffix == ".html":
        from parlour_client.cli import lecture

        about = [lecture.Scene(game, moves)] if scenes is None else lecture.read_scenes(scenes)
        query.ask(
            server,
            name,
            screen(as_json),
            lambda client, here: lecture.write_lecture(
                client, here, about, depth=depth, prune=not minimax, limit=limit, target=written
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


@command(app, "command.lab.help", "parlour lab tictactoe")
def lab(
    game: Game,
    moves: Moves = "",
    depth: Depth = None,
    server: Server = None,
    name: As = None,
    as_json: Json = False,
) -> None:
    """Race the searches that are taught on one position, to the same depth."""
    game, moves = position_of(game, moves)
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
        raise UsageError(say("error.folder_for_positions", file=repr(str(path))))
    if not path.exists():
        raise UsageError(say("error.no_file", file=repr(str(path))))
