"""Scores in words, signs and colours: what is proven and what is guessed never look the same."""

import re

import pytest

from parlour_client.text.scores import (
    heat,
    luminance,
    most_promising,
    number,
    points_text,
)
from parlour_protocol.views.reports import Candidate, Report, Score


def guess(chance: float) -> Score:
    return Score(chance - 50, chance=chance)


def at_most(chance: float) -> Score:
    return Score(chance - 50, bound="at_most", chance=chance)


@pytest.mark.parametrize(
    ("score", "text"),
    [(95, "95"), (3.42, "3.42"), (3.5, "3.5"), (-0.001, "0"), (4.0, "4"), (-12.25, "-12.25")],
)
def test_numbers_have_the_decimals_that_they_need(score: float, text: str) -> None:
    assert number(score) == text


@pytest.mark.parametrize(
    ("score", "text"),
    [(Score(95, "exact", "win", 5), "95"), (Score(3.42), "~3.42"), (Score(9, "at_most"), "<=9")],
)
def test_a_trees_values_are_points(score: Score, text: str) -> None:
    assert points_text(score) == text


def test_the_chosen_move_is_among_the_few_that_are_shown() -> None:
    found = [Candidate(move, guess(60)) for move in "abcde"]
    assert [one.move for one in most_promising(Report("hard", found, "b"), 3)] == ["a", "b", "c"]
    assert [one.move for one in most_promising(Report("hard", found, "e"), 3)] == ["a", "b", "e"]
    assert [one.move for one in most_promising(Report("hard", found, None), 9)] == list("abcde")


def rgb(text: str) -> tuple[int, int, int]:
    red, green, blue = (int(text[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def colours(style: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The ink and the ground of a style."""
    ink, ground = re.findall(r"#[0-9a-f]{6}", style)
    return rgb(ink), rgb(ground)


@pytest.mark.parametrize(
    "score",
    [
        *(Score(points, "exact", "win") for points in (51, 75, 99, 150)),
        *(Score(-points, "exact", "loss") for points in (51, 75, 99, 150)),
        Score(0, "exact", "draw"),
        Score(61, "at_most"),
        *(guess(chance) for chance in range(1, 100, 7)),
    ],
)
def test_a_score_is_read_on_its_heat(score: Score) -> None:
    ink, ground = (luminance(colour) for colour in colours(heat(score)))
    light, dark = max(ink, ground), min(ink, ground)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_chance_goes_from_ochre_to_blue_and_never_looks_proven() -> None:
    likely = [colours(heat(guess(chance)))[1] for chance in (52, 60, 75, 99)]
    unlikely = [colours(heat(guess(100 - chance)))[1] for chance in (52, 60, 75, 99)]
    assert all(blue > green > red for red, green, blue in likely[2:])
    assert all(red > green > blue for red, green, blue in unlikely[2:])
    assert len({*likely, *unlikely}) == 8
    # One scale: what else is on the board makes no difference, and even is neither.
    red, green, blue = colours(heat(guess(50)))[1]
    assert max(red, green, blue) - min(red, green, blue) < 16


def test_a_guess_never_looks_proven() -> None:
    drawn, guessed = heat(Score(0, "exact", "draw")), heat(guess(50))
    assert drawn != guessed
    assert "italic" in guessed
    assert "italic" not in drawn
    assert "italic" in heat(at_most(50))
