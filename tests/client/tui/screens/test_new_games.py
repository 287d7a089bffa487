"""Each game of pieces, pits, points and edges at the full screen's table, against a bot of a real server:
a move by mouse, one by arrow keys alone, and one typed."""

from collections.abc import Callable
from functools import partial

import pytest
from textual.pilot import Pilot

from parlour_client.sdk.client import connect
from parlour_client.sdk.room import Room
from parlour_client.tui.widgets import cursor
from parlour_client.tui.widgets.board import Board
from parlour_protocol.views.boards import BoardView, Path
from tests.client.tui.screens.stage import RoomStage
from tests.support.waiting import within

SECONDS = 10.0
GAMES = ("kalah", "checkers", "breakthrough", "morris", "isolation", "konane", "dots", "hex", "go")


async def until(happens: Callable[[], bool]) -> None:
    await within(SECONDS, happens)


def wanted(room: Room) -> tuple[str, Path]:
    """A legal move, the longest of those there are, that has cells."""
    view = room.view.position
    assert view is not None
    return max(view.ways(), key=lambda way: len(way[1]))


async def by_mouse(stage: RoomStage, pilot: Pilot[None], path: Path) -> None:
    for cell in path:
        grid = stage.board.grid
        assert grid is not None
        x, y = grid.middle(cell)
        left, top = stage.board._offset()
        await pilot.click(Board, offset=(x + left, y + top))


def keys_to(view: BoardView, start: int, cell: int, picked: Path) -> list[cursor.Way]:
    """The fewest arrows from one cell to another."""
    found: dict[int, list[cursor.Way]] = {start: []}
    edge = [start]
    while cell not in found:
        here = edge.pop(0)
        for way in cursor.WAYS:
            there = cursor.moved(view, here, way, picked)
            if there not in found:
                found[there] = [*found[here], way]
                edge.append(there)
    return found[cell]


async def by_keys(stage: RoomStage, pilot: Pilot[None], path: Path) -> None:
    board = stage.board
    assert board.view is not None
    view, moves = board.view, [way for way in board.view.ways() if way[1] == path]
    for cell in path:
        if not board._yours or [one for one in board.view.ways() if one[1] == path] != moves:
            break  # the rest of the way was clear
        if board._cursor is None:
            await pilot.press("right")
        assert board._cursor is not None
        await pilot.press(*keys_to(view, board._cursor, cell, board._picked), "enter")


async def typed(stage: RoomStage, pilot: Pilot[None], path: Path) -> None:
    assert stage.board.view is not None
    move = next(move for move, way in stage.board.view.ways() if way == path)
    # Where another move begins with it, enter says that this one is meant.
    await pilot.press(*move, "enter")


@pytest.mark.parametrize(
    ("game", "size"),
    [*((game, (80, 24)) for game in GAMES), *((game, (120, 40)) for game in ("kalah", "morris", "hex"))],
)
async def test_it_is_played_by_mouse_by_arrow_keys_and_typed(
    server: str, game: str, size: tuple[int, int]
) -> None:
    async with connect(server, "Ada") as ada:
        room = await ada.create(game, opponent="random:seed=3", starts="first")
        stage = RoomStage(room, parlour=ada)
        async with stage.run_test(size=size) as pilot:
            await until(lambda: stage.screen is stage.table and stage.table.is_mounted)
            for play in (by_mouse, by_keys, typed):
                await until(lambda: stage.has_shown() and "Your move" in stage.said)
                move, path = wanted(room)
                before = list(room.view.moves)
                await play(stage, pilot, path)
                await until(partial(_longer, room, before))
                assert room.view.moves[: len(before) + 1] == [*before, move]
            await until(lambda: "Your move" in stage.said)


def _longer(room: Room, before: list[str]) -> bool:
    return len(room.view.moves) > len(before)
