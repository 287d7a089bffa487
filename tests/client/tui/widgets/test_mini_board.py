from parlour_client.tui.widgets.mini_board import tiny_board
from parlour_protocol.views.boards import BoardView
from tests.client.rooms import board


def lines(view: BoardView, width: int = 15, height: int = 6) -> list[str]:
    return str(tiny_board(view, width, height)).splitlines()


def test_a_small_board_is_drawn_whole() -> None:
    assert lines(board("X..", ".O.", "...")) == ["X · ·", "· O ·", "· · ·"]


def test_of_a_large_board_the_part_with_the_most_marks() -> None:
    rows = ["." * 15 for _ in range(15)]
    rows[12] = "." * 11 + "XO.."
    rows[13] = "." * 12 + "X.."
    shown = lines(board(*rows))
    assert (len(shown), {len(line) for line in shown}) == (6, {15})
    assert sum(line.count("X") + line.count("O") for line in shown) == 3


def test_the_marks_have_the_seats_colours_and_strange_signs_none() -> None:
    shown = tiny_board(board("XO#"), 15, 6)
    assert str(shown) == "X O #"
    assert [str(span.style) for span in shown.spans[:3]] == ["$first-seat bold", "$second-seat bold", "$past"]


def test_no_room_and_no_board_are_no_error() -> None:
    assert lines(board("X"), 1, 1) == ["X"]
    assert lines(BoardView(rows=[], columns=[], cells=[], marks=[["X"], ["O"]])) == []
