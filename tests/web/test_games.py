"""Every game that a server offers is drawn and played in the browser, which knows none of them."""

import random
import re
from itertools import chain
from typing import Any

import pytest
from playwright.async_api import expect

import parlour_server.games as registry
from parlour_client import Client, Room
from parlour_protocol.views.boards import BoardView
from parlour_server.games import find_game
from parlour_server.games.game import Game
from tests.support.mancala import MANCALA
from tests.web.browser import OpenPage, shoot
from tests.web.table import Table

STEPPING = "breakthrough:6"
"""A game whose pieces step."""
LAID_OUT = ("kalah", "checkers", "morris", "isolation", "dots", "hex")
PLIES = 6


async def sit_down(
    ada: Client, open_page: OpenPage, name: str, moves: str = "", **page: Any
) -> tuple[Room, Table]:
    """A room of that game where the page has the first move."""
    before = len(moves.split())
    room = await ada.create(name, moves=moves, starts="first" if before % 2 else "second")
    table = Table(await open_page(f"/{room.code}", **page))
    await table.button("Sit down").click()
    await table.my_turn()
    return room, table


async def shows(table: Table, position: BoardView) -> None:
    """Wait until the page shows this position: to the eye, and to a screen reader."""
    cells = list(chain.from_iterable(position.cells))
    cell = table.page.get_by_role("gridcell")
    await expect(cell).to_have_count(len(cells))
    for index in position.last:
        await expect(cell.nth(index)).to_have_accessible_name(re.compile(", last move"))
    labels = await cell.evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label').split(/, [clo]/)[0])"
    )
    drawn = await table.page.locator(".pieces > g").count()
    assert drawn == len(cells)
    for text, label in zip(cells, labels, strict=True):
        assert label.rpartition(" ")[2] == ("empty" if text == position.empty else text)
    filled = await table.page.locator(".pieces > g:has(.piece)").count()
    assert filled == sum(text != position.empty for text in cells)


async def click(table: Table, position: BoardView, move: str) -> None:
    """Play a move as a person does: on its cell, or from cell to cell."""
    cells = dict(position.ways())[move]
    if not cells:
        await table.button(move).click()
    for cell in cells:
        await table.page.locator(f'[data-cell="{cell}"]').click()


async def play_some(room: Room, table: Table, plies: int = PLIES) -> None:
    dice = random.Random(1)
    for _ in range(plies):
        if room.over:
            break
        position = room.view.position
        assert position is not None
        before, move = room.view.moves, dice.choice(position.legal)
        if room.your_turn:
            await room.play(move)
        else:
            await table.my_turn()
            await click(table, position, move)
        await room.until(lambda state: len(state.view.moves) > len(before))  # noqa: B023
        assert room.view.moves == [*before, move]
        assert room.view.position is not None
        await shows(table, room.view.position)


@pytest.mark.parametrize("name", ["reversi", "ultimate"])
async def test_every_game_is_played(ada: Client, open_page: OpenPage, name: str) -> None:
    room, table = await sit_down(ada, open_page, name, theme="dark")
    await play_some(room, table)
    await shoot(table.page, name)
    await table.page.set_viewport_size({"width": 360, "height": 740})
    assert await table.page.evaluate("document.documentElement.scrollWidth") <= 360


async def walk(table: Table, cell: int, columns: int) -> None:
    """Go to a cell by arrow keys, as people do: towards it, and aside where that leads nowhere."""
    at, seen = "document.activeElement.dataset.cell", set[tuple[int, str]]()
    while (here := await table.page.evaluate(at)) != str(cell):
        (row, column), (down, right) = divmod(int(here), columns), divmod(cell, columns)
        ways = ["Down" if down > row else "Up"] * (down != row) + ["Right" if right > column else "Left"]
        way = next(way for way in (*ways, "Down", "Up", "Left", "Right") if (int(here), way) not in seen)
        seen.add((int(here), way))
        await table.page.keyboard.press(f"Arrow{way}")


