"""Fetches from the server what a table's study wants."""

from collections.abc import Callable
from contextlib import suppress

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.hint import fetch_hint
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.review import review_game
from parlour_client.sdk.room import Room
from parlour_client.text import wording
from parlour_client.text.reports import compiling_line, queued_line
from parlour_client.tui.study import Fetch, Study
from parlour_protocol import commands
from parlour_protocol.ids import other
from parlour_protocol.views.reports import Report

BOT = "perfect"
"""Who looks at the positions of a review, as on the command line."""


class StudyFetcher:
    """Fills in a study; `changed` is called with each thing that has come. To stop a fetch, cancel it."""

    def __init__(self, study: Study, room: Room, parlour: Client, changed: Callable[[], None]) -> None:
        self._study, self._room, self._parlour, self._changed = study, room, parlour, changed
        self._boards = Boards(parlour, study.view.game, study.view.moves)
        self._boards_of = study.line

    async def fetch(self, what: Fetch) -> None:
        """Fetch what the study wants. Raises `ParlourError`."""
        match what:
            case "look":
                await self._look()
            case "review":
                await self._review()
            case "hint":
                await self._hint()
        self._changed()

    async def fetch_beginning(self) -> None:
        """The position in which a game begins; without it the board stays empty."""
        with suppress(ParlourError):
            beginning = await Boards(self._parlour, self._study.view.game, []).after(0)
            self._study.beginning = beginning.position
            self._changed()

    async def _look(self) -> None:
        """An earlier position, and then what was kept with the moves."""
        study, line, ply = self._study, self._study.line, self._study.ply
        assert ply is not None
        if self._boards_of != line:
            self._boards = Boards(self._parlour, study.view.game, study.view.moves)
            self._boards_of = line
        board = await self._boards.after(ply)
        study.looked, study.looked_at = board.position, (line, ply)
        if study.reports_of != line:
            self._changed()
            study.reports, study.reports_of = await self._reports(), line

    async def _reports(self) -> dict[int, Report]:
        if self._room.ended:
            # It answers no more, but its record does.
            record = await self._parlour.record(self._room.code, self._study.view.game_number)
            return {ply: one.report for ply, one in enumerate(record.moves, start=1) if one.report}
        return {one.ply: one.report for one in await self._room.thoughts()}

    async def _review(self) -> None:
        study, view = self._study, self._study.view
        asked = commands.AskReview(
            id=new_id(),
            game=view.game,
            moves=" ".join(view.moves),
            started_with=view.started_with,
            bot=BOT,
            progress=True,
        )
        try:
            answer, reports = await review_game(self._parlour, asked, self._graded, self._waits)
        except ParlourError:
            study.reviewing = False
            raise
        names = (wording.name_of(view, view.starter), wording.name_of(view, other(view.starter)))
        study.review = wording.review_of(answer, names, reports)

    def _graded(self, done: int, of: int) -> None:
        self._study.graded, self._study.waits = (done, of), ""
        self._changed()

    def _waits(self, report: Report) -> None:
        if report.compiling is not None:
            self._study.waits = compiling_line(report.compiling)
        elif report.queued is not None:
            self._study.waits = queued_line(report.queued)
        self._changed()

    async def _hint(self) -> None:
        try:
            hint = await fetch_hint(self._parlour, self._room.code, self._searched)
        except ParlourError:
            self._study.stop_search()
            raise
        self._study.stop_search()
        self._study.hint, self._study.wants_scores = hint.report, True

    def _searched(self, report: Report) -> None:
        self._study.searched = report
        self._changed()
