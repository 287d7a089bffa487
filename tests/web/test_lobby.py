"""The lobby in a real browser: from it to a game, alone and with others."""

import re
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, Locator, Page, expect

from parlour_client import Client
from parlour_protocol.settings import setting_lines
from tests.support.client import player
from tests.support.server import free_port, serving
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table

CODE = re.compile(r"/([A-Z0-9]{6})$")
CHOSEN: dict[str, Any] = {
    "choice": "never",
    "switch": False,
    "number": 7,
    "text": "5+3",
    "bot": "easy",
}
"""A value for each kind of setting."""


async def at_table(page: Page) -> str:
    """The code of the room whose table the page has come to."""
    await page.wait_for_url(CODE)
    found = CODE.search(page.url)
    assert found
    return found[1]


async def dialog(page: Page, name: str) -> Locator:
    """Press a button of the lobby; gives the dialog that opens."""
    await page.get_by_role("button", name=name).click()
    return page.get_by_role("dialog", name=name)


async def test_ones_own_games_are_removed_and_those_met_again_have_a_record(
    open_page: OpenPage, ada: Client
) -> None:
    page = await open_page("/", size="phone")
    await page.get_by_role("button", name="Tic-tac-toe", exact=True).click()
    with_bot = await at_table(page)
    await page.goto(open_page.address)
    room = await ada.create("tictactoe", starts="second")
    await page.goto(f"{open_page.address}/{room.code}")
    table = Table(page)
    await table.button("Sit down").click()
    await room.until(lambda shown: shown.view.phase == "playing")
    await expect(page.get_by_text("in all games here")).to_be_hidden()
    await table.play("b2")
    await room.until(lambda shown: len(shown.view.moves) == 1)
    await room.resign()
    tally = page.get_by_text("You against Ada, in all games here: 1 won, 0 lost, 0 drawn.")
    await expect(tally).to_be_visible()
    assert await axe(page) == []
    # It stays with the two of them, in another room.
    other = await ada.create("connect4", starts="first", clock="5+3")
    await page.goto(f"{open_page.address}/{other.code}")
    await expect(table.players.get_by_text("5+3")).to_have_count(2)
    await table.button("Sit down").click()
    await expect(tally).to_be_visible()
    await page.goto(open_page.address)
    await page.get_by_role("button", name=re.compile("^Yours")).click()
    yours = page.get_by_role("region", name="Yours")
    met = yours.get_by_role("list", name="People you have played")
    await expect(met).to_contain_text("Ada · 1 win")
    rooms = yours.locator("[aria-label='To continue'] li, [aria-label='To look back on'] li")
    await expect(rooms).to_have_count(3)
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    assert await axe(page) == []
    # Ada would wait in that one.
    await expect(page.get_by_role("button", name=re.compile(f"^Remove: .*{other.code}"))).to_have_count(0)
    for code, left in ((with_bot, 2), (room.code, 1)):
        await page.get_by_role("button", name=re.compile(f"^Remove: .*{code}$")).click()
        await expect(rooms).to_have_count(left)
    await page.get_by_role("button", name="Undo").click()
    await expect(rooms).to_have_count(2)
    await expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    await page.get_by_role("button", name=re.compile(f"^Remove: .*{room.code}$")).click()
    await expect(rooms).to_have_count(1)
    await shoot(page, "removed")
    # The first player's turn is not Ada's: who is to move sees it from the lobby.
    await expect(yours.get_by_role("heading", name="Yours Your turn.")).to_be_hidden()
    await other.play("4")
    await expect(yours.get_by_role("heading", name="Yours Your turn.")).to_be_visible()
    await expect(yours.get_by_text("your turn")).to_be_visible()
    await shoot(page, "your-turn")
    await page.reload()
    await page.get_by_role("button", name=re.compile("^Yours")).click()
    await expect(rooms).to_have_count(1)


async def test_by_keyboard_alone_from_the_first_tab_to_a_game(open_page: OpenPage) -> None:
    page = await open_page("/")
    await page.get_by_role("button", name="New game").wait_for()
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.textContent") == "New game":
            break
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog", name="New game").get_by_label("Game", exact=True)).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="New game")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog", name="New game").get_by_role("textbox", name="Clock").focus()
    await page.keyboard.type("3+2")
    await page.keyboard.press("Enter")
    await at_table(page)
    await expect(page.get_by_role("timer").first).to_have_text("3:00")


