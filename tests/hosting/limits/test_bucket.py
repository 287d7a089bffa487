"""How often somebody may do something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.hosting.limits.rate_limits import Bucket


@given(st.lists(st.floats(0, 30), max_size=60))
def test_in_any_stretch_of_time_no_more_than_a_burst_and_the_rate(pauses: list[float]) -> None:
    rate, burst, now = 0.5, 4, 100.0
    bucket, taken = Bucket(rate, burst, now), []
    for pause in pauses:
        now += pause
        wait = bucket.take(now)
        if not wait:
            taken.append(now)
        else:
            assert 0 < wait <= 1 / rate + 0.001
            # Whoever waits so long finds one.
            now += wait + 1e-6
            assert bucket.take(now) == 0
            taken.append(now)
    for first, start in enumerate(taken):
        for count, end in enumerate(taken[first:], start=1):
            assert count <= burst + (end - start) * rate + 1e-3


def test_a_rate_of_zero_is_no_limit() -> None:
    bucket = Bucket(0, 0, 0.0)
    assert [bucket.take(0.0) for _ in range(100)] == [0.0] * 100
    assert bucket.is_full(0.0)


def test_what_costs_more_than_a_bucket_holds_is_had_for_a_full_one() -> None:
    bucket = Bucket(2, 3, 0.0)
    assert bucket.take(0.0, 10) == 0
    assert bucket.take(1.0, 3) > 0
    assert bucket.take(1.5, 3) == 0


def test_what_is_owed_is_earned_first_and_nobody_saves_more_than_a_burst() -> None:
    bucket = Bucket(2, 3, 0.0)
    # Long unused, and yet no fuller than full.
    bucket.charge(100.0, 5)
    assert bucket.wait(100.0) == pytest.approx(1.5, abs=0.002)
    bucket.charge(100.0, -10)
    assert bucket.take(100.0, 3) == 0
    assert bucket.take(100.0) > 0
