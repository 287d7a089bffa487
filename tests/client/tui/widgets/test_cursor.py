"""A cursor goes over the cells where one may play, and nowhere else."""

from typing import get_args

import pytest

from parlour_client.tui.widgets import cursor
from tests.client.tui.screens.positions import BEFORE_A_PASS, DISCS, NINE, position


def test_it_reaches_every_legal_cell_and_no_other() -> None:
    for game, moves in (
        ("tictactoe", "b2 a1"),
        ("reversi", DISCS),
        ("ultimate", NINE),
        ("connect4", "4 4 4"),
    ):
        board = position(game, moves)
        begin = cursor.start(board)
        assert begin is not None
        reached, edge = {begin}, [begin]
        while edge:
            cell = edge.pop()
            for way in get_args(cursor.Way):
                there = cursor.moved(board, cell, way)
                if there not in reached:
                    reached.add(there)
                    edge.append(there)
        assert reached == set(board.open_cells()), game


@pytest.mark.parametrize(
    ("game", "lonely"),
    [
        ("konane@○●○●○●○●/●○●○●○●○/○●○.○●○●/●○●.●○●○/○●○●..○●/●..○●○●○/○●○●○●○●/●○●.●○●○ ○", 57),
        (
            "dots@+.+.+-+.+/2|3|1|/+.+.+-+.+/2|6/+-+-+.+-+/8|/+.+-+-+.+/9/+.+.+.+.+ A",
            41,
        ),
        ("go@●●●·●/·●·●●/○●●●●/●·●○●/·●··· ●", 16),
    ],
)
def test_no_cell_is_out_of_reach_for_standing_alone(game: str, lonely: int) -> None:
    board = position(game)
    cells = board.open_cells()
    reached, edge = {cells[0]}, [cells[0]]
    while edge:
        cell = edge.pop()
        ways = {cursor.moved(board, cell, way) for way in get_args(cursor.Way)} - reached
        reached |= ways
        edge += ways
    assert lonely in reached
    assert reached == set(cells)


def test_it_goes_straight_ahead_and_from_row_to_row() -> None:
    board = position("tictactoe")
    assert cursor.start(board) == 4
    assert cursor.moved(board, 4, "left") == 3
    assert cursor.moved(board, 3, "left") == 2
    assert cursor.moved(board, 3, "up") == 0
    assert cursor.moved(board, 0, "left") == cursor.moved(board, 0, "up") == 0


def test_where_pieces_fall_it_goes_from_column_to_column() -> None:
    board = position("connect4", "4 4 4 4 4 4")
    assert cursor.start(board) in (2 + 35, 4 + 35)
    # The full column is stepped over, at whatever height the next one lies.
    assert cursor.moved(board, 2 + 35, "right") == 4 + 35
    assert cursor.moved(board, 2 + 35, "up") == 2 + 35
    assert cursor.kept(position("connect4", "1 1"), 35) == 21


def test_where_only_a_pass_is_legal_there_is_no_cursor() -> None:
    board = position("reversi:6", BEFORE_A_PASS)
    assert board.legal == ["pass"]
    assert cursor.start(board) is None
    assert cursor.kept(board, 3) is None
