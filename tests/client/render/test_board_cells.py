"""What is drawn, and how: without colours too everything can be told apart."""

from dataclasses import replace

import pytest
from rich.segment import Segment
from rich.style import Style

from parlour_client.render.board_cells import ROLES, Palette, Scene, draw
from parlour_client.render.board_grid import fit
from parlour_protocol.views.boards import Groups
from tests.client.rooms import chess
from tests.client.tui.screens.positions import COLUMNS, DISCS, NINE, WIDE, WON, candidate, position, report
from tests.support.mancala import MANCALA

COLOURS = {role: f"#{number:02x}{number:02x}{number:02x}" for number, role in enumerate(ROLES, start=10)}
PALETTE: Palette = {
    role: Style(bgcolor=colour) if role in ("ground", "other-ground", "last") else Style(color=colour)
    for role, colour in COLOURS.items()
}


def drawn(scene: Scene, width: int = 42, height: int = 18) -> list[list[Segment]]:
    grid = fit(scene.board, width, height)
    lines = draw(scene, grid, PALETTE)
    assert len(lines) == grid.height
    assert all(sum(one.cell_length for one in line) == grid.width for line in lines)
    return lines


def text(lines: list[list[Segment]]) -> str:
    return "\n".join("".join(one.text for one in line) for line in lines)


def style_at(lines: list[list[Segment]], x: int, y: int) -> Style:
    for one in lines[y]:
        if x < one.cell_length:
            assert one.style is not None
            return one.style
        x -= one.cell_length
    raise AssertionError("beyond the line")


def colour(style: Style) -> str:
    return style.color.name if style.color is not None else ""


@pytest.mark.parametrize(
    ("game", "moves"),
    [("tictactoe", "b2 a1"), ("connect4", COLUMNS), ("reversi", DISCS), ("ultimate", NINE), ("gomoku", "h8")],
)
@pytest.mark.parametrize("size", [(10, 4), (42, 18), (110, 44)])
def test_any_board_is_drawn_in_any_room(game: str, moves: str, size: tuple[int, int]) -> None:
    board = position(game, moves)
    scene = Scene(
        board, cursor=board.open_cells()[0], ghost=board.open_cells()[-1], yours=True, report=report()
    )
    assert text(drawn(scene, *size)).strip()


def test_the_last_move_is_underlined_and_the_winning_line_reversed() -> None:
    board = position("tictactoe", "b2 a1 a3")
    grid = fit(board, 20, 8)
    lines = drawn(Scene(board), 20, 8)
    x, y = grid.place(0)
    assert style_at(lines, x, y + grid.cell_height - 1).underline
    x, y = grid.place(4)
    assert not style_at(lines, x, y + grid.cell_height - 1).underline
    board = position("connect4", WON)
    grid = fit(board, 42, 18)
    lines = drawn(Scene(board))
    for cell in board.line:
        x, y = grid.place(cell)
        style = style_at(lines, x, y)
        assert style.bgcolor is not None and style.bgcolor.name == COLOURS["first"]
        assert colour(style) == COLOURS["ground"]


def test_legal_moves_are_hinted_where_not_every_free_cell_is_one() -> None:
    board = position("reversi", DISCS)
    assert text(drawn(Scene(board, yours=True))).count("+") == len(board.legal)
    assert "+" not in text(drawn(Scene(position("tictactoe", "b2"))))
    assert "+" not in text(drawn(Scene(position("connect4", "4"))))


def test_a_falling_piece_is_on_its_way_and_turned_ones_are_pale() -> None:
    board = position("connect4", "4")
    landing = board.last[0]
    resting = text(drawn(Scene(board)))
    rows = [index for index, line in enumerate(resting.splitlines()) if "█" in line]
    above = text(drawn(Scene(board, falling=(landing, 1))))
    higher = [index for index, line in enumerate(above.splitlines()) if "█" in line]
    assert len(rows) == len(higher) and higher[0] == rows[0] - 4 * 2
    turned = position("reversi", DISCS)
    cell = "".join(turned.texts()).index("●")
    grid = fit(turned, 42, 18)
    x, y = grid.place(cell)
    lines = drawn(Scene(turned, pale=frozenset({cell})))
    assert colour(style_at(lines, x + 2, y)) == COLOURS["pale"]
    assert colour(style_at(drawn(Scene(turned)), x + 2, y)) == COLOURS["first"]


