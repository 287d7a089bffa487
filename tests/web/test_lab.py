"""The race of the taught searches, as bars."""

from playwright.async_api import expect

from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table


async def test_the_race_is_run_and_all_find_the_same_score(open_page: OpenPage) -> None:
    page = await open_page("/lab#tictactoe=a1,b2", size="phone", theme="dark")
    table = Table(page)
    await table.play("c3")
    await table.has("c3", "X")
    assert page.url.endswith("#tictactoe=a1,b2,c3")
    await table.button("Race").click()
    await page.get_by_text("All find the same value, 6 plies deep: a draw.").last.wait_for()
    await expect(page.locator(".race li.done")).to_have_count(9)
    await expect(page.locator(".race li .draw")).to_have_count(9)
    widths = await page.locator(".race .bar i").evaluate_all("bars => bars.map(bar => bar.offsetWidth)")
    assert widths[0] == max(widths)
    assert widths[1] < widths[0]
    await expect(page.locator(".race li").nth(1)).to_contain_text("times fewer positions")
    await expect(page.get_by_text("about as many positions as the one before").first).to_be_visible()
    await expect(page.get_by_text("1.0 times")).to_have_count(0)
    await shoot(page, "lab")
    assert await axe(page) == []
    # Another position has no race yet.
    await page.keyboard.press("ArrowLeft")
    await expect(page.locator(".race li.done")).to_have_count(0)
