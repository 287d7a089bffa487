"""Where a board's cells stand on the screen, as large as there is room for. Pure.

A board is *ruled* where lines between its cells are worth their place, and *open* where cells touch. Groups
of cells (the small boards of ultimate tic-tac-toe) have a frame each, or a wall between them. Where cells
are no squares their `Layout` says how they lie: a *tray* has a free
line above for what falls, *pits* a store at each end, *points* room for the lines that join them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from rich.cells import cell_len

from parlour_protocol.views.boards import BoardView, Layout

Ruling = Literal["ruled", "open", "framed", "walled"] | Layout
"""Lines around each cell; none; a frame around each group; a wall between groups; or a layout."""

TALLEST_CELL = 12
"""Lines. A mark larger than this is no easier to see."""
TALLEST_PIT = 5
"""The same for a number, which is never drawn large."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The place of each column and row of a board, from its upper left corner, in characters."""

    ruling: Ruling
    cell_width: int
    cell_height: int
    xs: tuple[int, ...]
    """Where each column begins."""
    ys: tuple[int, ...]
    """Where each row begins."""
    width: int
    height: int
    labels_at: int
    """The line of the columns' names."""
    shift: int = 0
    """By so many characters each row lies further right than the one above."""

    def size(self, cell: int) -> tuple[int, int]:
        """How wide and how high a cell is: dots and the edges between them are thin."""
        if self.ruling != "edges":
            return self.cell_width, self.cell_height
        row, column = divmod(cell, len(self.xs))
        return self.cell_width if column % 2 else 1, self.cell_height if row % 2 else 1

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell that a character belongs to; lines between cells belong to none."""
        row = next((row for row in range(len(self.ys)) if 0 <= y - self.ys[row] < self._high(row)), None)
        column = None if row is None else self.column_at(x - self.shift * row)
        return None if column is None or row is None else row * len(self.xs) + column

    def column_at(self, x: int) -> int | None:
        """The column of a character, on whichever line."""
        return next(
            (column for column, start in enumerate(self.xs) if 0 <= x - start < self.size(column)[0]), None
        )

    def _high(self, row: int) -> int:
        return self.size(row * len(self.xs))[1]

    def place(self, cell: int) -> tuple[int, int]:
        """The upper left character of a cell."""
        row, column = divmod(cell, len(self.xs))
        return self.xs[column] + self.shift * row, self.ys[row]

    def middle(self, cell: int) -> tuple[int, int]:
        """The character in the middle of a cell."""
        (x, y), (width, height) = self.place(cell), self.size(cell)
        return x + (width - 1) // 2, y + height // 2


def fit(board: BoardView, width: int, height: int, *, tallest: int = TALLEST_CELL) -> Grid:
    """The largest grid in that much room, or the smallest there is where it has to scroll.

    No cell is of more than so many lines.
    """
    groups = None if board.groups is None else (board.groups.width, board.groups.height)
    texts = {*board.texts(), *chain.from_iterable(board.marks)}
    widest = max((cell_len(text) for text in texts), default=1)
    shape = _Shape(tuple(board.rows), tuple(board.columns), groups, widest, board.layout, tallest)
    return _fit(shape, width, height)


class _Shape(NamedTuple):
    """All of a board that its grid depends on."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[int, int] | None
    widest: int
    """How wide the widest text is, in characters of the terminal's."""
    layout: Layout | None
    tallest: int


@lru_cache(maxsize=64)
def _fit(board: _Shape, width: int, height: int) -> Grid:
    grids = list(_candidates(board))
    fitting = (grid for grid in grids if grid.width <= width and grid.height <= height)
    return next(fitting, None) or min(grids, key=lambda grid: grid.width * grid.height)


def _candidates(board: _Shape) -> Iterator[Grid]:
    """The better ones first: larger cells, and the finer ruling where cells are as large."""
    if board.groups is not None and min(board.groups) > 0:
        # Frames tell where to play: they are worth more than larger cells.
        for ruling in ("framed", "walled", "open"):
            yield from _sizes(board, (ruling,))
    else:
        yield from _sizes(board, (board.layout,) if board.layout else ("ruled", "open"))


