"""Scores in words, signs and colours: what is proven and what is guessed never look the same."""

import re

import pytest

from parlour_client.text.scores import (
    cell_text,
    heat,
    legend,
    luminance,
    most_promising,
    number,
    outlook,
    points_text,
)
from parlour_protocol.views.reports import Candidate, Report, Score


def guess(chance: float) -> Score:
    return Score(chance - 50, chance=chance)


def at_most(chance: float) -> Score:
    return Score(chance - 50, bound="at_most", chance=chance)


def by(margin: int) -> Score:
    return Score(50 + margin, "exact", "win", margin=margin)


@pytest.mark.parametrize(
    ("score", "text"),
    [(95, "95"), (3.42, "3.42"), (3.5, "3.5"), (-0.001, "0"), (4.0, "4"), (-12.25, "-12.25")],
)
def test_numbers_have_the_decimals_that_they_need(score: float, text: str) -> None:
    assert number(score) == text


@pytest.mark.parametrize(
    ("score", "words", "cell"),
    [
        (by(12), "wins by 12", "W12"),
        (Score(-53, "exact", "loss", margin=-3), "loses by 3", "L3"),
        (Score(97, "exact", "win", 3), "wins in 3", "W3"),
        (Score(60, "exact", "win"), "wins", "W"),
        (Score(0, "exact", "draw", 9), "a draw", "D"),
        (Score(97, "at_least", "win", 3), "wins in at most 3", ">W3"),
        (Score(-96, "at_most", "loss", 4), "loses in at most 4", "<L4"),
        (Score(53, "at_least", "win", margin=3), "wins by at least 3", ">W3"),
        (Score(61, "at_most"), "at best a win", "<W"),
        (Score(-61, "at_least"), "at least a loss", ">L"),
        (Score(0, "at_least"), "at least a draw", ">D"),
        (guess(52.4), "52% to win", "~52"),
        (at_most(38), "at most about 38% to win", "<38"),
        # As a log may have it that is older than chances.
        (Score(3.5), "?% to win", "~?"),
    ],
)
def test_what_a_move_leads_to(score: Score, words: str, cell: str) -> None:
    assert outlook(score) == words
    assert cell_text(score) == cell


@pytest.mark.parametrize(
    ("score", "text"),
    [(Score(95, "exact", "win", 5), "95"), (Score(3.42), "~3.42"), (Score(9, "at_most"), "<=9")],
)
def test_a_trees_values_are_points(score: Score, text: str) -> None:
    assert points_text(score) == text


def test_a_legend_explains_what_is_on_the_board() -> None:
    found = [Candidate("a1", by(12)), Candidate("b1", guess(62)), Candidate("c1", guess(40))]
    assert legend(Report("hard", found, "a1")) == (
        "W12: wins by 12; ~62: 62% to win, by estimate; * the chosen move"
    )


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


def test_heat_deepens_with_the_score() -> None:
    wins = [colours(heat(Score(score, "exact", "win")))[1] for score in (55, 70, 85, 99)]
    losses = [colours(heat(Score(-score, "exact", "loss")))[1] for score in (55, 70, 85, 99)]
    for row in (wins, losses):
        depths = [luminance(colour) for colour in row]
        assert depths == sorted(depths, reverse=True)
    assert all(green > red for red, green, _ in wins)
    assert all(red > green for red, green, _ in losses)


def test_a_chance_goes_from_ochre_to_blue_and_never_looks_proven() -> None:
    likely = [colours(heat(guess(chance)))[1] for chance in (52, 60, 75, 99)]
    unlikely = [colours(heat(guess(100 - chance)))[1] for chance in (52, 60, 75, 99)]
    assert all(blue > green > red for red, green, blue in likely[2:])
    assert all(red > green > blue for red, green, blue in unlikely[2:])
    assert len({*likely, *unlikely}) == 8
    # One scale: what else is on the board makes no difference, and even is neither.
    red, green, blue = colours(heat(guess(50)))[1]
    assert max(red, green, blue) - min(red, green, blue) < 16


def test_what_a_bound_leaves_open_has_no_colour() -> None:
    assert colours(heat(Score(61, "at_most"))) == colours(heat(guess(50)))


def test_a_bound_is_paler_than_what_is_exact() -> None:
    exact, bound = (heat(Score(97, kind, "win", 3)) for kind in ("exact", "at_least"))
    assert luminance(colours(bound)[1]) > luminance(colours(exact)[1])


def test_a_guess_never_looks_proven() -> None:
    drawn, guessed = heat(Score(0, "exact", "draw")), heat(guess(50))
    assert drawn != guessed
    assert "italic" in guessed
    assert "italic" not in drawn
    assert "italic" in heat(at_most(50))
