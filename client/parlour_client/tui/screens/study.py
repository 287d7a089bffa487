"""What is studied at a table beside its game: earlier positions, a review, what moves are worth."""

from functools import partial

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.hint import fetch_hint
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.review import review_game
from parlour_client.sdk.room import Room
from parlour_client.text import wording
from parlour_client.tui.screens.sending import Sender
from parlour_client.tui.screens.table_port import TablePort
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_client.tui.widgets.thinking import short
from parlour_protocol import commands
from parlour_protocol.ids import other
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say

BOT = "perfect"
"""Who looks at the positions of a review, as on the command line."""
LOOK, REVIEW, HINT = "look", "review", "hint"
"""What may be on its way from the server, each at most once."""


class Study:
    """Which position is shown and what is drawn with it. Each position and review is asked for once.

    It draws on the table's board and its review's curve; all else the table shows when it is `changed`.
    """

    def __init__(
        self,
        table: TablePort,
        room: Room,
        parlour: Client,
        sender: Sender,
        board: Board,
        curve: ReviewCurve,
    ) -> None:
        self._table, self._room, self._parlour, self._sender = table, room, parlour, sender
        self._board, self._curve = board, curve
        self.ply: int | None = None
        """After how many moves; None: the present position."""
        self.reviewing = False
        """Is the review shown?"""
        self.searching = False
        """Is a hint on its way?"""
        self.searched: Report | None = None
        """What is known of it by now."""
        self.hint: Report | None = None
        """What each of the player's moves is worth, where they asked."""
        self._wants_scores = False
        self._boards: Boards | None = None
        self._kept: dict[int, Report] = {}
        self._kept_with: Boards | None = None
        """The kept reports are all that there are of these boards' moves."""

    # ------------------------------------------------------------ what there is to show

    @property
    def progress(self) -> str:
        """How far a hint or a review that is on its way has come; empty where there is none."""
        if self.searching:
            known = self.searched
            if not known or not known.depth:
                return say("screen.table.searching")
            return say("screen.table.searching_to", depth=known.depth, positions=short(known.nodes))
        done, of = self._curve.done
        return say("screen.table.reviewing", done=done, of=of) if self.reviewing and of else ""

    @property
    def over_the_game(self) -> bool:
        """Does anything lie over the present position, that could be taken away?"""
        return self.reviewing or self.searching or self._board.shows_scores

    @property
    def kept(self) -> Report | None:
        """The report that was kept with the move that led to the earlier position."""
        return None if self.ply is None else self._kept.get(self.ply)

    @property
    def report(self) -> Report | None:
        """What the moves of the earlier position are worth, by the review or the bot that moved there."""
        if self.ply is None:
            return None
        graded = self._curve.graded
        if self.reviewing and graded is not None and self.ply + 1 in graded.reports:
            return graded.reports[self.ply + 1]
        return self._kept.get(self.ply + 1)

    # ------------------------------------------------------------ stepping

    def by(self, plies: int) -> None:
        """So many moves on, or back."""
        here = len(self._table.view.moves) if self.ply is None else self.ply
        self.to(here + plies)

    def to(self, ply: int) -> None:
        """The position after so many moves; nothing happens where there is none."""
        view = self._table.view
        last = len(view.moves)
        if view.position is None or not 0 <= ply <= last:
            return
        self.ply = ply if ply < last else None
        self._sender.forget_refusal()
        self._curve.look(ply)
        self._stop_searching()
        self.hint = None
        if self.ply is None:
            self._wants_scores = False
            self._table.show_present()
        else:
            self._fetch(ply)
        self._table.changed()

    def to_present(self) -> None:
        """The position as it stands, to play on."""
        self.to(len(self._table.view.moves))
        self._board.focus()

    def _fetch(self, ply: int) -> None:
        self._table.work_alone(LOOK, partial(self._fetch_board, ply))

    async def _fetch_board(self, ply: int) -> None:
        if self._boards is None:
            view = self._table.view
            self._boards = Boards(self._parlour, view.game, view.moves)
        boards = self._boards
        board = await boards.after(ply)
        if self.ply == ply:
            self._board.show(board.position, yours=False, animate=False)
            if self._wants_scores:
                self._board.show_scores(self.report)
        if self._kept_with is not boards:
            self._kept = await self._fetch_kept()
            self._kept_with = boards
            self._table.changed()

    async def _fetch_kept(self) -> dict[int, Report]:
        if self._room.ended:
            # It answers no more, but its record does.
            record = await self._parlour.record(self._room.code, self._table.view.game_number)
            return {ply: one.report for ply, one in enumerate(record.moves, start=1) if one.report}
        return {one.ply: one.report for one in await self._room.thoughts()}

    # ------------------------------------------------------------ the review

    def toggle_review(self) -> None:
        """Show the review, or go back to the game."""
        if self.reviewing:
            self.close()
            return
        self.reviewing = True
        self._table.changed()
        self._curve.focus()
        if self._curve.graded is None:
            self._curve.progress(0, len(self._table.view.moves))
            self._table.work_alone(REVIEW, partial(self._grade, self.ply))

    async def _grade(self, ply: int | None) -> None:
        view = self._table.view
        asked = commands.AskReview(
            id=new_id(), game=view.game, moves=" ".join(view.moves), bot=BOT, progress=True
        )
        try:
            answer, reports = await review_game(self._parlour, asked, self._graded_so_far, self._curve.wait)
        except ParlourError:
            self.reviewing = False
            raise
        names = (wording.name_of(view, view.starter), wording.name_of(view, other(view.starter)))
        self._curve.show(wording.review_of(answer, names, reports), ply)
        self._table.changed()

    def _graded_so_far(self, done: int, of: int) -> None:
        self._curve.progress(done, of)
        self._table.changed()

    # ------------------------------------------------------------ what moves are worth

    def toggle_scores(self) -> None:
        """Draw what is known of the shown position, ask for a hint on one's own turn; or take it away."""
        if self.searching or self._board.shows_scores:
            self._stop_scores()
        elif self.ply is None and self._table.is_your_turn:
            self._sender.forget_refusal()
            self.searching = True
            self._table.work_alone(HINT, self._fetch_hint)
        else:
            self._wants_scores = True
            if self.ply is None:
                self.show_thinking()
            else:
                self._board.show_scores(self.report)
        self._table.changed()

    async def _fetch_hint(self) -> None:
        try:
            hint = await fetch_hint(self._parlour, self._table.view.room, self._searched_so_far)
        except ParlourError:
            self.searching, self.searched = False, None
            raise
        self.searching, self.searched = False, None
        self.hint, self._wants_scores = hint.report, True
        self._board.show_scores(hint.report)
        self._table.changed()

    def _searched_so_far(self, report: Report) -> None:
        self.searched = report
        self._table.changed()

    def show_thinking(self) -> None:
        """Draw what the bot that is to move has found by now, where that is wanted."""
        thinking = self._table.shown.thinking
        if self.ply is None and self._wants_scores and self.hint is None and thinking is not None:
            self._board.show_scores(thinking.report)

    def _stop_scores(self) -> None:
        self._stop_searching()
        self._wants_scores, self.hint = False, None
        self._board.show_scores(None)

    def _stop_searching(self) -> None:
        if self.searching:
            self._table.stop_work(HINT)
            self.searching, self.searched = False, None

    # ------------------------------------------------------------ what ends it

    def close(self) -> bool:
        """Take away what lies over the game as it stands; False where nothing does."""
        if self.ply is not None or self.reviewing:
            self.reviewing = False
            if self._curve.graded is None:
                # What is graded is kept.
                self._table.stop_work(REVIEW)
            self.to_present()
            return True
        if not self.over_the_game:
            return False
        self._stop_scores()
        self._table.changed()
        return True

    def moves_changed(self, was: RoomView) -> None:
        """The game has other moves than in `was`: what is under way, or was found, is of those before."""
        self._table.stop_work(REVIEW)
        self.reviewing = False
        self._curve.forget()
        self._table.stop_work(LOOK)
        self._boards = None
        view = self._table.view
        goes_on = view.game_number == was.game_number and view.moves[: len(was.moves)] == was.moves
        if not goes_on:
            self._kept = {}
        # A spectator who looks back stays there; a player has a move to see.
        if self.ply is not None and goes_on and view.you is None:
            self._fetch(self.ply)
        else:
            self.ply = None

    def position_changed(self) -> None:
        """There is another present position: a hint was for the one before."""
        self._stop_searching()
        if self.hint is not None:
            self.hint, self._wants_scores = None, False
