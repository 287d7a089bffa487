"""The analysis board: worth and variations of any position, from a link, a file or what is typed."""

import json
import re

import pytest
from playwright.async_api import Page, expect

from parlour_client import Client, GuestIdentity
from parlour_client.sdk import records
from parlour_client.sdk.connection import Connection
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table


async def finished(page: Page) -> None:
    """Wait until the search has come to its end."""
    await expect(page.get_by_role("button", name=re.compile("^(Stop|Keep thinking)$"))).to_be_hidden()
    await page.locator(".candidates > div").first.wait_for()


async def moves_are(page: Page, wanted: str) -> None:
    """Wait until the moves read so; the one that led to the position that is shown stands in brackets."""
    parts = re.findall(r"[()]|\[?[0-9]+\. [^\] ]+\]?", wanted)
    await expect(page.locator(".moves > *")).to_have_text([part.strip("[]") for part in parts])
    await expect(page.locator(".moves > [aria-current]")).to_have_text(re.findall(r"\[(.*)\]", wanted))


async def test_a_move_without_a_cell_is_named_and_worths_have_one_size(open_page: OpenPage) -> None:
    page = await open_page("/analysis#hex:3=b1", size="phone")
    await finished(page)
    await expect(page.locator(".loose button")).to_have_text("Swap")
    await expect(page.locator("main")).to_contain_text("○ may swap: take the stone over, mirrored.")
    sizes = await page.locator(".board .score text").evaluate_all(
        "all => all.map(one => [one.textContent.length, getComputedStyle(one).fontSize])"
    )
    assert len({length for length, _ in sizes}) > 1
    assert len({size for _, size in sizes}) == 1


async def test_a_position_shows_what_the_server_says_of_each_move(open_page: OpenPage, server: str) -> None:
    page = await open_page("/analysis#tictactoe=a1,b2,c3", size="phone")
    await finished(page)
    async with Client(Connection(server.replace("http", "ws", 1), GuestIdentity("Ada"))) as ada:
        said = await ada.analyse("tictactoe", "a1 b2 c3")
    rows = await page.locator(".candidates > div").all_inner_texts()
    shown = dict(re.split(r"\s+", row.strip(), maxsplit=1) for row in rows)
    assert shown == {
        one.move: f"loses in {one.score.plies}" if one.score.result == "loss" else "a draw"
        for one in said.report.candidates
    }
    cells = await page.locator(".board .score text").all_text_contents()
    assert sorted(cell.rstrip("*") for cell in cells) == sorted(
        f"L{one.score.plies}" if one.score.result == "loss" else "D" for one in said.report.candidates
    )
    assert await page.locator(".board .score.exact").count() == len(said.report.candidates)
    # Best play is numbered on the board, as far as it is drawn.
    await expect(page.locator(".board .mark")).to_have_count(6)
    await shoot(page, "analysis")
    assert await axe(page) == []
    # A click plays a candidate, and best play as far as it is wanted.
    await page.locator(".candidates button", has_text="c1").click()
    await moves_are(page, "1. a1 2. b2 3. c3 [4. c1]")
    await Table(page).has("c1", "O")
    await finished(page)
    line = page.locator(".best-line button")
    first, second = [await line.nth(at).inner_text() for at in range(2)]
    await line.nth(1).click()
    await moves_are(page, f"1. a1 2. b2 3. c3 4. c1 5. {first} [6. {second}]")


async def test_variations_are_tried_made_the_main_line_and_cut_off(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=a1,b2,c3")
    table = Table(page)
    await moves_are(page, "1. a1 2. b2 [3. c3]")
    await page.keyboard.press("ArrowLeft")
    await moves_are(page, "1. a1 [2. b2] 3. c3")
    await table.has("c3", "empty")
    await table.play("c1")
    await table.has("c1", "X")
    await moves_are(page, "1. a1 2. b2 3. c3 ( [3. c1] )")
    # The arrows step even after a click on the board.
    await page.keyboard.press("ArrowLeft")
    await moves_are(page, "1. a1 [2. b2] 3. c3 ( 3. c1 )")
    await page.keyboard.press("ArrowRight")
    await table.button("Promote variation").click()
    await moves_are(page, "1. a1 2. b2 [3. c1] ( 3. c3 )")
    await page.keyboard.press("Home")
    await page.keyboard.press("End")
    await moves_are(page, "1. a1 2. b2 [3. c1] ( 3. c3 )")
    # The address says where we are, and what was tried: who gets it, or loads it again, sees the same.
    other = await open_page(page.url, beside=page)
    await moves_are(other, "1. a1 2. b2 [3. c1] ( 3. c3 )")
    await table.button("3. c3").click()
    await table.play("c1")
    assert page.url.endswith("#tictactoe=a1,b2,c1(c3,c1*)")
    await page.keyboard.press("Home")
    assert page.url.endswith("#tictactoe=*,a1,b2,c1(c3,c1)")
    await page.reload()
    await expect(page.locator(".moves > [aria-current]")).to_have_count(0)
    await table.button("4. c1").click()
    await moves_are(page, "1. a1 2. b2 3. c1 ( 3. c3 [4. c1] )")
    await table.button("3. c3").click()
    await table.button("Delete from here").click()
    await moves_are(page, "1. a1 [2. b2] 3. c1")


async def test_a_search_goes_on_until_it_is_stopped(open_page: OpenPage) -> None:
    page = await open_page("/analysis#mnk:6,6,4=c3")
    table = Table(page)
    await page.locator(".candidates > div.estimate").first.wait_for()
    await page.keyboard.press("Escape")
    await table.button("Keep thinking").click()
    await page.locator(".candidates > div.estimate").first.wait_for()
    # Another position ends it, too, and is searched at once.
    await table.play("d4")
    await expect(page.get_by_role("gridcell", name=re.compile("^d4 O"))).to_be_visible()
    await page.locator(".candidates > div.estimate").first.wait_for()
    await table.button("Stop").click()
    await expect(table.button("Keep thinking")).to_be_visible()
    # Of a position that was not searched nothing is said.
    await table.play("e5")
    await expect(page.locator(".thinking")).to_be_hidden()
    await expect(table.button("Keep thinking")).to_be_visible()


async def test_a_wrong_link_is_reported_and_a_game_is_there(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=a1,%")
    await expect(page.get_by_role("alert").filter(has_text="%")).to_be_visible()
    await expect(page.get_by_role("gridcell").first).to_be_visible()
    await page.get_by_label("Game", exact=True).select_option("reversi")
    await expect(page.get_by_role("gridcell")).to_have_count(64)
    await page.get_by_role("textbox", name="Size or variant").fill("reversi:6")
    await page.get_by_label("Its moves").fill("nonsense")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(has_text="nonsense")).to_be_visible()
    await page.get_by_label("Its moves").fill("")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("gridcell")).to_have_count(36)


