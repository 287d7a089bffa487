"""`parlour puzzle`: a position is shown, and the right move is to be found."""

from dataclasses import asdict
from typing import Any

from rich.text import Text

from parlour_client.plain.input import Lines
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.sdk.queries import QueryClient
from parlour_client.text import puzzles
from parlour_client.text.scores import PAST
from parlour_protocol.answers import Puzzle
from parlour_protocol.words import say


async def puzzle(client: QueryClient, screen: Screen, game: str | None, day: str | None) -> None:
    """Show the puzzle of a day; a person may solve it, or a pipe with an answer on each line."""
    found = await client.puzzle(game, day)
    if screen.as_json:
        screen.emit(puzzle_json(found))
        return
    screen.say("", Text(puzzles.heading(found), "bold"), "", BoardDrawing(found.position), "")
    screen.say(puzzles.to_move(found))
    screen.say(Text(puzzles.task(found), "bold"))
    if found.played:
        screen.say(Text(say("puzzle.played"), PAST))
    if screen.interactive or screen.piped:
        await _solve(found, screen, Lines())


def answered(puzzle: Puzzle, line: str) -> tuple[str, bool]:
    """What a typed line is answered with, and is it solved by that, or given up? Pure."""
    if line.strip().casefold() == "a":
        return puzzles.answer(puzzle), True
    example = puzzle.candidates[-1].move
    return puzzles.tried(puzzle, line) or (say("command.puzzle.what_to_type", move=example), False)


async def _solve(puzzle: Puzzle, screen: Screen, lines: Lines) -> None:
    screen.prompt(say("command.puzzle.prompt"))
    while (line := await lines.next()) is not None:
        screen.entered()
        if line.strip().casefold() in ("q", "quit", "exit"):
            return
        said, over = answered(puzzle, line)
        if over:
            screen.say("", BoardDrawing(puzzle.solved), "", said)
            return
        screen.say(said)
        screen.prompt(say("command.puzzle.prompt"))
    if screen.interactive:
        screen.say("")


def puzzle_json(puzzle: Puzzle) -> dict[str, Any]:
    """What `parlour puzzle --json` prints: all of it, the answer too."""
    values = asdict(puzzle)
    del values["id"], values["type"]
    return values
