"""The page speaks the language that the browser prefers, or the one that is chosen in its settings."""

import re

import pytest
from playwright.async_api import Page, expect

from parlour_client import Client
from parlour_client.sdk.client import connect
from parlour_protocol.words import Catalogue, load
from tests.web.browser import OpenPage, shoot
from tests.web.table import Table

ENGLISH, GERMAN = load("en"), load("de")


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
    page = await open_page("/review#tictactoe=b2", locale="de-DE")
    await expect(page.get_by_role("main")).to_contain_text(GERMAN.say("review.no_mistakes"))


async def test_dates_and_numbers_are_the_language_s(open_page: OpenPage) -> None:
    page = await open_page(locale="de-DE")
    script = """async () => {
        const { when, clock } = $modules["text.js"];
        return [when(Date.UTC(2021, 11, 3, 12)), clock(4900)];
    }"""
    assert await page.evaluate(script) == ["3. Dez. 2021", "4,9"]


CUT = """() => {
  const cut = new Set();
  const shown = one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const said = one => `<${one.localName} class="${one.className}"> ${one.textContent.trim().slice(0, 50)}`;
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) cut.add(`the page is ${page.scrollWidth} wide`);
  for (const one of document.querySelectorAll("body :not(svg, svg *)")) {
    const [style, edge] = [getComputedStyle(one), one.getBoundingClientRect()];
    // What is for screen readers alone is a dot; a drawing may be moved about in its frame.
    if (!shown(one) || edge.width < 2 || one.matches(".scroll, .scroll *")) continue;
    if (style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) cut.add(said(one));
    if (one.placeholder && !one.value) {
      const pen = new OffscreenCanvas(1, 1).getContext("2d");
      pen.font = style.font;
      const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (pen.measureText(one.placeholder).width > room + 1) cut.add(`placeholder ${one.placeholder}`);
    }
    if (style.display === "inline" || style.display === "contents") continue;
    for (const text of one.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || !text.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const words = range.getBoundingClientRect();
      if (words.right > edge.right + 1 || words.left < edge.left - 1) cut.add(said(one));
    }
    const frame = one.parentElement.closest(".panel, dialog, body")?.getBoundingClientRect();
    if (frame && style.position !== "fixed" && edge.right > frame.right + 1) cut.add(`beside: ${said(one)}`);
  }
  return [...cut];
}"""
"""What is cut on a page, or leaves its box."""


async def fits(page: Page, name: str) -> None:
    """Whatever is shown stands within its box, and the page within its window."""
    cut = await page.evaluate(CUT)
    await shoot(page, f"{name}-{await page.locator('html').get_attribute('lang')}")
    assert not cut, f"{name}:\n" + "\n".join(cut)


# Those with the longest words.
@pytest.mark.parametrize("tag", ["de", "pl"])
async def test_every_page_fits_a_phone(open_page: OpenPage, ada: Client, tag: str) -> None:
    say = load(tag).say
    page = await open_page("/", size="phone", locale=tag)
    played = await ada.create("connect4", moves="4 4 4 3 5", starts="first", seat=0)
    await expect(page.get_by_role("listitem").first).to_be_visible()
    await fits(page, "lobby")
    # On the smallest one, too, the head leads to all pages and to the settings.
    await page.set_viewport_size({"width": 320, "height": 568})
    assert await page.get_by_role("navigation").evaluate("one => one.scrollWidth <= one.clientWidth")
    await expect(page.locator("button.who")).to_be_in_viewport(ratio=1)
    await page.set_viewport_size({"width": 360, "height": 740})
    for opens in ("page.lobby.new_game", "page.lobby.match", "page.lobby.two_bots"):
        await page.get_by_role("button", name=say(opens), exact=True).click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await fits(page, opens)
        if opens == "page.lobby.new_game":
            await page.get_by_label(say("page.lobby.against"), exact=True).last.select_option("here")
            await page.get_by_text(say("page.new.from_position")).click()
            await fits(page, "a friend on this device, from a position")
        await page.keyboard.press("Escape")
    await page.locator("button.who").click()
    await fits(page, "settings")
    for path, there in {
        "/learn#tictactoe=a1,b2,c3,a3": "svg .node",
        "/lab": ".lab",
        "/wall": ".wall",
        "/puzzle#reversi": ".actions button",
        "/analysis#connect4=4,4,4,3,5": ".candidates .bar",
        "/review#tictactoe=a1,b2,c3,a3,c1,c2,b1": ".grades td.loss",
    }.items():
        await page.goto(open_page.address + path)
        await expect(page.locator(there).first).to_be_visible()
        await fits(page, path.split("#")[0].strip("/"))
    await page.goto(f"{open_page.address}/{played.code}")
    table = Table(page)
    await fits(page, "a free seat")
    upright = page.viewport_size
    await page.set_viewport_size({"width": 844, "height": 390})
    await fits(page, "a free seat, sideways")
    assert upright
    await page.set_viewport_size(upright)
    await table.button(say("action.sit.label")).click()
    await table.button(say("action.draw.label")).wait_for()
    await played.say("good luck, and have fun")
    await played.offer_draw()
    await table.button(say("action.agree.label")).wait_for()
    await fits(page, "a draw is offered")
    await page.get_by_text(say("page.more"), exact=True).click()
    await fits(page, "more")
    await played.resign()
    await table.button(say("action.rematch.label")).wait_for()
    await fits(page, "over")
    await page.goto(open_page.address)
    await page.locator(".play select").select_option("here")
    await page.locator(".card button").first.click()
    await page.get_by_role("gridcell").nth(38).click()
    await expect(table.status).to_have_text(say("table.hand_over", name=say("seat.guest")))
    await fits(page, "two at one device")
