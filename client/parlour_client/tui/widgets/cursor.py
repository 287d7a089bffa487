"""Moving a cursor over the cells in which one may play, by arrow keys. Pure.

Where pieces move one of them is chosen first, and then where it goes: `picked` are the cells chosen so far.
"""

from typing import Literal

from parlour_protocol.views.boards import BoardView, Path

Way = Literal["left", "right", "up", "down"]
WAYS: dict[Way, tuple[int, int]] = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def start(board: BoardView, picked: Path = ()) -> int | None:
    """Where a cursor first appears: by the last move, else in the middle; None where no cell is legal."""
    cells = board.open_cells(picked)
    if not cells:
        return None
    width = max(len(board.columns), 1)
    near = board.last[0] if board.last else len(board.rows) // 2 * width + width // 2
    return min(cells, key=lambda cell: (_distance(near, cell, width), cell))


def moved(board: BoardView, cell: int, way: Way, picked: Path = ()) -> int:
    """The next cell to choose that way; the same one where there is none.

    Left and right go through all of them as one reads, so that none is out of reach; up and down lead
    straight ahead before aside.
    """
    width, tray = max(len(board.columns), 1), board.layout == "tray"
    down, right = WAYS[way]
    if right and not tray:
        ahead_of = [other for other in board.open_cells(picked) if (other - cell) * right > 0]
        return min(ahead_of, key=lambda other: abs(other - cell), default=cell)
    row, column = divmod(cell, width)
    best, best_cost = cell, None
    for other in board.open_cells(picked):
        other_row, other_column = divmod(other, width)
        ahead = (other_row - row) * down + (other_column - column) * right
        aside = abs((other_row - row) * right) + abs((other_column - column) * down)
        if ahead <= 0:
            continue
        # In a game whose pieces fall, up and down mean nothing, and the next column may be at any height.
        cost = (ahead, aside) if tray else (ahead + 3 * aside, ahead)
        if best_cost is None or cost < best_cost:
            best, best_cost = other, cost
    if tray and down:
        return cell
    return best


def kept(board: BoardView, cell: int | None, picked: Path = ()) -> int | None:
    """The cursor on a new position: where it was, or in its column, or as near as one may play."""
    cells = board.open_cells(picked)
    if cell is None or not cells:
        return None
    width, tray = max(len(board.columns), 1), board.layout == "tray"
    return min(
        cells,
        key=lambda other: (
            other != cell,
            tray and other % width != cell % width,
            _distance(cell, other, width),
            other,
        ),
    )


def _distance(one: int, other: int, width: int) -> int:
    return abs(one // width - other // width) + abs(one % width - other % width)
