"""What moved is found in two views: what fell, what turned, and nothing else."""

from dataclasses import replace

from parlour_client.tui.widgets.animation import Motion, between
from tests.client.tui.screens.positions import DISCS, position


def test_a_piece_falls_to_where_it_rests_and_gets_faster() -> None:
    before, after = position("connect4", "4"), position("connect4", "4 4")
    motion = between(before, after)
    assert (motion.falling, motion.rows) == (4 * 7 + 3, 4)
    rows = [motion.row(step * motion.seconds / 100) for step in range(100)]
    assert rows[0] == 0
    assert rows == sorted(row for row in rows if row is not None)
    assert rows.count(0) > rows.count(3)
    assert motion.row(motion.seconds) is None
    assert motion.seconds < 0.4


def test_discs_that_turned_are_pale_and_the_new_one_is_not() -> None:
    moves = DISCS.split()
    before, after = position("reversi", " ".join(moves[:-1])), position("reversi", DISCS)
    motion = between(before, after)
    old, new = "".join(before.texts()), "".join(after.texts())
    assert motion.pale == {cell for cell in range(64) if old[cell] != "·" and old[cell] != new[cell]}
    assert motion.pale and after.last[0] not in motion.pale
    assert motion.falling is None


def test_what_is_taken_back_and_another_board_do_not_move() -> None:
    assert between(position("connect4", "4 4"), position("connect4", "4")) == Motion()
    assert between(position("tictactoe"), position("connect4", "4")) == Motion()
    assert between(None, position("connect4", "4")) == Motion()
    assert between(position("tictactoe"), position("tictactoe", "b2")) == Motion()
    board = position("connect4", "4")
    assert between(board, replace(board, cells=[])) == Motion()
