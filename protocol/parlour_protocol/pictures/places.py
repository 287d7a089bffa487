"""Where a board's cells lie in its picture, and the ground below its pieces: as on the web page.

All is in cells, from the corner of the first one: a square's side is 1. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import ClassVar

from parlour_protocol.ids import Side
from parlour_protocol.pictures.pieces import (
    CELL,
    CELL_ODD,
    FRESH,
    GROUND,
    LINE,
    PANEL,
    PAST,
    SIDES,
    TEXT,
    letters,
    piece,
)
from parlour_protocol.pictures.shapes import Area, Box, Colour, Disc, Point, Shape, Stroke
from parlour_protocol.views.boards import VOID, BoardView


@dataclass
class Places:
    """Squares side by side."""

    view: BoardView
    width: float = field(init=False)
    height: float = field(init=False)
    beyond: ClassVar[tuple[float, float, float, float]] = (0.0, 0.0, 0.0, 0.0)
    """How much more there is to see above, right, below and left of the cells."""

    def __post_init__(self) -> None:
        self.across, self.down = len(self.view.columns), len(self.view.rows)
        self.width, self.height = self.size()

    def size(self) -> tuple[float, float]:
        """Of all cells together."""
        return float(self.across), float(self.down)

    def middle(self, at: int) -> Point:
        """Of a cell."""
        return at % self.across + 0.5, at // self.across + 0.5

    def left(self, row: int) -> float:
        """Where a row begins."""
        return 0.0

    def ground(self) -> Iterator[Shape]:
        """What lies below the pieces."""
        fresh, view = {*self.view.last}, self.view
        yield from self.frame(LINE, 0.08)
        yield Box(0, 0, self.width, self.height, CELL)
        for at in range(self.across * self.down):
            row, column = divmod(at, self.across)
            if at in fresh or (view.slides and (row + column) % 2):
                yield Box(column, row, 1, 1, FRESH if at in fresh else CELL_ODD)
        for at in range(1, self.across):
            yield Stroke(((at, 0), (at, self.height)), LINE, 0.03)
        for at in range(1, self.down):
            yield Stroke(((0, at), (self.width, at)), LINE, 0.03)

    def frame(self, fill: Colour, rounded: float, beside: float = 0.06) -> Iterator[Shape]:
        """Around the cells."""
        wide, high = self.width + 2 * beside, self.height + 0.12
        yield Box(-beside, -0.06, wide, high, fill, rounded, LINE, 0.03)

    def piece(self, at: int, text: str) -> Iterator[Shape]:
        """What stands in a cell."""
        if text not in (self.view.empty, VOID):
            hole = FRESH if at in self.view.last else CELL
            yield from piece(text, self.view.side_of(text), *self.middle(at), 1.0, hole)

    def mark(self, at: int) -> Iterator[Shape]:
        """Of the last move: a line below its piece, as the ground alone would be a matter of colour."""
        x, y = self.middle(at)
        yield Stroke(((x - 0.2, y + 0.42), (x + 0.2, y + 0.42)), TEXT, 0.05)


class Tray(Places):
    """Holes that things fall down behind."""

    def ground(self) -> Iterator[Shape]:
        """As above."""
        yield from self.frame(PANEL, 0.26)
        for at in range(self.across * self.down):
            fresh = at in self.view.last
            yield Disc(*self.middle(at), 0.42, FRESH if fresh else GROUND, LINE, 0.015)

    def piece(self, at: int, text: str) -> Iterator[Shape]:
        """As above."""
        if text != self.view.empty:
            hole = FRESH if at in self.view.last else GROUND
            yield from piece(text, self.view.side_of(text), *self.middle(at), 1.0, hole)


PITCH, REACH = 0.866, 0.577
"""From one row of six-sided cells to the next, and how far they reach above and below their middles."""


class Hex(Places):
    """Six-sided cells, each row half a cell further right; and whose the edges of the board are."""

    beyond = (0.54, 0.2, 0.54, 0.2)

    def size(self) -> tuple[float, float]:
        """As above."""
        return self.across + (self.down - 1) / 2, (self.down - 1) * PITCH + 2 * REACH

    def middle(self, at: int) -> Point:
        """As above."""
        row, column = divmod(at, self.across)
        return column + (row + 1) / 2, row * PITCH + REACH

    def left(self, row: int) -> float:
        """As above."""
        return row / 2

    def corner(self, at: int, corner: int) -> Point:
        """One of a cell's six, from the upper left one on."""
        (x, y), angle = self.middle(at), (corner - 2.5) * pi / 3
        return x + REACH * cos(angle), y + REACH * sin(angle)

    def ground(self) -> Iterator[Shape]:
        """As above."""
        for at in range(self.across * self.down):
            fill = FRESH if at in self.view.last else CELL
            yield Area(tuple(self.corner(at, one) for one in range(6)), fill, LINE, 0.025)
        across, down, last = self.across, self.down, (self.down - 1) * self.across
        edges = {
            "n": [self.corner(at, one) for at in range(across) for one in (0, 1, 2)],
            "s": [self.corner(last + at, one) for at in range(across) for one in (5, 4, 3)],
            "w": [self.corner(at * across, one) for at in range(down) for one in (0, 5, 4)],
            "e": [self.corner((at + 1) * across - 1, one) for at in range(down) for one in (1, 2, 3)],
        }
        beside = {
            "n": (across / 2, -0.34),
            "s": (self.width - across / 2, self.height + 0.34),
            "w": ((down - 1) / 4 - 0.96, self.height / 2),
            "e": (self.width - (down - 1) / 4 + 0.34, self.height / 2),
        }
        sides: list[Side] = [0, 1]
        for side in sides if self.view.goals else []:
            for edge in (self.view.goals or ["", ""])[side]:
                yield from line_of(side, edges[edge], 0.13)
                yield from piece(self.view.marks[side][0], side, *beside[edge], 0.5, CELL)


