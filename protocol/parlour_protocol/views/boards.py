"""A position of any game as a board, for clients that know no rules: cells with texts, and the legal moves.

These are plain dataclasses, as in `views`: a server builds one for each move it shows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import AfterValidator

from parlour_protocol.ids import Both, Side
from parlour_protocol.words import Said

LONGEST_TEXT = 4
"""The most characters in one cell."""

Row = str | list[str]
"""The texts of a row of cells: a string where each is a single character, else a list of short texts.

Either way `row[column]` is a cell's text. So that it is one in languages too whose strings are made of
UTF-16 units, a string holds no character beyond U+FFFF.
"""


@dataclass(slots=True)
class Groups:
    """Equal rectangles of cells that cover a board, such as the small boards of ultimate tic-tac-toe.

    They are numbered as cells are, row by row from the top left.
    """

    width: int
    """Of each, in cells."""
    height: int
    owners: list[Row]
    """The owner of each group: a side's own mark, `empty` while it is open, another text if it has none."""
    active: list[int]
    """The groups in which the next move may be made."""


@dataclass(slots=True)
class Count:
    """A number for each side that stands beside the board: its store, its discs."""

    label: str
    """What is counted, in the plural where it has one: `discs` (`game.count.discs` in the catalogue)."""
    of: Both[int]
    """For side 0 and for side 1."""


@dataclass(slots=True)
class BoardView:
    """A position as cells with short texts, general enough for a client that knows no rules.

    Cells are numbered row by row from the top left: the cell in row r and column c is r * width + c. The
    order of the legal moves is the game's own and stays: a move that is played takes out those that went
    with it, and leaves the others in their order.
    """

    rows: list[str]
    """The rows' labels, from the top row down."""
    columns: list[str]
    """The columns' labels, from left to right."""
    cells: list[Row]
    """The rows of cells from the top: in each cell one of `marks`, or `empty`, or else what is on no side
    (the count in a pit, a wall)."""
    marks: Both[list[str]]
    """The texts of each side's pieces, its own mark first: first of the side that began."""
    to_move: Side | None = None
    """The side to move; None when the game is over."""
    legal: list[str] = field(default_factory=list)
    """Every legal move, as people write it."""
    targets: list[int] = field(default_factory=list)
    """For each legal move the cell where it is drawn; -1 for none (a pass)."""
    sources: list[int] = field(default_factory=list)
    """For each legal move the cell that its piece comes from; -1 where one is put down. Empty where no move
    has a source."""
    last: list[int] = field(default_factory=list)
    """The cells of the last move, the one moved to first."""
    line: list[int] = field(default_factory=list)
    """The cells that won, in order; empty where no line wins."""
    empty: str = "."
    note: str | None = None
    """A sentence on what just happened where the board alone doesn't show it (a pass)."""
    note_said: Said | None = None
    """What it is made of, where the game says it in every language."""
    groups: Groups | None = None
    """Parts of the board that count as a whole, in games that have them."""
    counts: list[Count] = field(default_factory=list)
    """What the sides have beside the board, or on it where that is long to count."""
    falls: Literal[True] | None = None
    """Does a piece fall to the lowest free cell of its column? Then the column is all that one chooses."""

    def texts(self) -> list[str]:
        """What stands in the cells, one after the other."""
        return [text for row in self.cells for text in row]

    def side_of(self, text: str) -> Side | None:
        """The side whose piece, or whose mark, a text is; None for an empty cell and for what has none."""
        return 0 if text in self.marks[0] else 1 if text in self.marks[1] else None

    def choices(self) -> Iterator[tuple[str, int, int]]:
        """Each legal move with its target and its source."""
        return zip(self.legal, self.targets, self.sources or [-1] * len(self.legal), strict=False)

    def movable(self) -> set[int]:
        """The cells whose pieces may move."""
        return {source for source in self.sources if source >= 0}

    def open_cells(self, picked: int | None = None) -> list[int]:
        """The cells to choose from: where one may put a piece, or that have one that may move.

        Those where the piece in the cell `picked` may go, where there is one.
        """
        if picked is not None:
            cells = {target for _, target, source in self.choices() if source == picked}
        else:
            cells = self.movable() | {target for _, target, source in self.choices() if source < 0}
        return sorted(cell for cell in cells if cell >= 0)

    def moves_at(self, cell: int, picked: int | None = None) -> list[str]:
        """The legal moves that choosing a cell can mean, of the picked piece alone where one is picked.

        Where pieces fall any cell of a column means its move.
        """
        pairs = [(move, target) for move, target, source in self.choices() if picked in (None, source)]
        there = [move for move, target in pairs if target == cell]
        if there or not self.falls:
            return there
        width = len(self.columns)
        return [move for move, target in pairs if target >= 0 and target % width == cell % width]

    def landing(self, cell: int) -> int | None:
        """Where a piece comes to lie that is put into a cell before it is known what may be played.

        That is there, or where it falls; None where that is taken.
        """
        texts, width = self.texts(), len(self.columns)
        column = range(cell % width, len(texts), width) if self.falls else (cell,)
        return next((one for one in reversed(column) if texts[one] == self.empty), None)

    def first_at(self, moves: Iterable[str]) -> dict[int, int]:
        """For each cell that some moves lead to the place of the first of those: the best one's, where the
        best come first.
        """
        targets = dict(zip(self.legal, self.targets, strict=False))
        found: dict[int, int] = {}
        for place, move in enumerate(moves):
            if (cell := targets.get(move, -1)) >= 0:
                found.setdefault(cell, place)
        return found


