"""The board is the biggest thing on the screen, whatever stands beside it."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from parlour_client import Client
from tests.web.browser import OpenPage
from tests.web.table import Table

WANTED = {(390, 844): 0.9, (844, 390): 0.9, (1366, 625): 0.7}
"""How much of a screen's shorter side the board takes at least: of phones both ways, and of a laptop."""
MOVES = {"hex": "f6 g6"}
"""The board that is widest for its height."""


async def stages(ada: Client, open_page: OpenPage, game: str) -> AsyncIterator[tuple[str, Page]]:
    """A game from the wait for a second player to its review, and its analysis."""
    room = await ada.create(game, seat=None, moves=MOVES[game], hints="always", starts="first")
    ben = Table(await open_page(f"/{room.code}", size="phone"))
    await ben.button("Sit down").click()
    await expect(ben.status).to_contain_text("Send them the link")
    yield "waiting", ben.page
    await room.sit()
    await ben.my_turn()
    yield "two moves", ben.page
    await ben.button("Hint").click()
    await expect(ben.page.get_by_role("region", name="Thinking")).to_be_visible()
    yield "thinking", ben.page
    await room.resign()
    await room.rematch()
    await expect(ben.button("Agree")).to_be_visible()
    yield "offer", ben.page
    link = f"{game}={MOVES[game].replace(' ', ',')}"
    for name in ("review", "analysis"):
        await ben.page.goto(f"{open_page.address}/{name}#{link}")
        await expect(ben.page.locator(".pieces .piece")).not_to_have_count(0)
        yield name, ben.page


@pytest.mark.parametrize("game", MOVES)
async def test_the_board_comes_first(ada: Client, open_page: OpenPage, game: str) -> None:
    found: dict[tuple[int, int], list[float]] = {size: [] for size in WANTED}
    async for stage, page in stages(ada, open_page, game):
        for (width, height), share in WANTED.items():
            await page.set_viewport_size({"width": width, "height": height})
            board = await page.locator(".square").bounding_box()
            assert board
            assert (board["width"] if width < height else board["height"]) >= share * min(width, height), (
                f"{stage} at {width}x{height}: {board}"
            )
            assert board["x"] >= 0
            assert board["x"] + board["width"] <= width
            assert board["y"] >= 0
            assert board["y"] + board["height"] <= height
            found[width, height].append(board["width"])
    # Panels come and go beside it.
    assert all(max(sizes[:4]) - min(sizes[:4]) < 1 for sizes in found.values())


async def test_buttons_keep_their_places_from_move_to_move(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("connect4", hints="always", starts="second", clock="5+3")
    ben = Table(await open_page(f"/{room.code}", size="phone"))
    await ben.button("Sit down").click()
    await ben.my_turn()

    async def places() -> dict[str, tuple[float, float]]:
        found = {}
        for name in [*await ben.page.locator(".actions[role=group] button").all_inner_texts(), "More"]:
            box = await ben.button(name).bounding_box()
            assert box
            # One stands in the other's place.
            found["Resign" if name == "Abort" else name] = box["x"], box["y"]
        return found

    first = await places()
    assert "Hint" in first
    await ben.play("4, 6")
    await expect(ben.button("Hint")).to_be_disabled()
    await room.play("4")
    await ben.my_turn()
    await expect(ben.button("Abort")).to_have_count(0)
    await room.offer_draw()
    await expect(ben.button("Agree")).to_be_visible()
    last = await places()
    assert {name: last[name] for name in first} == first
    # Nor does it matter when the page was loaded.
    await ben.page.reload()
    await ben.my_turn()
    await expect(ben.button("Agree")).to_be_visible()
    assert await places() == last


async def test_what_matters_stays_in_sight_while_the_rest_is_scrolled(
    ada: Client, open_page: OpenPage
) -> None:
    room = await ada.create("tictactoe", starts="first", clock="5+3")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await room.wait_for_turn()
    await room.play("a1")
    await ben.my_turn()
    await room.offer_draw()
    await ben.page.set_viewport_size({"width": 1366, "height": 768})
    say = ben.page.get_by_placeholder("Say something")
    await expect(say).to_be_in_viewport(ratio=1)
    await ben.page.set_viewport_size({"width": 844, "height": 390})
    await ben.page.evaluate("document.querySelector('.side').scrollTop = 9999")
    for one in (
        ben.status,
        ben.button("Agree"),
        ben.button("Decline"),
        ben.page.get_by_role("timer").last,
        say,
    ):
        await expect(one).to_be_in_viewport(ratio=1)
    chat, form = (
        await ben.page.locator(".chat").bounding_box(),
        await ben.page.locator(".chat form").bounding_box(),
    )
    assert chat
    assert form
    assert form["y"] + form["height"] <= chat["y"] + chat["height"] + 1
    await ben.page.goto(f"{open_page.address}/learn")
    await expect(ben.page.locator(".learn .side .square")).to_be_visible()
    board = await ben.page.locator(".learn .side .square").bounding_box()
    assert board
    assert board["height"] <= 390


async def test_no_fold_of_the_new_game_lies_behind_its_buttons(open_page: OpenPage) -> None:
    page = await open_page("/")
    await page.set_viewport_size({"width": 1366, "height": 768})
    await page.get_by_role("button", name="New game").click()
    buttons = await page.locator("dialog .buttons").last.bounding_box()
    assert buttons
    for fold in ("Start from a position", "More settings"):
        box = await page.get_by_text(fold).bounding_box()
        assert box
        assert box["y"] + box["height"] <= buttons["y"]
