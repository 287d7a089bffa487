"""Glicko-2, held to its author's example and to what it promises."""

import random
from math import exp

import pytest

from parlour_server.ratings.glicko2 import LARGEST_DEVIATION, SCALE, Rating, rated, rested


def test_the_authors_worked_example() -> None:
    # "Example of the Glicko-2 system", with tau = 0.5.
    player = Rating(1500, 200, 0.06)
    against = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    found = rated(player, against)
    assert round(found.deviation, 2) == 151.52
    # It rounds on its way, mu to -0.2069, and cuts the volatility of 0.059996 off.
    assert round(1500 + SCALE * round((found.rating - 1500) / SCALE, 4), 2) == 1464.06
    assert int(100_000 * found.volatility) / 100_000 == 0.05999
    assert round(found.rating, 3) == 1464.051


def test_who_does_not_play_is_known_less_and_less_but_never_less_than_a_newcomer() -> None:
    known = Rating(1700, 50, 0.06)
    assert rested(known, 0) == pytest.approx(known)
    # Step 6 of the example, for one who has not played for a period.
    assert rested(known, 1).deviation == pytest.approx((50**2 + (0.06 * SCALE) ** 2) ** 0.5)
    assert rested(known, 1e9) == Rating(1700, LARGEST_DEVIATION, 0.06)


def test_what_one_wins_the_other_loses_where_both_are_as_well_known() -> None:
    first, second = Rating(1500, 80), Rating(1500, 80)
    won, lost = rated(first, [(second, 1.0)]), rated(second, [(first, 0.0)])
    assert won.rating - 1500 == pytest.approx(1500 - lost.rating) and won.rating > 1510
    assert won.deviation == lost.deviation < 80
    assert rated(first, [(second, 0.5)]).rating == pytest.approx(1500)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("gap", [-20_000.0, -3_000.0, 3_000.0, 20_000.0])
def test_no_gap_is_too_wide(gap: float, score: float) -> None:
    found = rated(Rating(1500, 30), [(Rating(1500 + gap, 30), score)])
    assert abs(found.rating - 1500) < 200 and 0 < found.deviation < 60 and found.volatility < 0.1


def test_ratings_find_true_strengths() -> None:
    chance = random.Random(7)
    within = played = 0
    for _ in range(20):
        true = [chance.gauss(1500, 250) for _ in range(10)]
        found = [Rating()] * 10
        for _ in range(600):
            one, other = chance.sample(range(10), 2)
            score = float(chance.random() < 1 / (1 + exp((true[other] - true[one]) / SCALE)))
            before = found[one], found[other]
            found[one] = rated(before[0], [(before[1], score)])
            found[other] = rated(before[1], [(before[0], 1 - score)])
        # Only differences are known.
        shift = (sum(true) - sum(one.rating for one in found)) / 10
        within += sum(
            abs(one.rating + shift - truth) < 2 * one.deviation
            for one, truth in zip(found, true, strict=True)
        )
        played += 10
    # 95% by the deviations' word; the period of one game makes them a little wide, small leagues narrow.
    assert 0.9 <= within / played <= 0.995, within / played