@pytest.mark.parametrize("name", LAID_OUT)
async def test_every_layout_is_played_by_touch_and_by_keys(
    ada: Client, open_page: OpenPage, name: str
) -> None:
    room, table = await sit_down(ada, open_page, name, size="phone")
    dice, page = random.Random(2), table.page
    for ply in range(4):
        assert room.position is not None
        board, move = room.position, dice.choice(room.position.legal)
        if room.your_turn:
            await room.play(move)
            continue
        await table.my_turn()
        path = dict(board.ways())[move]
        for at in path:
            cell = page.locator(f'[data-cell="{at}"]')
            if not ply % 4:
                await cell.tap()
            else:
                await page.locator('.cells [tabindex="0"]').focus()
                await walk(table, at, len(board.columns))
                await page.keyboard.press("Enter")
        # A finger that may have hit the cell beside is asked.
        if not ply % 4 and name == "hex":
            await table.button(f"Play {move}").tap()
        await room.until(lambda state: move in state.view.moves)  # noqa: B023
    await shoot(page, f"played-{name}")


async def test_a_piece_is_chosen_by_a_click_and_dragged(
    ada: Client,
    open_page: OpenPage,
) -> None:
    room, table = await sit_down(ada, open_page, STEPPING)
    # A click on another piece chooses that one; on the same again, none.
    await table.play("b2")
    await expect(table.cell("b2")).to_have_attribute("aria-selected", "true")
    await table.play("a2")
    await expect(table.cell("b2")).not_to_have_attribute("aria-selected", "true")
    await table.play("a2")
    await expect(table.cell("a2")).not_to_have_attribute("aria-selected", "true")
    await table.page.wait_for_function('$modules["board/drag.js"]')
    await table.cell("b2").drag_to(table.cell("b3"))
    await table.has("b3", "●")
    await table.has("b2", "empty")
    assert room.view.moves == ["b2b3"]
    await play_some(room, table)


async def test_a_piece_is_dragged_by_touch(
    ada: Client,
    open_page: OpenPage,
) -> None:
    room, table = await sit_down(ada, open_page, STEPPING, size="phone")
    await table.page.wait_for_function('$modules["board/drag.js"]')
    start, end = await table.cell("b2").bounding_box(), await table.cell("b3").bounding_box()
    assert start
    assert end
    session = await table.page.context.new_cdp_session(table.page)
    for step in range(6):
        point = {
            "x": start["x"] + start["width"] / 2 + (end["x"] - start["x"]) * step / 5,
            "y": start["y"] + start["height"] / 2 + (end["y"] - start["y"]) * step / 5,
        }
        kind = "touchMove" if step else "touchStart"
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await room.until(lambda state: state.view.moves == ["b2b3"])
    await table.has("b3", "●")


async def test_a_side_that_cannot_move_passes_by_a_button(ada: Client, open_page: OpenPage) -> None:
    room, table = await sit_down(ada, open_page, "reversi:6", moves_to_a_pass(find_game("reversi:6")))
    await table.button("Pass").click()
    await room.wait_for_turn()
    assert room.view.moves[-1] == "pass"
    await expect(table.button("pass")).to_have_count(0)


def moves_to_a_pass(game: Game[Any]) -> str:
    """Moves after which nothing can be done but pass."""
    for seed in range(1000):
        dice, position, moves = random.Random(seed), game.initial(), list[str]()
        while game.outcome(position) is None:
            legal = [game.format(position, move) for move in game.legal_moves(position)]
            if legal == ["pass"]:
                return " ".join(moves)
            moves.append(dice.choice(legal))
            position = game.play(position, game.parse(position, moves[-1]))
    raise AssertionError("nobody ever passes")


async def test_cells_may_hold_counts(
    ada: Client, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, broken = registry._registry()
    monkeypatch.setattr(registry, "_registry", lambda: ({**games, MANCALA.name: MANCALA}, broken))
    room, table = await sit_down(ada, open_page, MANCALA.name)
    await table.has("a1", "3")
    # The last seed falls in one's own store: the same player again.
    await table.play("a1")
    await table.has("a1", "empty")
    await table.my_turn()
    await expect(table.page.get_by_text("store: 1 to 0")).to_be_visible()
    await table.play("a2")
    await room.wait_for_turn()
    assert room.view.moves == ["a1", "a2"]
    await shoot(table.page, "mancala")
