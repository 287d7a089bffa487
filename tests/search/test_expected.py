"""How long a deeper search is expected to take: held against what it took."""

import pytest

from parlour_server.search.expected import expected_cost

TICTACTOE = [10, 82, 586, 3_610, 18_730, 73_450, 221_626, 422_074, 549_946]
"""What plain minimax visits, depth by depth; it ends with the game."""


def test_what_grows_evenly_goes_on_to_do_so() -> None:
    assert expected_cost([1, 7, 49], [6]) == pytest.approx(7**5)
    assert expected_cost([1, 7, 49], [4, 5]) == pytest.approx(7**3 + 7**4)
    assert expected_cost([226, 50_626], [3]) == pytest.approx(50_626**2 / 226)


def test_odd_and_even_depths_are_taken_together() -> None:
    assert expected_cost([1, 10, 20, 200, 400, 4_000], [8]) == pytest.approx(80_000)


def test_near_the_end_of_a_game_it_grows_less_and_less() -> None:
    for known in (4, 5, 6, 7):
        expected = expected_cost(TICTACTOE[:known], [9])
        assert expected is not None
        assert TICTACTOE[8] / 4 < expected < TICTACTOE[8] * 4


def test_too_little_says_nothing() -> None:
    assert expected_cost([10], [9]) is None
    assert expected_cost([10, 82], []) is None
