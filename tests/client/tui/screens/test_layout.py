"""Where a table's panels stand, and how high the parts of its left column are."""

import pytest

from parlour_client.tui.screens.layout import arrange
from parlour_client.tui.screens.left_column import PARTS, Part
from parlour_client.tui.screens.status_line import draw
from tests.client.tui.screens.positions import position


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "reversi", "ultimate", "mnk:19,19,5"])
def test_every_panel_has_its_room_on_every_screen(game: str) -> None:
    board = position(game)
    before = 0
    for width, height in ((80, 24), (100, 30), (120, 40), (160, 48), (250, 70)):
        arrangement = arrange(board, PARTS, width, height)
        assert not arrangement.small
        assert width - arrangement.left >= 36
        assert height - 2 - arrangement.below >= 11
        assert arrangement.left >= before
        before = arrangement.left
    assert arrange(board, PARTS, 79, 24).small and arrange(board, PARTS, 80, 23).small
    # The players have a line of their own wherever the board leaves one.
    assert arrange(board, PARTS, 79, 24).lines["players"] == 1
    assert "players" not in arrange(board, PARTS, 79, 5).lines


def test_a_board_of_nineteen_lines_is_whole_on_the_smallest_screen() -> None:
    arrangement = arrange(position("mnk:19,19,5"), PARTS, 80, 24)
    assert sum(arrangement.lines.values()) + 20 == 22


def test_a_part_takes_its_lines_from_the_board_and_gives_way_where_it_is_reported_to() -> None:
    parts = (Part("first", draw, lines=4, grows=True), Part("more", draw, lines=3, tight=0))
    assert arrange(position("tictactoe"), parts, 160, 48).lines == {"first": 5, "more": 3}
    assert arrange(position("mnk:19,19,5"), parts, 80, 24).lines == {"first": 2}
    assert "more" not in arrange(position("tictactoe"), parts, 60, 20).lines


@pytest.mark.parametrize("size", [(79, 24), (70, 22), (60, 20), (50, 12), (30, 8)])
def test_a_review_has_lines_below_the_board_of_a_small_screen(size: tuple[int, int]) -> None:
    arrangement = arrange(position("tictactoe"), PARTS, *size, reviewing=True)
    assert arrangement.review >= 3
    assert size[1] - arrangement.review - sum(arrangement.lines.values()) >= 3