def test_costs_stand_on_their_cells_and_guesses_never_look_proven() -> None:
    board = position("tictactoe", "b2")
    kinds = [
        candidate("a3", 95, "exact", result="win", plies=5),
        candidate("b3", 3.4),
        candidate("c3", 95, "at_least", result="win"),
    ]
    shown = text(drawn(Scene(board, report=report(candidates=kinds, best="a3"))))
    assert "W5*" in shown and "~53" in shown and ">W" in shown
    # Around a guess it is hatched, around a bound dotted.
    assert shown.count("░") >= 20 and shown.count("·") >= 20
    # Where no cell is wide enough the best moves are numbered.
    wide = position("mnk:19,19,5", WIDE)
    some = [candidate(move, score) for move, score in zip(wide.legal, range(40, 0, -2), strict=False)]
    reported = text(drawn(Scene(wide, report=report(candidates=some, best=some[0].move)), 44, 22))
    assert "1░2░3░" in reported


def test_a_picked_piece_what_it_can_take_and_where_it_can_go_are_distinguished() -> None:
    scene = Scene(chess(), picked=(8,), cursor=6, yours=True)
    assert text(drawn(scene, 30, 14)).splitlines() == [
        "  ┌─────┬─────┬─────┬─────┐",
        "  │     │╭   ╮│     │     │",
        "4 │ bR  │╰bN ╯│ bK  │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "  │     │     │┏   ┓│     │",
        "3 │     │ bP  │┗ + ┛│ wP  │",
        "  ├─────┼─────┼─────┼─────┤",
        "  │╔   ╗│     │     │     │",
        "2 │╚wN ╝│     │ wP  │     │",
        "  ├─────┼─────┼─────┼─────┤",
        "  │     │     │     │     │",
        "1 │ wR  │ wK  │     │     │",
        "  └─────┴─────┴─────┴─────┘",
        "     a     b     c     d   ",
    ]
    # Where a text fills its cell nothing is written over it.
    grid = fit(chess(), 14, 5)
    small = drawn(scene, 14, 5)
    assert text(small).splitlines()[0] == "4 bR bN bK  . "
    assert style_at(small, *grid.place(8)).reverse
    assert style_at(small, *grid.place(1)).underline and not style_at(small, *grid.place(5)).underline
    # Before a piece is picked nothing says where it might go.
    assert "+" not in text(drawn(replace(scene, picked=()), 30, 14))


def test_counts_stand_in_pits_in_no_sides_colour() -> None:
    pits = MANCALA.view(*MANCALA.replay("a1 a2"))
    lines = drawn(Scene(pits, yours=True, ghost=0), 18, 6)
    assert text(lines).splitlines() == [
        "  ┌───┬───┬───┐",
        "b │ 4 │ 4 │ 3 │",
        "  ├───┼───┼───┤",
        "a │   │   │ 5 │",
        "  └───┴───┴───┘",
        "    1   2   3  ",
    ]
    assert colour(style_at(lines, 4, 1)) == COLOURS["legal"]
    assert colour(style_at(lines, 12, 3)) == COLOURS["empty"]


def test_what_a_server_may_send_does_no_harm() -> None:
    board = position("tictactoe", "b2")
    odd = replace(
        board,
        cells=["X?[", "", "漢O♞"],
        marks=[["漢"], ["@"]],
        rows=["[31m", "[bold]", "x"],
        columns=["[@click=app.bell]a", "b", "c"],
        last=[99, 0],
        line=[77],
        paths=[0, -1, 900],
        groups=Groups(2, 2, ["漢"], [7]),
    )
    for size in ((5, 3), (42, 18), (90, 40)):
        assert text(drawn(Scene(odd, cursor=0, ghost=8, yours=True, report=report()), *size))
