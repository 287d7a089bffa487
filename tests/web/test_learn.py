"""The lecture: a search of this server, opened node by node and stepped through."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import ANY
from xml.etree import ElementTree

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from parlour_client.cli.lecture import Scene, write_lecture
from parlour_client.render.console import Screen
from parlour_client.sdk.in_process import InProcessClient
from parlour_server.search.reports.exercises import exercise as exercise_of
from tests.support.server import serving
from tests.web.browser import OpenPage, axe, shoot

SMALL = "/learn#tictactoe=a1,b2,c3,a3"
"""Five plies from the end: 139 positions for alpha-beta, 178 without."""


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[str]:
    """A server whose searches end however busy the machine is."""
    async with serving(longest_search_seconds=60) as url:
        yield url.replace("ws", "http", 1)


TO_THE_END = """() => {
  const said = [], slider = document.querySelector("input[aria-label=Step]");
  while (slider.value !== slider.max) {
    said.push(document.querySelector(".said").textContent);
    window.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  }
  return said;
}"""
"""Goes on step by step; gives what was said at each."""


def board(page: Page, path: str) -> Locator:
    """A node of the tree that is stepped through."""
    return page.locator(f".pane:visible >> nth=-1 >> [data-path='{path}']")


async def scales(page: Page) -> list[float]:
    """At how large a scale the trees are drawn that are shown: each once."""
    found: list[float] = await page.get_by_role("tree").evaluate_all(
        "trees => trees.map(one => one.width.baseVal.value / one.viewBox.baseVal.width)"
    )
    return sorted({round(one, 3) for one in found})


async def beyond(page: Page) -> int:
    """How many pixels of the trees are out of sight in their boxes."""
    return int(
        await page.locator(".pane:visible .scroll").evaluate_all(
            """boxes => Math.max(...boxes.map(one => Math.max(
                one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight)))"""
        )
    )


async def searched(page: Page) -> None:
    """Wait until all three searches have answered."""
    await expect(page.locator(".counts dd")).to_have_count(3)
    await expect(page.locator(".counts")).not_to_contain_text("…")


async def opened(page: Page) -> Page:
    """The same page, once all searches have answered and alpha-beta's whole tree is open."""
    await searched(page)
    await page.get_by_role("button", name="Alpha-beta").click()
    await page.get_by_role("button", name="Open all").click()
    await expect(board(page, "b3 a2 c2 c1")).to_be_visible()
    return page


async def test_tic_tac_toe_is_opened_from_the_empty_board(open_page: OpenPage) -> None:
    page = await open_page("/learn#tictactoe=")
    await expect(page.locator(".counts")).to_contain_text("549,946")
    await expect(page.locator(".counts")).to_contain_text("20,866")
    assert await page.get_by_role("treeitem").count() == 10
    await board(page, "b2").click()
    await expect(board(page, "b2 a3")).to_be_visible()
    await expect(board(page, "b2")).to_have_attribute("aria-expanded", "true")
    # By keys from board to board, deeper each time, until the game is over there.
    for _ in range(7):
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        focused = page.locator(":focus")
        await expect(focused).to_have_attribute("aria-expanded", "true")
    path = str(await focused.get_attribute("data-path"))
    assert len(path.split()) == 8
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator(".said")).to_have_text("The game is over: a draw counts 0.")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect(board(page, path)).to_have_attribute("aria-expanded", "false")


async def test_the_lab_counts_the_same_and_what_ordering_costs_is_explained(open_page: OpenPage) -> None:
    costs = re.compile("Which moves are good is a guess")
    for position, count, dear in (("b2,a1,c3", "278", False), ("b2,a1,c3,a3,a2,c2", "16", True)):
        page = await open_page(f"/learn#tictactoe={position}")
        await searched(page)
        await expect(page.locator(".counts dd").last).to_have_text(count)
        await expect(page.get_by_text(costs).first).to_be_visible(visible=dear)
        await page.goto(f"{open_page.address}/lab#tictactoe={position}")
        await page.get_by_role("button", name="Race").click()
        await expect(page.locator(".race li").nth(2)).to_contain_text(f"{count} positions")
        await expect(page.get_by_role("button", name="Race")).to_be_visible()
        await expect(page.get_by_text(costs).first).to_be_visible(visible=dear)


