"""A position that is set up piece by piece. What can be, and what it means, the server says. Pure."""

from dataclasses import dataclass, replace

from parlour_protocol.answers import Board
from parlour_protocol.ids import Side
from parlour_protocol.settings import SettingLine
from parlour_protocol.views.boards import VOID, BoardView

MORE, LESS = "+1", "−1"
"""What a pit's number is changed by."""


@dataclass(slots=True)
class Setup:
    """The cells of a game's board, what may be put into them, the side to move, and what else is asked."""

    board: BoardView
    tray: list[str]
    texts: list[str]
    side: Side
    fields: list[SettingLine]
    extras: list[str]
    """What stands in each of the fields."""

    @classmethod
    def of(cls, answer: Board) -> "Setup":
        """Begin with a position. Where the game reads none the tray is empty."""
        board = answer.position
        pits, edges = board.layout == "pits", board.layout == "edges"
        texts = [board.empty if edges and text == VOID else text for text in board.texts()]
        tray = [MORE, LESS] if pits else answer.tray
        # A number, or 0 and 1 for a switch; cells are a text already.
        values = [str(one.default) if one.kind == "text" else f"{one.default:d}" for one in answer.extras]
        return cls(board, tray, texts, board.to_move or 0, answer.extras, values)

    @property
    def _pits(self) -> bool:
        return self.board.layout == "pits"

    def cells(self, piece: str | None = None) -> list[int]:
        """Those that something, or this piece, may be put into."""
        return [cell for cell, text in enumerate(self.texts) if text != VOID and self._fits(cell, piece)]

    def _fits(self, cell: int, piece: str | None) -> bool:
        """Lines go on edges, a side's sign into a box, and nothing on dots."""
        if self.board.layout != "edges":
            return True
        row, column = divmod(cell, len(self.board.columns))
        if piece in (None, self.board.empty):
            return row % 2 == 1 or column % 2 == 1
        line = self.board.side_of(piece) is None
        return (row + column) % 2 == 1 if line else row % 2 == column % 2 == 1

    def named(self, cell: int) -> str:
        """A cell by its labels; where rows have none, by its row's number."""
        row, column = divmod(cell, len(self.board.columns))
        return f"{self.board.columns[column]}{self.board.rows[row] or f'/{row}'}"

    def put(self, cell: int, piece: str) -> None:
        """Put a piece into a cell, or change the number in a pit."""
        if self._pits:
            piece = str(max(0, int(self.texts[cell]) + (1 if piece == MORE else -1)))
        self.texts[cell] = piece

    def clear(self) -> None:
        """Take all pieces off."""
        for cell in self.cells():
            self.texts[cell] = "0" if self._pits else self.board.empty

    def view(self, piece: str) -> BoardView:
        """The position, where every cell is a move of its name: it puts this piece there."""
        cells, side = self.cells(piece), self.board.side_of(piece)
        return replace(
            self.board,
            cells=[*self._rows()],
            legal=[self.named(cell) for cell in cells],
            paths=[*cells],
            last=[],
            line=[],
            note=None,
            note_said=None,
            to_move=self.side if side is None else side,
        )

    def written(self) -> str:
        """The position as a line of text that the server reads."""
        between = "," if self._pits else ""
        rows = [between.join(text for text in row if text != VOID) for row in self._rows()]
        behind = f" [{','.join(self.extras)}]" if self.extras else ""
        return f"{'/'.join(rows)} {self.board.marks[self.side][0]}{behind}"

    def _rows(self) -> list[list[str]]:
        width = len(self.board.columns)
        return [self.texts[start : start + width] for start in range(0, len(self.texts), width)]
