"""A game looked back on: its curve, its graded moves, and what was better."""

import re

from playwright.async_api import expect

from parlour_client import Client, GuestIdentity
from parlour_client.sdk.connection import Connection
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table

MOVES = "a1 b2 c3 a3 c1 c2 b1"
"""Second throws a draw away by a3, and loses."""


async def test_a_rooms_game_is_reviewed(open_page: OpenPage, server: str) -> None:
    *begun, last = MOVES.split()
    async with Client(Connection(server.replace("http", "ws", 1), GuestIdentity("Ada"))) as ada:
        room = await ada.create("tictactoe", opponent="random", moves=" ".join(begun), starts="first")
        await room.play(last)
        page = await open_page(f"/review#{room.code}", size="phone")
    table, status = Table(page), page.locator(".status")
    # The list of moves says in words what the curve shows.
    await expect(table.button("4. a3?? blunder: threw away a draw (loses in 4)")).to_be_visible()
    grades = ["SideAdarandom (bot)", "perfect42", "good00", "inaccuracy00", "mistake00", "blunder01"]
    await expect(page.locator(".grades tr")).to_have_text(grades)
    # The table is no wider than its place.
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    over = "one => one.offsetWidth > one.parentElement.clientWidth - 24"
    assert not await page.locator(".grades").evaluate(over)
    await table.button("Previous mistake").click()
    await expect(status).to_have_text(re.compile(r"^4\. a3\?\? blunder"))
    await expect(page.get_by_text(re.compile(r"^Better: \w\d \(a draw, exact\)$"))).to_be_visible()
    # What was better is drawn, and what the moves were worth stands beside the board.
    await expect(page.locator(".board .mark")).to_have_count(1)
    assert "loses in 4" in await page.locator(".thinking .candidates").inner_text()
    await shoot(page, "review")
    assert await axe(page) == []
    curve = page.locator("svg.curve")
    box = await curve.bounding_box()
    assert box is not None
    # The beginning is where the curve begins.
    await curve.click(position={"x": box["width"] * 48 / 360, "y": box["height"] / 2})
    await expect(status).to_have_text("The start of the game.")
    await table.has("a1", "empty")
    await page.keyboard.press("ArrowRight")
    await table.has("a1", "X")
    await page.get_by_role("link", name="Analyse", exact=True).last.click()
    await page.wait_for_url("**/analysis#tictactoe=a1")


async def test_a_review_is_stopped_and_begun_again(open_page: OpenPage) -> None:
    page = await open_page("/review#mnk:6,6,4=c3,d4,c4,d3,c5")
    table = Table(page)
    await table.button("Stop").click()
    await table.button("Review it").click()
    await expect(page.get_by_role("progressbar")).to_be_visible()
    await expect(table.button("Review it")).to_be_hidden()
    await page.goto(page.url.split("#")[0] + "#NOROOM")
    await expect(page.get_by_role("alert").filter(has_text="no such room")).to_be_visible()
    # Nothing is there that would go on.
    await expect(page.get_by_role("progressbar")).to_be_hidden()


async def test_who_thinks_better_of_playing_on_is_still_there(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2,a1")
    where = page.url
    form = page.get_by_role("dialog", name="New game")
    for answer in ("Cancel", "Play"):
        await page.get_by_role("button", name="Play on from here").click()
        await expect(form.get_by_label("Start after")).to_have_value("b2 a1")
        await form.get_by_role("button", name=answer, exact=True).click()
        if answer == "Cancel":
            await expect(form).to_have_count(0)
            assert page.url == where
    await expect(page.locator(".player")).to_have_count(2)
