"""Games in real browsers, played as people play them."""

from playwright.async_api import Page, expect

from tests.support.client import player
from tests.web.browser import OpenPage, axe, shoot


async def play(page: Page, cell: str) -> None:
    """Click a cell, once it may be played."""
    await page.get_by_role("gridcell", name=f"{cell} ").click()


async def test_two_browsers_play_each_other(open_page: OpenPage, server: str) -> None:
    async with player(server.replace("http", "ws", 1)) as host:
        room = (await host.ask("create", game="tictactoe"))["room"]
    ada, ben = await open_page(f"/{room}"), await open_page(f"/{room}", size="phone", theme="dark")
    for page in (ada, ben):
        await page.get_by_role("button", name="Sit down").click()
        await expect(page.get_by_role("button", name="Sit down")).to_have_count(0)
    for turn, cell in enumerate("a1 b1 a2 b2 a3".split()):
        await play((ada, ben)[turn % 2], cell)
    await expect(ada.get_by_role("status")).to_have_text("You win: three in a row.")
    await expect(ben.get_by_role("status")).to_contain_text(" wins: three in a row.")
    for page, name in ((ada, "won"), (ben, "lost")):
        assert await axe(page) == []
        await shoot(page, name)
