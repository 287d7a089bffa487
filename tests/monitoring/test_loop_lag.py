"""How late the event loop is."""

import asyncio
import time

from parlour_server.counters import MILLISECONDS, Histogram
from parlour_server.monitoring.loop_lag import EVERY_SECONDS, LoopLag
from tests.support.waiting import within

BLOCKED_SECONDS = 0.2


async def test_what_keeps_the_loop_busy_is_seen() -> None:
    seen = Histogram(MILLISECONDS)
    lag = LoopLag(seen)
    # The timer falls due while this holds the loop, and can only be called afterwards.
    time.sleep(EVERY_SECONDS + BLOCKED_SECONDS)  # noqa: ASYNC251
    await within(10, lambda: sum(seen.counts) >= 2)
    lag.stop()
    assert seen.total >= BLOCKED_SECONDS
    count = sum(seen.counts)
    await asyncio.sleep(2 * EVERY_SECONDS)
    assert sum(seen.counts) == count
