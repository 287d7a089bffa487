"""Boards of every layout on the page: drawn, hit, gone over by keys, and said."""

from dataclasses import asdict
from typing import Any

import pytest
from playwright.async_api import Page, expect

from parlour_protocol.views.boards import VOID, BoardView, fault_of
from tests.support.boards import LAYOUTS, edges
from tests.web.browser import OpenPage, axe, shoot

PUT = """given => {
    const { Board } = $modules["board/board.js"];
    globalThis.played = [];
    globalThis.board = new Board({ onmove: move => played.push(move) });
    document.querySelector(".stage").replaceChildren(board.element);
    board.show(given, { yours: true });
}"""
MIDDLES = """() => Array.from(board.drawing.places, place => {
    const { x, y } = new DOMPoint().matrixTransform(place.getScreenCTM());
    return [x, y];
})"""


async def put(page: Page, board: BoardView) -> None:
    """Have the page of an analysis show a board on which one may move."""
    await page.locator(".square .piece").first.wait_for()
    await page.evaluate(PUT, {name: value for name, value in asdict(board).items() if value is not None})
    await expect(page.locator(".square .cells button").first).to_be_attached()


def cell(page: Page, at: int) -> Any:
    return page.locator(f'[data-cell="{at}"]')


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_every_cell_is_hit_where_it_is_drawn_and_reached_by_keys(
    layout: str, open_page: OpenPage
) -> None:
    board = LAYOUTS[layout]
    assert fault_of(board) is None
    page = await open_page("/analysis#tictactoe=b2", size="phone", touch=False)
    await put(page, board)
    await shoot(page, f"layout-{layout}")
    there = {at for at, text in enumerate(board.texts()) if text not in (VOID, "+")}
    assert {at for at in range(len(board.texts())) if await cell(page, at).is_visible()} == there
    middles = await page.evaluate(MIDDLES)
    for at in board.open_cells() if layout == "edges" else there:
        assert at == await page.evaluate("at => board.cellOf(document.elementFromPoint(...at))", middles[at])
    start = min(there)
    reached, ways = {start}, [start]
    while ways:
        at = ways.pop()
        for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
            await cell(page, at).focus()
            await page.keyboard.press(key)
            to = await page.evaluate("+document.activeElement.dataset.cell")
            if to not in reached:
                reached.add(to)
                ways.append(to)
    assert reached == there
    assert await axe(page) == []


async def test_an_edge_is_large_enough_for_a_finger(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2", size="phone")
    await page.set_viewport_size({"width": 320, "height": 568})
    board = edges(4, 5)
    await put(page, board)
    for at in board.open_cells():
        box = await cell(page, at).bounding_box()
        assert min(box["width"], box["height"]) >= 24, at
    # Near an edge, within a box: no other one is nearer.
    x, y = (await page.evaluate(MIDDLES))[12]
    await page.touchscreen.tap(x + 14, y + 2)
    assert await page.evaluate("played") == [board.legal[board.open_cells().index(13)]]


async def test_a_king_is_called_so(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2")
    await put(page, LAYOUTS["squares"])
    await expect(cell(page, 29)).to_have_accessible_name("f2 ● king, can be moved")
    await expect(cell(page, 25)).to_have_accessible_name("b2 ●, can be moved")
