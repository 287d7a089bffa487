"""The wall: the running games, by themselves, on any screen."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from parlour_client import Client, connect
from parlour_server.net.site import own_site
from tests.support.client import RawClient, player
from tests.support.server import free_port, serving
from tests.web.browser import OpenPage, Size, Theme, axe, shoot

WALL = f"{own_site().assets}/pages/wall.js"


def ws(server: str) -> str:
    return server.replace("http", "ws", 1)


async def table(ada: RawClient, ben: RawClient | None, game: str = "tictactoe", moves: str = "") -> str:
    """A room where Ada waits, or plays with Ben."""
    room: str = (await ada.ask("create", game=game))["room"]
    await ada.ask("sit", room=room)
    if ben is not None:
        await ben.ask("sit", room=room)
        for ply, move in enumerate(moves.split()):
            await play((ada, ben)[ply % 2], room, move)
    return room


async def play(client: RawClient, room: str, move: str) -> None:
    version = (await client.ask("subscribe", room=room))["version"]
    assert (await client.ask("play", room=room, version=version, move=move))["type"] == "accepted"


async def test_games_and_those_who_wait_are_shown_as_they_come_and_go(
    open_page: OpenPage, server: str
) -> None:
    async with player(ws(server), "Ada") as ada, player(ws(server), "Ben") as ben:
        page = await open_page("/wall", size="wall")
        tiles = page.locator(".tile")
        await expect(page.get_by_role("heading", name="The boards are free")).to_be_visible()
        # No phone could follow a link to this machine.
        await expect(page.locator(".empty")).to_contain_text("Only this machine can open that.")

        room = await table(ada, None)
        await expect(tiles).to_have_count(1)
        await expect(tiles.get_by_role("link", name=room)).to_have_attribute("href", f"/{room}")
        await expect(tiles).to_contain_text("Ada waits for you")
        await expect(page.locator(".qr")).to_have_count(0)

        await ben.ask("sit", room=room)
        await expect(tiles).to_contain_text("Ada to move.")
        await expect(tiles).to_contain_text("Tic-tac-toe")
        await expect(tiles.locator(".board .piece")).to_have_count(0)
        await play(ada, room, "b2")
        await expect(tiles.locator(".board .piece")).to_have_count(1)
        for ply, move in enumerate("a1 b1 a2 b3".split()):
            await play((ben, ada)[ply % 2], room, move)
        await expect(tiles).to_contain_text("Ada wins")
        await ada.ask("close", room=room)
        await expect(tiles).to_have_count(0)
        await expect(page.get_by_role("heading", name="The boards are free")).to_be_visible()


async def test_ones_own_game_is_shown_and_a_wall_counts_as_nobodys_presence(
    open_page: OpenPage, server: str
) -> None:
    async with player(ws(server), "Ada") as ada:
        room = await table(ada, None)
        page = await open_page(f"/{room}")
        await page.get_by_role("button", name="Sit down").click()
        await expect(page.get_by_role("status").filter(has_text="to move")).to_be_visible()
        for beside in (page, None):
            wall = await open_page("/wall", beside=beside)
            await expect(wall.locator(".tile.game")).to_contain_text("Ada to move.")
        await play(ada, room, "b2")
        await expect(wall.locator(".tile .board .piece")).to_have_count(1)
        await expect(page.locator("p.status")).to_have_text("Your turn.")
        assert (await snapshot(ada, room))["watching"] == 0
        await page.close()
        await ada.until(lambda message: message.get("set", {}).get("online") == [True, False])


async def test_names_stand_where_their_men_do(open_page: OpenPage, server: str) -> None:
    async with player(ws(server), "Ada") as ada:
        room = (await ada.ask("create", game="checkers"))["room"]
        page = await open_page(f"/{room}")
        await page.get_by_role("button", name="Sit down").click()
        await ada.ask("sit", room=room)
        await expect(page.locator(".player").first).to_contain_text("you")
        await expect(page.locator(".player").last).to_contain_text("Ada")
        wall = await open_page("/wall", beside=page)
        await expect(wall.locator(".tile .player").first).to_have_accessible_name(re.compile("●"))
        await expect(wall.locator(".tile .player").last).to_contain_text("Ada")


async def snapshot(client: RawClient, room: str) -> dict[str, Any]:
    """The room as this client is shown it now."""
    said = len(client.received)
    await client.ask("subscribe", room=room)
    got = await client.until(lambda one: one in client.received[said:] and one["type"] == "snapshot")
    return dict(got["view"])


def subscriptions(page: Page) -> set[str]:
    """The rooms that a page is subscribed to, from its next connection on."""
    rooms: set[str] = set()

    def sent(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "subscribe":
            rooms.add(message["room"])
        elif message["type"] == "unsubscribe":
            rooms.discard(message["room"])

    page.on("websocket", lambda socket: socket.on("framesent", sent))
    return rooms


async def codes(page: Page) -> set[str]:
    return set(await page.locator(".tile .code").all_text_contents())


async def test_where_more_play_than_fit_all_have_their_turn(open_page: OpenPage, server: str) -> None:
    async with player(ws(server), "Ada") as ada, player(ws(server), "Ben") as ben:
        rooms = {await table(ada, ben) for _ in range(12)}
        page = await open_page("/")
        subscribed = subscriptions(page)
        await page.goto(f"{server}/wall")
        # The next turn is to come by the test's own hand.
        hold = page.get_by_role("button", name="Hold")
        await hold.click()
        await expect(hold).to_have_attribute("aria-pressed", "true")
        await expect(page.locator(".tile.game .turn")).to_have_count(9)
        first = await codes(page)
        assert subscribed == first
        await page.get_by_role("button", name="Next").click()
        await expect(page.locator(".tile.game .turn")).to_have_count(9)
        second = await codes(page)
        assert (len(second), len(second - first)) == (9, 3)
        assert first | second == rooms
        # Rooms that are shown no more are not subscribed to any more.
        assert subscribed == second
        # What they have not read would hold up their farewell.
        await ben.ask("rooms")


async def inside(page: Page, expression: str, argument: Any = None) -> Any:
    """The value of an expression about the wall's module."""
    return await page.evaluate(
        f"async given => {{ const wall = await import('{WALL}'); return {expression}; }}", argument
    )


