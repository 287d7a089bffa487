"""A tournament on the page: made, joined on a phone, played, and seen from the lobby."""

import asyncio
import re

from playwright.async_api import Route, WebSocket, expect

from parlour_client import Client
from tests.support.proxy import between
from tests.web.browser import SIZES, OpenPage, axe, shoot

THE_CODE = re.compile(r"/[2-9A-HJ-NP-Z]{7}$")


async def test_a_tournament_is_made_and_joined_and_its_players_are_taken_to_their_tables(
    open_page: OpenPage, ada: Client
) -> None:
    host = await open_page("/")
    await host.get_by_role("button", name="New tournament").click()
    await host.get_by_role("textbox", name="Name").fill("Friday cup")
    # What another format has is not sent, whatever stands there.
    await host.get_by_role("spinbutton", name="Rounds").fill("99")
    await host.get_by_role("combobox", name="Format").select_option("round_robin")
    await host.get_by_role("spinbutton", name="Pause").fill("0")
    await host.get_by_role("button", name="Make it").click()
    await expect(host.get_by_role("heading", name="Friday cup")).to_be_visible()
    await expect(host).to_have_url(THE_CODE)
    path = "/" + host.url.rpartition("/")[2]

    phone = await open_page(path, size="phone")
    await phone.get_by_role("textbox", name="You take part as").fill("Zoe")
    await phone.get_by_role("button", name="Take part").click()
    await expect(host.locator(".standings tbody tr")).to_contain_text("Zoe")
    await phone.get_by_role("textbox", name="You take part as").fill("Zoe B")
    await phone.get_by_role("button", name="Change name").click()
    await expect(host.locator(".standings tbody tr")).to_contain_text("Zoe B")
    await ada.join_tournament(path[1:])
    await expect(host.locator(".standings tbody tr")).to_have_count(2)
    await expect(host.locator(".standings")).to_contain_text("Ada")
    await expect(host.get_by_role("heading", name="Boards")).to_be_hidden()
    assert await axe(phone) == []

    await host.get_by_role("button", name="Begin").click()
    # Who waits for a game is taken to it; a host who does not play sees it.
    await expect(phone.locator(".table .board")).to_be_visible()
    await expect(host.locator(".tile .board")).to_be_visible()
    await expect(host.locator(".boards .line")).to_contain_text("Round 1, board 1 · running")
    assert await axe(host) == []
    await phone.get_by_role("link", name="Back to the tournament").click()
    await expect(phone.get_by_role("link", name="To your table")).to_be_visible()

    view = await ada.tournament(path[1:])
    assert view.room is not None
    room = await ada.join(view.room)
    await room.resign()
    await expect(host.locator(".boards .line")).to_contain_text(re.compile("1-0|0-1"))
    await expect(host.locator(".status")).to_contain_text("is won by")
    await expect(host.locator(".boards .line a")).to_have_attribute("href", f"/review#{room.code}")


async def test_the_host_takes_out_decides_and_ends(open_page: OpenPage, ada: Client) -> None:
    host = await open_page("/")
    await host.get_by_role("button", name="New tournament").click()
    await host.get_by_role("textbox", name="Name").fill("Cup")
    await host.get_by_role("combobox", name="Format").select_option("round_robin")
    await host.get_by_role("spinbutton", name="Pause").fill("4")
    await host.get_by_role("button", name="Make it").click()
    await expect(host).to_have_url(THE_CODE)
    code = host.url.rpartition("/")[2]
    for bot in ("easy", "medium", "random", "hard"):
        await host.get_by_role("combobox", name="Add a bot").select_option(bot)
        await host.get_by_role("button", name="Add a bot").click()
    await expect(host.locator(".standings")).to_contain_text("hard (bot)")
    await ada.join_tournament(code)
    await host.get_by_role("button", name="Take hard out").click()
    await host.get_by_role("button", name="Yes").click()
    await expect(host.locator(".standings")).to_contain_text("hard (bot) (left)")

    lobby = await open_page("/", size="phone")
    await lobby.get_by_role("button", name=re.compile("^Rooms")).click()
    await lobby.get_by_role("link", name="Look: Cup").click()
    await expect(lobby.get_by_role("heading", name="Cup")).to_be_visible()

    await host.get_by_role("button", name="Begin").click()
    # Several rounds, and in each of them Ada's game waits for her: there is always one to decide.
    board = host.locator(".boards .line").filter(has_text="Ada").first
    await board.get_by_role("button", name=re.compile("^Decide")).click()
    await host.get_by_role("button", name="Lost by both").click()
    await expect(host.get_by_text("0-0, forfeit").first).to_be_visible()
    await host.get_by_role("button", name="End the tournament").click()
    await host.get_by_role("button", name="Yes").click()
    await expect(lobby.locator(".status")).to_contain_text("The host has ended it early.")