async def test_a_new_room_stands_in_anothers_lobby_and_is_joined_from_there(open_page: OpenPage) -> None:
    ada, ben = await open_page("/"), await open_page("/", size="phone")
    await expect(ben.get_by_role("button", name="Rooms", exact=True)).to_be_visible()
    form = await dialog(ada, "New game")
    await form.get_by_label("Game", exact=True).select_option("connect4")
    await form.get_by_role("textbox", name="variant").fill("connect4:5,5")
    await form.get_by_label("Against").select_option("a friend")
    await form.get_by_label("You play").select_option("second")
    await form.get_by_role("textbox", name="Clock").fill("5+3")
    await form.get_by_role("button", name="Play", exact=True).click()
    code = await at_table(ada)
    await ben.get_by_role("button", name="Rooms (1)").click()
    line = ben.get_by_role("listitem").filter(has_text=code)
    await expect(line).to_contain_text("connect4:5,5")
    await expect(line).to_contain_text("5+3")
    await line.get_by_role("button", name="Join").click()
    assert await at_table(ben) == code
    await expect(ben.get_by_text("Your turn.")).to_be_visible()
    await expect(ada.get_by_text("to move.")).to_be_visible()


async def test_a_form_has_every_setting_and_sends_what_was_chosen(open_page: OpenPage, server: str) -> None:
    page = await open_page("/")
    form = await dialog(page, "New game")
    await form.get_by_label("You play").select_option("none")
    await form.get_by_text("More settings").click()
    values = form.get_by_label("Reports", exact=True).locator("option")
    await expect(values).to_have_text(["at once", "after", "never"])
    wanted = {}
    for line in setting_lines():
        if line.name == "rated":
            # This server rates nobody, and asks for nothing of it.
            wanted[line.name] = True
            continue
        value = wanted[line.name] = {**CHOSEN, "choice": line.choices[-1] if line.choices else ""}[line.kind]
        field = form.get_by_label(line.title, exact=True)
        if line.kind == "switch":
            await field.set_checked(value)
        elif line.kind in ("choice", "bot"):
            await field.select_option(value)
        else:
            await field.and_(form.locator("input")).fill(str(value))
    await form.get_by_label("First seat").select_option("random")
    await form.get_by_label("Second seat").select_option("minimax")
    await form.get_by_text("Settings of this bot").nth(1).click()
    await form.get_by_label("depth").fill("1")
    await form.get_by_role("button", name="Play", exact=True).click()
    code = await at_table(page)
    async with player(server.replace("http", "ws", 1)) as ben:
        await ben.ask("subscribe", room=code)
        view = (await ben.until(lambda message: message["type"] == "snapshot"))["view"]
    assert view["settings"] == wanted
    assert [seat["bot"] for seat in view["seats"]] == ["random", "minimax:depth=1"]
    assert view["series"]["of"] == 7


async def test_two_who_want_the_same_are_matched(open_page: OpenPage) -> None:
    ada, ben = await open_page("/"), await open_page("/")
    form = await dialog(ada, "Quick match")
    await form.get_by_label("Game", exact=True).select_option("gomoku")
    await form.get_by_role("textbox", name="Clock").fill("5+3")
    await form.get_by_role("button", name="Find a player").click()
    await expect(ada.get_by_text("Looking for somebody to play Gomoku, 5+3")).to_be_visible()
    await expect(ada.get_by_text(re.compile(r"medium \(bot\) sits down in \d+ s\."))).to_be_visible()
    form = await dialog(ben, "Quick match")
    await form.get_by_label("Game", exact=True).select_option("gomoku")
    await expect(form.get_by_text("Others waiting: 1 with 5+3.")).to_be_visible()
    await form.get_by_role("textbox", name="Clock").fill("5+3")
    await form.get_by_role("button", name="Find a player").click()
    assert await at_table(ada) == await at_table(ben)