def _sizes(board: _Shape, rulings: tuple[Ruling, ...]) -> Iterator[Grid]:
    """From the largest cells to the smallest."""
    for pitch in range(board.tallest + 1, 0, -1):
        for ruling in rulings:
            # A line costs a cell its place: so a ruled cell of that pitch is one lower.
            tall = pitch - 1 if ruling in ("ruled", "points") else pitch
            if ruling == "points":
                # Lines go through the middles.
                tall -= 1 - tall % 2
            if tall > board.tallest:
                continue
            # Ruled cells of one line are no better than open ones of two.
            if tall < 1 or (ruling == "ruled" and pitch == 2 and len(board.rows) > 4):
                continue
            for wide in _widths(tall, ruling, board.widest):
                yield _grid(board, ruling, wide, tall, pitch)


def _widths(tall: int, ruling: Ruling, widest: int) -> Sequence[int]:
    """How wide a cell of that height may be: a character is about twice as high as wide.

    Texts of several characters have one to spare, so that neighbours stand apart.
    """
    match ruling:
        case "hex":
            return [2 * tall + 1] if tall > 1 else [3, 1]
        case "points" | "edges":
            return [2 * tall + 1]
        case "pits":
            return range(max(2 * tall + 1, 5), max(widest, tall - 1, 1), -1) if tall <= TALLEST_PIT else ()
        case _:
            pass
    widths = [2 * tall + 1, 2 * tall] if tall > 1 else [3] if ruling == "ruled" else [3, 2, 1]
    return widths if widest < 2 else sorted({max(wide, widest + 1) for wide in widths}, reverse=True)


def _grid(board: _Shape, ruling: Ruling, wide: int, tall: int, pitch: int) -> Grid:
    left = max((cell_len(label) for label in board.rows), default=0)
    left = left + 1 if left else 0
    columns, rows = len(board.columns), len(board.rows)
    across, down = board.groups or (0, 0)
    shift = 0
    match ruling:
        case "ruled":
            xs, right = _spread(columns, wide, left + 1, 1)
            ys, bottom = _spread(rows, tall, 1, 1)
            width, height, labels = right + 1, bottom + 2, bottom + 1
        case "open":
            xs, width = _spread(columns, wide, left, 0)
            ys, labels = _spread(rows, tall, 0, 0)
            height = labels + 1
        case "tray":
            xs, right = _spread(columns, wide, 1, 0)
            # The names, the line in which what falls begins, the cells, the floor.
            ys, bottom = _spread(rows, tall, 2, 0)
            width, height, labels = right + 1, bottom + 1, 0
        case "framed":
            xs, right = _spread(columns, wide, left + 1, 0, across, 2)
            ys, bottom = _spread(rows, tall, 1, 0, down, 2)
            width, height, labels = right + 1, bottom + 2, bottom + 1
        case "walled":
            xs, width = _spread(columns, wide, left, 0, across, 1)
            ys, labels = _spread(rows, tall, 0, 0, down, 1)
            height = labels + 1
        case "hex":
            # The edges to be joined are marked all around; what is above a cell lies half a cell left of it.
            shift = (wide + 1) // 2
            xs, end = _spread(columns, wide, left + 2 * shift, 1)
            ys, bottom = _spread(rows, tall, 2, 0)
            width, height, labels = end + 1 + wide + shift * rows, bottom + 1, 0
        case "points":
            xs, width = _spread(columns, wide, left, 2 * pitch - wide)
            ys, labels = _spread(rows, tall, 0, pitch - tall)
            height = labels + 1
        case "pits":
            xs, end = _spread(columns, wide, left + wide + 2, 1)
            ys, bottom = _spread(rows, tall, 1, 1)
            width, height, labels = end + wide + 2, bottom + 2, bottom + 1
        case "edges":
            xs, width = _thin(columns, wide, left)
            ys, labels = _thin(rows, tall, 0)
            height = labels + 1
    return Grid(ruling, wide, tall, xs, ys, width, height, labels, shift)


def _spread(
    count: int, size: int, start: int, between: int, group: int = 0, apart: int = 0
) -> tuple[tuple[int, ...], int]:
    """Where so many cells begin, and where the last one ends."""
    starts = []
    at = start
    for number in range(count):
        if number:
            at += between + (apart if group and number % group == 0 else 0)
        starts.append(at)
        at += size
    return tuple(starts), at


def _thin(count: int, size: int, start: int) -> tuple[tuple[int, ...], int]:
    """The same where every other one is thin."""
    begins = [start + number // 2 * (size + 1) + number % 2 for number in range(count + 1)]
    return tuple(begins[:-1]), begins[-1]