async def test_a_code_that_is_none_says_so(open_page: OpenPage) -> None:
    page = await open_page("/ABCDEF2")
    await expect(page.get_by_role("heading", name="There is no such tournament")).to_be_visible()


async def test_it_fits_each_screen(open_page: OpenPage, ada: Client) -> None:
    code = await ada.create_tournament("Friday cup", "connect4", format="swiss", rounds=3)
    for bot in ("easy", "medium", "hard", "random", "minimax", "alphabeta"):
        await ada.enter_bot(code, bot)
    await ada.start_tournament(code)
    page = await open_page(f"/{code}", size="phone")
    await expect(page.locator(".boards .line")).to_have_count(3)
    for size, (width, height) in SIZES.items():
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await shoot(page, f"tournament-{size}")


async def test_from_a_game_that_is_over_one_is_led_to_the_next_once(
    open_page: OpenPage, ada: Client, server: str
) -> None:
    open_page.expect("WebSocket|ERR_")
    async with between(server.replace("http", "ws", 1)) as proxy:
        code = await ada.create_tournament("Cup", "tictactoe", format="round_robin", games=2, pause=0)
        phone = await open_page(f"{proxy.url.replace('ws', 'http', 1)}/{code}", size="phone")
        loaded, said = asyncio.Event(), list[str]()

        async def hold(route: Route) -> None:
            await loaded.wait()
            await route.continue_()

        def listen(socket: WebSocket) -> None:
            socket.on("framesent", lambda frame: said.append(str(frame)))
            socket.on("framereceived", lambda frame: said.append(str(frame)))

        await phone.route(re.compile("next_game"), hold)
        phone.on("websocket", listen)
        await phone.get_by_role("button", name="Take part").click()
        await expect(phone.get_by_role("button", name="Withdraw")).to_be_visible()
        await ada.join_tournament(code)
        await ada.start_tournament(code)
        await expect(phone.locator(".table .board")).to_be_visible()
        view = await ada.tournament(code)
        assert view.room is not None
        room = await ada.join(view.room)
        # The table comes anew before what leads on from it is there; then the connection alone.
        proxy.cut()
        await room.say("Good evening")
        await expect(phone.get_by_text("Good evening")).to_be_visible()
        loaded.set()
        await expect(phone.get_by_role("link", name="Back to the tournament")).to_be_visible()
        proxy.refuse = True
        proxy.cut()
        await expect(phone.locator(".dot.lost")).to_have_count(1)
        proxy.refuse = False
        await expect(phone.locator(".dot.lost")).to_have_count(0)
        await room.resign()
        await expect(phone).not_to_have_url(re.compile(f"{code}|{view.room}"))
        await expect(phone.locator(".table .board")).to_be_visible()
        second = f'"room":"{phone.url[-6:]}"'
        # What the tournament says next leads nowhere: the table stays.
        async with asyncio.timeout(60):
            while True:
                await phone.evaluate("0")
                opened = [at for at, one in enumerate(said) if '"subscribe"' in one and second in one]
                if opened and any("tournament_changed" in one for one in said[opened[0] :]):
                    break
        await phone.evaluate("0")
        assert len(opened) == sum('"subscribe"' in one and second in one for one in said) == 1
