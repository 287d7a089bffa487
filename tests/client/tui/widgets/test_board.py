"""The board as a widget: what is hovered, pointed at, typed and chosen, in games of any kind."""

import string
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from parlour_client.text.actions import KEYS
from parlour_client.tui.widgets.board import Board
from parlour_protocol.views.boards import BoardView
from tests.client.rooms import chess
from tests.client.tui.screens.positions import BEFORE_A_PASS, DISCS, NINE, WIDE, position
from tests.client.tui.screens.stage import Stage


class BoardStage(Stage):
    """A board alone, and what it told."""

    def __init__(self, view: BoardView) -> None:
        self.board = Board(commands=KEYS)
        super().__init__(self.board)
        self._view = view
        self.reported: list[tuple[str, Any]] = []
        self.picked: list[list[str]] = []

    def on_mount(self) -> None:
        self.board.show(self._view, yours=True, animate=False)
        self.board.focus()

    def on_board_chosen(self, event: Board.Chosen) -> None:
        self.reported.append(("chosen", event.move))

    def on_board_entered(self, event: Board.Entered) -> None:
        self.reported.append(("entered", event.text))

    def on_board_picked(self, event: Board.Picked) -> None:
        self.picked.append(event.moves)

    def seen(self) -> str:
        return "\n".join(strip.text for strip in self.screen._compositor.render_strips())


Pressed = Callable[..., Awaitable[list[tuple[str, Any]]]]


@pytest.fixture
async def pressed() -> AsyncIterator[Pressed]:
    """Shows a board, presses these keys one after the other, and gives what it reported."""
    stage = BoardStage(position("tictactoe"))
    async with stage.run_test() as pilot:

        async def press(view: BoardView, *keys: str) -> list[tuple[str, Any]]:
            await stage.board.remove()
            stage.reported, stage.board = [], Board(commands=KEYS)
            await stage.mount(stage.board)
            stage.board.show(view, yours=True, animate=False)
            stage.board.focus()
            await pilot.press(*keys)
            return stage.reported

        yield press


async def over(stage: BoardStage, pilot: Pilot[None], cell: int) -> None:
    grid = stage.board.grid
    assert grid is not None
    x, y = grid.place(cell)
    left, top = stage.board._offset()
    await pilot.hover(Board, offset=(x + left, y + top))


async def test_the_cell_under_the_mouse_shows_where_one_s_own_mark_would_go() -> None:
    stage = BoardStage(position("connect4", "4 4"))
    async with stage.run_test(size=(40, 18)) as pilot:
        rings_and_discs = stage.seen().count("▗███▖")
        # Above a column means the column: the piece is shown where it would come to rest.
        await over(stage, pilot, 0)
        await pilot.pause()
        assert stage.seen().count("▗███▖") == rings_and_discs + 1
        assert stage.seen().splitlines()[-4].lstrip(" │").startswith("▝███▘")


async def test_a_number_is_played_once_no_other_begins_with_it(pressed: Pressed) -> None:
    assert await pressed(position("connect4"), "4") == [("chosen", "4")]
    assert await pressed(position("tictactoe"), "b", "2") == [("chosen", "b2")]
    # b1 might become b10.
    assert await pressed(position("gomoku"), "b", "1") == []
    assert await pressed(position("gomoku"), "b", "1", "enter") == [("chosen", "b1")]
    assert await pressed(position("gomoku"), "b", "1", "0") == [("chosen", "b10")]
    assert await pressed(position("gomoku"), "b", "1", "backspace", "9") == [("chosen", "b9")]


async def test_enter_behind_a_move_that_is_played_by_then_plays_no_other(pressed: Pressed) -> None:
    view = position("connect4")
    assert await pressed(view, "4", "enter") == [("chosen", "4")]
    # What is pointed at is meant by the next enter again.
    assert await pressed(view, "right", "4", "enter", "enter") == [("chosen", "4"), ("chosen", "4")]
    assert await pressed(view, "4", "right", "enter") == [("chosen", "4"), ("chosen", "4")]


async def test_what_is_no_legal_move_is_reported_as_it_was_typed(pressed: Pressed) -> None:
    assert await pressed(position("connect4"), "9", "enter") == [("entered", "9")]
    assert await pressed(position("tictactoe", "b2"), "b", "2", "enter") == [("entered", "b2")]
    # A letter that begins no move is not for the board, and a capital is a key of its own.
    assert await pressed(position("tictactoe"), "x", "B", "2", "enter") == [("entered", "2")]


