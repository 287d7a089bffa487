"""What a match has shown: counts, the score's interval, and Elo points."""

from math import inf, isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.sdk.match_result import Count, MatchResult, elo
from parlour_protocol.ids import Seat

WINNERS: list[Seat | None] = [0, 1, None]
WON: tuple[Seat, Seat] = (0, 0)
LOST: tuple[Seat, Seat] = (1, 1)


def result_of(pairs: list[tuple[Seat | None, ...]]) -> MatchResult:
    """The winners of each pair's games."""
    result = MatchResult()
    for number, winners in enumerate(pairs):
        for starter, winner in zip((0, 1), winners, strict=False):
            result.add(number, 0 if starter == 0 else 1, winner, 10)
    return result


def test_games_are_counted_by_who_began() -> None:
    result = result_of([(0, 0), (0, None), (None, 1), (1,)])
    assert result.began == Count(wins=2, draws=1, losses=1)
    assert result.replied == Count(wins=1, draws=1, losses=1)
    assert result.all == Count(3, 2, 2)
    assert (result.all.games, result.all.points, result.moves) == (7, 4.0, 70)
    assert result.all.reversed() == Count(2, 2, 3)
    # The last one lacks its second game.
    assert result.pairs == [0, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("won", "lost", "low", "high"),
    [
        # Wilson's interval for 81 of 263 trials: Newcombe, Statistics in Medicine 17 (1998), table I.
        (81, 182, 0.2553, 0.3662),
        (15, 133, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 28, 0.0061, 0.1718),
    ],
)
def test_pairs_won_or_lost_have_wilsons_interval(won: int, lost: int, low: float, high: float) -> None:
    found = result_of([*[WON] * won, *[LOST] * lost]).interval
    assert found == pytest.approx((low, high), abs=5e-5)


def test_pairs_that_vary_less_show_more() -> None:
    drawn = result_of([(None, None)] * 50).interval
    shared = result_of([(0, 1)] * 50).interval
    decided = result_of([(0, 0), (1, 1)] * 25).interval
    assert drawn == shared
    assert decided[0] < shared[0] < 0.5 < shared[1] < decided[1]
    # Five pairs that all go the same way say little still.
    few = result_of([(0, 1)] * 5).interval
    assert few[0] < 0.35
    assert few[1] > 0.65


@given(st.lists(st.tuples(st.sampled_from(WINNERS), st.sampled_from(WINNERS)), min_size=1, max_size=60))
def test_the_interval_holds_the_score_and_is_the_others_reversed(
    pairs: list[tuple[Seat | None, Seat | None]],
) -> None:
    result = result_of([*pairs])
    low, high = result.interval
    assert 0 <= low <= result.score + 1e-12
    assert result.score - 1e-12 <= high <= 1
    assert low < high
    other: dict[Seat | None, Seat | None] = {0: 1, 1: 0, None: None}
    swapped = result_of([tuple(other[winner] for winner in pair) for pair in pairs])
    assert isclose(swapped.score, 1 - result.score)
    assert swapped.interval == pytest.approx((1 - high, 1 - low))
    # More of the same shows more.
    more_low, more_high = result_of([*pairs, *pairs, *pairs, *pairs]).interval
    assert more_high - more_low < high - low


@given(
    st.lists(st.tuples(st.sampled_from(WINNERS), st.sampled_from(WINNERS)), min_size=1, max_size=20),
    st.randoms(),
)
def test_the_order_of_games_is_of_no_importance(
    pairs: list[tuple[Seat | None, Seat | None]], random: Random
) -> None:
    games = [(number, seat, pair[seat]) for number, pair in enumerate(pairs) for seat in (0, 1)]
    random.shuffle(games)
    shuffled = MatchResult()
    for number, seat, winner in games:
        shuffled.add(number, 0 if seat == 0 else 1, winner, 10)
    assert shuffled.pairs == result_of([*pairs]).pairs
    assert shuffled.interval == pytest.approx(result_of([*pairs]).interval)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 4, 2, 1],
        [0, 1, 8, 1, 0],
        [0, 1, 3, 4, 2],
        [0, 0, 1, 15, 34],
        [3, 0, 5, 0, 2],
        [10, 3, 2, 1, 0],
    ],
)
@pytest.mark.parametrize("pairs", [20])
def test_the_interval_holds_the_true_score_as_often_as_it_says(weights: list[int], pairs: int) -> None:
    outcomes: list[tuple[Seat | None, ...]] = [(1, 1), (1, None), (0, 1), (0, None), (0, 0)]
    true = sum(weight * points / 4 for points, weight in enumerate(weights)) / sum(weights)
    random, runs, held = Random(1), 1000, 0
    for _ in range(runs):
        low, high = result_of(random.choices(outcomes, weights, k=pairs)).interval
        held += low <= true <= high
    assert held / runs > 0.93


def test_elo_points() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(0.25) == pytest.approx(-190.85, abs=0.01)
    assert (elo(1.0), elo(0.0)) == (inf, -inf)
