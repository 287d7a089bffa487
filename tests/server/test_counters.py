"""What is counted while a server runs."""

from parlour_server.counters import Histogram


def test_a_histogram_counts_each_value_at_the_first_bound_that_is_not_below_it() -> None:
    times = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 7.0):
        times.observe(value)
    assert times.counts == [2, 2, 1]
    assert times.total == 12.0
