"""Boards, views and reports to show."""

from typing import Any, cast

from pydantic import TypeAdapter

from parlour_client.sdk.state import ClientRoomState, first_state
from parlour_protocol.actions import Offer
from parlour_protocol.events import Snapshot
from parlour_protocol.ids import Seat, Version
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Candidate, Report
from parlour_protocol.views.rooms import (
    BotLine,
    BotSetting,
    GameLine,
    May,
    RoomLine,
    RoomView,
    SeatView,
    Turn,
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
        marks=[["X"], ["O"]],
        to_move=1 if to_move == 1 else None if to_move is None else 0,
        legal=[f"{columns[number % width]}{labels[number // width]}" for number in free],
        paths=[*free],
        last=last or [],
    )


def chess() -> BoardView:
    """A little board like that of chess: pieces of several kinds, which move, take and promote."""
    moves = {"a2c3": (8, 6), "a2b4": (8, 1), "c2c3": (10, 6), "c2b3": (10, 5), "b1b2": (13, 9)}
    moves |= {"d3d4R": (7, 3), "d3d4N": (7, 3)}
    return BoardView(
        rows=list("4321"),
        columns=list("abcd"),
        cells=[
            ["bR", "bN", "bK", "."],
            [".", "bP", ".", "wP"],
            ["wN", ".", "wP", "."],
            ["wR", "wK", ".", "."],
        ],
        marks=[["wK", "wR", "wN", "wP"], ["bK", "bR", "bN", "bP"]],
        to_move=0,
        legal=list(moves),
        paths=[[*path] for path in moves.values()],
    )


def view(
    *,
    you: Seat | None = 0,
    names: tuple[str, str] = ("Ada", "Ben"),
    position: BoardView | None = None,
) -> RoomView:
    """A room where two people play, and the first is to move."""
    return RoomView(
        room="KMRTQA",
        version=4,
        game="tictactoe",
        title="Tic-tac-toe",
        settings=RoomSettings(),
        seats=[SeatView("human", names[0]), SeatView("human", names[1])],
        phase="playing",
        may=May(
            seats=[["play", "resign", "abort", "draw", "say"], ["resign", "abort", "draw", "say"]],
            spectator=["say"],
            owner=[],
        ),
        online=[True, True],
        watching=0,
        away_since=[None, None],
        claim_from=[None, None],
        game_number=1,
        turn=Turn(0, since=0),
        position=position or board("...", "...", "..."),
        you=you,
    )


def offering(**offers: Seat) -> ClientRoomState:
    """Such a room at version 9, where these seats offer something."""
    room = view()
    room.offers = cast("dict[Offer, Seat]", offers)
    return first_state(snapshot(9, room), 0.0)


def plain(view: RoomView) -> dict[str, Any]:
    """A view as plain data, as a server sends it."""
    data: dict[str, Any] = _view_type.dump_python(view, mode="json", exclude_none=True, exclude={"at"})
    return data


def snapshot(version: Version, view: RoomView, at: int = 0) -> Snapshot:
    """A snapshot of such a room."""
    return Snapshot(view.room, version, at, {**plain(view), "version": version})


_view_type = TypeAdapter(RoomView)


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
    return GameLine(name, name, name, board("...", ".X.", "..."), name)


def bot_line(name: str) -> BotLine:
    """A bot of that name, in all its fields."""
    return BotLine(name, name, [BotSetting(name, 1, 99, whole=True)])
