"""Moving a cursor over the cells in which one may play, by arrow keys. Pure.

Where moves have sources a piece is chosen first (`picked`: the cell it stands in), and then its target.
"""

from collections.abc import Iterator
from typing import Literal

from parlour_protocol.views.boards import BoardView

Way = Literal["left", "right", "up", "down"]
WAYS: dict[Way, tuple[int, int]] = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def start(board: BoardView, picked: int | None = None) -> int | None:
    """Where a cursor first appears: by the last move, else in the middle; None where no cell is legal."""
    cells = choices(board, picked)
    if not cells:
        return None
    width = max(len(board.columns), 1)
    near = board.last[0] if board.last else len(board.rows) // 2 * width + width // 2
    return min(cells, key=lambda cell: (_distance(near, cell, width), cell))


def moved(board: BoardView, cell: int, way: Way, picked: int | None = None) -> int:
    """The next cell to choose that way, straight ahead before aside; the same one where there is none."""
    width = max(len(board.columns), 1)
    down, right = WAYS[way]
    row, column = divmod(cell, width)
    best, best_cost = cell, None
    for other in choices(board, picked):
        other_row, other_column = divmod(other, width)
        ahead = (other_row - row) * down + (other_column - column) * right
        aside = abs((other_row - row) * right) + abs((other_column - column) * down)
        if ahead <= 0:
            continue
        # In a game whose pieces fall, up and down mean nothing, and the next column may be at any height.
        cost = (ahead + 3 * aside, ahead) if any(board.rows) else (ahead, aside)
        if best_cost is None or cost < best_cost:
            best, best_cost = other, cost
    if not any(board.rows) and down:
        return cell
    return best


def kept(board: BoardView, cell: int | None, picked: int | None = None) -> int | None:
    """The cursor on a new position: where it was, or in its column, or as near as one may play."""
    cells = choices(board, picked)
    if cell is None or not cells:
        return None
    width = max(len(board.columns), 1)
    return min(
        cells,
        key=lambda other: (
            other != cell,
            other % width != cell % width if not any(board.rows) else 0,
            _distance(cell, other, width),
            other,
        ),
    )


def moves_at(board: BoardView, cell: int, picked: int | None = None) -> list[str]:
    """The legal moves that are drawn in a cell, of the picked piece alone where one is picked.

    Else, where pieces fall, the move that is named like the cell's column.
    """
    pairs = [(move, target) for move, target, source in _moves(board) if picked in (None, source)]
    there = [move for move, target in pairs if target == cell]
    if there or any(board.rows) or board.sources:
        return there
    width = max(len(board.columns), 1)
    return [move for move, target in pairs if target >= 0 and target % width == cell % width]


def sources(board: BoardView) -> set[int]:
    """The cells whose pieces may move."""
    return {source for source in board.sources if source >= 0}


def choices(board: BoardView, picked: int | None = None) -> list[int]:
    """The cells to choose from: a picked piece's targets; else pieces that may move, and where to put one."""
    if picked is not None:
        cells = {target for _, target, source in _moves(board) if source == picked}
    else:
        cells = sources(board) | {target for _, target, source in _moves(board) if source < 0}
    return sorted(cell for cell in cells if cell >= 0)


def _moves(board: BoardView) -> Iterator[tuple[str, int, int]]:
    """Each legal move with its target and its source."""
    return zip(board.legal, board.targets, board.sources or [-1] * len(board.legal), strict=False)


def _distance(one: int, other: int, width: int) -> int:
    return abs(one // width - other // width) + abs(one % width - other % width)
