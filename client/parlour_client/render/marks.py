"""Marks drawn large, out of quarter blocks: cross, ring, disc, diamonds; they differ in shape. Pure.

Any other sign that a server sends stands small in the middle of its cell.
"""

from collections.abc import Callable
from functools import lru_cache
from math import hypot

from rich.cells import cell_len, set_cell_size

CROSSES = "Xx×✕"
RINGS = "Oo○◯"
DISCS = "●⬤"
FULL_DIAMONDS, DIAMONDS = "◆", "◇"

Shape = Callable[[float, float, float], bool]
"""Is a place within a mark that reaches from -1 to 1, and is so many half lines wide?"""

AIR = 1.4
"""By how many half lines a mark is smaller than its cell, so that neighbours do not touch."""
_FINE = 4
"""Each quarter of a character is looked at in so many places across and down."""
_QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the sum of upper left 1, upper right 2, lower left 4, lower right 8."""


@lru_cache(maxsize=256)
def drawn(sign: str, width: int, height: int) -> tuple[str, ...]:
    """A mark as lines of text that fill a cell of that size."""
    shape = _shape(sign)
    if height == 1 or width < 4 or shape is None:
        return written(sign, width, height)
    if height == 2:
        return tuple(line.center(width) for line in _small(sign, odd=width % 2 == 1))
    if height == 3 and shape is _cross:
        # The rule below would make a blot of it.
        lines = ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄") if width % 2 else ("▀▄▄▀", " ▐▌ ", "▄▀▀▄")
        return tuple(line.center(width) for line in lines)
    if height == 3 and shape is _diamond:
        # Or it would be filled.
        return tuple(line.center(width) for line in ("╱ ╲", "│ │", "╲ ╱"))
    return tuple(
        "".join(_quarters(shape, column, line, width, height) for column in range(width))
        for line in range(height)
    )


def written(text: str, width: int, height: int) -> tuple[str, ...]:
    """A text small in the middle of a cell."""
    return tuple(centred(text, width) if line == height // 2 else " " * width for line in range(height))


def centred(text: str, width: int) -> str:
    """A text in the middle of so many columns, cut where it is wider."""
    spare = max(width - cell_len(text), 0)
    return set_cell_size(" " * (spare // 2) + text, width)


def _shape(sign: str) -> Shape | None:
    shapes = (_cross, _ring, _disc, _full_diamond, _diamond)
    for signs, shape in zip((CROSSES, RINGS, DISCS, FULL_DIAMONDS, DIAMONDS), shapes, strict=True):
        if len(sign) == 1 and sign in signs:
            return shape
    return None


def _small(sign: str, *, odd: bool) -> tuple[str, str]:
    """In two lines a shape has no room for more."""
    if sign in CROSSES:
        return ("▀▄▀", "▄▀▄") if odd else ("▚▞", "▞▚")
    if sign in RINGS:
        return ("╭───╮", "╰───╯") if odd else ("╭──╮", "╰──╯")
    if sign in DIAMONDS:
        return ("╱ ╲", "╲ ╱") if odd else ("╱╲", "╲╱")
    if sign in FULL_DIAMONDS:
        return ("▗█▖", "▝█▘") if odd else ("▟▙", "▜▛")
    # Pinched, or a column of them would be one long bar.
    return ("▗███▖", "▝███▘") if odd else ("▗██▖", "▝██▘")


def _quarters(shape: Shape, column: int, line: int, width: int, height: int) -> str:
    """One character of a shape. Places are counted in half lines, which are as high as a column is wide."""
    size = min(width, 2 * height) - AIR
    found = 0
    for quarter in range(4):
        left, top = column + quarter % 2 / 2, 2 * line + quarter // 2
        hits = 0
        for across in range(_FINE):
            for down in range(_FINE):
                x = (left + (across + 0.5) / _FINE / 2 - width / 2) / (size / 2)
                y = (top + (down + 0.5) / _FINE - height) / (size / 2)
                hits += shape(x, y, size)
        if 2 * hits >= _FINE * _FINE:
            found += 1 << quarter
    return _QUARTERS[found]


def _cross(x: float, y: float, size: float) -> bool:
    thick = 0.9 / size + 0.08
    return max(abs(x), abs(y)) <= 0.9 and min(abs(x - y), abs(x + y)) <= 1.4142 * thick


def _ring(x: float, y: float, size: float) -> bool:
    return 1 - max(2.0 / size, 0.22) <= hypot(x, y) <= 1


def _disc(x: float, y: float, size: float) -> bool:
    return hypot(x, y) <= 1


def _full_diamond(x: float, y: float, size: float) -> bool:
    return abs(x) + abs(y) <= 1


def _diamond(x: float, y: float, size: float) -> bool:
    return 1 - max(3.0 / size, 0.3) <= abs(x) + abs(y) <= 1