async def test_a_digit_belongs_to_what_was_typed_before_it_though_that_begins_no_move(
    pressed: Pressed,
) -> None:
    view = position("tictactoe")
    assert await pressed(view, *"z9") == [("entered", "z9")]
    assert await pressed(view, *"zz10") == [("entered", "zz1"), ("entered", "zz10")]
    assert await pressed(view, "z", *"b2") == [("chosen", "b2")]
    assert await pressed(view, "z", "right", "9", "5") == [("entered", "9"), ("entered", "5")]


async def test_what_is_written_to_the_others_plays_no_move(pressed: Pressed) -> None:
    for game, text in (
        ("connect4", "hello"),
        ("connect4", "try 4 now"),
        ("connect4", "hi4"),
        ("connect4", "so I did"),
        ("connect4", "Nice! 4 is good"),
        ("gomoku", "hello 3"),
        ("gomoku", "a 2nd game"),
        ("tictactoe", "is b2 free"),
    ):
        keys = ["right", *("space" if sign == " " else sign for sign in text), "enter"]
        assert not [said for said in await pressed(position(game), *keys) if said[0] == "chosen"], text


async def test_the_next_enter_behind_such_a_text_plays_what_is_pointed_at(pressed: Pressed) -> None:
    assert await pressed(position("connect4"), "right", *"oh", "enter", "enter") == [("chosen", "4")]


async def test_what_was_written_while_the_other_was_to_move_plays_no_move() -> None:
    stage = BoardStage(position("connect4"))
    async with stage.run_test() as pilot:
        await pilot.press("right")
        stage.board.show(position("connect4"), yours=False)
        await pilot.press(*"hello")
        stage.board.show(position("connect4"), yours=True)
        await pilot.press("enter")
        assert stage.reported == []
        await pilot.press("enter")
        assert stage.reported == [("chosen", "4")]


async def test_a_cell_that_is_taken_is_refused_at_once_and_cleared(pressed: Pressed) -> None:
    for view, keys in (
        (position("tictactoe", "b2"), ["b", "2"]),
        (position("reversi", DISCS), ["c", "4"]),
        (position("ultimate", "b2"), ["i", "9"]),
        (position("connect4", "4 4 4 4 4 4"), ["4"]),
    ):
        # With enter behind it: nothing of it is left to be played.
        assert await pressed(view, *keys, "enter") == [("entered", "".join(keys))]
    # b10 is free yet.
    assert await pressed(position("gomoku", "b1"), "b", "1") == []
    assert await pressed(position("gomoku", "b10"), "b", "1", "0") == [("entered", "b10")]


async def test_no_capital_begins_a_move_in_any_game(pressed: Pressed) -> None:
    for game in ("tictactoe", "mnk:19,19,5", "gomoku", "connect4", "ultimate", "reversi"):
        assert await pressed(position(game), *string.ascii_uppercase, "enter") == [], game


async def test_a_column_s_letter_begins_a_move_whatever_may_be_played_there(pressed: Pressed) -> None:
    for game, moves in (("ultimate", NINE), ("ultimate", ""), ("reversi", "")):
        view = position(game, moves)
        assert await pressed(view, "h") == []
        assert await pressed(view, "h", "enter") == [("entered", "h")]


async def test_a_move_of_several_cells_may_be_typed_by_numbers_or_by_its_ends(pressed: Pressed) -> None:
    assert await pressed(position("checkers"), *"9-14", "enter") == [("entered", "9-14")]
    jumps = position("checkers@4/4/●3/1○2/4/2○1/4/4 ●")
    assert jumps.legal == ["b6d4f2"]
    assert await pressed(jumps, *"10x26", "enter") == [("entered", "10x26")]
    assert await pressed(jumps, *"b6f2") == [("entered", "b6f2")]
    assert await pressed(jumps, *"b6-d4-f2") == [("chosen", "b6d4f2")]
    # A cell from which nothing moves is refused at once.
    assert await pressed(jumps, *"h8") == [("entered", "h8")]


async def test_a_letter_that_leads_nowhere_begins_anew(pressed: Pressed) -> None:
    assert await pressed(position("reversi", DISCS), "h", "h", "c") == []
    moves = position("reversi", DISCS).legal
    assert await pressed(position("reversi", DISCS), "h", *moves[0]) == [("chosen", moves[0])]