class Points(Places):
    """Points, and the lines that join them."""

    def ground(self) -> Iterator[Shape]:
        """As above."""
        yield from self.frame(LINE, 0.08)
        yield Box(0, 0, self.width, self.height, CELL)
        for line in self.view.joins or []:
            yield Stroke(tuple(map(self.middle, line)), LINE, 0.05)
        for at, text in enumerate(self.view.texts()):
            if at in self.view.last:
                yield Disc(*self.middle(at), 0.48, FRESH)
            if text != VOID:
                yield Disc(*self.middle(at), 0.09, LINE)


PIT, STORE = 1.5, 1.2
"""How high a pit is, and how wide a store."""


class Pits(Places):
    """Two rows of pits with seeds, and a store beside each end."""

    beyond = (0.0, STORE + 0.08, 0.0, STORE + 0.08)

    def size(self) -> tuple[float, float]:
        """As above."""
        return float(self.across), 2 * PIT

    def middle(self, at: int) -> Point:
        """As above."""
        return at % self.across + 0.5, (at // self.across + 0.5) * PIT

    def left(self, row: int) -> float:
        """As above."""
        return -STORE - 0.08

    def ground(self) -> Iterator[Shape]:
        """As above."""
        yield from self.frame(PANEL, 0.5, STORE + 0.14)
        for at in range(2 * self.across):
            x, y = self.middle(at)
            yield from _pit(1 if at < self.across else 0, x, y, 0.86, PIT - 0.14)
        for side, x in self._stores():
            yield from _pit(side, x, PIT, STORE - 0.08, self.height - 0.14)
            yield from piece(self.view.marks[side][0], side, x, 0.52, 0.55, CELL)
            if self.view.counts:
                yield from _seeds(self.view.counts[0].of[side], 4, x, PIT + 0.18, PIT + 1.12, 0.56)

    def _stores(self) -> list[tuple[Side, float]]:
        return [(0, self.width + STORE / 2 + 0.04), (1, -STORE / 2 - 0.04)]

    def piece(self, at: int, text: str) -> Iterator[Shape]:
        """As above."""
        x, y = self.middle(at)
        yield from _seeds(int(text), 3, x, y - 0.24, y + 0.42, 0.44)


def _pit(side: Side, x: float, y: float, width: float, height: float) -> Iterator[Shape]:
    reach = 0.37
    yield Box(x - width / 2, y - height / 2, width, height, GROUND, reach)
    corners = [(1, -1, 1.5), (1, 1, 0.0), (-1, 1, 0.5), (-1, -1, 1.0)]
    around = [
        (
            x + across * (width / 2 - reach) + reach * cos((start + step / 12) * pi),
            y + down * (height / 2 - reach) + reach * sin((start + step / 12) * pi),
        )
        for across, down, start in corners
        for step in range(7)
    ]
    yield from line_of(side, [*around, around[0]], 0.05)


def _seeds(count: int, wide: int, x: float, y: float, below: float, size: float) -> Iterator[Shape]:
    """Seeds as dots, and below them how many they are."""
    shown = min(count, wide * (4 if wide == 3 else 6))
    rows = -(-shown // wide)
    for at in range(shown):
        row, column = divmod(at, wide)
        here = min(wide, shown - row * wide)
        yield Disc(x + (column - (here - 1) / 2) * 0.22, y + (row - (rows - 1) / 2) * 0.2, 0.085, PAST)
    yield letters(str(count), x, below, size, TEXT)


HALF, THIN = 0.62, 0.24
"""Half the way from dot to dot, and how wide an edge is drawn."""


class Edges(Places):
    """Dots, the edges between them, and boxes between edges."""

    def size(self) -> tuple[float, float]:
        """As above."""
        return self.across * HALF, self.down * HALF

    def middle(self, at: int) -> Point:
        """As above."""
        return (at % self.across + 0.5) * HALF, (at // self.across + 0.5) * HALF

    def bar(self, at: int, inset: float, fill: Colour) -> Box:
        """An edge."""
        (x, y), row = self.middle(at), at // self.across
        sizes = [2 * HALF - THIN, THIN][:: -1 if row % 2 else 1]
        wide, high = (size - 2 * inset for size in sizes)
        return Box(x - wide / 2, y - high / 2, wide, high, fill, 0.07)

    def edges(self) -> Iterator[int]:
        """The cells that are edges."""
        cells = range(self.across * self.down)
        return (at for at in cells if (at // self.across + at % self.across) % 2)

    def ground(self) -> Iterator[Shape]:
        """As above."""
        for at in self.edges():
            yield self.bar(
                at, -0.04 if at in self.view.last else 0.0, FRESH if at in self.view.last else PANEL
            )
        for at in range(self.across * self.down):
            if not (at // self.across % 2 or at % self.across % 2):
                yield Disc(*self.middle(at), 0.15, TEXT)

    def piece(self, at: int, text: str) -> Iterator[Shape]:
        """As above."""
        if (at // self.across + at % self.across) % 2:
            if text != self.view.empty:
                yield self.bar(at, 0.05, TEXT)
        elif (side := self.view.side_of(text)) is not None:
            yield from piece(text, side, *self.middle(at), 1.0, CELL)

    def mark(self, at: int) -> Iterator[Shape]:
        """Of the last edge: a line within it."""
        (x, y), along = self.middle(at), 0.25
        ends = ((x, y - along), (x, y + along)) if at // self.across % 2 else ((x - along, y), (x + along, y))
        yield Stroke(ends, CELL, 0.05)


LAYOUTS: dict[str | None, type[Places]] = {
    None: Places,
    "tray": Tray,
    "hex": Hex,
    "points": Points,
    "pits": Pits,
    "edges": Edges,
}


def line_of(side: Side, points: Sequence[Point], thick: float) -> Iterator[Stroke]:
    """A line in a side's colour, broken for the second side."""
    if side == 0:
        yield Stroke(tuple(points), SIDES[side], thick)
        return
    dash, gap = 2 * thick + 0.04, 2 * thick
    left, drawn, on = dash, [points[0]], True
    for start, end in pairwise(points):
        (x, y), length = start, hypot(end[0] - start[0], end[1] - start[1])
        while length > left:
            x, y = x + (end[0] - x) * left / length, y + (end[1] - y) * left / length
            if on:
                yield Stroke((*drawn, (x, y)), SIDES[side], thick)
            length -= left
            on, drawn = not on, [(x, y)]
            left = dash if on else gap
        left -= length
        drawn.append(end)
    if on and len(drawn) > 1:
        yield Stroke(tuple(drawn), SIDES[side], thick)
