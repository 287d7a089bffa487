"""A puzzle on the page: solved without a connection, with fingers, by keys and with a screen reader."""

import re

from playwright.async_api import expect

from parlour_client import Client
from parlour_protocol.answers import Puzzle
from tests.web.browser import OpenPage, axe, shoot
from tests.web.table import Table


def moves_of(puzzle: Puzzle) -> tuple[str, str]:
    """The right move and a wrong one."""
    return puzzle.candidates[0].move, puzzle.candidates[-1].move


async def test_the_days_puzzle_is_solved_without_a_connection(ada: Client, open_page: OpenPage) -> None:
    today = await ada.puzzle("tictactoe")
    assert today.before is not None
    before = await ada.puzzle("tictactoe", today.before)
    right, wrong = moves_of(today)
    page = await open_page("/puzzle#tictactoe", size="phone")
    table, reply = Table(page), page.locator(".reply")
    await expect(page.get_by_role("heading", name="Puzzle of the day: Tic-tac-toe")).to_be_visible()
    await expect(table.button("Another puzzle")).to_be_visible()
    # The one before is fetched by now, too.
    await page.wait_for_load_state("networkidle")
    open_page.expect("ERR_INTERNET_DISCONNECTED")
    await page.context.set_offline(True)
    await table.cell(wrong).click()
    await expect(reply).to_have_text(re.compile(rf"^Not this one\. {wrong}: .*\. Try again\.$"))
    await table.has(wrong, "empty")
    await table.cell(right).click()
    await expect(reply).to_have_text(re.compile(rf"^Right! {right}: "))
    await table.has(right, today.position.marks[today.position.to_move or 0][0])
    await expect(page.get_by_text("Solved 1 day in a row.")).to_be_visible()
    await shoot(page, "puzzle")
    await table.button("Another puzzle").click()
    await expect(page.get_by_role("heading", name=re.compile("^Puzzle of .*: Tic-tac-toe"))).to_be_visible()
    await expect(reply).to_be_empty()
    right, _ = moves_of(before)
    await table.cell(right).click()
    await expect(reply).to_have_text(re.compile(rf"^Right! {right}: "))
    await expect(page.get_by_text("Solved 2 days in a row.")).to_be_visible()
    await page.context.set_offline(False)


async def test_a_puzzle_is_solved_by_keyboard_and_said_aloud(ada: Client, open_page: OpenPage) -> None:
    today = await ada.puzzle("tictactoe")
    right, wrong = moves_of(today)
    page = await open_page("/puzzle#tictactoe", size="phone")
    table, aloud = Table(page), page.locator("#live")
    await expect(aloud).to_contain_text(re.compile("Find the only move"))
    assert await axe(page) == []
    await table.cell(wrong).focus()
    await page.keyboard.press("Enter")
    await expect(aloud).to_contain_text(f"Not this one. {wrong}")
    # What was tried says what it is worth, on its cell.
    assert await axe(page) == []
    await table.cell(right).focus()
    await page.keyboard.press("Enter")
    await expect(aloud).to_contain_text(f"Right! {right}")
    assert await axe(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360


async def test_the_answer_is_shown_and_the_day_is_not_solved_by_that(
    ada: Client, open_page: OpenPage
) -> None:
    today = await ada.puzzle()
    page = await open_page("/")
    await page.get_by_role("link", name="Puzzle of the day").click()
    await expect(page.get_by_role("heading", name=re.compile("^Puzzle of the day: "))).to_be_visible()
    assert page.url.endswith("/puzzle")
    table = Table(page)
    await table.button("Show the answer").click()
    await expect(page.locator(".reply")).to_have_text(
        re.compile(rf"^The answer: {moves_of(today)[0]} \(.*\)\. Best play: {' '.join(today.line)}$")
    )
    await expect(page.get_by_text("in a row")).to_be_hidden()
    await expect(table.button("Show the answer")).to_be_hidden()
    # Another game's, by the choice below.
    await page.get_by_label("Any game").select_option("connect4")
    await expect(page.get_by_role("heading", name="Puzzle of the day: Connect Four")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="Puzzle of the day: Connect Four")).to_be_visible()
    await page.get_by_label("Any game").select_option("gomoku")
    await expect(page.get_by_role("heading", name="Puzzle of the day: Gomoku")).to_be_visible()


async def test_a_blunder_of_a_review_becomes_a_puzzle_at_one_tap(open_page: OpenPage) -> None:
    page = await open_page("/review#tictactoe=a1,b2,c3,a3,c1,c2,b1", size="phone")
    table = Table(page)
    await table.button("4. a3?? blunder: threw away a draw (loses in 4)").click()
    await page.get_by_role("link", name="Solve it as a puzzle").click()
    await expect(page.get_by_role("heading", name="From a review: Tic-tac-toe")).to_be_visible()
    await expect(page.locator(".status")).to_have_text("O to move. Find a move that doesn't lose.")
    await table.cell("a3").click()
    await expect(page.locator(".reply")).to_have_text("Not this one. a3: loses in 4. Try again.")
    await table.cell("b1").click()
    await expect(page.locator(".reply")).to_have_text("Right! b1: a draw.")
    await page.reload()
    await page.get_by_role("link", name="Back to the review").click()
    await expect(table.button("4. a3?? blunder: threw away a draw (loses in 4)")).to_be_visible()
