"""The colours of pictures, and how marks look: as the web page has them in its light theme. Pure.

The sides' marks differ in shape, so that colour is never needed.
"""

import re
from collections.abc import Iterator

from parlour_protocol.ids import Side
from parlour_protocol.pictures.shapes import Area, Box, Colour, Disc, Letters, Shape, Stroke

GROUND, PANEL, CELL, CELL_ODD = "#faf6ec", "#e8e0cd", "#fffdf6", "#efe7d3"
TEXT, PAST, LINE, NOTICE, FRESH = "#27231c", "#635c50", "#8d8164", "#6c5500", "#e9c98f"
SIDES = ("#b06500", "#007573")
"""The light theme of the web page (`style.css`), its sides brighter: here they are no text. And the ground of
the last move."""

KINGS = "◆◇"
CROWN = [
    (-0.19, 0.13),
    (-0.19, -0.11),
    (-0.1, -0.01),
    (0.0, -0.17),
    (0.1, -0.01),
    (0.19, -0.11),
    (0.19, 0.13),
]
"""Around the middle of a cell."""


def piece(text: str, side: Side | None, x: float, y: float, size: float, hole: Colour) -> Iterator[Shape]:
    """What stands in a cell of this size: as `pieces.js` draws it."""
    colour = TEXT if side is None else SIDES[side]
    if side is None:
        yield letters(text, x, y, 0.46 * size, TEXT)
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
    elif text in KINGS:
        # A king is its side's man with a crown; the ring is wide enough for it.
        yield Disc(x, y, 0.38 * size, colour)
        if text == KINGS[1]:
            yield Disc(x, y, 0.3 * size, None, hole, 0.06 * size)
        yield Area(tuple((x + across * size, y + down * size) for across, down in CROWN), hole)
    elif re.match("[A-Za-z0-9]", text):
        # A letter stands on its side's token: the second side's has corners.
        half = 0.34 * size
        if side:
            yield Box(x - half, y - half, 2 * half, 2 * half, colour, 0.14 * size)
        else:
            yield Disc(x, y, 0.38 * size, colour)
        yield letters(text, x, y, 0.46 * size, "#ffffff")
    else:
        yield letters(text, x, y, 0.72 * size, colour)


def letters(text: str, x: float, y: float, size: float, colour: Colour) -> Letters:
    """A few characters in a cell: the more, the smaller."""
    return Letters(x, y, text, size / max(1.0, 0.62 * len(text)), colour)
