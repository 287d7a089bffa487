"""A position of any game as a board, for clients that know no rules: cells with texts, and the legal moves.

These are plain dataclasses, as in `views`: a server builds one for each move it shows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import AfterValidator

from parlour_protocol.ids import Both, Side
from parlour_protocol.words import Said

LONGEST_TEXT = 4
"""The most characters in one cell."""

VOID = " "
"""The text where there is no cell at all, such as between the points of a morris board."""

Path = tuple[int, ...]
"""Cells that are chosen one after the other."""

Layout = Literal["tray", "hex", "points", "pits", "edges"]
"""How cells lie, where they are no squares side by side.

    tray    a piece falls to the lowest free cell of its column: the column is all that one chooses
    hex     six sides; each row lies half a cell further right than the one above
    points  pieces stand on points, which lines join (`joins`)
    pits    two rows of pits with counts, side 0's below, and a store beside each end (`counts`)
    edges   even rows and columns are thin: dots where they cross, edges between dots, boxes between edges
"""

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
    paths: list[int | list[int]] = field(default_factory=list)
    """For each legal move the cells that one chooses in turn: a number by itself where a piece is put, a list
    of a piece's cell and the one it goes to, and so on; -1 for none (a pass)."""
    last: list[int] = field(default_factory=list)
    """The cells of the last move, the one moved to first, the one it came from second."""
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
    kinds: list[str] | None = None
    """What the pieces are called, in the order of each side's `marks`: `man`, `king` (`game.kind.man` in the
    catalogue). None where there is one kind."""
    layout: Layout | None = None
    """How the cells lie: see `Layout`; None: as squares."""
    joins: list[list[int]] | None = None
    """The points that lines join, each line the points along it. For `points` alone."""
    goals: Both[str] | None = None
    """The edges of the board that each side wants to join, of `n`, `e`, `s` and `w`."""
    above: Side | None = None
    """The side that has the upper edge of the board, where its pieces begin or stay; None: neither has."""

    def texts(self) -> list[str]:
        """What stands in the cells, one after the other."""
        return [text for row in self.cells for text in row]

    def side_of(self, text: str) -> Side | None:
        """The side whose piece, or whose mark, a text is; None for an empty cell and for what has none."""
        return 0 if text in self.marks[0] else 1 if text in self.marks[1] else None

    def ways(self) -> list[tuple[str, Path]]:
        """Each legal move with its path."""
        return [
            (move, tuple(path) if isinstance(path, list) else (path,) if path >= 0 else ())
            for move, path in zip(self.legal, self.paths, strict=False)
        ]

    @property
    def slides(self) -> bool:
        """Is there a move for which more than one cell is chosen?"""
        return any(isinstance(path, list) for path in self.paths)

    def open_cells(self, chosen: Path = ()) -> list[int]:
        """The cells to choose from, behind those that were chosen: where the path of a legal move goes on."""
        at = len(chosen)
        return sorted({path[at] for _, path in self.ways() if path[:at] == chosen and len(path) > at})

    def done_at(self, chosen: Path = ()) -> list[str]:
        """The legal moves whose path this is: behind none, those without a cell, such as a pass."""
        return [move for move, path in self.ways() if path == chosen]

    def moves_at(self, cell: int, chosen: Path = ()) -> list[str]:
        """The legal moves that choosing a cell can mean, behind those that were chosen.

        In a tray any cell of a column means its move.
        """
        return [move for move, _ in self._ways_at(cell, chosen)]

    def _ways_at(self, cell: int, chosen: Path) -> list[tuple[str, Path]]:
        at, width = len(chosen), len(self.columns)
        on = [(move, path) for move, path in self.ways() if path[:at] == chosen and len(path) > at]
        there = [(move, path) for move, path in on if path[at] == cell]
        if there or self.layout != "tray":
            return there
        return [(move, path) for move, path in on if path[at] % width == cell % width]

    def choose(self, chosen: Path, cell: int) -> tuple[Path, list[str]]:
        """What is chosen with one cell more, and the moves that this means.

        That is one to be played, or several to ask about; none where more is to be chosen. Where one way
        is left it needs no more choices, behind the first. To choose the end of the only way there does as
        well, and of several ways asks which; another piece takes the place of what was chosen, and the same
        one lets it go.
        """
        ways, at = self._ways_at(cell, chosen), len(chosen)
        if not ways and chosen:
            ways = [
                (move, path)
                for move, path in self.ways()
                if path[:at] == chosen and len(path) > at and path[-1] == cell
            ]
            if len({path for _, path in ways}) > 1:
                return chosen, [move for move, _ in ways]
        if not ways:
            return ((), []) if not chosen or cell in chosen else self.choose((), cell)
        paths = {path for _, path in ways}
        one = next(iter(paths))
        if len(paths) == 1 and (at or len(one) == 1):
            return one, [move for move, _ in ways]
        return (*chosen, one[at]), []

    def step_of(self, path: Path) -> tuple[int | None, int | None]:
        """Where the piece of a move comes from, None where it is put down; and where it comes to lie.

        That is the last cell of its path that is free, or becomes so since it left it: not what it takes away
        there.
        """
        texts = self.texts()
        moves = len(path) > 1 and texts[path[0]] in self.marks[self.to_move or 0]
        start, way = (path[0], path[1:]) if moves else (None, path)
        free = (cell for cell in reversed(way) if cell == start or texts[cell] == self.empty)
        return start, next(free, way[0] if way else None)

    def placed(self, path: Path) -> str | None:
        """What a move puts there; None where the marks don't stand on the board, as in games of counts."""
        start, to = self.step_of(path)
        text = None if to is None else self.texts()[to if start is None else start]
        if start is not None or text is None:
            return text
        stands = text == self.empty or self.side_of(text) is not None
        return self.marks[self.to_move or 0][0] if stands else None

    def landing(self, cell: int) -> int | None:
        """Where a piece comes to lie that is put into a cell before it is known what may be played.

        That is there, or where it falls; None where that is taken, and where pieces are counted.
        """
        if self.layout == "pits":
            return None
        texts, width = self.texts(), len(self.columns)
        column = range(cell % width, len(texts), width) if self.layout == "tray" else (cell,)
        return next((one for one in reversed(column) if texts[one] == self.empty), None)

    def first_at(self, moves: Iterable[str], chosen: Path = ()) -> dict[int, int]:
        """For each cell to choose from, behind those chosen, the place of the first of some moves that go on
        there: the best one's, where the best come first.
        """
        at, paths = len(chosen), dict(self.ways())
        found: dict[int, int] = {}
        for place, move in enumerate(moves):
            path = paths.get(move, ())
            if path[:at] == chosen and len(path) > at:
                found.setdefault(path[at], place)
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
    if len(board.paths) != len(board.legal):
        return "its legal moves do not each have a path"
    if any(isinstance(path, int) and path != -1 and path not in cells for path in board.paths):
        return "a path is neither a cell of it nor -1"
    chains = [path for path in board.paths if isinstance(path, list)]
    if any(len(path) < 2 or not all(cell in cells for cell in path) for path in chains):
        return "a path of several cells has less than two of them, or one that it has not"
    if any(cell not in cells for cell in (*board.last, *board.line)):
        return "its last move or its line is not a cell of it"
    if board.groups is not None and not _covers(board.groups, height, width):
        return "its groups do not cover it"
    if any(len(line) < 2 or not all(cell in cells for cell in line) for line in board.joins or []):
        return "what it joins are not its points"
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
