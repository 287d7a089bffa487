"""A whole game reviewed: each of its positions is searched, one after the other."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf
from typing import Any

from parlour_protocol.views.reports import Report, ReviewedMove
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import Search, SearchScheduler
from parlour_server.analysis.worker import Job
from parlour_server.games.game import Game, Move
from parlour_server.search.levels import BotSpec
from parlour_server.search.reports.review import Step, look_back, review_move
from parlour_server.search.thinking import repeatable


class ReviewRun:
    """One review under way. All is called on the loop.

    `on_move` gets each move as it is graded, with the report on the position before it; `on_report` what is
    known while a position is searched; `on_done` the whole review, or None where a search failed. What comes
    of a search is done within an `answering()`, which may answer what is raised there: the review has ended
    then. `cancel` it when it is no longer wanted.
    """

    def __init__(
        self,
        scheduler: SearchScheduler,
        requester: Requester,
        game: Game[Any],
        moves: str,
        bot: BotSpec,
        on_move: Callable[[ReviewedMove, Report], None],
        on_done: Callable[[list[ReviewedMove] | None], None],
        on_report: Callable[[Report], None],
        answering: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        started_with: int = 0,
    ) -> None:
        self._scheduler, self._requester, self._game = scheduler, replace(requester, review=True), game
        # The same game has the same review each time, which it would not have by time.
        self._bot = repeatable(game, bot, compiled=scheduler.has_code(game))
        self._on_move, self._on_done, self._on_report = on_move, on_done, on_report
        self._answering, self._started_with = answering, started_with
        self._steps: list[Step] = []
        self._last = game.initial()
        for text in game.read(moves):
            move = game.parse(self._last, text)
            self._steps.append(Step(self._last, move))
            self._last = game.play(self._last, move)
        self._reviewed: list[ReviewedMove] = []
        self._reports: list[Report] = []
        self._search: Search | None = None
        self._used: float | None = None
        """Seconds of a worker's time that it has had in this turn; None: it has not begun."""
        self._place = inf
        """How many it was last shown to have before it in this turn."""

    def start(self) -> None:
        """Begin with the first position. Raises `QueueFull`."""
        done = len(self._reviewed)
        if done < len(self._steps):
            step = self._steps[done]
            self._ask(step.position, [step.move], self._graded)
        elif self._game.outcome(self._last) is None:
            self._ask(self._last, [], self._finish)
        else:
            self._finish(None)

    def cancel(self) -> None:
        """Stop it; nothing more is called."""
        if self._search is not None:
            self._search.cancel()

    def _ask(self, position: Any, also: Sequence[Move], found: Callable[[Report], None]) -> None:
        job = Job(self._game.name, position, self._bot, 0, every_move=True, also=also)

        def done(report: Report | None) -> None:
            assert self._search is not None
            self._used, self._search = self._search.used, None
            with self._answering():
                if report is None:
                    self._on_done(None)
                else:
                    found(report)

        self._search = self._scheduler.search(job, self._requester, done, self._show, self._used)
        if not self._search.used:
            self._place = inf

    def _show(self, report: Report) -> None:
        """Show what is known, but a place only where it is better than the last."""
        if report.queued is not None:
            if report.queued >= self._place:
                return
            self._place = report.queued
        self._on_report(report)

    def _graded(self, report: Report) -> None:
        step, ply = self._steps[len(self._reviewed)], len(self._reviewed) + 1
        reviewed = review_move(self._game, step, report, ply)
        if ply <= self._started_with:
            reviewed = replace(reviewed, grade=None, puzzle=False, given=True)
        self._reviewed.append(reviewed)
        self._reports.append(report)
        self._on_move(self._reviewed[-1], report)
        self.start()

    def _finish(self, report: Report | None) -> None:
        self._on_done(look_back(self._game, self._reviewed, self._reports, self._last, report))
