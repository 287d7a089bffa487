"""The clock that players' time goes by."""

from parlour_server.hosting.context import STANDSTILL_NS, SteadyClock
from parlour_server.hosting.rooms.housekeeping import BEAT_SECONDS


def test_a_clock_goes_on_steadily_whatever_the_time_of_day_does() -> None:
    monotonic, day = [7_000_000_000], [1_700_000_000_000_000_000]
    clock = SteadyClock(lambda: monotonic[0], lambda: day[0])
    assert clock() == 1_700_000_000_000
    day[0] -= 3_600_000_000_000
    for beat in range(1, 100):
        monotonic[0] += 2_000_000_000
        assert clock() == 1_700_000_000_000 + 2_000 * beat


def test_a_clock_stands_while_the_machine_sleeps() -> None:
    assert STANDSTILL_NS > 2 * BEAT_SECONDS * 1e9
    monotonic = [0]
    clock = SteadyClock(lambda: monotonic[0], lambda: 0)
    for pause, shown in ((4_000, 4_000), (60_000, 4_000), (1_000, 5_000), (3_600_000, 5_000), (10, 5_010)):
        monotonic[0] += pause * 1_000_000
        assert clock() == shown


def test_a_clock_that_several_nodes_go_by_goes_on_while_this_one_stands_still() -> None:
    monotonic = [0]
    clock = SteadyClock(lambda: monotonic[0], lambda: 0)
    clock.set(1_000_000, 1)
    monotonic[0] += 60_000_000_000
    assert clock() == 1_060_000


def test_a_clock_takes_over_what_is_more_exact_than_itself() -> None:
    monotonic = [0]
    clock = SteadyClock(lambda: monotonic[0], lambda: 0)
    for seconds, now, error, shown in (
        # The first time: whatever it is.
        (0, 1_000_000, 300, 1_000_000),
        (1, 1_000_800, 2, 1_000_800),
        (1, 1_002_100, 300, 1_001_800),
        (1, 1_002_795, 11, 1_002_795),
        (10, 1_012_900, 300, 1_012_795),
        # It goes wrong with time.
        (60, 1_072_900, 300, 1_072_900),
        # One of both is wrong: say the machine slept.
        (1, 1_080_000, 900, 1_080_000),
    ):
        monotonic[0] += seconds * 1_000_000_000
        clock.set(now, error)
        assert clock() == shown
