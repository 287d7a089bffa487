"""What each move is worth, drawn on a table's board: from a hint, a bot's search, or a review."""

from collections.abc import Callable

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.hint import fetch_hint
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.screens.table_port import TablePort
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.thinking import short
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say

WORK = "hint"


class Evaluations:
    """Draws them while they are wanted. `report_at` has what is known of an earlier position's moves."""

    def __init__(
        self, table: TablePort, parlour: Client, board: Board, report_at: Callable[[int], Report | None]
    ) -> None:
        self._table = table
        self._parlour = parlour
        self._board = board
        self._report_at = report_at
        self._wanted = False
        self.hint: Report | None = None
        """What each of the player's moves is worth, where they asked."""
        self.searching = False
        """Is a hint on its way?"""
        self.searched: Report | None = None
        """What is known of it by now."""

    @property
    def drawn(self) -> bool:
        """Are they on the board?"""
        return self._board.weighed

    @property
    def progress(self) -> str:
        """How far a hint that is on its way has come; empty where there is none."""
        if not self.searching:
            return ""
        known = self.searched
        if not known or not known.depth:
            return say("screen.table.searching")
        return say("screen.table.searching_to", depth=known.depth, positions=short(known.nodes))

    def start(self, ply: int | None) -> None:
        """Draw what is known of the position that is shown; a bot's search as it goes on."""
        self._wanted = True
        if ply is not None:
            self.earlier_position(ply)
        else:
            self.show_thinking()
        self._table.changed()

    def stop(self) -> None:
        """Stop the search for a hint, and take away what is drawn."""
        self._stop_searching()
        self._wanted, self.hint = False, None
        self._board.show_scores(None)
        self._table.changed()

    def ask(self) -> None:
        """Ask for a hint on the present position, and draw it when it comes."""
        self.searching = True
        self._table.work_alone(WORK, self._fetch_hint())
        self._table.changed()

    async def _fetch_hint(self) -> None:
        def show(report: Report) -> None:
            self.searched = report
            self._table.changed()

        try:
            hint = await fetch_hint(self._parlour, self._table.view.room, show)
        except ParlourError as fault:
            self._table.refuse(error_sentence(fault))
        else:
            self.hint, self._wanted = hint.report, True
            self._board.show_scores(hint.report)
        self.searching, self.searched = False, None
        self._table.changed()

    def _stop_searching(self) -> None:
        if self.searching:
            self._table.stop_work(WORK)
            self.searching, self.searched = False, None

    def position_changed(self) -> None:
        """There is another present position: a hint was for the one before."""
        self._stop_searching()
        if self.hint is not None:
            self.hint, self._wanted = None, False

    def stepped(self, *, to_present: bool) -> None:
        """Another position of the game will be shown."""
        self._stop_searching()
        self.hint = None
        self._wanted = self._wanted and not to_present

    def earlier_position(self, ply: int) -> None:
        """An earlier position is on the board."""
        if self._wanted:
            self._board.show_scores(self._report_at(ply))

    def show_thinking(self) -> None:
        """The bot that is to move may have looked deeper."""
        thinking = self._table.shown.thinking
        if self._wanted and self.hint is None and thinking is not None:
            self._board.show_scores(thinking.report)
