"""Ratings on the page: who is rated, and a player's way there, on a phone and with a screen reader."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from parlour_client import Client, connect
from tests.support.rated import resign_rated, some_ratings
from tests.support.server import serving
from tests.web.browser import OpenPage, Size, Theme, axe, shoot


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[str]:
    """The web address of a server that rates."""
    async with serving(rated=True) as url:
        yield url.replace("ws", "http", 1)


@pytest_asyncio.fixture(loop_scope="session")
async def rated(server: str, ada: Client) -> Client:
    """Ada, who has played two rated games against Ben; and bots have played one."""
    async with connect(server.replace("http", "ws", 1), "Ben") as ben:
        await some_ratings(ada, ben)
    return ada


@pytest.mark.parametrize(("size", "theme"), [("phone", "light")])
async def test_people_and_bots_are_listed_apart_and_lead_to_their_games(
    open_page: OpenPage, rated: Client, size: Size, theme: Theme
) -> None:
    page = await open_page("/", size=size, theme=theme)
    await page.get_by_role("link", name="Ratings").click()
    await expect(page.get_by_role("heading", name="Ratings")).to_be_visible()
    people, bots = page.get_by_role("table").nth(0), page.get_by_role("table").nth(1)
    await expect(people.get_by_role("row")).to_have_count(3)
    await expect(people.get_by_role("row").nth(1)).to_contain_text("Ada")
    await expect(bots.get_by_role("rowheader")).to_have_count(2)
    await expect(bots.get_by_role("row").nth(1)).to_contain_text("(bot)")
    await expect(page.get_by_text("? – not sure yet")).to_be_visible()
    assert await axe(page) == []
    await shoot(page, f"ratings-{size}")

    await people.get_by_role("link", name="Ada").click()
    await expect(page.get_by_role("heading", name="Ada in Tic-tac-toe")).to_be_visible()
    await expect(page.get_by_role("img", name="The last games")).to_be_visible()
    against, played = page.get_by_role("table").nth(0), page.get_by_role("table").nth(1)
    await expect(against.get_by_role("row").nth(1)).to_contain_text("Ben2110")
    await expect(played.get_by_role("row")).to_have_count(3)
    await expect(played.get_by_role("row").nth(1)).to_contain_text("drawn")
    await expect(played.get_by_role("row").nth(2)).to_contain_text("+162")
    assert await axe(page) == []
    await shoot(page, f"rating-{size}")
    if size == "phone":
        await page.set_viewport_size({"width": 320, "height": 568})
        assert await page.evaluate("document.documentElement.scrollWidth") == 320
        await shoot(page, "rating-small")

    await page.get_by_role("link", name="All ratings of this game").click()
    await expect(people.get_by_role("row")).to_have_count(3)


async def test_where_nobody_is_rated_yet_the_page_says_so(open_page: OpenPage) -> None:
    page = await open_page("/ratings")
    await expect(page.get_by_text("No rated game has been played yet.")).to_be_visible()
    await page.goto(f"{open_page.address}/ratings#hex/nobody")
    await expect(page.get_by_text("Nobody listed in hex is called nobody.")).to_be_visible()


async def test_a_table_says_why_its_game_is_not_rated(open_page: OpenPage, ada: Client) -> None:
    room = await ada.create("tictactoe", seats=["me", "random"], pace=0)
    page = await open_page(f"/{room.code}", size="phone")
    while room.view.phase == "playing":
        await room.wait_for_turn()
        if room.legal_moves:
            await room.play(room.legal_moves[0])
    await expect(page.locator(".status")).to_contain_text("This game isn't rated: hints were allowed.")


async def test_a_server_that_rates_nobody_shows_no_way_there(open_page: OpenPage) -> None:
    async with serving() as url:
        page = await open_page(url.replace("ws", "http", 1))
        await expect(page.get_by_role("link", name="Puzzle of the day")).to_be_visible()
        await expect(page.get_by_role("link", name="Ratings")).to_have_count(0)
        await page.goto(f"{url.replace('ws', 'http', 1)}/ratings")
        await expect(page.get_by_text("This server rates nobody")).to_be_visible()


async def test_a_table_shows_ratings_and_what_a_game_changed(
    open_page: OpenPage, server: str, rated: Client
) -> None:
    async with connect(server.replace("http", "ws", 1), "Cyd") as cyd:
        room = await rated.create("tictactoe")
        there = await cyd.join(room.code)
        page = await open_page(f"/{room.code}")
        await expect(page.locator("h1")).to_contain_text("rated")
        await expect(page.get_by_role("group", name="Ada")).to_contain_text("?")
        await resign_rated(room, there)
        await expect(page.get_by_text("Ratings: Ada")).to_contain_text("(-")
        casual = await rated.create("tictactoe", rated=False)
        page = await open_page(f"/{casual.code}")
        await expect(page.locator("h1")).to_contain_text("casual")
