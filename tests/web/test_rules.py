"""How a game is played, with pictures; and what the keys of each page do."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from parlour_client import Client
from tests.web.browser import OpenPage, axe

SIZES = ((320, 568), (390, 844), (844, 390), (1366, 768))


async def test_each_card_and_each_table_tells_how_its_game_is_played(
    ada: Client, open_page: OpenPage
) -> None:
    page = await open_page("/")
    cards = page.locator(".card")
    await expect(cards.first).to_be_visible()
    # They differ in their pictures alone, and the command line prints all rules.
    for number, card in enumerate((await cards.all())[::3]):
        title = await card.get_by_role("heading").inner_text()
        await card.get_by_role("button", name="How to play").click()
        box = page.get_by_role("dialog", name=f"{title}: how to play")
        await expect(box.get_by_role("img").first).to_be_visible()
        assert number or await axe(page, "dialog[open]") == []
        await page.keyboard.press("Escape")
    room = await ada.create("connect4:4,4")
    await page.goto(f"{open_page.address}/{room.code}")
    await page.get_by_role("button", name="How to play").click()
    box = page.get_by_role("dialog", name="Connect Four on 4x4: how to play")
    await expect(
        box.get_by_role("img", name="●: 4, 4; 3, 3; 4, 3; 2, 2; 1, 1; 4, 1. ○: 1, 2; 3, 2; 4, 2; 2, 1; 3, 1.")
    ).to_be_visible()
    await expect(box.get_by_role("img", name="Marked: 2, 4.")).to_have_count(1)
    await expect(box.locator(".marked")).to_have_count(3)
    await expect(box.locator(".winning")).to_have_count(1)


async def test_rules_are_read_from_their_top_and_nothing_sticks_out(open_page: OpenPage) -> None:
    page = await open_page("/", locale="de", touch=True)
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        await page.get_by_role("button", name="So wird gespielt").first.click()
        box = page.get_by_role("dialog")
        await expect(box.get_by_role("img").first).to_be_visible()
        top, wide, room = await box.evaluate("box => [box.scrollTop, box.scrollWidth, box.clientWidth]")
        assert (top, wide) == (0, room), (width, height)
        await page.keyboard.press("Escape")


async def test_pictures_of_rules_take_the_room_that_there_is(open_page: OpenPage) -> None:
    page = await open_page("/")
    await page.set_viewport_size({"width": 1366, "height": 768})
    for title, least in (("Reversi", 250), ("Connect Four", 220), ("Kalah", 250)):
        card = page.locator(".card").filter(has=page.get_by_role("heading", name=title, exact=True))
        await card.get_by_role("button", name="How to play").click()
        box = page.get_by_role("dialog")
        await expect(box.get_by_role("img").first).to_be_visible()
        widths = await box.locator(".mini").evaluate_all("all => all.map(one => one.clientWidth)")
        assert min(widths) >= least
        assert await box.evaluate("box => box.scrollHeight <= box.clientHeight")
        await page.keyboard.press("Escape")


KEYS = {
    "/CODE": "/{code}",
    "/analysis": "/analysis#tictactoe=b2,a1",
    "/review": "/review#tictactoe=b2,a1",
    "/puzzle": "/puzzle#tictactoe",
    "/learn": "/learn",
}
_PRESSED = """key => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  return !(document.activeElement ?? document.body).dispatchEvent(event);
}"""
NOT_TAKEN = {"Tab", "Enter", " ", "Escape", "?"}
"""The browser sees to these too, or another test."""


async def listed(page: Page) -> list[list[Any]]:
    """The keys that the page lists, each with where the focus has to be."""
    await page.keyboard.press("?")
    box = page.get_by_role("dialog", name="Keys")
    await expect(box).to_be_visible()
    found: list[list[Any]] = await box.evaluate(
        """box => [...box.querySelectorAll("tr")].map(row =>
             [[...row.querySelectorAll("kbd")].map(one => one.dataset.key), row.dataset.within ?? null])"""
    )
    await page.keyboard.press("Escape")
    return found


@pytest.mark.parametrize("path", sorted(KEYS))
async def test_every_key_that_a_page_lists_does_something(
    path: str, ada: Client, open_page: OpenPage
) -> None:
    room = await ada.create("tictactoe", moves="b2 a1", opponent="easy")
    page = await open_page(KEYS[path].format(code=room.code))
    await page.get_by_role("heading", level=1).wait_for(state="attached")
    if path == "/CODE":
        await expect(page.get_by_role("grid")).to_be_visible()
    for keys, within in await listed(page):
        taken = []
        for key in keys:
            if within is not None:
                await page.locator(within).first.focus()
            else:
                await page.evaluate("document.activeElement.blur()")
            if key not in NOT_TAKEN:
                taken.append(await page.evaluate(_PRESSED, key))
        # The first node of a tree has none to its left; at the end of a game there is no step on.
        assert (any if within else all)(taken) or not taken, (keys, within, taken)


async def test_a_question_mark_that_is_typed_is_no_key(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe")
    page = await open_page(f"/{room.code}")
    await page.get_by_placeholder("Say something").press("?")
    await expect(page.get_by_placeholder("Say something")).to_have_value("?")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.evaluate("document.activeElement.blur()")
    keys = await listed(page)
    assert [["Home", "End"], None] in keys


async def test_a_page_opens_at_its_top(open_page: OpenPage) -> None:
    page = await open_page("/", size="phone")
    card = page.locator(".card h3 button").last
    await card.scroll_into_view_if_needed()
    assert await page.evaluate("scrollY") > 0
    await card.click()
    await expect(page.locator(".stage .board")).to_be_visible()
    assert await page.evaluate("scrollY") == 0