async def test_a_lecture_begins_at_the_first_step_and_fills_the_screen(open_page: OpenPage) -> None:
    page = await open_page("/learn", size="wall")
    await searched(page)
    # Each idea spares something here.
    assert await page.locator(".counts dd").all_inner_texts() == ["14", "13", "10"]
    await expect(page.get_by_role("button", name="Minimax")).to_have_attribute("aria-pressed", "true")
    slider, said = page.get_by_role("slider", name="Step"), page.locator(".said")
    await expect(slider).to_have_value("0")
    await expect(page.get_by_role("treeitem")).to_have_count(14)
    await expect(page.get_by_text("▲ X wants the highest value, ▼ O the lowest")).to_be_in_viewport()
    await page.get_by_role("button", name="Full screen").click()
    await expect(page.get_by_role("navigation")).to_be_hidden()
    await expect(page.locator(".counts")).to_be_hidden()
    await expect(page.get_by_role("button", name="Leave full screen")).to_be_visible()
    assert await beyond(page) == 0
    assert float(await said.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")) >= 28
    share, letters = await page.locator(".tree").first.evaluate(
        "one => [one.clientWidth / innerWidth, (14 * one.clientWidth) / one.viewBox.baseVal.width]"
    )
    assert share >= 0.7 and letters >= 22
    # A presenter's clicker steps, wherever the focus is; a node is named by its path.
    await page.get_by_role("treeitem").first.focus()
    for _ in range(3):
        await page.keyboard.press("PageDown")
    await expect(said).to_contain_text("a2 → a1 passes −98 up.")
    await page.keyboard.press("PageUp")
    await expect(slider).to_have_value("2")
    await shoot(page, "lecture")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("navigation")).to_be_visible()


async def test_the_search_is_stepped_through_to_its_cuts_and_back(open_page: OpenPage) -> None:
    page = await opened(await open_page(SMALL))
    said, slider = page.locator(".said"), page.get_by_role("slider", name="Step")
    await page.get_by_role("heading", level=1).click()
    await page.keyboard.press("Home")
    await expect(said).to_contain_text("Search starts here with alpha −∞, beta ∞.")
    await page.keyboard.press("ArrowRight")
    await expect(slider).to_have_value("1")
    await page.keyboard.press("ArrowLeft")
    await expect(slider).to_have_value("0")
    sentences: list[str] = await page.evaluate(TO_THE_END)
    assert len(sentences) == int(str(await slider.get_attribute("max")))
    assert str(await said.text_content()).startswith("Alpha-beta has visited 139 positions")
    cuts = [at for at, sentence in enumerate(sentences) if "will never come here" in sentence]
    assert len(cuts) == 9
    assert any("97" in sentence and "100 − 3 = 97" in sentence for sentence in sentences)
    # Back at a cut: the window has closed, and all on the way show theirs.
    await slider.fill(str(cuts[0]))
    way = page.locator(".node.way")
    await expect(said).to_have_text(sentences[cuts[0]])
    assert await page.locator(".words .window.start").count() == await way.count() >= 2
    label = str(await page.locator(".node.current").get_attribute("aria-label"))
    alpha, beta = label.split("alpha ")[1].split(", ")[0], label.split("beta ")[1].split(", ")[0]
    assert float(alpha.replace("−", "-")) >= float(beta.replace("−", "-"))


