"""A connection that is lost: the page says so, comes back by itself, and nothing is doubled."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, WebSocketRoute, expect

from parlour_client import Client, connect
from tests.support.proxy import Proxy, between
from tests.support.server import ServerProcess, free_port, serving
from tests.web.browser import OpenPage
from tests.web.table import Table


@pytest_asyncio.fixture(loop_scope="session")
async def line(server: str) -> AsyncIterator[Proxy]:
    """The network between the page and the server."""
    async with between(server) as proxy:
        yield proxy


async def seated(open_page: OpenPage, address: str, code: str) -> Table:
    """Somebody who sits at a table, and has said something there, through that address."""
    table = Table(await open_page(address.replace("ws", "http", 1) + f"/{code}"))
    await table.button("Sit down").click()
    await expect(table.players.last).to_contain_text("you")
    return table


async def left_behind(browser: Browser, **settings: Any) -> tuple[OpenPage, Table, str]:
    """Somebody whose turn it is in a room, with its code, when their server stops."""
    async with serving(**settings) as url:
        pages = OpenPage(browser, url.replace("ws", "http", 1))
        pages.expect("ERR_CONNECTION_REFUSED|WebSocket connection")
        async with connect(url, "Ada") as ada:
            room = await ada.create("tictactoe", starts="second")
            ben = await seated(pages, url, room.code)
            await ben.my_turn()
    await expect(ben.banner).to_be_visible()
    return pages, ben, room.code


async def test_a_server_is_killed_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "rooms.db")
    await server.start()
    pages = OpenPage(browser, server.url.replace("ws", "http", 1))
    pages.expect("ERR_CONNECTION_REFUSED|WebSocket connection")
    try:
        async with connect(server.url, "Ada") as ada:
            room = await ada.create("tictactoe", starts="second")
            ben = await seated(pages, server.url, room.code)
            await ben.say("hello")
            await ben.play("b2")
            await room.wait_for_turn()
            await room.play("a1")
            await ben.my_turn()
            lobby = await pages(server.url.replace("ws", "http", 1))
            await expect(lobby.get_by_role("img", name="Connected")).to_be_attached()
            await lobby.wait_for_load_state("networkidle")
            without_seat = lobby.locator(".banner")
            await server.kill()
            await expect(ben.banner).to_contain_text("Your seat is kept.")
            await expect(without_seat).to_have_text(
                re.compile(r"^Connection lost\. Trying again (now|in \d+ s)\.$")
            )
            # Played while nobody is there to hear it.
            await ben.play("c3")
            await expect(ben.status).to_have_text("Your move is on its way.")
            await ben.say("still there?")
            await server.start()
            await expect(ben.banner).to_be_hidden()
            await ben.has("c3", "X")
            await room.until(lambda state: state.view.moves == ["b2", "a1", "c3"])
            await room.play("a3")
            await ben.has("a3", "O")
            await ben.my_turn()
            said = [one.text for one in room.view.chat]
            assert said == ["hello", "still there?"]
            for words in said:
                await expect(ben.chat.get_by_text(words, exact=True)).to_have_count(1)
            await pages.close()
    finally:
        await server.kill()


async def test_a_page_of_an_older_version_loads_itself_anew(open_page: OpenPage) -> None:
    """What it has not fetched yet is gone from a server that was upgraded meanwhile."""
    page = await open_page("/")
    open_page.expect("settings.js|Failed to load resource")
    await page.route("**/", lambda route: route.fulfill(body="another version"), times=1)
    await page.route("**/panels/settings.js", lambda route: route.fulfill(status=404), times=1)
    async with page.expect_event("load"):
        await page.get_by_role("button", name=re.compile("settings")).click()
    await page.get_by_role("button", name=re.compile("settings")).click()
    await expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


async def test_a_room_that_the_server_no_longer_has(browser: Browser) -> None:
    port = free_port()
    pages, ben, _ = await left_behind(browser, port=port)
    async with serving(port=port):
        await expect(ben.banner).to_be_hidden()
        await expect(ben.button("Try again")).to_be_visible()
        await expect(ben.status).to_contain_text("room")
        await expect(ben.button("Resign")).to_have_count(0)
        await pages.close()


async def test_a_line_that_is_cut_comes_back(ada: Client, open_page: OpenPage, line: Proxy) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = await seated(open_page, line.url, room.code)
    open_page.expect("ERR_|WebSocket connection")
    for mine, theirs in (("b2", "a1"), ("c1", "a3")):
        await ben.my_turn()
        line.refuse = True
        line.cut()
        await expect(ben.banner).to_contain_text("Connection lost")
        await ben.play(mine)
        await room.say(f"{mine}?")
        line.refuse = False
        await expect(ben.banner).to_be_hidden()
        await room.wait_for_turn()
        await room.play(theirs)
        await ben.has(theirs, "O")
        await expect(ben.chat.get_by_text(f"{mine}?")).to_have_count(1)
        await expect(ben.spoken).to_contain_text("Your turn.")
    assert room.view.moves == ["b2", "a1", "c1", "a3"]
    assert await ben.page.get_by_role("region", name="Moves").get_by_role("listitem").count() == 4


async def test_a_line_that_has_died_in_silence_is_noticed(
    ada: Client, open_page: OpenPage, line: Proxy
) -> None:
    """As when a phone slept, or changed its network: the socket only seems to be open."""
    room = await ada.create("tictactoe", starts="second")
    ben = await seated(open_page, line.url, room.code)
    await ben.my_turn()
    open_page.expect("ERR_|WebSocket connection")
    await ben.page.clock.install()
    line.swallow()
    await ben.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await ben.page.clock.fast_forward(10_000)
    await expect(ben.banner).to_contain_text("Connection lost")
    await ben.play("b2")
    line.cut()
    line.go_on()
    await ben.page.clock.fast_forward(10_000)
    await expect(ben.banner).to_be_hidden()
    await ben.has("b2", "X")
    assert room.view.moves == ["b2"]


async def test_a_server_on_this_machine_needs_no_network(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = await seated(open_page, ada.url, room.code)
    await ben.my_turn()
    hidden = await ben.page.evaluate_handle(
        """() => new Promise(resolve => {
            const banner = document.querySelector('.banner')
            const seen = new MutationObserver(() => banner.hidden && resolve(true))
            dispatchEvent(new Event('offline'))
            seen.observe(banner, {attributes: true})
        })"""
    )
    assert await hidden.json_value()
    await ben.play("b2")
    await room.until(lambda state: state.view.moves == ["b2"])


async def test_a_frozen_page_catches_up(ada: Client, open_page: OpenPage) -> None:
    """As browsers do it with pages that nobody looks at."""
    room = await ada.create("tictactoe", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await expect(ben.players.last).to_contain_text("you")
    session = await ben.page.context.new_cdp_session(ben.page)
    await session.send("Page.setWebLifecycleState", {"state": "frozen"})
    await room.play("b2")
    await session.send("Page.setWebLifecycleState", {"state": "active"})
    await ben.has("b2", "X")
    await ben.play("a1")
    await room.until(lambda state: state.view.moves == ["b2", "a1"])


async def test_a_first_visit_shows_the_board_before_there_is_a_connection(
    open_page: OpenPage, ada: Client
) -> None:
    room = await ada.create("tictactoe", starts="second")
    page = await open_page("/offline")
    said: list[str] = []

    def hear(socket: WebSocketRoute) -> None:
        socket.on_message(lambda text: said.append(json.loads(text)["type"]))

    await page.route_web_socket("**", hear)
    await page.goto(f"{open_page.address}/{room.code}")
    table = Table(page)
    await expect(table.cell("b2")).to_be_visible()
    await table.button("Sit down").click()
    await expect(table.players.last).not_to_contain_text("you")
    # It shows that, and asks once.
    await expect(table.button("Sit down")).to_have_attribute("aria-busy", "true")
    await table.button("Sit down").click()
    # What there is to say doesn't wait for the welcome.
    while said[2:] != ["sit"]:
        await page.wait_for_timeout(20)
    assert said[:2] == ["hello", "subscribe"]
    assert not await page.evaluate("localStorage.getItem('parlour.token')")
    # Nor does whoever is known here, and has no seat.
    await page.evaluate("localStorage.setItem('parlour.token', 'mine')")
    await page.reload()
    await expect(table.button("Sit down")).to_be_visible()
    await expect(table.cell("b2")).to_be_visible()
    # Who may have one sees nothing before the server says what is theirs.
    name = room.view.seats[0].name
    await page.evaluate("name => localStorage.setItem('parlour.name', name)", name)
    await page.reload()
    await expect(page.get_by_role("img", name="Connecting")).to_be_attached()
    await expect(table.button("More")).to_be_attached()
    await expect(table.button("Sit down")).to_have_count(0)
