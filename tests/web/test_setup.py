"""A position set up by clicks: refused with a reason, opened by its link, analysed, and played on."""

import re

from playwright.async_api import expect

from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table


async def test_a_position_is_set_up_by_clicks_and_sent_as_a_link(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=", size="phone")
    await page.get_by_role("button", name="Set up a position").click()
    dialog = page.get_by_role("dialog", name="Set up a position")
    cells = dialog.locator("[data-cell]")
    await cells.nth(0).click()
    await cells.nth(4).click()
    await expect(dialog.get_by_label("As text")).to_have_value("X../.X./... X")
    await shoot(page, "setup")
    assert await axe(page, "dialog[open]") == []
    # Two X against none: the server says why that can't be, and what was set up stays.
    await dialog.get_by_role("button", name="Show").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("as many X as O, or one more: here are 2 and 0")
    await dialog.get_by_label("O", exact=True).first.check()
    await cells.nth(1).click()
    await dialog.get_by_role("group", name="To move").get_by_label("O", exact=True).check()
    await dialog.get_by_role("button", name="Show").click()
    await expect(dialog).to_be_hidden()
    await Table(page).has("a3", "X")
    await Table(page).has("b3", "O")
    await expect(page.locator(".status")).to_contain_text("O")
    other = await open_page(re.sub(r"^https?://[^/]*", "", page.url))
    await Table(other).has("b2", "X")
    await Table(other).play("c1")
    await Table(other).has("c1", "O")
    await other.get_by_role("button", name="Play on from here").click()
    form = other.get_by_role("dialog")
    await expect(form.get_by_label("Position", exact=True)).to_have_value("xo1/1x1/3 o")


async def test_pits_and_trays_are_set_up(open_page: OpenPage) -> None:
    page = await open_page("/offline")
    for game, cells, at, text in (
        ("kalah", 12, 6, "4,4,4,4,4,4/5,4,4,4,4,4 A [2,0]"),
        ("connect4", 42, 35, "·······/·······/·······/·······/·······/●······ ●"),
        ("dots:1x1", 9, 4, "+.+/.A./+.+ A"),
    ):
        await page.goto(f"{open_page.address}/analysis#{game}=")
        await expect(page.locator(".square [data-cell]")).to_have_count(cells)
        await page.get_by_role("button", name="Set up a position").click()
        dialog = page.get_by_role("dialog", name="Set up a position")
        await dialog.locator("[data-cell]").nth(at).click()
        if game == "kalah":
            await dialog.get_by_label("Store of A").fill("2")
        await expect(dialog.get_by_label("As text")).to_have_value(text)
        await page.keyboard.press("Escape")


async def test_a_tap_on_a_small_cell_puts_a_stone(open_page: OpenPage) -> None:
    page = await open_page("/analysis#hex", size="phone")
    await page.get_by_role("button", name="Set up a position").tap()
    dialog = page.get_by_role("dialog", name="Set up a position")
    cells = dialog.locator("[data-cell]")
    await expect(cells.nth(59)).to_have_attribute("aria-label", "e6 empty")
    for cell in (59, 61):
        await cells.nth(cell).tap()
    await expect(dialog.get_by_label("As text")).to_have_value(re.compile("●·●"))
    await expect(dialog.get_by_role("gridcell", name=re.compile("can be"))).to_have_count(0)


async def test_men_in_hand_are_set_up_too(open_page: OpenPage) -> None:
    page = await open_page("/analysis#morris@1x1/1x1/3/1o2x1/3/1o1/o2 x [2,2,0]=", size="phone")
    await page.get_by_role("button", name="Set up a position").click()
    dialog = page.get_by_role("dialog", name="Set up a position")
    await dialog.get_by_label("● in hand").fill("10")
    await dialog.locator("[data-cell]").first.click()
    await dialog.get_by_role("button", name="Show").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("● in hand: '10' won't do.")
    await shoot(page, "setup-extras")
    await dialog.get_by_label("● in hand").fill("4")
    await dialog.get_by_role("button", name="Show").click()
    await expect(dialog).to_be_hidden()
    await expect(page).to_have_url(re.compile("morris@xx1/.*4,2,0"))