async def test_a_tree_of_numbers_is_made_by_clicks(open_page: OpenPage) -> None:
    page = await open_page("/learn", size="phone")
    await page.get_by_label("Game").select_option("A tree of numbers")
    await expect(page.get_by_role("treeitem")).to_have_count(13)
    await expect(page.locator(".counts dd").nth(1)).to_have_text("11")
    # Its leaves are given, and seen from the beginning.
    for leaf in (3, 12, 8, 2, 4, 6, 14, 5):
        await expect(
            page.locator(".words:not(.later)").get_by_text(str(leaf), exact=True).first
        ).to_be_visible()
    await page.get_by_role("button", name="To the end").click()
    await expect(page.locator(".said")).to_contain_text("The top is worth 3")
    await board(page, "a2 c1").click()
    await page.get_by_role("button", name="One more").click()
    assert await axe(page) == []
    # What is clicked is typed at once, and no further than the limit.
    for typed in ("99999999", "5"):
        await board(page, "a2 c1").click()
        await expect(page.get_by_role("spinbutton", name="Value of a2 → c1")).to_be_focused()
        await page.keyboard.type(typed)
        await page.keyboard.press("Enter")
    await expect(page.locator(".toasts")).to_have_text("Numbers go from −50 to 50.")
    await expect(page).to_have_url(re.compile(r"#numbers:\(3,12,8\)\(5,4,6\)\(14,5,2\)=$"))
    await board(page, "a3 d3").click()
    await page.get_by_role("button", name="Two branches here").click()
    await expect(board(page, "a3 d3 e2")).to_be_visible()
    await board(page, "").click()
    await page.get_by_role("button", name="Add a number").click()
    await expect(board(page, "a4")).to_be_visible()
    await page.get_by_role("button", name="To the end").click()
    await expect(page.locator(".said")).to_contain_text("The top is worth 4")
    await board(page, "a2").click()
    await page.get_by_role("button", name="Remove").click()
    await expect(board(page, "a4")).to_have_count(0)
    await page.get_by_role("button", name="Side by side").click()
    await expect(page.get_by_role("tree")).to_have_count(2)
    assert len(await scales(page)) == 1
    # The drawing is kept, and the link has the tree.
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save the drawing").click()
    drawing = ElementTree.parse(await (await download.value).path()).getroot()
    assert len(drawing.findall(".//*[@role='treeitem']")) == 12
    assert "rgb(" in drawing.attrib["style"]
    other = await open_page(page.url, beside=page)
    await expect(other.get_by_role("treeitem")).to_have_count(12)


async def test_it_plays_by_itself_until_it_is_stopped(open_page: OpenPage) -> None:
    page = await open_page(SMALL)
    await searched(page)
    await page.get_by_role("slider", name="Speed").fill("3")
    await page.get_by_role("button", name="Play").click()
    await expect(page.locator(".said")).to_contain_text("Minimax has visited")
    await expect(page.get_by_role("button", name="Play")).to_be_visible()


async def test_a_value_is_guessed_before_it_is_shown(open_page: OpenPage) -> None:
    page = await open_page(SMALL)
    await searched(page)
    await page.get_by_role("button", name="Alpha-beta").click()
    await page.get_by_role("button", name="To the end").click()
    await page.get_by_label("Guess the values").check()
    await expect(board(page, "")).to_have_accessible_name(
        "The top, X maximises, value hidden, guess it, board O . X; . O .; X . ."
    )
    await page.get_by_role("button", name="O wins").click()
    await expect(page.locator(".said")).to_contain_text("✗ Not so: it is worth 97.")
    await board(page, "b3").click()
    await expect(page.locator(".said")).to_have_text("O is to move after b3. What is this worth to X?")
    await page.get_by_label("or its number").fill("-98")
    await page.keyboard.press("Enter")
    await expect(page.locator(".said")).to_contain_text("✓ Right: it is worth −98.")
    await expect(page.get_by_text("1 of 2 right")).to_be_visible()
    assert await axe(page) == []


async def test_two_searches_stand_side_by_side(open_page: OpenPage) -> None:
    page = await open_page(SMALL, size="wall", theme="dark")
    await searched(page)
    await page.get_by_role("button", name="Side by side").click()
    trees = page.get_by_role("tree")
    await expect(trees).to_have_count(2)
    await page.get_by_label("Good moves first").check()
    for tree in (trees.nth(0), trees.nth(1)):
        await expect(tree.get_by_role("treeitem")).to_have_count(6)
    # What is opened in one is opened in the other, where it has not been cut.
    await page.locator("[data-path=b3] >> nth=0").click()
    await expect(trees.nth(0).get_by_role("treeitem")).to_have_count(10)
    await expect(trees.nth(1).get_by_role("treeitem")).to_have_count(7)
    await expect(page.locator("figcaption").nth(1)).to_contain_text("43 positions")
    # Before all is open, where it would look at a thousand boxes.
    assert await axe(page) == []
    await page.get_by_role("button", name="To the end").click()
    # Both are drawn at one scale, and all of them is seen; when they are too large for that, by a click.
    assert (await scales(page), await beyond(page)) == ([ANY], 0)
    await page.get_by_role("button", name="Open all").click()
    await page.locator("[data-path='b3 a2 c2 b1 c1']").wait_for()
    assert (await scales(page), await beyond(page)) == ([ANY], ANY)
    await expect(page.locator(".edge.best >> nth=0")).to_be_in_viewport()
    await page.get_by_role("button", name="The whole tree").click()
    assert (await scales(page), await beyond(page)) == ([ANY], 0)


