"""Boards that are chosen in the settings."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import expect

from parlour_client.text.scores import luminance
from parlour_server.page_sources import WEB
from tests.web.browser import OpenPage, axe, shoot

BOARDS = {"wood": "Wood", "slate": "Slate", "contrast": "High contrast"}


def colours(sheet: Path, rule: str) -> dict[str, tuple[str, str]]:
    """The variables of a rule, each in the light theme and in the dark one."""
    found = re.search(rf"^{re.escape(rule)} \{{(.*?)^\}}", sheet.read_text(), re.DOTALL | re.MULTILINE)
    assert found is not None, rule
    return {
        name: (light, dark)
        for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", found[1])
    }


def light(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
    return luminance((red, green, blue))


@pytest.mark.parametrize("board", BOARDS)
def test_pieces_are_seen_on_every_board(board: str) -> None:
    own = colours(WEB / "style.css", ":root") | colours(
        WEB / "board" / "boards.css", f'[data-board="{board}"] .square'
    )
    for theme in (0, 1):
        for piece in ("first", "second", "text"):
            for ground in ("cell", "cell-odd", "ground"):
                low, high = sorted(light(own[name][theme]) for name in (piece, ground))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, piece, ground)


async def test_a_board_is_chosen_and_stays(open_page: OpenPage) -> None:
    page = await open_page("/analysis#connect4=4,4,3")
    await expect(page.locator(".square .piece")).to_have_count(3)
    shown: list[str] = []
    for name in ("Ink and paper", *BOARDS.values()):
        await page.get_by_role("button", name=re.compile("settings$")).click()
        field = page.locator("label.field").filter(has_text=re.compile("^Board"))
        await field.locator("select").select_option(name)
        await page.keyboard.press("Escape")
        await page.wait_for_function("document.fonts.ready")
        await expect(page.locator("dialog")).to_have_count(0)
        await shoot(page, f"board-{name}")
        frame = "getComputedStyle(document.querySelector('.square .frame')).fill"
        if shown:
            await page.wait_for_function(f"{frame} !== '{shown[-1]}'")
        shown.append(await page.evaluate(frame))
    assert await axe(page) == []
    assert all(one != other for one, other in pairwise(shown))
    await page.reload()
    await expect(page.locator(".square .piece")).to_have_count(3)
    await page.wait_for_function(f"{frame} === '{shown[-1]}'")