async def chosen(page: Page, rooms: str, shown: str, places: int, last: str = "", turn: bool = False) -> str:
    """Rooms are letters: w for one where somebody waits, p for one in play, f for one where it is over."""
    phases = {"w": "waiting", "p": "playing", "f": "finished"}
    lines = [{"room": room, "phase": phases[room[0]]} for room in rooms.split()]
    given = [lines, shown.split(), places, last.split(), turn]
    return " ".join(
        await inside(
            page, "wall.choose(given[0], given[1], given[2], code => given[3].indexOf(code), given[4])", given
        )
    )


async def test_who_is_shown(open_page: OpenPage) -> None:
    page = await open_page("/wall")
    sizes = [(360, 500), (700, 250), (1000, 590), (1400, 700), (1880, 880)]
    assert [await inside(page, "wall.placesIn(...given)", size) for size in sizes] == [9, 1, 4, 9, 9]
    # Who waits has a third of the places, and more where there are few games.
    assert await chosen(page, "w1 w2 w3 p1 p2 p3 p4 p5", "", 6) == "w1 w2 p1 p2 p3 p4"
    assert await chosen(page, "w1 w2 w3 w4 p1", "", 4) == "w1 w2 w3 p1"
    assert await chosen(page, "w1 p1 f1 f2", "", 3) == "w1 p1 f1"
    # What is there keeps its place; what ends is shown until the next turn.
    assert await chosen(page, "w1 p1 p2 p3", "p2 w1", 3) == "p2 w1 p1"
    assert await chosen(page, "f1 p2 p3", "f1 p2", 2) == "f1 p2"
    assert await chosen(page, "f1 p2 p3", "f1 p2", 2, turn=True) == "p3 p2"
    # A third takes turns: out goes who has been there longest, in comes who has not been for longest.
    shown = await chosen(page, "p1 p2 p3 p4 p5 p6", "p1 p2 p3", 3, last="p5 p6 p4 p2 p1 p3", turn=True)
    assert shown == "p1 p5 p3"
    # Nobody waits for a place: nothing changes.
    assert await chosen(page, "p1 p2 p3", "p3 p1 p2", 3, turn=True) == "p3 p1 p2"