async def test_a_code_that_leads_nowhere_is_answered_with_a_sentence(open_page: OpenPage) -> None:
    page = await open_page("/")
    field = page.get_by_label("Room code or link")
    for typed, said in {
        "nonsense!": "Type a room's code",
        "AAAAAA": "There is no such room",
        "http://127.0.0.9:1/KMRTQA": "That room is on another server",
    }.items():
        await field.fill(typed)
        await field.press("Enter")
        await expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()
        await expect(field).to_have_value(typed)
        await expect(field).to_be_focused()


async def test_the_lists_are_right_again_after_a_lost_connection(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    # A name that any browser takes for this machine: for the page it is one that others reach.
    address = f"http://parlour.localhost:{port}"
    settings: dict[str, Any] = {"port": port, "data": str(tmp_path / "rooms.db"), "origins": [address]}
    pages = OpenPage(browser, address)
    pages.expect("WebSocket|ERR_CONNECTION")
    async with serving(**settings) as url, player(url) as ada:
        first = (await ada.ask("create", game="tictactoe"))["room"]
        page = await pages("/")
        rooms = page.get_by_role("region", name="Rooms")
        await expect(rooms).to_contain_text(first)
        await expect(rooms.get_by_role("img", name=f"QR code of the link {address}/")).to_be_visible()
        await ada.ask("close", room=first)
    await expect(page.get_by_role("status").filter(has_text="Connection lost")).to_be_visible()
    async with serving(**settings) as url, player(url) as ben:
        second = (await ben.ask("create", game="gomoku"))["room"]
        await expect(rooms).to_contain_text(second)
        await expect(rooms).not_to_contain_text(first)
        # And it is told again of what changes.
        third = (await ben.ask("create", game="gomoku"))["room"]
        await expect(rooms).to_contain_text(third)
        await page.close()
    await pages.close()


async def test_anybody_can_use_its_dialogs(open_page: OpenPage) -> None:
    page = await open_page("/", size="phone")
    dialogs: dict[str, Literal["light", "dark"]] = {"New game": "light", "Quick match": "dark"}
    for name, theme in dialogs.items():
        await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        form = await dialog(page, name)
        for details in await form.locator("summary:visible").all():
            await details.click()
        assert await axe(page, "dialog[open]") == []
        await page.keyboard.press("Escape")


async def test_a_name_that_the_server_won_t_have_is_refused_beside_its_field(open_page: OpenPage) -> None:
    page = await open_page()
    who = page.locator("button.who")
    before = (await who.inner_text()).strip()
    await who.click()
    settings = page.get_by_role("dialog", name="Settings", exact=True)
    name, wrong = settings.get_by_label("Your name"), settings.get_by_role("alert")
    for wanted, why in (
        ("my bot", "my bot would pass for a bot"),
        ("\N{FOX FACE}\N{BEAR FACE}", "A name needs a letter or a digit."),
        ("Ada Lovelace, Countess of Lovelace", "A name has 1 to 24 characters."),
    ):
        await name.fill(wanted)
        await settings.get_by_role("button", name="Save").click()
        await expect(wrong).to_contain_text(why)
        # As it was typed, to be mended; and nobody was renamed meanwhile.
        await expect(name).to_have_value(wanted)
        await expect(who).to_contain_text(before)
    await name.fill("Ada Lovelace")
    await settings.get_by_role("button", name="Save").click()
    await expect(settings).to_have_count(0)
    await expect(who).to_contain_text("Ada Lovelace")


async def test_who_has_another_name_is_called_so_where_they_sit(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", seat=0)
    page = await open_page(f"/{room.code}")
    await page.get_by_role("button", name="Sit down").click()
    await expect(page.locator(".player")).to_have_count(2)
    here = page.locator(".player").nth(1)
    before = (await page.locator("button.who").inner_text()).strip()
    await expect(here).to_contain_text(before)
    await page.locator("button.who").click()
    settings = page.get_by_role("dialog", name="Settings", exact=True)
    await settings.get_by_label("Your name").fill("Ada")
    await settings.get_by_role("button", name="Save").click()
    # The other one's name is kept apart.
    await expect(here).to_contain_text("Ada 2")
    assert [seat.name for seat in room.view.seats] == ["Ada", "Ada 2"]
    await page.reload()
    await expect(here).to_contain_text("Ada 2")
    await expect(page.locator("button.who")).to_have_text("Ada")


async def test_clock_and_size_are_buttons_and_loosely_typed_words_are_understood(
    ada: Client, open_page: OpenPage
) -> None:
    page = await open_page("/", size="phone")
    await page.get_by_role("button", name="New game").tap()
    form = page.get_by_role("dialog")
    await form.get_by_label("Game", exact=True).select_option("connect4")
    sizes, clocks = (form.get_by_role("group", name=name) for name in ("Size or variant", "Clock"))
    size, clock = (form.get_by_role("textbox", name=name) for name in ("Size or variant", "Clock"))
    pressed = {"pressed": True}
    await expect(sizes.get_by_role("button", name="7×6", **pressed)).to_be_visible()  # type: ignore[arg-type]
    assert await clocks.get_by_role("button").all_inner_texts() == ["none", "1+0", "3+2", "5+3", "10+5"]
    await sizes.get_by_role("button", name="8×7").tap()
    await expect(size).to_have_value("8×7")
    await clocks.get_by_role("button", name="3+2").tap()
    await expect(clock).to_have_value("3+2")
    # Another game has other sizes.
    await form.get_by_label("Game", exact=True).select_option("mnk")
    await expect(size).to_have_value("")
    await size.fill("2 by 2")
    await clock.fill("5-3")
    await form.get_by_role("button", name="Play", exact=True).click()
    await expect(clock).to_be_focused()
    await expect(form.get_by_text("This is not a clock setting.")).to_be_visible()
    await clock.fill("5 3")
    await form.get_by_role("button", name="Play", exact=True).click()
    await expect(size).to_be_focused()
    await expect(form.get_by_text("A board is from 3 to 19 wide and high, not 2 by 2")).to_be_visible()
    await size.fill("7 by 7")
    await form.get_by_role("button", name="Play", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Four in a row on 7x7")
    await page.wait_for_url(CODE)
    room = await ada.watch(page.url.rpartition("/")[2])
    assert (room.view.game, room.view.settings.clock) == ("mnk:7,7,4", "5+3")


async def test_a_game_begins_where_one_clicked_on_the_forms_board(ada: Client, open_page: OpenPage) -> None:
    page = await open_page("/")
    await page.get_by_role("button", name="New game").click()
    form = page.get_by_role("dialog")
    await form.get_by_label("Game", exact=True).select_option("tictactoe")
    await form.get_by_label("Against", exact=True).select_option("here")
    await form.get_by_text("Start from a position").click()
    moves = form.get_by_label("Start after these moves")
    back, over = (form.get_by_role("button", name=name) for name in ("Take a move back", "Start over"))

    def cell(name: str) -> Locator:
        return form.get_by_role("gridcell", name=re.compile(f"^{name} "))

    await expect(back).to_be_disabled()
    for played, said in [("b2", "b2"), ("a1", "b2 a1"), ("c3", "b2 a1 c3")]:
        await cell(played).click()
        await expect(moves).to_have_value(said)
        await expect(cell(played)).to_have_accessible_name(re.compile(" [XO],"))
    await back.click()
    await expect(moves).to_have_value("b2 a1")
    # What is typed shows on the board, and by keys alone one plays on there.
    await moves.fill("b2 a1 c1")
    await expect(cell("c1")).to_have_accessible_name(re.compile(" X,"))
    await cell("a3").focus()
    await page.keyboard.press("Enter")
    await expect(moves).to_have_value("b2 a1 c1 a3")
    assert "a3" in await page.locator("#live").inner_text()
    assert await axe(page, "dialog[open]") == []
    await over.click()
    await expect(moves).to_have_value("")
    await cell("b2").click()
    await form.get_by_role("button", name="Play", exact=True).click()
    await expect(page.get_by_role("gridcell", name=re.compile("^b2 X"))).to_be_visible()
    await page.wait_for_url(CODE)
    room = await ada.watch(page.url.rpartition("/")[2])
    assert (room.view.moves, room.view.started_with) == (["b2"], 1)
