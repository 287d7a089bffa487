"""The page by keyboard alone, by a screen reader, and as axe judges it."""

import re

from playwright.async_api import Locator, Page, expect

from parlour_client import Client
from tests.web.browser import OpenPage, axe
from tests.web.table import Table

MOST_STOPS = 60


async def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until this has the focus."""
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        if await wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError("the keyboard does not lead there")


async def test_a_game_is_played_by_keyboard_alone(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    press = ben.page.keyboard.press
    await expect(ben.button("Sit down")).to_be_visible()
    await tab_to(ben.page, ben.button("Sit down"))
    await press("Enter")
    # The button is gone: the board has the focus.
    await ben.my_turn()
    await expect(ben.cell("a3")).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowDown"):
        await press(key)
    await expect(ben.cell("b2")).to_be_focused()
    await press("Enter")
    await ben.has("b2", "X")
    await room.wait_for_turn()
    await room.play("a1")
    await ben.my_turn()
    # Nothing has moved it.
    await expect(ben.cell("b2")).to_be_focused()
    await press("ArrowDown")
    await press("Space")
    await ben.has("b1", "X")
    words = ben.page.get_by_placeholder("Say something")
    await tab_to(ben.page, words)
    await ben.page.keyboard.type("well?")
    await press("Enter")
    await expect(ben.chat).to_contain_text("well?")
    await expect(words).to_be_focused()
    await ben.page.keyboard.press("Shift+Tab")
    await tab_to(ben.page, ben.button("Resign"))
    await press("Enter")
    await expect(ben.page.get_by_role("dialog")).to_be_visible()
    await press("Escape")
    await expect(ben.button("Resign")).to_be_focused()
    await press("Enter")
    await tab_to(ben.page, ben.button("Yes"))
    await press("Enter")
    await expect(ben.status).to_contain_text("Ada wins")
    assert await ben.page.evaluate("document.activeElement !== document.body")


async def test_earlier_positions_are_reached_by_keys(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", moves="b2 a1 c3", opponent="easy", starts="second", pace=0)
    table = Table(await open_page(f"/{room.code}"))
    await table.has("c3", "X")
    for key, cell, mark, said in (
        ("ArrowLeft", "c3", "empty", "2. a1"),
        ("Home", "b2", "empty", "The start of the game."),
        ("End", "c3", "X", "turn|to move"),
    ):
        await table.page.keyboard.press(key)
        await table.has(cell, mark)
        await expect(table.spoken.locator("p").last).to_have_text(re.compile(said))


async def test_skipping_to_the_page_leaves_it_as_it_is(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2,a1")
    await Table(page).has("a1", "O")
    await tab_to(page, page.get_by_role("link", name="Skip to content"))
    await page.keyboard.press("Enter")
    await expect(page.locator("#page")).to_be_focused()
    await Table(page).has("a1", "O")
    assert page.url.endswith("/analysis#tictactoe=b2,a1")


async def test_what_a_screen_reader_finds(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", moves="b2 a1", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.my_turn()
    await expect(ben.page.locator("body")).to_match_aria_snapshot(
        """
        - link "Skip to content"
        - banner:
          - link "Parlour"
          - navigation "Parlour"
          - button /settings/
        - main:
          - group "Ada, O"
          - grid "The board":
            - row:
              - gridcell "a3 empty, can be played"
              - gridcell "b3 empty, can be played"
              - gridcell "c3 empty, can be played"
            - row:
              - gridcell "a2 empty, can be played"
              - gridcell "b2 X" [disabled]
              - gridcell "c2 empty, can be played"
            - row:
              - gridcell "a1 O, last move" [disabled]
              - gridcell "b1 empty, can be played"
              - gridcell "c1 empty, can be played"
          - group /, X, to move/
          - status: Your turn.
          - group:
            - button "Abort"
          - heading /Tic-tac-toe/ [level=1]
          - region "Moves":
            - list:
              - listitem:
                - button "1. b2"
          - region "Talk":
            - log "Talk"
            - textbox "Say something to the other player"
            - button "Send"
        """
    )


async def test_a_screen_reader_says_what_happens_once(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.page.evaluate(SAID)
    await ben.button("Sit down").click()
    await expect(ben.players.last).to_contain_text("you")
    await room.play("b2")
    await ben.my_turn()
    await ben.play("a1")
    await room.wait_for_turn()
    await room.say("nice")
    await room.offer_draw()
    await ben.button("Agree").click()
    await expect(ben.status).to_have_text("A draw was agreed.")
    assert await ben.page.evaluate("said") == [
        "You sit down.",
        "Game 1: Ada begins.",
        "Ada played b2. Your turn.",
        "You played a1.",
        "Ada: nice",
        "Ada offers a draw.",
        "A draw was agreed.",
    ]


SAID = """
window.said = []
new MutationObserver(changes => {
    for (const { target, addedNodes } of changes) {
        const region = (target.closest ? target : target.parentElement).closest("[aria-live], [role]")
        const live = region?.ariaLive ?? (/^(status|log|alert)$/.test(region?.role) ? "polite" : "off")
        if (live !== "off") said.push(...[...addedNodes].map(one => one.textContent))
    }
}).observe(document.body, { subtree: true, childList: true, characterData: true })
"""
"""Notes what is put into a live region, whichever: `said`."""


async def test_axe_finds_nothing_at_a_table(ada: Client, open_page: OpenPage) -> None:
    playing = await ada.create("reversi", opponent="easy", moves="d3 c3")
    await playing.say("hello")
    page = await open_page("/QQQQQQ", size="phone")
    for code in ("QQQQQQ", (await ada.create("connect4")).code, playing.code):
        await page.goto(f"{open_page.address}/{code}")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert await axe(page) == []


async def test_axe_finds_nothing_as_one_plays(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", hints="always", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.button("Hint").click()
    await expect(ben.page.locator(".score")).to_have_count(9)
    found = await axe(ben.page)
    await ben.play("b2")
    await room.wait_for_turn()
    await room.play("a1")
    await ben.button("Resign").click()
    await expect(ben.page.get_by_role("dialog")).to_be_visible()
    found += await axe(ben.page)
    await ben.button("Yes").click()
    await expect(ben.status).to_have_text(re.compile("wins"))
    found += await axe(ben.page)
    assert found == []
