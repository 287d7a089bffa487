"""Boards, views and reports to show."""

from parlour_protocol.ids import Seat
from parlour_protocol.views import (
    BoardView,
    BotLine,
    Candidate,
    GameLine,
    Report,
    RoomLine,
    RoomSettings,
    RoomView,
    SeatView,
)


def board(*rows: str, to_move: int | None = 0, last: list[int] | None = None) -> BoardView:
    """A board with rows numbered from the bottom; every empty cell is a legal move."""
    height, width = len(rows), len(rows[0])
    columns = [chr(ord("a") + number) for number in range(width)]
    labels = [str(number) for number in range(height, 0, -1)]
    free = [number for number, sign in enumerate("".join(rows)) if sign == "."]
    return BoardView(
        rows=labels,
        columns=columns,
        cells=list(rows),
        marks=["X", "O"],
        to_move=1 if to_move == 1 else None if to_move is None else 0,
        legal=[f"{columns[number % width]}{labels[number // width]}" for number in free],
        targets=free,
        last=last or [],
    )


def view(
    *,
    you: Seat | None = 0,
    names: tuple[str, str] = ("Ada", "Ben"),
    position: BoardView | None = None,
) -> RoomView:
    """A room where two people play."""
    return RoomView(
        room="KMRTQA",
        game="tictactoe",
        title="Tic-tac-toe",
        settings=RoomSettings(),
        seats=[SeatView("human", names[0]), SeatView("human", names[1])],
        phase="playing",
        online=[True, True],
        watching=0,
        game_number=1,
        to_move=0,
        position=position or board("...", "...", "..."),
        you=you,
    )


def report(*candidates: Candidate, bot: str = "minimax", nodes: int = 549946) -> Report:
    """What a bot thought."""
    best = candidates[0].move if candidates else None
    return Report(bot, list(candidates), best, nodes=nodes, seconds=0.614, finished=True)


def line(name: str, bot: str = "minimax") -> RoomLine:
    """A room in a list, with a person of that name."""
    seats = [SeatView("human", name), SeatView("bot", bot, bot)]
    return RoomLine("KMRTQA", name, "playing", seats, 3, 1, 7)


def game_line(name: str) -> GameLine:
    """A game of that name, in all its fields."""
    return GameLine(name, name, name, name)


def bot_line(name: str) -> BotLine:
    """A bot of that name, in all its fields."""
    return BotLine(name, name, [name])
