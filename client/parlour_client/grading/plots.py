"""A plot as a picture: dots over a game's plies, by a logarithmic scale."""

import math
from collections.abc import Iterator, Sequence

from parlour_protocol.pictures.pieces import GROUND, LINE, PAST, TEXT
from parlour_protocol.pictures.shapes import Disc, Letters, Picture, Shape, Stroke, svg
from parlour_protocol.words import language

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT, TOP, BOTTOM = 70.0, 348.0, 14.0, 146.0
"""What is within the scales."""
LETTERS = 12.0
LEAST = 1e-4
"""Smaller values are drawn as this one."""
MOST_TICKS = 6
"""So many plies are named at most."""


def over_plies(values: Sequence[tuple[int, float]], title: str, below: str) -> str:
    """Values by how many plies were played before; `title` is said to those who don't see the picture."""
    last = max(ply for ply, _ in values)
    heights = [math.log10(max(value, LEAST)) for _, value in values]
    low, high = math.floor(min(heights)), math.ceil(max(heights))
    high = max(high, low + 1)

    def x(ply: int) -> float:
        return LEFT + 8 + (RIGHT - LEFT - 16) * ply / max(last, 1)

    def y(height: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (height - low) / (high - low)

    def shapes() -> Iterator[Shape]:
        for power in range(low, high + 1):
            yield Stroke(((LEFT, y(power)), (RIGHT, y(power))), LINE, 0.5)
            decade = language().number(10.0**power, max(0, -power))
            yield Letters(LEFT - 34, y(power), decade, LETTERS, PAST)
        for ply in range(0, last + 1, -(-(last + 1) // MOST_TICKS)):
            yield Letters(x(ply), BOTTOM + 14, str(ply), LETTERS, PAST)
        yield Letters((LEFT + RIGHT) / 2, BOTTOM + 34, below, LETTERS, PAST)
        for (ply, _), height in zip(values, heights, strict=True):
            yield Disc(x(ply), y(height), 3.5, None, TEXT, 1.5)

    return svg(Picture(WIDTH, HEIGHT, GROUND, list(shapes())), title)
