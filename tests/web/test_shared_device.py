"""Two people at one device: by touch on a phone, and by keyboard."""

from playwright.async_api import Page, expect

from parlour_client import Client
from tests.web.browser import OpenPage, axe
from tests.web.table import Table


async def begin(page: Page, name: str = "Ben", game: str = "tictactoe") -> Table:
    """Choose it in the form."""
    await page.get_by_role("button", name="New game").click()
    form = page.get_by_role("dialog")
    await form.get_by_label("Game", exact=True).select_option(game)
    await expect(form.get_by_label("Your friend's name")).to_be_hidden()
    await form.get_by_label("Against", exact=True).select_option("here")
    await form.get_by_label("Your friend's name").fill(name)
    await form.get_by_role("button", name="Play", exact=True).click()
    return Table(page)


async def test_a_phone_goes_from_hand_to_hand(ada: Client, open_page: OpenPage) -> None:
    page = await open_page("/", size="phone")
    table = await begin(page)
    # They talk with each other, and nothing has been said that would stand there.
    await expect(table.chat).to_be_hidden()
    mine = await table.players.first.locator(".name").inner_text()
    await expect(table.status).to_contain_text("to move")
    for ply, (cell, name) in enumerate(
        [("b2", "Ben"), ("a1", "other"), ("c1", "Ben"), ("a3", "other"), ("a2", "Ben")]
    ):
        await table.cell(cell).tap()
        await table.has(cell, "XO"[ply % 2])
        if name == "Ben":
            await expect(table.status).to_have_text("Pass the device to Ben.")
        else:
            await expect(table.status).to_contain_text("Pass the device to")
    # The board is not turned, and somebody else sees both names.
    eve = await ada.watch(page.url.rpartition("/")[2])
    assert {seat.name for seat in eve.view.seats} == {
        "Ben",
        await table.players.last.locator(".name").inner_text(),
    }
    assert mine == "Ben"
    await table.button("Take back").click()
    await table.has("a2", "empty")
    await table.button("Resign").click()
    await page.get_by_role("button", name="Yes").click()
    await expect(table.status).to_contain_text("Ben wins by resignation")
    await table.button("Review").click()
    await expect(page.locator("main")).to_contain_text("Ben")


async def test_a_draw_is_asked_about_and_the_keyboard_plays(open_page: OpenPage) -> None:
    page = await open_page("/")
    table = await begin(page)
    await table.cell("b2").focus()
    await page.keyboard.press("Enter")
    await table.has("b2", "X")
    assert await axe(page) == []
    await expect(table.spoken).to_contain_text("Pass the device to Ben.")
    await page.reload()
    await expect(table.status).to_have_text("Pass the device to Ben.")
    await page.keyboard.press("Tab")
    await table.cell("a1").focus()
    await page.keyboard.press("Enter")
    await table.has("a1", "O")
    assert "●" not in await page.title()
    await table.button("Offer a draw").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Do you both agree to a draw?")
    await page.get_by_role("button", name="Yes").click()
    await expect(table.status).to_contain_text("A draw was agreed")
    await table.button("Rematch").click()
    await expect(table.status).to_have_text("Ben to move.")
    # It is among one's own games, to go back to.
    await page.goto(page.url.rpartition("/")[0])
    await expect(page.locator(".column.yours")).to_contain_text("Ben")
    await page.locator(".column.yours").get_by_role("link").first.click()
    await expect(table.status).to_have_text("Ben to move.")