def fault_of(board: BoardView) -> str | None:
    """Why a board's parts do not belong together, as a clause; None where they do.

    It may have no cells at all, as a tree of numbers.
    """
    height, width = len(board.rows), len(board.columns)
    cells = range(height * width)
    whole = len(board.cells) == height and all(len(row) == width for row in board.cells)
    if not whole or (not cells and height + width):
        return "its cells are not one for each row and column"
    if any(isinstance(row, str) and not row.isascii() and max(row) > "\uffff" for row in board.cells):
        return "a character beyond U+FFFF stands in a row that is a string: make it a list"
    if len(board.marks) != 2 or not all(board.marks):
        return "its marks are not two lists, each with a side's own sign first"
    pieces = [*board.marks[0], *board.marks[1], board.empty]
    texts = [text for row in board.cells if not isinstance(row, str) for text in row]
    if any(not 1 <= len(text) <= LONGEST_TEXT for text in (*pieces, *texts)):
        return f"a text in it is not 1 to {LONGEST_TEXT} characters long"
    if len(set(pieces)) < len(pieces):
        return "two of its marks are the same, or one is `empty`"
    if any(cell != -1 and cell not in cells for cell in (*board.targets, *board.sources)):
        return "a target or a source is neither a cell of it nor -1"
    if len(board.targets) != len(board.legal) or len(board.sources) not in (0, len(board.legal)):
        return "its legal moves do not each have a target, and a source where any has one"
    if any(cell not in cells for cell in (*board.last, *board.line)):
        return "its last move or its line is not a cell of it"
    if board.groups is not None and not _covers(board.groups, height, width):
        return "its groups do not cover it"
    if any(len(count.of) != 2 for count in board.counts):
        return "a count is not one number for each side"
    return None


def _in_shape(board: BoardView) -> BoardView:
    if fault := fault_of(board):
        raise ValueError(fault)
    return board


Position = Annotated[BoardView, AfterValidator(_in_shape)]
"""A board in a message: its shape was checked when it was read."""


def _covers(groups: Groups, height: int, width: int) -> bool:
    if groups.width < 1 or groups.height < 1 or width % groups.width or height % groups.height:
        return False
    down, across = height // groups.height, width // groups.width
    owned = len(groups.owners) == down and all(len(row) == across for row in groups.owners)
    return owned and all(0 <= group < down * across for group in groups.active)
