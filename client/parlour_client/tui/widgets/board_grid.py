"""Where a board's cells stand on the screen, as large as there is room for. Pure.

A board is *ruled* where lines between its cells are worth their place, and *open* where cells touch. Groups
of cells (the small boards of ultimate tic-tac-toe) have a frame each, or a wall between them. A game whose
pieces fall stands in a *tray* with a free line above for what falls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from rich.cells import cell_len

from parlour_protocol.views.boards import BoardView

Ruling = Literal["ruled", "open", "framed", "walled", "tray"]
"""Lines around each cell; none; a frame around each group; a wall between groups; a tray to fall into."""

TALLEST_CELL = 12
"""Lines. A mark larger than this is no easier to see."""


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

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell that a character belongs to; lines between cells belong to none."""
        column, row = _found(self.xs, self.cell_width, x), _found(self.ys, self.cell_height, y)
        return None if column is None or row is None else row * len(self.xs) + column

    def column_at(self, x: int) -> int | None:
        """The column of a character, on whichever line."""
        return _found(self.xs, self.cell_width, x)

    def place(self, cell: int) -> tuple[int, int]:
        """The upper left character of a cell."""
        row, column = divmod(cell, len(self.xs))
        return self.xs[column], self.ys[row]


def _found(starts: tuple[int, ...], size: int, at: int) -> int | None:
    return next((number for number, start in enumerate(starts) if start <= at < start + size), None)


def fit(board: BoardView, width: int, height: int) -> Grid:
    """The largest grid in that much room, or the smallest there is where it has to scroll."""
    groups = None if board.groups is None else (board.groups.width, board.groups.height)
    texts = {*board.texts(), *chain.from_iterable(board.marks)}
    widest = max((cell_len(text) for text in texts), default=1)
    shape = _Shape(tuple(board.rows), tuple(board.columns), groups, widest, board.layout == "tray")
    return _fit(shape, width, height)


class _Shape(NamedTuple):
    """All of a board that its grid depends on."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[int, int] | None
    widest: int
    """How wide the widest text is, in characters of the terminal's."""
    tray: bool


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
        yield from _sizes(board, ("tray",) if board.tray else ("ruled", "open"))


def _sizes(board: _Shape, rulings: tuple[Ruling, ...]) -> Iterator[Grid]:
    """From the largest cells to the smallest."""
    for pitch in range(TALLEST_CELL + 1, 0, -1):
        for ruling in rulings:
            # A line costs a cell its place: so a ruled cell of that pitch is one lower.
            tall = pitch - 1 if ruling == "ruled" else pitch
            # Ruled cells of one line are no better than open ones of two.
            if tall < 1 or (ruling == "ruled" and pitch == 2 and len(board.rows) > 4):
                continue
            for wide in _widths(tall, ruling, board.widest):
                yield _grid(board, ruling, wide, tall)


def _widths(tall: int, ruling: Ruling, widest: int) -> Sequence[int]:
    """How wide a cell of that height may be: a character is about twice as high as wide.

    Texts of several characters have one to spare, so that neighbours stand apart.
    """
    widths = [2 * tall + 1, 2 * tall] if tall > 1 else [3] if ruling == "ruled" else [3, 2, 1]
    return widths if widest < 2 else sorted({max(wide, widest + 1) for wide in widths}, reverse=True)


def _grid(board: _Shape, ruling: Ruling, wide: int, tall: int) -> Grid:
    left = max((cell_len(label) for label in board.rows), default=0)
    left = left + 1 if left else 0
    columns, rows = len(board.columns), len(board.rows)
    across, down = board.groups or (0, 0)
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
    return Grid(ruling, wide, tall, xs, ys, width, height, labels)


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
