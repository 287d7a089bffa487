"""Steps through a game's positions at its table, with the reports that were kept with its moves."""

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.room import Room
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.screens.table_port import TablePort
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import RoomView

WORK = "look"


class Steps:
    """Which position of the game is shown. Earlier ones are asked for once; the server draws them."""

    def __init__(self, table: TablePort, room: Room, parlour: Client) -> None:
        self._table = table
        self._room = room
        self._parlour = parlour
        self._boards: Boards | None = None
        self._kept: dict[int, Report] = {}
        self._kept_with: Boards | None = None
        """The kept reports are all that there are of these boards' moves."""
        self.ply: int | None = None
        """After how many moves; None: the present position."""

    def kept(self, ply: int) -> Report | None:
        """The report that was kept with the move that led to a position."""
        return self._kept.get(ply)

    def by(self, plies: int) -> None:
        """So many moves on, or back."""
        here = len(self._table.view.moves) if self.ply is None else self.ply
        self.to(here + plies)

    def to_present(self) -> None:
        """The position as it stands."""
        self.to(len(self._table.view.moves))

    def to(self, ply: int) -> None:
        """The position after so many moves; nothing happens where there is none."""
        view = self._table.view
        last = len(view.moves)
        if view.position is None or not 0 <= ply <= last:
            return
        self.ply = ply if ply < last else None
        self._table.stepped_to(ply)
        if ply < last:
            self._fetch(ply)

    def moves_changed(self, was: RoomView) -> None:
        """The game has other moves than in `was`: what is under way, or was found, is of those before."""
        self._table.stop_work(WORK)
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

    def _fetch(self, ply: int) -> None:
        self._table.work_alone(WORK, self._fetch_board(ply))

    async def _fetch_board(self, ply: int) -> None:
        if self._boards is None:
            view = self._table.view
            self._boards = Boards(self._parlour, view.game, view.moves)
        boards = self._boards
        try:
            board = await boards.after(ply)
            if self.ply == ply:
                self._table.show_earlier(board.position)
            if self._kept_with is not boards:
                self._kept = await self._fetch_kept()
                self._kept_with = boards
                self._table.changed()
        except ParlourError as fault:
            self._table.refuse(error_sentence(fault))

    async def _fetch_kept(self) -> dict[int, Report]:
        if self._room.ended:
            # It answers no more, but its record does.
            record = await self._parlour.record(self._room.code, self._table.view.game_number)
            return {ply: one.report for ply, one in enumerate(record.moves, start=1) if one.report}
        return {one.ply: one.report for one in await self._room.thoughts()}
