"""A board as shapes, for any game, as the web page draws it in its light theme. Pure.

The sides' marks differ in shape, so that colour is never needed.
"""

import re
from collections.abc import Iterator

from parlour_protocol.ids import Side
from parlour_protocol.views.boards import BoardView
from parlour_server.pictures.shapes import Box, Colour, Disc, Letters, Picture, Point, Shape, Stroke

GROUND, PANEL, CELL, CELL_ODD = "#faf6ec", "#e8e0cd", "#fffdf6", "#efe7d3"
TEXT, PAST, LINE, NOTICE, FRESH = "#27231c", "#635c50", "#8d8164", "#6c5500", "#e9c98f"
SIDES = ("#b06500", "#007573")
"""The light theme of the web page (`style.css`), its sides brighter: here they are no text. And the ground of
the last move."""

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
    cell = size / max(_across(view), _down(view), 1)
    below = cell * 0.2 + 24.0 if view.counts else 0.0
    width, height = cell * _width(view), cell * _height(view) + below
    shapes = [*_board(view, 0.0, 0.0, cell), *_counts(view, width / 2, height - below / 2 - 4.0)]
    return Picture(round(width), round(height), GROUND, shapes)


def card(view: BoardView) -> Picture:
    """A board for the preview of a link, between the marks of its two sides."""
    width, height = CARD
    cell = min((height - 40) / _height(view), (width - 480) / _width(view))
    left, top = (width - cell * _width(view)) / 2, (height - cell * _height(view)) / 2
    shapes = list(_board(view, left, top, cell))
    places: list[tuple[Side, float]] = [(0, left / 2), (1, width - left / 2)]
    for side, x in places:
        won = view.to_move is None and view.line and view.side_of(view.texts()[view.line[0]]) == side
        if view.to_move == side or won:
            shapes.append(Disc(x, height / 2, 100.0, CELL, FRESH, 6.0))
        shapes += _piece(view.marks[side][0], side, x, height / 2, 150.0, GROUND)
    return Picture(width, height, GROUND, shapes)


def _across(view: BoardView) -> int:
    return len(view.columns)


def _down(view: BoardView) -> int:
    return len(view.rows)


def _left(view: BoardView) -> float:
    """The room for the rows' names, in cells."""
    return _label(view) if any(view.rows) else EDGE


def _label(view: BoardView) -> float:
    return LABEL * (1.6 if max(_across(view), _down(view)) > LARGE else 1.0)


def _width(view: BoardView) -> float:
    return _left(view) + _across(view) + EDGE


def _height(view: BoardView) -> float:
    return EDGE + _down(view) + (_label(view) if any(view.columns) else EDGE)


