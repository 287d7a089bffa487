"""That the table can be printed; what stands in it depends on the machine."""

from pathlib import Path

import pytest

from bench.attack.attacks import ATTACKS
from bench.attack.rows import ROWS, SAME_ATTACK, Found
from bench.attack.soak import slope
from parlour_client.load.histogram import Histogram
from parlour_client.load.plan import Outcome

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux' /proc")


def test_every_row_has_its_attack() -> None:
    assert {SAME_ATTACK.get(row.name, row.name) for row in ROWS} == set(ATTACKS)


def shown(quiet: float, attacked: float, *others: float, **losses: int) -> Found:
    outcomes = Outcome(), Outcome()
    for outcome, time in zip(outcomes, (quiet, attacked), strict=True):
        outcome.latency.add(time)
    ratios = [attacked / quiet, *others]
    return Found(ROWS[0], *outcomes, (Histogram(), Histogram()), losses, {}, {}, 0, 0.5, ratios)


def test_a_row_holds_where_nothing_is_lost_and_waits_at_most_double() -> None:
    assert shown(0.1, 0.19).holds
    assert not shown(0.1, 0.21).holds
    assert shown(0.001, 0.009).holds
    assert not shown(0.1, 0.1, busy=1).holds
    # One round of three decides nothing.
    assert shown(0.1, 0.5, 1.9, 0.8).holds
    assert not shown(0.1, 0.5, 2.1, 0.8).holds


def test_the_slope_is_that_of_the_second_half() -> None:
    rising = [(minute, 100.0 + 50 * (minute < 5) * minute + 2 * minute) for minute in range(11)]
    assert slope([(float(x), y) for x, y in rising]) == pytest.approx(120.0)
    assert slope([]) == 0.0
