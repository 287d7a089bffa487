"""What a board says of its cells, without any rules."""

from tests.client.rooms import chess
from tests.client.tui.screens.positions import position


def test_a_cell_means_the_moves_that_lead_there() -> None:
    assert position("tictactoe", "b2").moves_at(4) == []
    assert position("tictactoe", "b2").moves_at(0) == ["a3"]


def test_where_pieces_fall_any_cell_of_a_column_means_its_move() -> None:
    board = position("connect4", "4 4")
    assert (board.falls, position("tictactoe").falls) == (True, None)
    assert [board.moves_at(cell) for cell in (3, 38)] == [["4"], ["4"]]
    assert board.open_cells() == sorted(board.targets)


def test_a_piece_is_chosen_first_and_then_where_it_goes() -> None:
    board = chess()
    assert board.movable() == {7, 8, 10, 13}
    assert board.open_cells() == [7, 8, 10, 13]
    assert board.open_cells(10) == [5, 6]
    assert board.moves_at(6, 10) == ["c2c3"]
    # Several pieces can go there, or one in several ways.
    assert board.moves_at(6) == ["a2c3", "c2c3"]
    assert board.moves_at(3, 7) == ["d3d4R", "d3d4N"]


def test_of_several_moves_to_a_cell_the_first_one_stands_for_it() -> None:
    board = chess()
    assert board.first_at(["c2c3", "d3d4N", "a2c3", "d3d4R", "b1b2"]) == {6: 0, 3: 1, 9: 4}
    assert board.first_at(["pass"]) == {}
