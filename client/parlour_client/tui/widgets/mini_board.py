"""A board in miniature, from the wire's view of it: of a large one its liveliest part. Pure."""

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

if TYPE_CHECKING:
    from parlour_protocol.views.boards import BoardView

SIDES = ("$first-seat bold", "$second-seat bold")


def tiny_board(board: "BoardView", width: int, height: int) -> Content:
    """The board in at most so many columns and lines of text; a column stands between two cells.

    Not between dots and the edges that join them; and rows of hexagons are shifted.
    """
    wide = max((cell_len(text) for text in set(board.texts())), default=1)
    down = min(len(board.rows), height)
    gap, shift = " " * (board.layout != "edges"), int(board.layout == "hex")
    across = min(len(board.columns), (width + len(gap) - shift * (down - 1)) // (wide + len(gap)))
    left, top = _corner(board, across, down)
    rows = [row[left : left + across] for row in board.cells[top : top + down]]
    return Content("\n").join(
        Content(" " * shift * number) + Content(gap).join(_text(board, text, wide) for text in row)
        for number, row in enumerate(rows)
    )


def _text(board: "BoardView", text: str, width: int) -> Content:
    side = board.side_of(text)
    free = " " if board.layout == "edges" else "·"
    shown = free if text == board.empty else text or "?"
    return Content.styled(shown + " " * (width - cell_len(shown)), "$past" if side is None else SIDES[side])


def _corner(board: "BoardView", across: int, down: int) -> tuple[int, int]:
    """Where the part with the most marks begins, by column and row; of equals the one nearest the middle."""
    columns, rows = len(board.columns), len(board.rows)
    marked = [
        (column, row)
        for row, line in enumerate(board.cells)
        for column, text in enumerate(line)
        if text != board.empty
    ]

    def worth(corner: tuple[int, int]) -> tuple[int, int]:
        left, top = corner
        inside = sum(left <= column < left + across and top <= row < top + down for column, row in marked)
        off = abs(2 * left + across - columns) + abs(2 * top + down - rows)
        return inside, -off

    corners = [(left, top) for top in range(rows - down + 1) for left in range(columns - across + 1)]
    return max(corners, key=worth, default=(0, 0))
