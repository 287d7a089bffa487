"""Sequential tests, held to figures that others published."""

from math import isfinite
from random import Random

import pytest

from parlour_client.sdk.match_result import Count, MatchResult, elo
from parlour_client.sdk.sprt import GREATEST, Model, Sprt, score_of
from parlour_protocol.ids import Seat


def test_the_ratio_of_published_pairs() -> None:
    # Of the tests of fastchess (https://github.com/Disservin/fastchess): LL, LD, WL and DD, WD, WW.
    sprt = Sprt(0, 2)
    assert sprt.ratio([365, 16618, 36029 + 200, 16974, 390], Count()) == pytest.approx(2.25, abs=0.005)
    assert sprt.bounds == pytest.approx((-2.94, 2.94), abs=0.005)


def test_published_elo_of_single_games() -> None:
    # W136 L96 D111: Elo 40.70 +- 30.43, nElo 49.77 +- 36.77, superior by 99.60%.
    result = MatchResult()
    counts: dict[Seat | None, int] = {0: 136, 1: 96, None: 111}
    winners = [winner for winner, count in counts.items() for _ in range(count)]
    for number, winner in enumerate(winners):
        result.add(number, 0, winner, 1)
    low, high = result.interval
    assert elo(result.score) == pytest.approx(40.70, abs=0.005)
    assert (elo(high) - elo(low)) / 2 == pytest.approx(30.43, abs=0.1)
    assert result.normalised_elo == pytest.approx((49.77, 36.77), abs=0.005)
    assert result.likely_superior == pytest.approx(0.9960, abs=5e-5)


@pytest.mark.parametrize("model", ["normalised", "logistic", "bayesian"])
def test_it_decides_for_what_is_true(model: Model) -> None:
    sprt = Sprt(0, 60, model=model)

    def verdict(points: list[int]) -> str:
        pairs, games = [0] * 5, Count()
        for number, one in enumerate(points):
            pairs[one] += 1
            games += [Count(0, 0, 2), Count(0, 1, 1), Count(1, 0, 1), Count(1, 1, 0), Count(2, 0, 0)][one]
            if number % 10 == 9 and (found := sprt.verdict(sprt.ratio(pairs, games))) != "open":
                return found
        return "open"

    even, ahead = [1, 3, 5, 3, 1], [1, 1, 4, 5, 3]
    random = Random(3)
    draws = [random.choices(range(5), weights, k=3000) for weights in (even, ahead) for _ in range(20)]
    found = [verdict(points) for points in draws]
    assert found[:20].count("not_stronger") >= 18
    assert found[20:].count("stronger") >= 18


@pytest.mark.parametrize("model", ["normalised", "logistic"])
@pytest.mark.parametrize("points", range(5))
def test_a_ratio_is_a_number_also_where_all_pairs_end_alike(model: Model, points: int) -> None:
    for number in (1, 400):
        pairs = [number if one == points else 0 for one in range(5)]
        for ahead in (1, 20, 100, GREATEST["normalised"]):
            ratio = Sprt(0, ahead, model=model).ratio(pairs, Count())
            assert isfinite(ratio)
            assert (ratio > 0) == (points > 2)


def test_before_the_first_game_nothing_is_shown() -> None:
    assert Sprt(0, 5).ratio([0] * 5, Count()) == 0
    assert Sprt(0, 5, model="bayesian").ratio([0] * 5, Count()) == 0
    assert Sprt(0, 5).verdict(0) == "open"
    assert score_of(0) == 0.5
    assert elo(score_of(120)) == pytest.approx(120)
