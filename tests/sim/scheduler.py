"""Searches under simulated time: the real bots think in this thread, and answer a little later."""

import itertools
import random
from collections.abc import Callable
from functools import partial

from parlour_protocol.views.reports import Report
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.plan import make_plan
from parlour_server.analysis.scheduler import QueueFull, Search, SearchScheduler, State
from parlour_server.analysis.worker import Job, run
from parlour_server.search.control import Control
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather

SECONDS = (0.01, 1.5)
"""How long a search takes, from and to; and how long one waits for another that is before it."""
WAITS = 0.2
"""How likely a search has to wait for a worker."""


class SimulatedScheduler(SearchScheduler):
    """Has every job done, each in its own time, unless it is cancelled before."""

    def __init__(self, loop: SimulatedLoop, dice: random.Random, weather: Weather, trace: Trace) -> None:
        super().__init__(kind="thread", workers=1)
        self._dice, self._weather, self._trace = dice, weather, trace
        self._simulated = loop
        self._numbers = itertools.count(1)

    def search(
        self,
        job: Job,
        requester: Requester,
        on_done: Callable[[Report | None], None],
        on_report: Callable[[Report], None],
        used: float | None = None,
    ) -> Search:
        """See `SearchScheduler.search`."""
        dice = self._dice
        bad = dice.random() < self._weather.bad_searches
        if bad and requester.kind == "question" and used is None and dice.random() < 0.5:
            raise QueueFull("address")
        search = Search(make_plan(job, 0, 0), requester, on_report, on_done, next(self._numbers), self)
        if dice.random() < WAITS:
            search.waits_since = self.time()
            search.timer = self._simulated.call_later(0, self._wait, search, dice.randrange(3), bad)
        else:
            self._think(search, bad)
        return search

    def _wait(self, search: Search, before: int, bad: bool) -> None:
        search.on_report(Report(str(search.job.bot), [], queued=before))
        waits = self._dice.uniform(*SECONDS)
        ends = self._think if before == 0 else partial(self._wait, before=before - 1)
        search.timer = self._simulated.call_later(waits, partial(ends, search, bad=bad))

    def _think(self, search: Search, bad: bool) -> None:
        if search.waits_since is not None:
            search.waited_before, search.waits_since = search.waited, None
            search.on_report(Report(str(search.job.bot), []))
        seconds = self._dice.uniform(*SECONDS)
        search.timer = self._simulated.call_later(seconds, self._answer, search, bad)

    def cancel(self, search: Search) -> None:
        """See `SearchScheduler.cancel`."""
        search.state = State.CANCELLED
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