@pytest.mark.parametrize(("size", "theme"), [("wall", "dark")])
async def test_it_fits_its_screen_and_anybody_can_read_it(
    open_page: OpenPage, server: str, size: Size, theme: Theme
) -> None:
    async with player(ws(server), "Ada") as ada, player(ws(server), "Ben") as ben:
        await table(ada, ben, "connect4", "4 4 3")
        await table(ada, ben, "reversi", "d3")
        await table(ada, ben, "gomoku", "h8 h9")
        await table(ada, None)
        page = await open_page("/wall", size=size, theme=theme)
        await expect(page.locator(".tile.game .turn")).to_have_count(3)
        await shoot(page, f"wall-{size}-{theme}")
        assert await axe(page) == []
        width, height = await page.evaluate(
            "[document.body.scrollWidth - innerWidth, document.body.scrollHeight - innerHeight]"
        )
        assert width <= 0
        assert size == "phone" or height <= 0
        names = json.loads(
            await page.evaluate(
                "JSON.stringify([...document.querySelectorAll('.tile h2')].map(one => one.innerText))"
            )
        )
        assert sorted(name.split()[0] for name in names) == ["Connect", "Gomoku", "Reversi", "Tic-tac-toe"]


async def test_a_tournament_that_is_under_way_stands_beside_its_boards(
    open_page: OpenPage, server: str, ada: Client
) -> None:
    async with connect(ws(server), "Ben") as ben:
        code = await ada.create_tournament("Friday cup", "connect4", format="round_robin", pause=60)
        for one in (ada, ben):
            await one.join_tournament(code)
        for bot in ("random", "easy"):
            await ada.enter_bot(code, bot)
        aside = await ada.create("tictactoe")
        await ada.start_tournament(code)
        page = await open_page("/wall", size="wall")
        cup = page.get_by_role("complementary")
        await expect(cup).to_contain_text("Friday cup")
        await expect(cup).to_contain_text("Round 1 of 3")
        await expect(cup.get_by_role("row")).to_have_count(5)
        await expect(cup.get_by_role("listitem")).to_have_count(2)
        await expect(cup).to_contain_text("running")
        # Its boards alone are shown, though somebody waits elsewhere.
        await expect(page.locator(".tile.game .board").first).to_be_visible()
        await expect(page.locator(".tile").filter(has_text=aside.code)).to_have_count(0)
        assert await axe(page) == []
        await shoot(page, "wall-tournament")
        await ada.end_tournament(code)
        await expect(cup).to_contain_text("The host has ended it early.")


async def test_a_wall_comes_back_with_its_server_s_rooms(open_page: OpenPage, server: str) -> None:
    async with player(ws(server), "Ada") as ada, player(ws(server), "Ben") as ben:
        page = await open_page("/wall")
        await expect(page.get_by_role("heading", name="The boards are free")).to_be_visible()
        await page.context.set_offline(True)
        room = await table(ada, ben)
        await page.context.set_offline(False)
        await expect(page.locator(".tile .code")).to_have_text(room)
        await play(ada, room, "b2")
        await expect(page.locator(".tile .board .piece")).to_have_count(1)


async def test_where_others_reach_the_server_links_can_be_scanned(browser: Browser) -> None:
    port = free_port()
    # A name that any browser takes for this machine: for the page it is one that others reach.
    address = f"http://parlour.localhost:{port}"
    pages = OpenPage(browser, address)
    async with serving(port=port, origins=[address]) as url, player(url, "Ada") as ada:
        page = await pages("/wall", size="wall")
        await expect(page.locator(".empty .qr path")).to_have_count(1)
        room = await table(ada, None)
        sign = page.locator(".tile").get_by_role("img", name=f"{address}/{room}")
        await expect(sign).to_be_visible()
        await expect(page.locator("main")).not_to_contain_text("Only this machine")
    await pages.close()
