"""A game as plain text that a person can read and print. Pure."""

from collections.abc import Sequence
from io import StringIO
from itertools import groupby
from operator import attrgetter

from rich.cells import cell_len
from rich.console import Console

from parlour_client.render.board import BoardDrawing
from parlour_client.text import durations, wording
from parlour_client.text.names import localised, seat_name
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.records import GameRecord, RecordedMove
from parlour_protocol.words import say

WIDTH = 80
WIDEST_NAME = 30


def text(record: GameRecord, boards: Sequence[tuple[str, BoardView]]) -> str:
    """The whole game; below it these boards, each with a line that says which it is."""
    parts = [_head(record), _moves(record), [_end(record)], _talk(record)]
    parts += [[title, "", *_board(board)] for title, board in boards]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def players(record: GameRecord) -> str:
    """Who played against whom: first the player who began."""
    return wording.against(record.side_seats())


def heading(record: GameRecord) -> str:
    """Which game it is."""
    title, room = localised(record.title, record.title_said), record.room
    if not room:
        return title
    return say("command.transcript.game", title=title, number=str(record.number), room=room)


def _head(record: GameRecord) -> list[str]:
    when = [
        durations.moment(record.started),
        say("command.transcript.clock", clock=record.settings.clock) if record.settings.clock else "",
    ]
    facts = ", ".join(filter(None, when))
    lines = [heading(record), players(record)]
    return [*lines, facts] if facts else lines


def _moves(record: GameRecord) -> list[str]:
    """The moves in two columns, the first side's on the left, each with the time that its player had left.

    What a side plays twice running stands on one line.
    """
    if not record.moves:
        return [say("command.transcript.no_moves")]
    names = [seat_name(seat)[:WIDEST_NAME] for seat in record.side_seats()]
    turns = list[list[str]]()
    for seat, played in groupby(record.moves, key=attrgetter("seat")):
        cell = "  ".join(map(_move, played))
        if seat == record.starter:
            turns.append([cell, ""])
        elif turns:
            turns[-1][1] = cell
        else:
            turns.append(["", cell])
    left = max(cell_len(cell) for cell in [names[0], *(first for first, _ in turns)])
    number = len(str(len(turns)))
    lines = [f"{' ' * number}  {_wide(names[0], left)}  {names[1]}".rstrip()]
    for at, (first, second) in enumerate(turns, start=1):
        lines.append(f"{at:>{number}}. {_wide(first, left)}  {second}".rstrip())
    stood_in = sorted({played.stand_in for played in record.moves if played.stand_in is not None})
    if stood_in:
        lines.append(say("command.transcript.stand_in", names=stood_in))
    if record.started_with:
        lines.append(say("command.transcript.started_with", count=record.started_with))
    return lines


def _move(played: RecordedMove) -> str:
    # A star: it was a bot that played it, for a player who was away.
    move = played.move + ("*" if played.stand_in is not None else "")
    return move if played.left is None else f"{move:<4} {durations.clock(played.left):>7}"


def _wide(shown: str, width: int) -> str:
    return shown + " " * (width - cell_len(shown))


def _end(record: GameRecord) -> str:
    if record.result is None:
        return say("command.transcript.goes_on", count=len(record.moves))
    return wording.ended(record.result, record.seats)


def _talk(record: GameRecord) -> list[str]:
    return (
        [say("command.transcript.talk"), *(f"  {wording.said(line)}" for line in record.chat)]
        if record.chat
        else []
    )


def _board(board: BoardView) -> list[str]:
    page = StringIO()
    console = Console(file=page, width=WIDTH, color_system=None, markup=False, emoji=False, highlight=False)
    console.print(BoardDrawing(board))
    return [line.rstrip() for line in page.getvalue().splitlines()]
