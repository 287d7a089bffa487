"""Scores: their order, and the view from the other side."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from parlour_protocol.views.reports import Candidate, ProgramCandidate, ProgramReport, Score

RISING = [
    Score(-99, "exact", "loss", 1),
    Score(-90, "exact", "loss", 10),
    Score(-53, "exact", "loss", margin=-3),
    Score(-12.5),
    Score(0, "exact", "draw", 7),
    Score(12.5, bound="at_most"),
    Score(12.5),
    Score(12.5, bound="at_least"),
    Score(53, "exact", "win", margin=3),
    Score(90, "at_most"),
    Score(90, "exact", "win", 10),
    Score(90, "at_least", "win", 10),
    Score(99, "exact", "win", 1),
]

scores = st.sampled_from(RISING) | st.builds(
    Score,
    st.integers(-150, 150) | st.floats(-50, 50),
    st.sampled_from(["exact", "at_least", "at_most", "estimate"]),
    st.sampled_from(["win", "loss", "draw", None]),
    st.none() | st.integers(0, 99),
    st.none() | st.integers(-64, 64),
    st.sampled_from(["at_least", "at_most", None]),
    st.none() | st.integers(0, 100) | st.integers(0, 1000).map(lambda tenths: tenths / 10),
)


def test_a_sooner_win_is_the_most_and_a_sooner_loss_the_least() -> None:
    assert sorted(Random(1).sample(RISING, len(RISING))) == RISING
    assert max(RISING).plies == 1
    assert min(RISING).result == "loss"


def test_a_bar_is_as_long_as_the_chance_to_win() -> None:
    guesses = [Score(-20, chance=30), Score(20, chance=70)]
    assert [one.share for one in (RISING[0], RISING[4], RISING[-1], *guesses)] == [0, 0.5, 1, 0.3, 0.7]
    assert [one.share for one in (Score(0, "at_least"), Score(1, "at_least"), Score(-1, "at_most"))] == [
        0.5,
        1,
        0,
    ]
    # What nobody knows stands in the middle.
    assert Score(3.5).share == 0.5


def test_the_other_side_sees_the_opposite() -> None:
    assert -Score(95, "at_least", "win", 5) == Score(-95, "at_most", "loss", 5)
    assert -Score(-53, "exact", "loss", margin=-3) == Score(53, "exact", "win", margin=3)
    assert -Score(3.5, bound="at_most") == Score(-3.5, bound="at_least")
    assert -Score(0, "exact", "draw", 7) == Score(0, "exact", "draw", 7)
    assert -Score(2, chance=61.3) == Score(-2, chance=38.7)


@given(scores, scores)
def test_the_order_is_total_and_turns_with_the_side(one: Score, other: Score) -> None:
    turned = -one
    assert -turned == one
    assert (one < other) == (-other < turned)
    assert (one < other) + (other < one) + (one <= other <= one) == 1
    assert (one > other, one >= other) == (other < one, other <= one)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (Score(3.5), Score(3.5, chance=53.5)),
        (Score(-50), Score(-50, chance=1)),
        (Score(900), Score(900, chance=99)),
        (Score(3.5, chance=80), Score(3.5, chance=80)),
        (Score(0, "exact", "draw"), Score(0, "exact", "draw")),
    ],
)
def test_a_programs_estimate_has_a_chance(sent: Score, kept: Score) -> None:
    report = ProgramReport(candidates=[ProgramCandidate("b2", sent)]).report()
    assert report.candidates == [Candidate("b2", kept)]


@pytest.mark.parametrize("chance", [-1, 101, float("nan")])
def test_no_chance_is_beyond_certainty(chance: float) -> None:
    with pytest.raises(ValidationError):
        ProgramCandidate("b2", Score(0, chance=chance))
