"""`parlour puzzle`: a position is shown, and the right move is to be found."""

from dataclasses import asdict
from typing import Any

from rich.text import Text

from parlour_client.plain.input import Lines
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.sdk.queries import QueryClient
from parlour_client.text.scores import PAST, outlook
from parlour_protocol.answers import Puzzle
from parlour_protocol.words import say


async def puzzle(client: QueryClient, screen: Screen, game: str | None, day: str | None) -> None:
    """Show the puzzle of a day; a person may solve it."""
    found = await client.puzzle(game, day)
    if screen.as_json:
        screen.emit(puzzle_json(found))
        return
    board = found.position
    mark = board.marks[board.to_move or 0][0]
    heading = f"{found.game} · {say('puzzle.of_day', day=found.day or '')}"
    screen.say("", Text(heading, "bold"), "", BoardDrawing(board), "")
    screen.say(say(f"command.analyse.to_move_{'second' if board.to_move else 'first'}", mark=mark))
    screen.say(Text(task(found), "bold"))
    if found.played:
        screen.say(Text(say("puzzle.played"), PAST))
    if screen.interactive:
        await _solve(found, screen, Lines())


def task(puzzle: Puzzle) -> str:
    """What is to be found."""
    return say(f"puzzle.{'only' if puzzle.only else 'any'}_{puzzle.find}")


def answered(puzzle: Puzzle, line: str) -> tuple[str, bool]:
    """What a typed line is answered with, and is it solved by that, or given up? Pure."""
    typed = line.strip().casefold()
    if typed == "a":
        right = [one.move for one in puzzle.candidates if one.score.result == puzzle.find]
        best = outlook(puzzle.candidates[0].score)
        return say("puzzle.answer", moves=right, outlook=best), True
    tried = next((one for one in puzzle.candidates if one.move.casefold() == typed), None)
    if tried is None:
        return say("command.puzzle.what_to_type", move=puzzle.candidates[-1].move), False
    solved = tried.score.result == puzzle.find
    id_ = "puzzle.right" if solved else "puzzle.wrong"
    return say(id_, move=tried.move, outlook=outlook(tried.score)), solved


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
    screen.say("")


def puzzle_json(puzzle: Puzzle) -> dict[str, Any]:
    """What `parlour puzzle --json` prints: all of it, the answer too."""
    values = asdict(puzzle)
    del values["id"], values["type"]
    return values
