"""How a table is laid out: the board first, then the thinking, then moves and chat. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from parlour_client.render.board_grid import fit
from parlour_client.tui.screens.left_column import Part
from parlour_protocol.views.boards import BoardView

WIDTH, HEIGHT = 80, 24
"""A smaller screen shows the board, and of the rest what is declared for it."""
BARS = 2
"""Lines above and below everything: the headline and the footer."""
LEAST_BESIDE = 36
"""Columns for the panels beside the board."""
WIDE_BESIDE = 50
"""The same where there is plenty."""
LEAST_LEFT = 40
AIR = 3
"""Columns around a board."""
LEAST_BELOW = 7
"""Lines for moves and chat."""
SMALL_BELOW = 5
"""The same on a small screen, while somebody writes."""
SMALL_REVIEW = 10
"""Lines for a review below the board of a small screen; a low one has half of its lines for it."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The sizes that are decided; all else takes what is left."""

    small: bool
    left: int = 0
    """Columns for the board and the parts above and below it."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The height of each part that is shown, by its name."""
    below: int = 8
    """Lines for moves and chat."""
    footer: bool = True
    bar: bool = True
    """Is there a column for how the game stands?"""
    review: int = 0
    """Lines for a review below the board; 0: it stands beside it."""


def arrange(
    board: BoardView | None, parts: Sequence[Part], width: int, height: int, *, reviewing: bool = False
) -> Arrangement:
    """The arrangement of a board (None: there is none yet) and the parts that have something to show."""
    if width < WIDTH or height < HEIGHT:
        review = min(SMALL_REVIEW, max(height // 2 - 1, 2)) if reviewing else 0
        return replace(_small(board, parts, width, height - review), review=review)
    inside = height - BARS
    beside = WIDE_BESIDE if width >= 130 else LEAST_BESIDE
    below = max(LEAST_BELOW, inside * 2 // 5)
    lines = {part.name: part.lines for part in parts}
    if board is None:
        return Arrangement(False, max(LEAST_LEFT, width // 2), lines, below)
    most = width - beside
    grid = fit(board, most - AIR, inside - sum(lines.values()))
    if grid.height > inside - sum(lines.values()):
        lines = {part.name: part.tight for part in parts if part.tight}
        grid = fit(board, most - AIR, inside - sum(lines.values()))
    if grid.height < inside - sum(lines.values()):
        grows = next((part.name for part in parts if part.grows and part.name in lines), None)
        if grows is not None:
            lines[grows] += 1
    return Arrangement(False, min(max(grid.width + AIR, LEAST_LEFT), most), lines, below)


def _small(board: BoardView | None, parts: Sequence[Part], width: int, height: int) -> Arrangement:
    def left_by_board(lines: int) -> int:
        return 0 if board is None else height - lines - fit(board, width, height - lines).height

    lines = {part.name: part.small for part in parts if part.small and not part.optional}
    for part in parts:
        if part.small and part.optional and left_by_board(sum(lines.values()) + part.small) >= 0:
            lines[part.name] = part.small
    footer = left_by_board(sum(lines.values())) > 0
    bar = board is not None and fit(board, width, height - sum(lines.values())).width < width
    return Arrangement(small=True, lines=lines, below=SMALL_BELOW, footer=footer, bar=bar)
