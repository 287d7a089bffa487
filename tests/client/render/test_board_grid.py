"""Boards are as large as their room allows, and every character belongs to the cell that is drawn there."""

import pytest

from parlour_client.render.board_grid import fit
from parlour_protocol.views.boards import BoardView
from tests.client.tui.screens.positions import position

GAMES = ["tictactoe", "mnk:7,7,4", "gomoku", "mnk:19,19,5", "connect4", "connect4:9,7", "reversi", "ultimate"]


@pytest.mark.parametrize("game", GAMES)
def test_a_larger_room_never_makes_a_smaller_board(game: str) -> None:
    board, before = position(game), (0, 0)
    for width, height in ((30, 12), (42, 18), (60, 24), (76, 30), (110, 44), (200, 60)):
        grid = fit(board, width, height)
        assert grid.cell_width * grid.cell_height >= before[0] * before[1]
        before = grid.cell_width, grid.cell_height
        if grid.cell_height > 1:
            assert grid.width <= width and grid.height <= height


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(42, 18), (110, 44)])
def test_each_cell_is_found_where_it_stands_and_cells_do_not_overlap(
    game: str, size: tuple[int, int]
) -> None:
    board = position(game)
    grid = fit(board, *size)
    cells = len(board.rows) * len(board.columns)
    found: dict[int, int] = {}
    for y in range(grid.height):
        for x in range(grid.width):
            cell = grid.cell_at(x, y)
            if cell is not None:
                found[cell] = found.get(cell, 0) + 1
    assert found == dict.fromkeys(range(cells), grid.cell_width * grid.cell_height)
    for cell in range(cells):
        assert grid.cell_at(*grid.place(cell)) == cell


def test_the_rulings_are_chosen_by_what_a_board_is() -> None:
    assert fit(position("tictactoe"), 42, 18).ruling == "ruled"
    assert fit(position("connect4"), 42, 18).ruling == "tray"
    assert fit(position("ultimate"), 42, 18).ruling == "framed"
    # Where frames have no room there are walls, and then nothing.
    assert fit(position("ultimate"), 30, 13).ruling == "walled"
    assert fit(position("ultimate"), 30, 10).ruling == "open"
    # Discs of two lines are better than lines between discs of one.
    reversi = fit(position("reversi"), 44, 18)
    assert (reversi.ruling, reversi.cell_height) == ("open", 2)


def test_what_has_no_room_is_drawn_as_small_as_it_can_be() -> None:
    grid = fit(position("mnk:19,19,5"), 20, 5)
    assert (grid.cell_width, grid.cell_height) == (1, 1)
    assert grid.height == 20


def test_a_board_without_labels_or_cells_is_no_fault() -> None:
    for board in (BoardView([], [], [], [["X"], ["O"]]), BoardView(["1"], ["a"], [""], [])):
        grid = fit(board, 10, 10)
        assert grid.cell_at(50, 50) is None
