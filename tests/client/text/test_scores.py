"""Scores in words, signs and colours: what is proven and what is guessed never look the same."""

import re

import pytest

from parlour_client.text.scores import cell_text, heat, luminance, number, outlook, score_text
from parlour_protocol.reports import Score


def guess(score: float) -> Score:
    return Score(score)


def at_most(score: float) -> Score:
    return Score(score, bound="at_most")


def by(margin: int) -> Score:
    return Score(50 + margin, "exact", "win", margin=margin)


@pytest.mark.parametrize(
    ("score", "text"),
    [(95, "95"), (3.42, "3.42"), (3.5, "3.5"), (-0.001, "0"), (4.0, "4"), (-12.25, "-12.25")],
)
def test_numbers_have_the_decimals_that_they_need(score: float, text: str) -> None:
    assert number(score) == text


@pytest.mark.parametrize(
    ("candidate", "table", "cell", "narrow"),
    [
        (Score(95, "exact", "win", 5), "95", "95", "95"),
        (guess(3.42), "~3.4", "~3.4", "~3"),
        (guess(-12.34), "~-12.3", "~-12", "~-12"),
        (guess(9.99), "~10", "~10", "~10"),
        (guess(7), "~7", "~7", "~7"),
        (Score(0.5, "at_most"), "<=0.5", "<0.5", "<0"),
        (at_most(-0.38), "<=~-0.4", "<-0.4", "<0"),
        (Score(273, "at_least", "win", 3), ">=273", ">273", ">273"),
    ],
)
def test_costs_are_cut_to_their_room(candidate: Score, table: str, cell: str, narrow: str) -> None:
    assert score_text(candidate) == table
    assert cell_text(candidate) == cell
    assert cell_text(candidate, short=True) == narrow


def test_guesses_in_a_table_stand_below_each_other() -> None:
    assert [score_text(guess(score), aligned=True) for score in (3, 3.5, -1.25)] == [
        "~3.0",
        "~3.5",
        "~-1.2",
    ]
    assert score_text(at_most(3), aligned=True) == "<=~3.0"
    assert score_text(by(3), aligned=True) == "53"


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        (by(12), "wins by 12"),
        (Score(-53, "exact", "loss", margin=-3), "loses by 3"),
        (Score(97, "exact", "win", 3), "wins in 3"),
        (Score(60, "exact", "win"), "wins"),
        (Score(0, "exact", "draw", 9), "draw"),
        (Score(97, "at_least", "win", 3), "wins in at most 3"),
        (Score(-96, "at_most", "loss", 4), "loses in at most 4"),
        (Score(60, "at_least", "win"), "wins"),
        (Score(53, "at_least", "win", margin=3), "wins by at least 3"),
        (Score(61, "at_most"), "at most a win"),
        (Score(-61, "at_least"), "at least a loss"),
        (Score(2.47, "at_least"), "at least 2.5"),
        (guess(2.5), "estimate"),
        (at_most(-0.38), "estimate at most"),
    ],
)
def test_what_a_move_leads_to(candidate: Score, words: str) -> None:
    assert outlook(candidate) == words


def rgb(text: str) -> tuple[int, int, int]:
    red, green, blue = (int(text[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def colours(style: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The ink and the ground of a style."""
    ink, ground = re.findall(r"#[0-9a-f]{6}", style)
    return rgb(ink), rgb(ground)


@pytest.mark.parametrize("score", [-150, -98, -51, -50, -12.5, -0.3, 0, 0.3, 7, 31.25, 50, 51, 75, 99, 150])
@pytest.mark.parametrize("proven", [True, False])
def test_a_cost_is_read_on_its_heat(score: float, proven: bool) -> None:
    result = "draw" if abs(score) <= 50 else "win" if score > 0 else "loss"
    candidate = Score(score, "exact", result) if proven else guess(score)  # type: ignore[arg-type]
    ink, ground = (luminance(colour) for colour in colours(heat(candidate)))
    light, dark = max(ink, ground), min(ink, ground)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_heat_deepens_with_the_score() -> None:
    wins = [colours(heat(Score(score, "exact", "win")))[1] for score in (55, 70, 85, 99)]
    losses = [colours(heat(Score(-score, "exact", "loss")))[1] for score in (55, 70, 85, 99)]
    guesses = [colours(heat(guess(score)))[1] for score in (0.5, 5, 20, 50)]
    for row in (wins, losses, guesses):
        depths = [luminance(colour) for colour in row]
        assert depths == sorted(depths, reverse=True) or row is guesses
    assert len({*guesses}) == 4
    assert all(green > red for red, green, _ in wins)
    assert all(red > green for red, green, _ in losses)


def test_a_bound_is_paler_than_what_is_exact() -> None:
    exact, bound = (heat(Score(97, kind, "win", 3)) for kind in ("exact", "at_least"))
    assert luminance(colours(bound)[1]) > luminance(colours(exact)[1])


def test_a_guess_never_looks_proven() -> None:
    drawn, guessed = heat(Score(0, "exact", "draw")), heat(guess(0))
    assert drawn != guessed
    assert "italic" in guessed
    assert "italic" not in drawn
    assert "italic" in heat(at_most(0))
