"""A game looked back on at its table: board by board, with what is known of each, and its review."""

from parlour_client import sentences
from parlour_client.boards import Boards
from parlour_client.faults import Fault, Refused
from parlour_client.tui.table.commands import Commands
from parlour_client.tui.table.grading import grade
from parlour_client.tui.table.moves import Moves
from parlour_client.tui.table.review import Review


class LookBack(Commands):
    """Earlier boards are asked for once; the server draws them."""

    def on_moves_picked(self, event: Moves.Picked) -> None:
        """Look at an earlier board."""
        self._look(event.ply)

    def on_review_picked(self, event: Review.Picked) -> None:
        """The same from the curve."""
        self._look(event.ply)

    def action_step(self, plies: int) -> None:
        """So many moves on, or back."""
        here = len(self.view.moves) if self._ply is None else self._ply
        self._look(here + plies)

    def action_begin(self) -> None:
        """The first board."""
        self._look(0)

    def action_now(self) -> None:
        """The board as it stands."""
        self._look(len(self.view.moves))
        self._board.focus()

    def _look(self, ply: int) -> None:
        last = len(self.view.moves)
        if self.view.position is None or not 0 <= ply <= last:
            return
        self._forget_refusal()
        self._hint = None
        # At the end of a game whose review is shown, its last point is one like the others.
        self._ply = ply if ply < last else None
        self._review.look(ply)
        self._refresh()
        if ply == last:
            self._weighing = False
            self._show_position(animate=False)
        else:
            self.run_worker(self._fetch_board(ply), group="look", exclusive=True)

    async def _fetch_board(self, ply: int) -> None:
        view = self.view
        if self._boards is None:
            self._boards = Boards(self._connection, view.game, view.moves)
        boards = self._boards
        try:
            board = await boards.after(ply)
            if self._ply == ply and self._boards is boards:
                self._board.show(board.position, yours=False, animate=False)
                if self._weighing:
                    self._board.weigh(self._report_at(ply))
            if not self._kept:
                self._kept = {one.ply: one.report for one in await self._room.thoughts()}
                self._refresh()
        except Refused as refused:
            self._refuse(sentences.refusal(refused.refusal))
        except Fault as fault:
            self._refuse(str(fault))

    def action_review(self) -> None:
        """Grade the game's moves and show its curve, or put that away."""
        if self.has_class("-reviewed"):
            self.remove_class("-reviewed")
            self.action_now()
            return
        self.add_class("-reviewed")
        self._arrange()
        self._review.focus()
        if self._review.graded is None or self._boards is None:
            self._review.progress(0, len(self.view.moves))
            self.run_worker(self._grade(), group="review", exclusive=True)

    async def _grade(self) -> None:
        view = self.view
        self._boards = self._boards or Boards(self._connection, view.game, view.moves)
        boards = self._boards
        try:
            graded = await grade(self._connection, view, self._review.progress)
        except Refused as refused:
            self.remove_class("-reviewed")
            self._refuse(sentences.refusal(refused.refusal))
        except Fault as fault:
            self.remove_class("-reviewed")
            self._refuse(str(fault))
        else:
            if self._boards is boards:
                self._review.show(graded, self._ply)
