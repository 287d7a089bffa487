"""Boards of every layout on the page: drawn, hit, gone over by keys, and said."""

from collections.abc import AsyncIterator
from dataclasses import asdict
from functools import partial
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from parlour_protocol.views.boards import VOID, BoardView, fault_of
from tests.client.tui.screens.positions import position
from tests.support.boards import LAYOUTS, edges
from tests.support.server import serving
from tests.web.browser import OpenPage, axe, shoot

PUT = """given => {
    const { Board } = $modules["board/board.js"];
    globalThis.played = [];
    globalThis.view = given;
    globalThis.board = new Board({ onmove: move => played.push(move) });
    document.querySelector(".stage").replaceChildren(board.element);
    board.show(given, { yours: true });
}"""
MIDDLES = """() => Array.from(board.drawing.places, place => {
    const { x, y } = new DOMPoint().matrixTransform(place.getScreenCTM());
    return [x, y];
})"""

WALK = """([start, toHit]) => {
    const at = cell => +cell.dataset.cell;
    const cells = [...document.querySelectorAll("[data-cell]")];
    const shown = cells.filter(cell => cell.checkVisibility({ visibilityProperty: true }));
    const middles = (MIDDLES)();
    const hit = toHit.map(one => board.cellOf(document.elementFromPoint(...middles[one])));
    const reached = new Set([start]);
    for (const one of reached) {
        for (const way of ["Up", "Down", "Left", "Right"]) {
            document.querySelector(`[data-cell="${one}"]`).focus();
            const options = { key: `Arrow${way}`, bubbles: true, cancelable: true };
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", options));
            reached.add(at(document.activeElement));
        }
    }
    const sorted = all => [...all].sort((one, other) => one - other);
    return [sorted(shown.map(at)), hit, sorted(reached)];
}""".replace("MIDDLES", MIDDLES)
"""The cells that are shown, those that are hit in the middles of some, and those that arrow keys lead to."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def desk(browser: Browser) -> AsyncIterator[Page]:
    """The page of an analysis, for all who put a board of their own there."""
    async with serving() as url:
        pages = OpenPage(browser, url.replace("ws", "http", 1))
        yield await pages("/analysis#tictactoe=b2")
        await pages.close()


async def test_a_board_comes_once_the_server_that_was_away_gives_it(open_page: OpenPage) -> None:
    open_page.expect("layouts.js")
    page = await open_page("/analysis#tictactoe=b2")
    tries = 0

    async def away(route: Route) -> None:
        nonlocal tries
        tries += 1
        await (route.abort() if tries == 1 else route.fallback())

    await page.context.route("**/layouts.js", away)
    await page.goto(f"{open_page.address}/analysis#hex=f6")
    await page.reload()
    await expect(page.locator(".board.hex .pieces .piece")).to_have_count(1)
    assert tries > 1


async def put(page: Page, board: BoardView) -> None:
    """Have the page of an analysis show a board on which one may move."""
    await page.locator(".square .piece").first.wait_for()
    await page.evaluate(PUT, {name: value for name, value in asdict(board).items() if value is not None})
    await expect(page.locator(".square .cells button").first).to_be_attached()


def cell(page: Page, at: int) -> Any:
    return page.locator(f'[data-cell="{at}"]')


async def test_every_cell_is_hit_where_it_is_drawn_and_reached_by_keys(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2", size="phone", touch=False)
    for layout, board in {**LAYOUTS, "dark squares alone": position("checkers")}.items():
        assert fault_of(board) is None
        await put(page, board)
        await shoot(page, f"layout-{layout}")
        there = [at for at, text in enumerate(board.texts()) if text not in (VOID, "+")]
        hit = board.open_cells() if layout == "edges" else there
        found = await page.evaluate(WALK, [min(there), hit])
        assert found == [there, hit, there], layout
        assert await axe(page, ".square") == []


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


async def test_a_king_is_called_so(desk: Page) -> None:
    await put(page := desk, LAYOUTS["squares"])
    await expect(cell(page, 29)).to_have_accessible_name("f2 ● king, can be moved")
    await expect(cell(page, 25)).to_have_accessible_name("b2 ●, can be moved")


async def test_a_move_of_several_steps_is_chosen_step_by_step(desk: Page) -> None:
    await put(page := desk, LAYOUTS["squares"])
    ways, ghost = page.locator(".board polyline.way"), page.locator(".ghost .piece")
    played, loose = partial(page.evaluate, "played"), page.locator(".board .loose button")
    await cell(page, 29).click()
    await cell(page, 15).click()
    await expect(cell(page, 15)).to_have_attribute("aria-selected", "true")
    await expect(ways).to_have_count(1)
    await expect(ghost).to_have_count(1)
    # There it is let go again.
    await expect(cell(page, 15)).to_be_enabled()
    await page.keyboard.press("Escape")
    await expect(ways).to_have_count(0)
    await expect(cell(page, 29)).to_have_attribute("aria-selected", "true")
    # Two ways lead there.
    await cell(page, 5).click(force=True)
    assert await loose.all_inner_texts() == ["f2d4f6", "f2f4f6"]
    await page.keyboard.press("Escape")
    await expect(loose).to_have_count(0)
    await cell(page, 5).click(force=True)
    await loose.nth(1).click()
    assert await played() == ["f2f4f6"]


async def test_a_piece_is_dragged_along_its_way(desk: Page) -> None:
    await put(page := desk, LAYOUTS["squares"])
    middles = await page.evaluate(MIDDLES)
    await page.wait_for_function('$modules["board/drag.js"]')
    await page.mouse.move(*middles[29])
    await page.mouse.down()
    for at in (17, 15, 5):
        await page.mouse.move(*middles[at], steps=3)
    await page.mouse.up()
    # Over f4 its way went on as well: behind it there is no d4.
    assert await page.evaluate("played") == ["f2f4f6"]


async def test_worths_hide_nothing_that_stands(desk: Page) -> None:
    await put(page := desk, board := LAYOUTS["squares"])
    score = {"points": 3, "kind": "estimate", "chance": 54}
    report = {"candidates": [{"move": move, "score": score} for move in board.legal], "best": board.legal[0]}
    await page.evaluate("given => board.show(view, { yours: true, report: given })", report)
    corners = page.locator(".board .top .corner")
    await expect(corners).to_have_count(2)
    await cell(page, 29).click()
    # The places to go are free.
    await expect(corners).to_have_count(0)
    await expect(page.locator(".board .heat .score")).to_have_count(2)