async def test_any_position_of_any_game_is_searched(open_page: OpenPage) -> None:
    page = await open_page("/learn", size="phone")
    await expect(page.get_by_role("treeitem")).to_have_count(14)
    slider = await page.get_by_role("slider", name="Step").bounding_box()
    assert slider is not None
    assert slider["width"] > 320
    await page.get_by_label("Game").select_option("connect4")
    await expect(page.get_by_role("treeitem")).to_have_count(8)
    await page.get_by_role("gridcell").nth(3).click()
    await expect(page).to_have_url(re.compile("#connect4=4$"))
    await searched(page)
    await page.get_by_role("spinbutton", name="Depth").fill("2")
    await page.keyboard.press("Enter")
    await expect(page.locator("figcaption").first).to_contain_text("2 plies deep")
    await page.get_by_role("button", name="Take back").click()
    await expect(page).to_have_url(re.compile("#connect4=$"))


async def test_the_lecture_is_written_as_a_file_that_needs_no_server(
    open_page: OpenPage, tmp_path: Path
) -> None:
    target = tmp_path / "x.html"
    async with InProcessClient() as client:
        await write_lecture(
            client, Screen(), [Scene("tictactoe", "a1 b2")], depth=None, limit=60, prune=True, target=target
        )
    page = await open_page(target.as_uri(), theme="dark")
    await expect(page.get_by_role("treeitem")).to_have_count(8)
    await expect(page).to_have_title("How a search thinks: tictactoe a1 b2")
    await page.get_by_role("button", name="Open all").click()
    await page.get_by_role("button", name="To the end").click()
    await expect(page.locator(".node.best .around")).to_have_count(8)
    # What the file does not hold is said to be elsewhere.
    closed = page.locator("[role=treeitem][aria-expanded=false]").first
    await closed.click()
    await expect(page.locator(".toasts")).to_contain_text("This file goes no further here")
    await page.get_by_role("button", name="Minimax").click()
    await expect(page.locator("figcaption").first).to_contain_text("7,332 positions")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def desk(browser: Browser) -> AsyncIterator[tuple[str, Page]]:
    """One page for several lectures, and the address of a server's."""
    async with serving(longest_search_seconds=60) as url:
        pages = OpenPage(browser, url.replace("ws", "http", 1))
        pages.expect("^asked another host: file:")
        yield f"{pages.address}/learn", await pages("/offline")
        await pages.close()


@pytest.mark.parametrize(
    ("game", "moves", "ground"),
    [
        ("connect4:4,4", "2", ".well"),
        ("ultimate", "e5", ".walls"),
        ("hex:4", "b2", "polygon.cell"),
        ("kalah:4,3", "a2", "rect.pit"),
        ("morris", "d6", ".join"),
        ("dots:2,2", "b5", ".dot"),
    ],
)
async def test_boards_of_other_layouts_are_drawn_as_at_the_table(
    desk: tuple[str, Page], tmp_path: Path, game: str, moves: str, ground: str
) -> None:
    # What each board shows by `use` brings its looks along, as it knows nothing of what it stands in.
    address, page = desk
    shown = page.locator(f".pane:visible defs > .board {ground}").first
    target = tmp_path / "x.html"
    async with InProcessClient() as client:
        await write_lecture(
            client, Screen(), [Scene(game, moves)], depth=1, limit=60, prune=True, target=target
        )
    for where in (f"{address}#{game}={moves}", target.as_uri()):
        await page.goto(where)
        await expect(page.get_by_role("treeitem").nth(2)).to_be_visible()
        await expect(shown).to_be_attached()
        assert await page.locator(".pane:visible .node >> nth=0 >> .piece").count() > 0
        await shoot(page, f"{'lecture' if 'file' in where else 'learn'}-{game}")


async def test_what_names_the_levels_stands_beside_the_boards(open_page: OpenPage) -> None:
    page = await open_page("/learn", locale="de")
    await page.keyboard.press("End")
    await page.locator(".tree .band").first.wait_for()
    words, boards = await page.evaluate(
        """() => [
          Math.max(...[...document.querySelectorAll(".tree g[aria-hidden] > text.start")]
            .map(one => one.getBoundingClientRect().right)),
          Math.min(...[...document.querySelectorAll(".tree [role=treeitem]")]
            .map(one => one.getBoundingClientRect().left)),
        ]"""
    )
    assert words <= boards


