"""Searches under simulated time: the real bots think in this thread, and answer a little later."""

import itertools
import random
from collections.abc import Callable

from parlour_protocol.reports import Report
from parlour_server.analysis.scheduler import QueueFull, Search, SearchScheduler
from parlour_server.analysis.worker import Job, run
from parlour_server.search.control import Control
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather

SECONDS = (0.01, 1.5)
"""How long a search takes, from and to."""


class SimulatedScheduler(SearchScheduler):
    """Has every job done, each in its own time, unless it is cancelled before."""

    def __init__(self, loop: SimulatedLoop, dice: random.Random, weather: Weather, trace: Trace) -> None:
        super().__init__(kind="thread", workers=1)
        self._dice, self._weather, self._trace = dice, weather, trace
        self._simulated = loop
        self._numbers = itertools.count(1)

    def search(
        self, job: Job, on_done: Callable[[Report | None], None], on_report: Callable[[Report], None]
    ) -> Search:
        """See `SearchScheduler.search`."""
        dice = self._dice
        bad = dice.random() < self._weather.bad_searches
        if bad and dice.random() < 0.5:
            raise QueueFull
        search = Search(job, on_report, on_done, next(self._numbers), self)
        search.timer = self._simulated.call_later(dice.uniform(*SECONDS), self._answer, search, bad)
        return search

    def cancel(self, search: Search) -> None:
        """See `SearchScheduler.cancel`."""
        search.wanted = False
        if search.timer is not None:
            search.timer.cancel()

    def _answer(self, search: Search, fails: bool) -> None:
        search.timer = None
        if fails:
            self._trace.note("scheduler", "a search fails")
            search.on_done(None)
            return
        report: Report = run(search.job, Control())
        search.on_report(report)
        if search.wanted:
            search.on_done(report)
