"""What each move is worth, drawn on a table's board: from a hint, a bot's search, or a review."""

from collections.abc import Callable

from parlour_client.sdk.room import Room
from parlour_client.tui.screens.table_port import TablePort
from parlour_client.tui.widgets.board import Board
from parlour_protocol.reports import Report


class Evaluations:
    """Draws them while they are wanted. `report_at` has what is known of an earlier position's moves."""

    def __init__(
        self, table: TablePort, room: Room, board: Board, report_at: Callable[[int], Report | None]
    ) -> None:
        self._table = table
        self._room = room
        self._board = board
        self._report_at = report_at
        self._wanted = False
        self.hint: Report | None = None
        """What each of the player's moves is worth, where they asked."""

    @property
    def drawn(self) -> bool:
        """Are they on the board?"""
        return self._board.weighed

    def start(self, ply: int | None) -> None:
        """Draw what is known of the position that is shown; a bot's search as it goes on."""
        self._wanted = True
        if ply is not None:
            self.earlier_position(ply)
        else:
            self.searched()
        self._table.changed()

    def stop(self) -> None:
        """Take them away."""
        self._wanted, self.hint = False, None
        self._board.weigh(None)
        self._table.changed()

    async def fetch_hint(self, still_shown: Callable[[], bool]) -> None:
        """Ask for a hint and draw it, if that position is `still_shown`. Raises `ParlourError`."""
        view = self._table.view
        asked = view.game_number, view.moves
        hint = await self._room.hint()
        view = self._table.view
        if still_shown() and self._table.is_your_turn and (view.game_number, view.moves) == asked:
            self.hint, self._wanted = hint.report, True
            self._board.weigh(hint.report)

    def position_changed(self) -> None:
        """There is another present position: a hint was for the one before."""
        if self.hint is not None:
            self.hint, self._wanted = None, False

    def stepped(self, *, to_present: bool) -> None:
        """Another position of the game will be shown."""
        self.hint = None
        self._wanted = self._wanted and not to_present

    def earlier_position(self, ply: int) -> None:
        """An earlier position is on the board."""
        if self._wanted:
            self._board.weigh(self._report_at(ply))

    def searched(self) -> None:
        """The bot that is to move may have looked deeper."""
        thinking = self._table.shown.thinking
        if self._wanted and self.hint is None and thinking is not None:
            self._board.weigh(thinking.report)
