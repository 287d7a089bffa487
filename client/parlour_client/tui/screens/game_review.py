"""The review of a table's game: its moves graded, its curve in place of the bots' thinking."""

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.screens.grading import grade
from parlour_client.tui.screens.table_port import TablePort
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say

WORK = "review"


class GameReview:
    """Opens and closes the review, and has it made once for each game."""

    def __init__(self, table: TablePort, parlour: Client, curve: ReviewCurve) -> None:
        self._table = table
        self._parlour = parlour
        self._curve = curve
        self.open = False

    @property
    def progress(self) -> str:
        """How far a review that is under way has come; empty where there is none."""
        done, of = self._curve.done
        return say("screen.table.reviewing", done=done, of=of) if self.open and of else ""

    def start(self, ply: int | None) -> None:
        """Show the curve; `ply` is the position that is shown."""
        self.open = True
        self._table.changed()
        self._curve.focus()
        if self._curve.graded is None:
            self._curve.progress(0, len(self._table.view.moves))
            self._table.work_alone(WORK, self._grade(ply))

    def close(self) -> None:
        """Hide it. What was graded is kept; what is not graded yet is stopped."""
        self.open = False
        if self._curve.graded is None:
            self._table.stop_work(WORK)

    def look(self, ply: int) -> None:
        """Another position is shown."""
        self._curve.look(ply)

    def moves_changed(self) -> None:
        """The game has other moves: nothing is known of them."""
        self._table.stop_work(WORK)
        self.open = False
        self._curve.forget()

    def report_at(self, ply: int) -> Report | None:
        """What the moves of a position are worth, where the review is shown."""
        graded = self._curve.graded
        if self.open and graded is not None and ply < len(graded.moves):
            return graded.reports.get(ply + 1)
        return None

    async def _grade(self, ply: int | None) -> None:
        try:
            graded = await grade(self._parlour, self._table.view, self._progress, self._curve.wait)
        except ParlourError as fault:
            self.open = False
            self._table.refuse(error_sentence(fault))
        else:
            self._curve.show(graded, ply)
        self._table.changed()

    def _progress(self, done: int, of: int) -> None:
        self._curve.progress(done, of)
        self._table.changed()
