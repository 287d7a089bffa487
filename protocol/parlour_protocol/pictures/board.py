"""A board as shapes, for any game, as the web page draws it in its light theme. Pure.

The sides' marks differ in shape, so that colour is never needed.
"""

from collections.abc import Iterator

from parlour_protocol.ids import Side
from parlour_protocol.pictures.pieces import (
    CELL,
    FRESH,
    GROUND,
    LINE,
    NOTICE,
    PANEL,
    PAST,
    SIDES,
    TEXT,
    piece,
)
from parlour_protocol.pictures.places import LAYOUTS, Places
from parlour_protocol.pictures.shapes import Box, Disc, Letters, Picture, Point, Shape, Stroke, moved
from parlour_protocol.views.boards import BoardView

EDGE, LABEL = 0.24, 0.5
"""Around a board, in cells; and where its rows or columns are named."""
LARGE = 9
"""Names beside boards of more cells a side are larger, as those are small."""
USUAL = 480.0
"""How large a board is, in pixels, where nothing else is asked for."""
CARD: tuple[int, int] = (1200, 630)
"""The size that those expect who preview links."""


def plain(view: BoardView, size: float = USUAL) -> Picture:
    """A board of this size by itself, its counts below it."""
    lie = LAYOUTS[view.layout](view)
    cell = size / max(lie.width, lie.height, 1)
    # The counts of stores stand in them.
    counted = bool(view.counts) and view.layout != "pits"
    below = size * 0.025 + 24.0 if counted else 0.0
    width, height = cell * _width(lie), cell * _height(lie) + below
    shapes = [*_board(lie, 0.0, 0.0, cell)]
    if counted:
        shapes += _counts(view, width / 2, height - below / 2 - 4.0)
    return Picture(round(width), round(height), GROUND, shapes)


def card(view: BoardView) -> Picture:
    """A board for the preview of a link, between the marks of its two sides."""
    lie = LAYOUTS[view.layout](view)
    width, height = CARD
    cell = min((height - 40) / _height(lie), (width - 480) / _width(lie))
    left, top = (width - cell * _width(lie)) / 2, (height - cell * _height(lie)) / 2
    shapes = list(_board(lie, left, top, cell))
    places: list[tuple[Side, float]] = [(0, left / 2), (1, width - left / 2)]
    for side, x in places:
        won = view.to_move is None and view.line and view.side_of(view.texts()[view.line[0]]) == side
        if view.to_move == side or won:
            shapes.append(Disc(x, height / 2, 100.0, CELL, FRESH, 6.0))
        shapes += piece(view.marks[side][0], side, x, height / 2, 150.0, GROUND)
    return Picture(width, height, GROUND, shapes)


def _left(lie: Places) -> float:
    """The room for the rows' names and what else is there, in cells."""
    return lie.beyond[3] + (_label(lie) if any(lie.view.rows) else EDGE)


def _label(lie: Places) -> float:
    return LABEL * (1.6 if max(lie.width, lie.height) > LARGE else 1.0)


def _width(lie: Places) -> float:
    return _left(lie) + lie.width + lie.beyond[1] + EDGE


def _height(lie: Places) -> float:
    below = _label(lie) if any(lie.view.columns) else EDGE
    return EDGE + lie.beyond[0] + lie.height + lie.beyond[2] + below


def _board(lie: Places, left: float, top: float, cell: float) -> Iterator[Shape]:
    """Everything from the frame to the winning line; the corner is that of the names beside the board."""
    x, y = left + _left(lie) * cell, top + (EDGE + lie.beyond[0]) * cell
    return (moved(shape, x, y, cell) for shape in cells(lie))


def cells(lie: Places) -> Iterator[Shape]:
    """The same in cells, from the corner of the first one."""
    view = lie.view
    yield from _names(lie)
    yield from lie.ground()
    for at, text in enumerate(view.texts()):
        yield from lie.piece(at, text)
    yield from _groups(view)
    for at in view.last[:1]:
        yield from lie.mark(at)
    if view.line:
        yield Stroke(tuple(_middles_of_line(lie)), TEXT, 0.09)


def _middles_of_line(lie: Places) -> Iterator[Point]:
    """Where the winning line leads: from cell to cell, or from group to group where whole groups have won."""
    view, across = lie.view, len(lie.view.columns)
    if (groups := view.groups) is not None:
        width, height = groups.width, groups.height
        corners = dict.fromkeys(
            (at // across // height * height, at % across // width * width) for at in view.line
        )
        if len(corners) * width * height == len(view.line):
            yield from ((column + width / 2, row + height / 2) for row, column in corners)
            return
    yield from map(lie.middle, view.line)


def _names(lie: Places) -> Iterator[Shape]:
    """Those of the columns below the board, and of the rows at its left."""
    view, label = lie.view, _label(lie)
    size, last = 0.56 * label, (lie.down - 1) * lie.across
    for column, name in enumerate(view.columns):
        if name:
            y = lie.height + lie.beyond[2] + label * 0.56
            yield Letters(lie.middle(last + column)[0], y, name, size, PAST)
    for row, name in enumerate(view.rows):
        if name:
            yield Letters(lie.left(row) - label * 0.5, lie.middle(row * lie.across)[1], name, size, PAST)


def _groups(view: BoardView) -> Iterator[Shape]:
    """The frames of small boards within the board, and one large mark on each that was won."""
    groups = view.groups
    if groups is None:
        return
    width, height = groups.width, groups.height
    owners = [owner for row in groups.owners for owner in row]
    across = len(view.columns) // width
    for at, owner in sorted(enumerate(owners), key=lambda one: one[0] in groups.active):
        left, top = at % across * width, at // across * height
        active, won = at in groups.active, owner != view.empty
        yield Box(
            left + 0.04,
            top + 0.04,
            width - 0.08,
            height - 0.08,
            PANEL if won else None,
            0.1,
            NOTICE if active else LINE,
            0.12 if active else 0.07,
        )
        if won:
            size = min(width, height) * 0.9
            yield from piece(owner, view.side_of(owner), left + width / 2, top + height / 2, size, PANEL)


def _counts(view: BoardView, x: float, y: float) -> Iterator[Shape]:
    """A number for each side beside its own mark: what is counted the board shows."""
    for count in view.counts[:1]:
        for side, number in enumerate(count.of):
            at = x + (-70.0, 40.0)[side]
            yield from piece(view.marks[side][0], 1 if side else 0, at, y, 26.0, GROUND)
            yield Letters(at + 30.0, y, str(number), 18.0, SIDES[side])
