"""Playing and watching at a table in the browser."""

import asyncio
import re
from pathlib import Path

from playwright.async_api import expect

from parlour_client import Client
from tests.client.terminal import Terminal
from tests.support.proxy import between
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table, play_by_turns


async def test_two_browsers_play_by_a_rooms_link_alone(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", seat=None, starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await expect(ben.status).to_contain_text("Send them the link")
    link = await ben.page.locator(".invitation input").input_value()
    cleo, dan = [Table(await open_page(link)) for _ in range(2)]
    await expect(cleo.status).to_contain_text("Waiting for a second player.")
    await cleo.button("Sit down").click()
    await expect(dan.button("Sit down")).to_have_count(0)
    await play_by_turns([ben, cleo], *"b2 a1 c1 b1 a3".split(), watching=[dan])
    await expect(ben.status).to_contain_text("You win")
    for one in (cleo, dan):
        name = await ben.players.last.locator(".name").inner_text()
        await expect(one.status).to_contain_text(f"{name} wins")
        await expect(one.page.locator(".winning")).to_have_count(1)
    await ben.button("Rematch").click()
    await cleo.button("Agree").click()
    # Both keep their seats; the first begins again.
    await play_by_turns([ben, cleo], "a1", "b2", watching=[dan])
    await expect(dan.page.get_by_text("Score 1–0")).to_be_visible()


async def test_a_browser_plays_a_terminal(ada: Client, open_page: OpenPage, tmp_path: Path) -> None:
    room = await ada.create("tictactoe", seat=None, starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()

    def terminal() -> None:
        moves = iter(["a1", "b1", "a3"])
        with Terminal(tmp_path, "join", room.code, "--server", ada.url, PARLOUR_NAME="Cleo") as cleo:
            for move in moves:
                cleo.until("Your move: ")
                cleo.type(f"{move}\n")
                cleo.until(f"You played {move}.")
            cleo.until("well played")
            cleo.until("wins")
            cleo.type("quit\n")
            assert cleo.end() == 0

    playing = asyncio.create_task(asyncio.to_thread(terminal))
    for mine, theirs in (("b2", "a1"), ("c1", "b1"), ("c3", "a3")):
        await ben.my_turn()
        await ben.play(mine)
        await ben.has(theirs, "O")
    await expect(ben.players.first).to_contain_text("Cleo")
    await ben.say("well played")
    await ben.play("c2")
    await expect(ben.status).to_contain_text("You win")
    await playing


async def test_a_reload_comes_back_to_the_seat(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await room.wait_for_turn()
    await room.play("b2")
    await ben.has("b2", "X")
    await room.say("hello")
    await ben.page.reload()
    await ben.my_turn()
    await expect(ben.players.last).to_contain_text("you")
    await expect(ben.chat).to_have_text(re.compile(r"You sit down\..*Ada: hello", re.DOTALL))
    await ben.play("a1")
    await room.until(lambda state: state.view.moves == ["b2", "a1"])
    await ben.page.goto("about:blank")
    await room.play("c3")
    await ben.page.go_back()
    await ben.has("c3", "X")
    await ben.my_turn()


async def test_a_click_beside_the_menu_closes_it_and_plays_nothing(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.my_turn()
    await ben.page.get_by_text("More", exact=True).click()
    entry = ben.button("Play on another device")
    await expect(entry).to_be_visible()
    await ben.cell("a3").click(force=True)
    await expect(entry).to_be_hidden()
    await ben.page.get_by_text("More", exact=True).click()
    await ben.button("Close").click()
    await expect(entry).to_be_hidden()
    await ben.play("a1")
    await room.until(lambda state: bool(state.view.moves))
    assert room.view.moves == ["a1"]


async def test_to_play_on_from_here_is_asked_at_the_table(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.play("b2")
    await room.play("a1")
    await ben.my_turn()
    form = ben.page.get_by_role("dialog", name="New game")
    for answer, moves in (("Cancel", "b2 a1"), ("Play", "b2 a1 c3 a3")):
        await ben.my_turn()
        await ben.page.get_by_text("More", exact=True).click()
        await ben.button("Play on from here").click()
        await expect(form.get_by_label("Start after")).to_have_value(moves)
        await form.get_by_label("Against").select_option("random")
        await form.get_by_role("button", name=answer, exact=True).click()
        if answer == "Cancel":
            await ben.play("c3")
            await room.until(lambda state: len(state.view.moves) == 3)
            await room.play("a3")
    await expect(ben.players.first).to_contain_text("random")
    await ben.has("c3", "X")


async def test_what_a_bot_thinks_is_drawn_while_it_does(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("gomoku", seat=None, starts="first")
    await room.add_bot("engine:time=4", 1)
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    worth = ben.button("Show move values")
    await ben.play("h8")
    await worth.click()
    await expect(ben.page.locator(".score").first).to_be_visible()
    # Its thoughts are still to be read, but they are of the board before its move.
    await ben.my_turn()
    await expect(ben.page.locator(".thinking")).to_contain_text("engine")
    await expect(worth).to_be_hidden()


async def test_on_a_phone_it_is_played_by_touch(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("connect4", starts="second")
    ben = Table(await open_page(f"/{room.code}", size="phone"))
    await ben.button("Sit down").tap()
    await ben.my_turn()
    # Anywhere in the column: the disc falls.
    await ben.cell("4, 6").tap()
    await ben.has("4, 1", "●")
    await room.play("4")
    await ben.has("4, 2", "○")
    await ben.my_turn()
    await shoot(ben.page, "connect4-phone")
    board, width = await ben.page.locator(".square").bounding_box(), await ben.page.evaluate("innerWidth")
    assert board
    assert board["x"] >= 0
    assert board["x"] + board["width"] <= width
    assert await ben.page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("Resign", "Offer a draw"):
        box = await ben.button(name).bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 40


async def test_a_finger_chooses_a_small_cell_then_plays_there(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("gomoku", starts="second")
    ben = Table(await open_page(f"/{room.code}", size="phone"))
    await ben.button("Sit down").tap()
    await ben.my_turn()
    await ben.cell("h8").tap()
    await expect(ben.button("Play h8")).to_be_visible()
    await ben.cell("j10").tap()
    await expect(ben.cell("j10")).to_have_attribute("aria-selected", "true")
    await ben.cell("j10").tap()
    await ben.has("j10", "X")
    await room.play("a1")
    await ben.my_turn()
    await ben.cell("h8").tap()
    await ben.button("Play h8").tap()
    await ben.has("h8", "X")
    assert room.view.moves == ["j10", "a1", "h8"]


async def test_a_move_shows_at_once_as_on_its_way(ada: Client, open_page: OpenPage, server: str) -> None:
    async with between(server) as slow:
        room = await ada.create("tictactoe", starts="second")
        ben = Table(await open_page(slow.url.replace("ws", "http", 1) + f"/{room.code}"))
        await ben.button("Sit down").click()
        await ben.my_turn()
        slow.swallow()
        await ben.play("b2")
        await expect(ben.on_its_way).to_have_count(1)
        await expect(ben.status).to_have_text("Your move is on its way.")
        # Nothing more can be played meanwhile.
        await expect(ben.cell("a1")).to_be_disabled()
        slow.go_on()
        await ben.has("b2", "X")
        await expect(ben.on_its_way).to_have_count(0)
        assert room.view.moves == ["b2"]


async def test_what_is_refused_is_said_and_taken_back(ada: Client, open_page: OpenPage, server: str) -> None:
    async with between(server) as slow:
        room = await ada.create("tictactoe", starts="second")
        ben = Table(await open_page(slow.url.replace("ws", "http", 1) + f"/{room.code}"))
        await ben.button("Sit down").click()
        await ben.my_turn()
        slow.swallow()
        await ben.play("b2")
        await expect(ben.on_its_way).to_have_count(1)
        await room.resign()
        slow.go_on()
        await expect(ben.on_its_way).to_have_count(0)
        await expect(ben.page.locator(".toasts .refusal")).to_be_visible()
        await expect(ben.status).to_contain_text("You win")


async def test_an_earlier_position_is_looked_at_while_the_game_goes_on(
    ada: Client, open_page: OpenPage
) -> None:
    room = await ada.create("tictactoe", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await room.play("b2")
    await ben.play("a1")
    await ben.button("1. b2").click()
    await ben.has("a1", "empty")
    await room.play("c3")
    await expect(ben.button("3. c3")).to_be_visible()
    await ben.has("a1", "empty")
    await ben.button("Next position").click()
    await ben.has("a1", "O")
    await ben.button("Latest position").last.click()
    await ben.has("c3", "X")
    await ben.my_turn()


async def test_players_and_spectators_talk_apart(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe")
    ben, cleo, dan = [Table(await open_page(f"/{room.code}")) for _ in range(3)]
    await ben.button("Sit down").click()
    await expect(cleo.page.get_by_label("those who watch")).to_be_visible()
    await cleo.page.get_by_label("those who watch").press_sequentially("who")
    talk = [one.page.get_by_role("heading", name="Talk") for one in (ben, cleo, dan)]
    await expect(talk[2]).to_contain_text("is typing ...")
    assert [(await one.inner_text()).strip().casefold() for one in talk[:2]] == ["talk", "talk"]
    await cleo.say("who will win?")
    await expect(dan.chat).to_contain_text("who will win?")
    await ben.say("good luck")
    await room.say("thank you")
    await expect(ben.chat).to_contain_text("thank you")
    assert "who will win?" not in await ben.chat.inner_text()
    assert "good luck" not in await dan.chat.inner_text()


async def test_a_seat_is_carried_to_another_browser_which_asks_before_it_forgets_its_own(
    ada: Client, open_page: OpenPage
) -> None:
    room = await ada.create("tictactoe", starts="second")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.my_turn()

    async def link() -> str:
        await ben.page.get_by_text("More", exact=True).click()
        await ben.button("Play on another device").click()
        await ben.page.get_by_text("Or in a terminal").click()
        command = await ben.page.get_by_role("dialog").get_by_role("textbox").input_value()
        await ben.page.keyboard.press("Escape")
        return command.removeprefix("parlour join ")

    new = Table(await open_page(await link()))
    await new.my_turn()
    cleo = Table(await open_page("/"))
    name = cleo.page.locator(".who")
    await expect(cleo.page.get_by_role("img", name="Connected")).to_be_visible()
    own = await name.inner_text()
    for answer in ("No", "Yes"):
        await cleo.page.goto(await link())
        await expect(cleo.page.get_by_role("dialog", name=re.compile(own))).to_be_visible()
        await cleo.button(answer).click()
        if answer == "No":
            await expect(cleo.status).to_contain_text("to move")
            await expect(name).to_have_text(own)
    await cleo.my_turn()


async def test_whoever_looks_elsewhere_is_called_to_their_turn(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="second")
    page = await open_page(f"/{room.code}")
    await page.add_init_script("""
        self.called = [];
        self.away = true;
        Document.prototype.hasFocus = () => !self.away;
        navigator.vibrate = () => self.called.push("buzz");
        self.Notification = class {
            static permission = "default";
            static async requestPermission() { this.permission = "granted"; }
            constructor(title, { body }) { self.called.push(body); }
        };
    """)
    await page.reload()
    ben = Table(page)
    await ben.button("Sit down").click()
    await ben.play("b2")
    await ben.button("Notify me").click()
    await expect(ben.button("Notify me")).to_have_count(0)
    await page.evaluate("called.length = 0")
    icon = page.locator('link[rel="icon"]')
    await room.play("a1")
    await expect(page).to_have_title(re.compile("Your turn"))
    assert await page.evaluate("called") == ["buzz", "Your turn."]
    await expect(icon).to_have_attribute("href", re.compile("icon-turn"))
    await page.evaluate("away = false; dispatchEvent(new Event('focus'))")
    await expect(icon).not_to_have_attribute("href", re.compile("icon-turn"))
    await expect(page).to_have_title(re.compile("^● Tic-tac-toe"))
    # What one is asked counts too.
    await page.evaluate("away = true; called.length = 0")
    await room.offer_draw()
    await expect(page).to_have_title(re.compile("offers a draw"))


async def test_a_bots_seat_is_asked_for_and_given(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", opponent="easy", starts="first", take_over="asked")
    carried = await ada.carry()
    own = Table(await open_page(f"/{room.code}#carry={carried.code}", size="phone"))
    eve, joe = [Table(await open_page(f"/{room.code}", size="phone")) for _ in range(2)]
    for answer in ("Decline", "Agree"):
        await eve.button("Ask for the bot's seat").click()
        await expect(eve.status).to_contain_text("You ask for the bot's seat.")
        await expect(eve.button("Withdraw")).to_be_visible()
        await expect(joe.status).to_contain_text("asks for the bot's seat.")
        await expect(joe.button("Ask for the bot's seat")).to_be_disabled()
        await expect(joe.button("Agree")).to_have_count(0)
        if answer == "Agree":
            assert await axe(own.page) == []
            await shoot(own.page, "seat-asked")
            await shoot(eve.page, "seat-asks")
        await own.button(answer).click()
        await expect(joe.status).not_to_contain_text("asks for")
    await room.play("b2")
    await eve.play("a1")
    await eve.button("Leave the seat").click()
    await expect(eve.button("Ask for the bot's seat")).to_be_visible()


async def test_sounds_are_offered_once(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("gomoku", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await room.wait_for_turn()
    await room.play("h8")
    await expect(ben.button("On")).to_be_visible()
    # They cover nothing of the game and of its talk, on any screen.
    for width, height in ((320, 568), (390, 844), (844, 390), (1366, 768)):
        await ben.page.set_viewport_size({"width": width, "height": height})
        over = await ben.page.evaluate("""() => {
            const nudge = document.querySelector(".nudge").getBoundingClientRect();
            const others = ".actions button, .chat input, .chat form button, .thinking";
            return [...document.querySelectorAll(others)].map(one => one.getBoundingClientRect())
                .filter(one => one.bottom > nudge.top && one.top < nudge.bottom
                    && one.right > nudge.left && one.left < nudge.right).length;
        }""")
        assert over == 0, (width, height)
    # Until it is answered.
    await ben.page.reload()
    await ben.play("h7")
    await room.wait_for_turn()
    await room.play("h9")
    await ben.button("On").click()
    assert await ben.page.evaluate("localStorage['parlour.sound']") == "on"
    await ben.page.reload()
    await ben.play("g7")
    await room.wait_for_turn()
    await room.play("h10")
    await ben.has("h10", "X")
    await expect(ben.page.locator(".nudge")).to_have_count(0)


async def test_an_answer_is_chosen_while_the_other_thinks(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("tictactoe", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.has("b2", "empty")
    # Chosen, taken back by a click and by a key, and chosen again.
    for back in (ben.play("a1"), ben.page.keyboard.press("Escape")):
        await ben.play("a1")
        await expect(ben.status).to_contain_text("Answer ready: a1.")
        await expect(ben.page.locator(".planned")).to_have_count(1)
        await back
        await expect(ben.page.locator(".planned")).to_have_count(0)
    await ben.play("b3")
    await ben.play("a1")
    await room.play("b2")
    await room.until(lambda state: state.view.moves == ["b2", "a1"])
    await ben.has("a1", "O")
    # What is taken by then is dropped, with a word.
    await ben.play("c3")
    await room.play("c3")
    await ben.my_turn()
    await expect(ben.chat).to_contain_text("c3 can't be played any more")
    await expect(ben.page.locator(".planned")).to_have_count(0)
    await ben.play("a3")
    await room.until(lambda state: state.view.moves == ["b2", "a1", "c3", "a3"])


async def test_an_answer_is_chosen_while_the_other_may_take_a_man(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("morris", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    for theirs, mine in (("a1", "a7"), ("d1", "g7")):
        await room.wait_for_turn()
        await room.play(theirs)
        await ben.my_turn()
        await ben.play(mine)
    await room.wait_for_turn()
    assert any(len(move) > 2 for move in room.legal_moves)
    await ben.play("b4")
    await expect(ben.status).to_contain_text("Answer ready: b4.")
    await room.play("f4")
    await room.until(lambda state: state.view.moves[-1] == "b4")


async def test_an_answer_of_a_piece_that_moves_is_chosen_before(ada: Client, open_page: OpenPage) -> None:
    room = await ada.create("breakthrough:5", starts="first")
    ben = Table(await open_page(f"/{room.code}"))
    await ben.button("Sit down").click()
    await ben.has("b4", "○")
    planned = ben.page.locator(".planned")
    await ben.play("b4", "b3")
    await expect(ben.status).to_contain_text("Answer ready: b4b3.")
    await expect(planned).to_have_count(1)
    await ben.play("b3")
    await expect(planned).to_have_count(0)
    # Another piece takes the place of the first one.
    await ben.play("a4", "b4", "b3")
    await shoot(ben.page, "planned")
    await room.play("e2e3")
    await room.until(lambda state: state.view.moves == ["e2e3", "b4b3"])
    # What can't be played then is dropped, with a word.
    await ben.play("a4", "d2")
    await room.play("a2a3")
    await ben.my_turn()
    await expect(ben.chat).to_contain_text("a4d2 can't be played any more")
