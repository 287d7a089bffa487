"""What a board says of its cells, without any rules."""

from dataclasses import replace

from tests.client.rooms import chess
from tests.client.tui.screens.positions import position


def test_a_cell_means_the_moves_that_lead_there() -> None:
    assert position("tictactoe", "b2").moves_at(4) == []
    assert position("tictactoe", "b2").moves_at(0) == ["a3"]


def test_where_pieces_fall_any_cell_of_a_column_means_its_move() -> None:
    board = position("connect4", "4 4")
    assert (board.layout, position("tictactoe").layout) == ("tray", None)
    assert [board.moves_at(cell) for cell in (3, 38)] == [["4"], ["4"]]
    assert board.open_cells() == sorted(cell for cell in board.paths if isinstance(cell, int))


def test_a_piece_is_chosen_first_and_then_where_it_goes() -> None:
    board = chess()
    assert board.open_cells() == [7, 8, 10, 13]
    assert board.open_cells((10,)) == [5, 6]
    assert board.choose((), 10) == ((10,), [])
    assert board.choose((10,), 6) == ((10, 6), ["c2c3"])
    # There are two ways to go there.
    assert board.choose((7,), 3) == ((7, 3), ["d3d4R", "d3d4N"])
    # Another piece takes its place, the same one lets it go, and so does a cell that means nothing.
    assert board.choose((10,), 13) == ((13,), [])
    assert board.choose((10,), 10) == ((), [])
    assert board.choose((10,), 0) == ((), [])
    assert board.choose((), 6) == ((), [])


def test_a_chain_is_chosen_step_by_step_as_far_as_there_is_a_choice() -> None:
    paths = {"long": [12, 6, 4, 2], "other": [12, 6, 0], "aside": [12, 10]}
    board = replace(chess(), legal=[*paths, "pass"], paths=[*paths.values(), -1])
    assert board.choose((), 12) == ((12,), [])
    assert board.open_cells((12,)) == [6, 10]
    assert board.choose((12,), 10)[1] == ["aside"]
    assert board.choose((12,), 6) == ((12, 6), [])
    # Where one way is left it is not asked for.
    assert board.choose((12, 6), 4)[1] == ["long"]
    # To choose the end does as well.
    assert board.choose((12,), 2)[1] == ["long"]
    assert (board.done_at(), board.done_at((12, 10))) == (["pass"], ["aside"])


def test_where_one_path_begins_another_both_are_open() -> None:
    board = replace(chess(), legal=["short", "long"], paths=[[8, 4], [8, 4, 0]])
    assert board.choose((8,), 4) == ((8, 4), [])
    assert (board.done_at((8, 4)), board.open_cells((8, 4))) == (["short"], [0])


def test_of_several_moves_to_a_cell_the_first_one_stands_for_it() -> None:
    board = chess()
    best_first = ["c2c3", "d3d4N", "a2c3", "d3d4R", "b1b2"]
    assert board.first_at(best_first) == {10: 0, 7: 1, 8: 2, 13: 4}
    assert board.first_at(best_first, (7,)) == {3: 1}
    assert board.first_at(["pass"]) == {}


def test_a_move_leads_where_its_piece_comes_to_lie() -> None:
    board = chess()
    assert (board.step_of((10, 6)), board.placed((10, 6))) == ((10, 6), "wP")
    # What is taken at the end of the path is not where it goes; a chain may end where it began.
    assert board.step_of((10, 6, 1)) == (10, 6)
    assert board.step_of((10, 6, 4, 10)) == (10, 10)
    # Where it takes what stands there it goes there nevertheless.
    assert board.step_of((7, 3)) == (7, 3)
    assert (board.step_of(()), board.placed(())) == ((None, None), None)


def test_a_piece_that_is_put_is_the_movers_own() -> None:
    board = position("morris", "a7 b6 d7 b4")
    closing = dict(board.ways())["g7b6"]
    assert (board.step_of(closing), board.placed(closing)) == ((None, closing[0]), "●")
    pits = position("kalah")
    assert {pits.placed(path) for _, path in pits.ways()} == {None}


def test_a_piece_can_not_be_put_where_pieces_are_counted() -> None:
    assert position("kalah", "").landing(0) is None
    assert position("tictactoe", "b2").landing(0) == 0
    assert position("tictactoe", "b2").landing(4) is None
