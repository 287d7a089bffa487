"""Every page opens in a real browser, without anything going wrong."""

from playwright.async_api import Page

from parlour_server.net.site import PAGES
from tests.support.client import player
from tests.web.browser import OpenPage, axe, shoot


async def sound(page: Page, name: str) -> None:
    """A page has come, with a heading; of most axe is asked where they are used."""
    await page.get_by_role("heading", level=1).wait_for()
    await shoot(page, name)
    assert name != "lobby" or await axe(page) == []


async def test_each_page_opens_and_so_does_a_rooms_link(open_page: OpenPage, server: str) -> None:
    page = await open_page("/")
    for path in sorted(PAGES):
        await page.goto(open_page.address + path)
        await sound(page, path.strip("/") or "lobby")
    async with player(server.replace("http", "ws", 1)) as ada:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await page.goto(f"{open_page.address}/{room}")
        await sound(page, "table-desktop")