async def test_a_pass_has_no_cell_and_is_played_by_enter(pressed: Pressed) -> None:
    assert await pressed(position("reversi:6", BEFORE_A_PASS), "enter") == [("chosen", "pass")]
    assert await pressed(position("reversi:6", BEFORE_A_PASS), *"pass") == [("chosen", "pass")]


async def test_several_moves_to_one_cell_have_to_be_distinguished(pressed: Pressed) -> None:
    view = replace(position("tictactoe"), legal=["b2", "b2+"], paths=[4, 4])
    assert await pressed(view, "right", "enter", "2") == [("chosen", "b2+")]
    assert await pressed(view, *"b2+") == [("chosen", "b2+")]


async def test_a_move_of_several_steps_is_chosen_and_let_go_step_by_step() -> None:
    paths: list[int | list[int]] = [[6, 3, 0], [6, 3, 4], [8, 5]]
    stage = BoardStage(replace(position("tictactoe"), legal=["a1a2a3", "a1a2b2", "c1c2"], paths=paths))
    async with stage.run_test() as pilot:
        await pilot.press("right", "enter", "enter", "escape", "escape")
        assert stage.picked == [["a1a2a3", "a1a2b2"]] * 3 + [[]]
        await pilot.press("enter", "enter", "right", "enter")
        assert stage.reported == [("chosen", "a1a2b2")]


async def test_by_keys_the_piece_is_chosen_first_and_then_where_it_goes(pressed: Pressed) -> None:
    reported: list[tuple[str, str]]
    for keys, reported in (
        (["right", "enter", "enter"], [("chosen", "c2c3")]),
        (["right", "enter", "left", "enter"], [("chosen", "c2b3")]),
        # Another piece after all.
        (["right", "enter", "escape", "left", "enter", "enter"], [("chosen", "a2b4")]),
        # It may become one of two pieces: that is asked.
        (["right", "up", "enter", "enter"], []),
        (["right", "up", "enter", "enter", "2"], [("chosen", "d3d4N")]),
        ([*"c2b3"], [("chosen", "c2b3")]),
        ([*"c2-b3"], [("chosen", "c2b3")]),
    ):
        assert await pressed(chess(), *keys) == reported, keys


@pytest.mark.parametrize(
    ("cells", "reported"),
    [
        ([10, 5], [("chosen", "c2b3")]),
        # A piece is chosen first, also where one alone can go there.
        ([5], [("entered", "b3")]),
        ([10, 10, 8, 6], [("chosen", "a2c3")]),
        ([10, 8, 6], [("chosen", "a2c3")]),
        ([10, 15], [("entered", "c2d1")]),
        ([15], [("entered", "d1")]),
    ],
)
async def test_by_mouse_too(cells: list[int], reported: list[tuple[str, Any]]) -> None:
    stage = BoardStage(chess())
    async with stage.run_test() as pilot:
        grid = stage.board.grid
        assert grid is not None
        left, top = stage.board._offset()
        for cell in cells:
            x, y = grid.place(cell)
            await pilot.click(Board, offset=(x + left, y + top))
        assert stage.reported == reported


async def test_a_piece_on_its_way_shows_palely_where_it_goes() -> None:
    stage = BoardStage(chess())
    async with stage.run_test(size=(40, 20)) as pilot:
        seen = stage.seen()
        stage.board.show_sent("a2b4")
        await pilot.pause()
        assert stage.seen().count("wN") == seen.count("wN") + 1
        assert stage.seen().count("bN") == 0


async def test_whoever_is_not_to_move_chooses_nothing_by_keys() -> None:
    stage = BoardStage(position("tictactoe"))
    async with stage.run_test() as pilot:
        stage.board.show(position("tictactoe"), yours=False)
        await pilot.press("b", "2", "right", "enter")
        assert stage.reported == []


@pytest.mark.parametrize("key", ["down", "left"])
async def test_a_board_that_has_to_scroll_follows_the_cursor(key: str) -> None:
    stage = BoardStage(position("mnk:19,19,5", WIDE))
    async with stage.run_test(size=(14, 7)) as pilot:
        for _ in range(20):
            await pilot.press(key)
        grid, cell = stage.board.grid, stage.board._cursor
        assert grid is not None and cell is not None
        x, y = grid.place(cell)
        left, top = stage.board.scroll_offset
        assert left <= x < left + 14 and top <= y < top + 7