def _board(view: BoardView, left: float, top: float, cell: float) -> Iterator[Shape]:
    """Everything from the frame to the winning line; the corner is that of the names beside the board."""
    x, y = left + _left(view) * cell, top + EDGE * cell
    across, down, tray = _across(view), _down(view), view.layout == "tray"

    def middle(at: int) -> Point:
        return x + (at % across + 0.5) * cell, y + (at // across + 0.5) * cell

    rim = 0.06 * cell
    yield Box(
        x - rim,
        y - rim,
        across * cell + 2 * rim,
        down * cell + 2 * rim,
        PANEL if tray else LINE,
        (0.26 if tray else 0.08) * cell,
        LINE,
        0.03 * cell,
    )
    fresh = {*view.last}
    if not tray:
        yield Box(x, y, across * cell, down * cell, CELL)
    for at in range(across * down):
        odd = view.slides and (at // across + at % across) % 2
        if tray:
            yield Disc(*middle(at), 0.42 * cell, FRESH if at in fresh else GROUND, LINE, 0.015 * cell)
        elif odd or at in fresh:
            left, top = x + at % across * cell, y + at // across * cell
            yield Box(left, top, cell, cell, FRESH if at in fresh else CELL_ODD)
    if not tray:
        yield from (_rule(x + at * cell, y, x + at * cell, y + down * cell, cell) for at in range(1, across))
        yield from (_rule(x, y + at * cell, x + across * cell, y + at * cell, cell) for at in range(1, down))
    yield from _names(view, x, y, cell)
    for at, text in enumerate(view.texts()):
        if text != view.empty:
            hole = FRESH if at in fresh else GROUND if tray else CELL
            yield from _piece(text, view.side_of(text), *middle(at), cell, hole)
    yield from _groups(view, x, y, cell)
    for at in view.last[:1]:
        # A line below its piece: the ground alone would be a matter of colour.
        mx, my = middle(at)
        yield Stroke(
            ((mx - 0.2 * cell, my + 0.42 * cell), (mx + 0.2 * cell, my + 0.42 * cell)), TEXT, 0.05 * cell
        )
    if view.line:
        yield Stroke(tuple(_middles_of_line(view, x, y, cell)), TEXT, 0.09 * cell)


def _middles_of_line(view: BoardView, x: float, y: float, cell: float) -> Iterator[Point]:
    """Where the winning line leads: from cell to cell, or from group to group where whole groups have won."""
    across, groups = _across(view), view.groups
    width, height = (groups.width, groups.height) if groups is not None else (1, 1)
    corners = dict.fromkeys(
        (at // across // height * height, at % across // width * width) for at in view.line
    )
    if len(corners) * width * height != len(view.line):
        width = height = 1
        corners = dict.fromkeys(divmod(at, across) for at in view.line)
    for row, column in corners:
        yield x + (column + width / 2) * cell, y + (row + height / 2) * cell


def _rule(x: float, y: float, to_x: float, to_y: float, cell: float) -> Stroke:
    return Stroke(((x, y), (to_x, to_y)), LINE, 0.03 * cell)


def _names(view: BoardView, x: float, y: float, cell: float) -> Iterator[Shape]:
    """Those of the columns below the board, and of the rows at its left."""
    label = _label(view)
    size = 0.56 * label * cell
    for column, name in enumerate(view.columns):
        if name:
            yield Letters(
                x + (column + 0.5) * cell, y + (_down(view) + label * 0.56) * cell, name, size, PAST
            )
    for row, name in enumerate(view.rows):
        if name:
            yield Letters(x - label * 0.5 * cell, y + (row + 0.5) * cell, name, size, PAST)


def _groups(view: BoardView, x: float, y: float, cell: float) -> Iterator[Shape]:
    """The frames of small boards within the board, and one large mark on each that was won."""
    groups = view.groups
    if groups is None:
        return
    width, height = groups.width * cell, groups.height * cell
    owners = [owner for row in groups.owners for owner in row]
    across = _across(view) // groups.width
    for at, owner in sorted(enumerate(owners), key=lambda one: one[0] in groups.active):
        left, top = x + at % across * width, y + at // across * height
        active, won = at in groups.active, owner != view.empty
        inset = 0.04 * cell
        frame = (left + inset, top + inset, width - 2 * inset, height - 2 * inset)
        yield Box(
            *frame,
            PANEL if won else None,
            0.1 * cell,
            NOTICE if active else LINE,
            (0.12 if active else 0.07) * cell,
        )
        if won:
            size = min(width, height) * 0.9
            yield from _piece(owner, view.side_of(owner), left + width / 2, top + height / 2, size, PANEL)


def _counts(view: BoardView, x: float, y: float) -> Iterator[Shape]:
    """A number for each side beside its own mark: what is counted the board shows."""
    for count in view.counts[:1]:
        for side, number in enumerate(count.of):
            at = x + (-70.0, 40.0)[side]
            yield from _piece(view.marks[side][0], 1 if side else 0, at, y, 26.0, GROUND)
            yield Letters(at + 30.0, y, str(number), 18.0, SIDES[side])


def _piece(text: str, side: Side | None, x: float, y: float, size: float, hole: Colour) -> Iterator[Shape]:
    """What stands in a cell of this size: as `pieces.js` draws it."""
    colour = TEXT if side is None else SIDES[side]
    if side is None:
        yield _letters(text, x, y, 0.46 * size, TEXT)
    elif text == "X":
        arm = 0.27 * size
        yield Stroke(((x - arm, y - arm), (x + arm, y + arm)), colour, 0.13 * size)
        yield Stroke(((x - arm, y + arm), (x + arm, y - arm)), colour, 0.13 * size)
    elif text == "O":
        yield Disc(x, y, 0.28 * size, None, colour, 0.13 * size)
    elif text in ("●", "○"):
        yield Disc(x, y, 0.38 * size, colour)
        if text == "○":
            yield Disc(x, y, 0.2 * size, None, hole, 0.06 * size)
    elif re.match("[A-Za-z0-9]", text):
        # A letter stands on its side's token: the second side's has corners.
        half = 0.34 * size
        if side:
            yield Box(x - half, y - half, 2 * half, 2 * half, colour, 0.14 * size)
        else:
            yield Disc(x, y, 0.38 * size, colour)
        yield _letters(text, x, y, 0.46 * size, "#ffffff")
    else:
        yield _letters(text, x, y, 0.72 * size, colour)


def _letters(text: str, x: float, y: float, size: float, colour: Colour) -> Letters:
    return Letters(x, y, text, size / max(1.0, 0.62 * len(text)), colour)