async def choose(page: Page, written: str) -> None:
    await page.locator("input[type=file]").set_input_files(
        {"name": "game.json", "mimeType": "application/json", "buffer": written.encode()}
    )


BROKEN = [
    ("", "holds no game"),
    ("{", "holds no game"),
    ("null", "holds no game"),
    ('[Game "tictactoe"]\n\n1. b2 *\n\n' * 2, "one is read at a time"),
    ("[1, 2]", "lacks its"),
    ('{"game": "tictactoe"}', "lacks its"),
    ('{"game": 7, "moves": ""}', "lacks its"),
    ('{"game": "tictactoe", "moves": [{"seat": 0}]}', "lacks its"),
    ('{"game": "<img src=x onerror=alert(1)>", "moves": ""}', "There is no game"),
    ('{"game": "tictactoe", "moves": "a1 a1"}', "a1 is taken"),
]


async def test_games_are_read_from_files_and_broken_ones_reported_in_a_sentence(
    open_page: OpenPage, server: str
) -> None:
    async with Client(Connection(server.replace("http", "ws", 1), GuestIdentity("Ada"))) as ada:
        room = await ada.create("tictactoe", opponent="random", moves="b2 a1", starts="first")
        record = records.as_json(await records.fetch(ada, room.code))
    page = await open_page("/analysis")
    await choose(page, json.dumps(record))
    await moves_are(page, "1. b2 [2. a1]")
    for written, sentence in BROKEN:
        await choose(page, written)
        reported = page.get_by_role("alert").or_(page.locator(".toasts p")).filter(has_text=sentence)
        await expect(reported.last).to_be_visible()
    await moves_are(page, "1. b2 [2. a1]")
    await choose(page, '[Game "tictactoe"]\n\n1. c1?! (1. b2 (1. b3) a1) $4 c2!! {good} *')
    await moves_are(page, "1. c1 [2. c2]")
    # All of a match, dropped anywhere on the page.
    games = [{"game": "tictactoe", "number": 7, "moves": "a1 b2"}, {"game": "tictactoe", "moves": ["c3"]}]
    await page.evaluate(
        """text => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "games.jsonl"));
            const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector("h1").dispatchEvent(event);
        }""",
        "\n".join(json.dumps(game) for game in games),
    )
    await page.get_by_role("dialog").get_by_role("button", name=re.compile("^7")).click()
    await moves_are(page, "1. a1 [2. b2]")


@pytest.mark.parametrize("link", ["gomoku=h8"])
async def test_no_badge_covers_a_mark_or_a_label(open_page: OpenPage, link: str) -> None:
    page = await open_page(f"/analysis#{link}")
    await expect(page.locator(".badge")).not_to_have_count(0)
    await expect(page.locator(".score text")).not_to_have_count(0)
    covered = await page.evaluate("""() => {
        const boxes = selector =>
            [...document.querySelectorAll(selector)].map(one =>
                [one.textContent, one.getBoundingClientRect()]);
        const shown = [...boxes(".board .score text"), ...boxes(".board .labels text"),
                       ...boxes(".board .pieces .piece")];
        return boxes(".board .badge circle").flatMap(([, badge]) => shown.filter(([, one]) =>
            badge.left < one.right - 1 && badge.right > one.left + 1 &&
            badge.top < one.bottom - 1 && badge.bottom > one.top + 1).map(([text]) => text));
    }""")
    assert covered == []


async def test_the_bar_tells_proven_from_guessed(open_page: OpenPage) -> None:
    page = await open_page("/analysis#tictactoe=b2,b1")
    bar = page.get_by_role("img", name="X: wins in 5")
    await expect(bar).to_have_class("evaluation exact win")
    await page.goto(f"{open_page.address}/analysis#tictactoe=")
    await page.reload()
    await expect(page.get_by_role("img", name="X: a draw")).to_have_class("evaluation exact draw")
    await page.goto(f"{open_page.address}/analysis#gomoku=h8")
    await page.reload()
    await expect(page.get_by_role("img", name=re.compile(r"^O: \d+% to win"))).to_have_class(
        "evaluation estimate"
    )
