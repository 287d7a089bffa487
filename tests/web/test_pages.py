"""Every page opens in a real browser, without anything going wrong, and axe finds nothing in it."""

import pytest
from playwright.async_api import Page

from parlour_server.net.site import PAGES
from tests.support.client import player
from tests.web.browser import OpenPage, Size, axe, shoot


async def sound(page: Page, name: str) -> None:
    """A page has come, with a heading, and anybody can use it."""
    await page.get_by_role("heading", level=1).wait_for()
    await shoot(page, name)
    assert await axe(page) == []


@pytest.mark.parametrize("path", sorted(PAGES))
async def test_each_page_opens(open_page: OpenPage, path: str) -> None:
    page = await open_page(path)
    await sound(page, path.strip("/") or "lobby")


@pytest.mark.parametrize("size", ["desktop", "phone"])
async def test_a_rooms_link_opens_its_table(open_page: OpenPage, server: str, size: Size) -> None:
    async with player(server.replace("http", "ws", 1)) as ada:
        room = (await ada.ask("create", game="tictactoe"))["room"]
        await ada.ask("sit", room=room)
        await sound(await open_page(f"/{room}", size=size), f"table-{size}")
