"""A game looked back on at its table: board by board, with what is known of each, and its review."""

from parlour_client.boards import Boards
from parlour_client.faults import Fault
from parlour_client.tui.table.commands import Commands
from parlour_client.tui.table.grading import grade
from parlour_client.tui.table.moves import Picked
from parlour_client.tui.told import told
from parlour_protocol.views import Report, RoomView


class LookBack(Commands):
    """Earlier boards are asked for once; the server draws them."""

    def on_picked(self, event: Picked) -> None:
        """Look at an earlier board."""
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
            self._fetch(ply)

    def _fetch(self, ply: int) -> None:
        self.run_worker(self._fetch_board(ply), group="look", exclusive=True)

    async def _fetch_board(self, ply: int) -> None:
        boards = self._known_boards()
        try:
            board = await boards.after(ply)
            if self._ply == ply:
                self._board.show(board.position, yours=False, animate=False)
                if self._weighing:
                    self._board.weigh(self._report_at(ply))
            if self._kept_with is not boards:
                self._kept = await self._thoughts()
                self._kept_with = boards
                self._refresh()
        except Fault as fault:
            self._refuse(told(fault))

    def _known_boards(self) -> Boards:
        """Those of the moves that are shown."""
        if self._boards is None:
            self._boards = Boards(self._parlour, self.view.game, self.view.moves)
        return self._boards

    async def _thoughts(self) -> dict[int, Report]:
        """The reports that were kept with the bots' moves, by ply."""
        if self._room.ended:
            # It answers no more, but its record does.
            record = await self._parlour.record(self._room.code, self.view.game_number)
            return {ply: one.report for ply, one in enumerate(record.moves, start=1) if one.report}
        return {one.ply: one.report for one in await self._room.thoughts()}

    def _forget_moves(self, was: RoomView) -> None:
        """There are other moves now: what is on its way, or was found, is of those before."""
        for group in ("look", "review"):
            self.workers.cancel_group(self, group)
        self._boards = None
        self.remove_class("-reviewed")
        self._review.forget()
        view = self.view
        goes_on = view.game_number == was.game_number and view.moves[: len(was.moves)] == was.moves
        if not goes_on:
            self._kept = {}
        # Who looks on and looks back shall not be torn away from there.
        if self._ply is not None and goes_on and view.you is None:
            self._fetch(self._ply)
        else:
            self._ply = None

    def action_review(self) -> None:
        """Grade the game's moves and show its curve, or put that away."""
        if self.has_class("-reviewed"):
            self.remove_class("-reviewed")
            self.action_now()
            return
        self.add_class("-reviewed")
        self._arrange()
        self._review.focus()
        if self._review.graded is None:
            self._review.progress(0, len(self.view.moves))
            self.run_worker(self._grade(), group="review", exclusive=True)

    async def _grade(self) -> None:
        try:
            graded = await grade(self._parlour, self.view, self._review.progress)
        except Fault as fault:
            self.remove_class("-reviewed")
            self._refuse(told(fault))
        else:
            self._review.show(graded, self._ply)
