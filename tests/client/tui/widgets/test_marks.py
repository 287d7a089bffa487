"""Marks fill their cells, differ in shape at every size, and leave air around them."""

import pytest
from rich.cells import cell_len

from parlour_client.tui.widgets.marks import drawn

SIZES = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (9, 4), (11, 5), (13, 6), (21, 10)]


@pytest.mark.parametrize("size", SIZES)
def test_a_mark_fills_its_cell_and_the_two_sides_differ(size: tuple[int, int]) -> None:
    for first, second in (("X", "O"), ("●", "○"), ("B", "W")):
        one, other = drawn(first, *size), drawn(second, *size)
        for mark in (one, other):
            assert [cell_len(line) for line in mark] == [size[0]] * size[1]
            assert "".join(mark).strip()
        assert one != other


def test_a_ring_is_hollow_and_a_disc_is_not() -> None:
    ring, disc = drawn("○", 13, 6), drawn("●", 13, 6)
    assert ring[3][6] == " "
    assert disc[3][6] == "█"
    # Neighbours do not melt into each other.
    assert all(line[0] == " " for line in (*ring, *disc))
    assert set(disc[0]) <= set(" ▗▄▖") and set(disc[-1]) <= set(" ▝▀▘")


def test_a_sign_that_has_no_shape_stands_in_the_middle() -> None:
    assert drawn("♞", 5, 3) == ("     ", "  ♞  ", "     ")
    assert drawn(".", 2, 1) == (". ",)
