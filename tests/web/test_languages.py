"""The page speaks the language that the browser prefers, or the one that is chosen in its settings."""

import re

from playwright.async_api import Page, expect

from parlour_client.sdk.client import connect
from parlour_protocol.words import Catalogue, available, load
from parlour_server.net.site import PAGES
from tests.web.browser import OpenPage

ENGLISH, GERMAN = load("en"), load("de")
LONGEST = max(available(), key=lambda tag: len("".join(load(tag).whole().values())))


async def speaks(page: Page, language: Catalogue) -> None:
    """All that is there from the beginning is said in this language."""
    await expect(page.locator("html")).to_have_attribute("lang", language.tag)
    nav = page.get_by_role("navigation")
    await expect(nav.get_by_role("link").first).to_have_text(language.say("page.play"))
    await expect(page.locator(".skip")).to_have_text(language.say("page.skip"))


async def choose(page: Page, language: Catalogue, wanted: str) -> None:
    """In the settings, which are in this language."""
    await page.locator("button.who").click()
    settings = page.get_by_role("dialog", name=language.say("page.settings.title"), exact=True)
    await settings.get_by_role("combobox", name=language.say("page.language")).select_option(label=wanted)


async def test_the_browsers_language_and_the_chosen_one(open_page: OpenPage) -> None:
    page = await open_page(locale="de-AT")
    await speaks(page, GERMAN)
    await choose(page, GERMAN, "English")
    await speaks(page, ENGLISH)
    await page.goto(f"{open_page.address}/analysis")
    await speaks(page, ENGLISH)
    await choose(page, ENGLISH, ENGLISH.say("page.as_browser"))
    await speaks(page, GERMAN)


async def test_what_the_server_calls_things(open_page: OpenPage, server: str) -> None:
    async with connect(server, "Ada") as ada:
        room = await ada.create("connect4", seats=("me", "open"))
        page = await open_page(f"/{room.code}", locale="de-DE")
        await expect(page).to_have_title(re.compile(f"^{GERMAN.say('game.connect4.title')}"))
    page = await open_page("/AAAAAA", locale="de-DE")
    await expect(page.get_by_role("main")).to_contain_text(GERMAN.say("refusal.no_such_room"))


async def test_a_language_that_there_is_not(open_page: OpenPage) -> None:
    await speaks(await open_page(locale="fr-FR"), ENGLISH)


async def test_dates_and_numbers_are_the_language_s(open_page: OpenPage) -> None:
    page = await open_page(locale="de-DE")
    script = """async () => {
        const { when, clock } = $modules["text.js"];
        return [when(Date.UTC(2021, 11, 3, 12)), clock(4900)];
    }"""
    assert await page.evaluate(script) == ["3. Dez. 2021", "4,9"]


async def test_the_longest_language_fits_a_phone(open_page: OpenPage) -> None:
    page = await open_page("/", size="phone", locale=LONGEST)
    for path in sorted(PAGES):
        await page.goto(open_page.address + path)
        await page.get_by_role("heading", level=1).wait_for()
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