async def test_what_stands_beside_the_levels_is_seen_on_a_phone(open_page: OpenPage) -> None:
    page = await open_page("/learn", size="phone", locale="pl")
    await expect(page.locator(".tree text.start").first).to_be_visible()
    assert await page.evaluate(
        """() => document.querySelector(".tree text.start").getBoundingClientRect().left
            >= document.querySelector(".pane .scroll").getBoundingClientRect().left"""
    )


async def test_on_a_phone_held_sideways_the_steps_stand_beside_the_tree(open_page: OpenPage) -> None:
    page = await open_page("/learn", touch=True)
    await page.set_viewport_size({"width": 844, "height": 390})
    forward = page.get_by_role("button", name="Step forward")
    for full in (False, True):
        if full:
            await page.get_by_role("button", name="Full screen").click()
        await expect(page.locator(".tree").first).to_be_visible()
        pane, step = await page.locator(".pane").first.bounding_box(), await forward.bounding_box()
        assert pane and step
        assert pane["x"] + pane["width"] <= step["x"] and step["y"] + step["height"] <= 390
        assert pane["y"] + pane["height"] <= 390
    # All of the tree is seen then.
    assert await page.evaluate("document.querySelector('.tree').getBoundingClientRect().bottom") <= 390
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Side by side").click()
    panes = page.locator(".pane")
    await expect(panes).to_have_count(2)
    one, other = await panes.first.bounding_box(), await panes.last.bounding_box()
    assert one and other
    assert one["y"] == other["y"] and one["x"] + one["width"] <= other["x"]


async def test_an_exercise_is_solved_and_counted(open_page: OpenPage) -> None:
    page = await open_page("/learn")
    await page.get_by_role("button", name="Exercises").click()
    # The first lesson of which nothing was solved yet.
    await expect(page.get_by_role("heading", name="A game's tree · 1")).to_be_visible()
    await page.get_by_role("button", name="4 Alpha-beta").click()
    await expect(page.get_by_role("heading", name="Alpha-beta · 1")).to_be_visible()
    drill, status = page.locator(".exercise"), page.locator(".exercise [role=status]")
    tree = drill.get_by_role("treeitem")
    await expect(tree).to_have_count(13)
    await expect(drill.locator("svg")).to_contain_text("?")
    solution = exercise_of("alphabeta", 1).solution
    wrong = next(
        f"{branch}{leaf}" for branch in "bcd" for leaf in (1, 2, 3) if f"{branch}{leaf}" not in solution
    )
    # A leaf is chosen in the tree, or by its name.
    await tree.locator(f"xpath=self::*[substring(@data-path, 4)='{wrong}']").click()
    await expect(drill.locator(f"[data-choice={wrong}]")).to_have_attribute("aria-pressed", "true")
    await drill.get_by_role("button", name="Check").click()
    await expect(status).to_contain_text("Not so.")
    await expect(drill.locator(".chosen")).to_have_count(len(solution))
    await page.reload()
    for leaf in solution:
        await drill.locator(f"[data-choice={leaf}]").click()
    await drill.get_by_role("button", name="Check").click()
    await expect(status).to_contain_text("Right.")
    await expect(page.get_by_role("button", name="4 Alpha-beta ✓1")).to_be_visible()
    await page.get_by_role("button", name="Go through its tree").click()
    await expect(page.locator(".lecture")).to_be_visible()
    await searched(page)
    await page.get_by_role("button", name="Exercises").click()
    await page.get_by_role("button", name="4 Alpha-beta ✓1").click()
    await expect(page.get_by_role("heading", name="Alpha-beta · 2")).to_be_visible()
    assert await axe(page) == []


async def test_playouts_are_gone_through_one_by_one(open_page: OpenPage) -> None:
    page = await open_page("/learn#tictactoe=a1,b2,c3,a3")
    await page.get_by_role("button", name="Monte Carlo").click()
    panel, said = page.locator(".playouts"), page.locator(".playouts .said")
    await expect(said).to_have_text("Nothing was tried yet.")
    await page.keyboard.press("PageDown")
    await expect(said).to_contain_text("Selection: the root, since it has moves that were never tried.")
    await expect(said).to_contain_text("joins the tree.")
    await expect(panel.locator(".node.way")).to_have_count(2)
    await panel.get_by_role("button", name="To the end").click()
    await expect(panel.locator("output")).to_have_text("60 of 60")
    assert await axe(page) == []
    await panel.get_by_role("button", name="Back to the lecture").click()
    await expect(page.locator(".lecture")).to_be_visible()
