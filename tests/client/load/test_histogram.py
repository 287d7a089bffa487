from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_client.load.histogram import Histogram

TIMES = st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=60)


def counted(times: list[float]) -> Histogram:
    histogram = Histogram()
    for one in times:
        histogram.add(one)
    return histogram


@given(TIMES, st.sampled_from([1, 50, 90, 99, 99.9, 100]))
def test_a_percentile_is_at_most_a_hundredth_too_high(times: list[float], percent: float) -> None:
    exact = sorted(times)[ceil(len(times) * percent / 100) - 1]
    found = counted(times).percentile(percent)
    assert found is not None
    assert exact <= found * (1 + 1e-9) and found <= exact * 1.0101


@given(TIMES, TIMES)
def test_what_processes_counted_adds_up(first: list[float], second: list[float]) -> None:
    merged = counted(first)
    merged.merge(counted(second))
    assert merged == counted(first + second)
    assert merged.count == len(first) + len(second)


@given(TIMES, st.integers(1, 20))
def test_bars_hold_every_time_once_and_end_with_the_greatest(times: list[float], most: int) -> None:
    bars = counted(times).bars(most)
    assert sum(count for _, count in bars) == len(times)
    assert bars[-1][0] == pytest.approx(max(times))
    assert [end for end, _ in bars] == sorted(end for end, _ in bars)
    assert len(bars) <= most
