"""How a table is laid out: the board first, then the thinking, then moves and talk. Pure."""

from dataclasses import dataclass

from parlour_client.tui.table.grid import fit
from parlour_protocol.views import BoardView

WIDTH, HEIGHT = 80, 24
"""A smaller screen shows the players on a line, the board, and one line more."""
BARS = 2
"""Lines above and below everything: where we are, and the keys."""
LEAST_BESIDE = 36
"""Columns for the panels beside the board."""
WIDE_BESIDE = 50
"""The same where there is plenty."""
LEAST_LEFT = 40
AIR = 3
"""Columns around a board."""
LEAST_BELOW = 7
"""Lines for moves and talk."""
SMALL_BELOW = 5
"""The same on a small screen, while somebody writes."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The sizes that are decided; all else takes what is left."""

    small: bool
    left: int = 0
    """Columns for players, board and what is said about it."""
    players: int = 2
    """Lines."""
    saying: int = 2
    """Lines."""
    below: int = 8
    """Lines for moves and talk."""
    keys: bool = True
    """A line for the keys."""


def arrange(board: BoardView | None, width: int, height: int) -> Arrangement:
    """The arrangement for a board (None: there is none yet) on a screen."""
    if width < WIDTH or height < HEIGHT:
        # Who plays, and who is away, wherever the board leaves a line for it.
        room = height - 2
        players = 1 if board is None or fit(board, width, room).height <= room else 0
        left = 0 if board is None else height - 1 - players - fit(board, width, height - 1 - players).height
        return Arrangement(small=True, players=players, saying=1, below=SMALL_BELOW, keys=left > 0)
    inside = height - BARS
    beside = WIDE_BESIDE if width >= 130 else LEAST_BESIDE
    below = max(LEAST_BELOW, inside * 2 // 5)
    if board is None:
        return Arrangement(False, max(LEAST_LEFT, width // 2), below=below)
    most = width - beside
    players = saying = 2
    grid = fit(board, most - AIR, inside - players - saying)
    if grid.height > inside - players - saying:
        # A tall board needs every line.
        players = saying = 1
        grid = fit(board, most - AIR, inside - players - saying)
    if grid.height < inside - players - saying:
        saying += 1
    left = min(max(grid.width + AIR, LEAST_LEFT), most)
    return Arrangement(False, left, players, saying, below)
