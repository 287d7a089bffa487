"""The app without a connection: what a browser shows then, and that it keeps nothing else."""

import json

from playwright.async_api import Response, expect

from parlour_client import Client
from tests.support.proxy import between
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table

ACTIVE = "navigator.serviceWorker.ready.then(one => one.active.state)"


async def test_without_a_connection_a_page_says_so_and_comes_back(open_page: OpenPage, server: str) -> None:
    open_page.expect("ERR_|WebSocket")
    async with between(server) as way:
        page = await open_page(way.url.replace("ws", "http", 1), locale="de")
        assert await page.evaluate(ACTIVE) in ("activating", "activated")
        way.refuse = True
        way.cut()
        await page.goto(way.url.replace("ws", "http", 1) + "/analysis")
        await expect(page.get_by_role("heading", name="Keine Verbindung")).to_be_visible()
        assert await axe(page) == []
        await shoot(page, "offline")
        way.refuse = False
        await expect(page.locator(".square")).to_be_visible()
        assert page.url.endswith("/analysis") or "/analysis#" in page.url


async def test_a_puzzle_that_was_loaded_is_solved_after_a_reload_with_the_server_gone(
    ada: Client, open_page: OpenPage, server: str
) -> None:
    open_page.expect("ERR_|WebSocket|Failed to fetch|failed")
    puzzle = await ada.puzzle("tictactoe")
    right = puzzle.candidates[0].move
    async with between(server) as way:
        page = await open_page(
            way.url.replace("ws", "http", 1) + "/puzzle#tictactoe", locale="de", size="phone"
        )
        await expect(page.get_by_role("heading", name="Tic-Tac-Toe")).to_be_visible()
        await page.evaluate(ACTIVE)
        await page.wait_for_load_state("networkidle")
        # Nothing that the browser itself may have kept is of any help.
        session = await page.context.new_cdp_session(page)
        await session.send("Network.clearBrowserCache")
        way.refuse = True
        way.cut()
        await page.context.set_offline(True)
        await page.reload()
        await expect(page.get_by_role("heading", name="Tic-Tac-Toe")).to_be_visible()
        await shoot(page, "puzzle-offline")
        table = Table(page)
        await table.cell(right).click()
        await expect(page.locator(".reply")).to_contain_text(right)
        await expect(page.locator(".reply")).to_have_class("reply win")
        # What needs the server says so.
        await page.get_by_role("combobox").first.select_option("gomoku")
        await expect(page.get_by_role("alert")).to_contain_text("Ohne Verbindung")
        # The other pages lead there.
        await page.goto(way.url.replace("ws", "http", 1) + "/lab")
        await page.get_by_role("link", name="Geladene Rätsel lösen").click()
        await expect(page.get_by_role("heading", name="Rätsel")).to_be_visible()
        await page.goto(way.url.replace("ws", "http", 1) + "/puzzle#tictactoe")
        # And when the server is back all is fetched from there.
        way.refuse = False
        await page.context.set_offline(False)
        await expect(page.locator(".banner")).to_be_hidden()
        await expect(page.get_by_role("heading", name="Tic-Tac-Toe")).to_be_visible()


async def test_no_page_and_no_script_is_kept(open_page: OpenPage, server: str) -> None:
    page = await open_page("/")
    await page.evaluate(ACTIVE)
    kept = """() => caches.keys().then(names => Promise.all(names.map(name => caches.open(name)
        .then(one => one.keys()).then(all => all.map(one => new URL(one.url).pathname)))))"""
    assert await page.evaluate(kept) == [["/offline"]]
    answers: list[Response] = []
    page.on("response", lambda one: answers.append(one))
    await page.reload()
    await expect(page.get_by_role("heading").first).to_be_visible()
    scripts = [one for one in answers if "/assets/" in one.url]
    assert scripts and not any(one.from_service_worker for one in scripts)
    assert await page.evaluate(kept) == [["/offline"]]


async def test_the_page_can_be_installed(open_page: OpenPage, server: str) -> None:
    page = await open_page("/")
    link = await page.locator("link[rel=manifest]").get_attribute("href")
    assert link
    manifest = json.loads(await page.evaluate("link => fetch(link).then(one => one.text())", link))
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/", "/", "standalone")
    # While it opens an app has the theme's colour.
    for theme, colour in (("dark", "#16181d"), ("light", "#faf6ec")):
        await page.evaluate("theme => localStorage.setItem('parlour.theme', theme)", theme)
        await page.reload()
        href = await page.locator("link[rel=manifest]").get_attribute("href")
        shown = json.loads(await page.evaluate("link => fetch(link).then(one => one.text())", href))
        assert (shown["background_color"], shown["id"]) == (colour, manifest["id"])
        assert await page.locator("meta[name=color-scheme]").get_attribute("content") == theme
    for icon in manifest["icons"]:
        size = await page.evaluate(
            """async path => {
                const icon = new Image();
                icon.src = path;
                await icon.decode();
                return `${icon.naturalWidth}x${icon.naturalHeight}`;
            }""",
            f"{link.rpartition('/')[0]}/{icon['src']}",
        )
        assert icon["sizes"] in (size, "any")
