"""A board of each layout, by hand: for whatever draws boards without knowing games."""

from parlour_protocol.views.boards import VOID, BoardView, Count, Path

MEN = [["●", "◆"], ["○", "◇"]]


def _board(rows: list[str], cells: list[str], paths: list[Path], **more: object) -> BoardView:
    columns = [chr(ord("a") + column) for column in range(len(cells[0]))]

    def named(cell: int) -> str:
        return columns[cell % len(columns)] + rows[cell // len(columns)]

    legal = ["".join(map(named, path)) for path in paths]
    sent: list[int | list[int]] = [[*path] if len(path) > 1 else path[0] for path in paths]
    usual = {"marks": MEN, "to_move": 0}
    return BoardView(rows, columns, [*cells], legal=legal, paths=sent, **(usual | more))  # type: ignore[arg-type]


def _free(cells: list[str]) -> list[Path]:
    return [(cell,) for cell, text in enumerate("".join(cells)) if text == "."]


def hexes(size: int = 5) -> BoardView:
    """A few stones on a board of six-sided cells."""
    cells = ["." * size] * size
    cells[1], cells[2] = ".●○" + cells[1][3:], "○●" + cells[2][2:]
    rows = [str(row + 1) for row in range(size)]
    return _board(rows, cells, _free(cells), layout="hex", goals=["ns", "we"], last=[size + 1])


def points() -> BoardView:
    """Two squares of eight points, joined: a man closes a mill and takes one of two away."""
    v = VOID
    cells = [f"●{v}●{v}.", f"{v}.○.{v}", f".○{v}..", f"{v}...{v}", f".{v}●{v}○"]
    rings = [[0, 2, 4], [4, 14, 24], [24, 22, 20], [20, 10, 0], [6, 7, 8], [8, 13, 18], [18, 17, 16]]
    joins = [*rings, [16, 11, 6], [2, 7], [13, 14], [22, 17], [10, 11]]
    paths: list[Path] = [(2, 4, 7), (2, 4, 11), (22, 20), (22, 17)]
    return _board([*"54321"], cells, paths, layout="points", joins=joins, last=[7])


def pits() -> BoardView:
    """Three houses a side."""
    board = _board(
        [*"ba"], ["004", "420"], [(3,), (4,)], layout="pits", empty="0", counts=[Count("seeds", [2, 13])]
    )
    board.marks = [["A"], ["B"]]
    board.cells[0] = ["0", "3", "14"]
    return board


def edges(width: int = 2, height: int = 2) -> BoardView:
    """Boxes, the first of them closed, and another line drawn."""
    drawn = {(0, 1), (1, 0), (1, 2), (2, 1), (0, 3)}
    cells = [
        "".join(
            ("-|"[row % 2] if (row, column) in drawn else ".")
            if (row + column) % 2
            else "+"
            if row % 2 == 0
            else "B"
            if (row, column) == (1, 1)
            else VOID
            for column in range(2 * width + 1)
        )
        for row in range(2 * height + 1)
    ]
    rows = [str(2 * height + 1 - row) for row in range(2 * height + 1)]
    return _board(rows, cells, _free(cells), layout="edges", marks=[["A"], ["B"]], last=[3])


def checkers() -> BoardView:
    """Men and kings; a man jumps over two in turn, and a king comes to one place on two ways."""
    cells = ["......", "..○.○.", "......", "..○.○.", ".●...◆", ".....◇"]
    paths: list[Path] = [(25, 15, 5), (29, 15, 1), (29, 15, 5), (29, 17, 5)]
    return _board([*"654321"], cells, paths, kinds=["man", "king"], last=[10, 17])


LAYOUTS = {"hex": hexes(), "points": points(), "pits": pits(), "edges": edges(), "squares": checkers()}
