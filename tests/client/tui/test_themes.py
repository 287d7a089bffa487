import re
from itertools import product
from pathlib import Path

import pytest
from textual.theme import Theme

from parlour_client.text.scores import luminance
from parlour_client.tui.choices import Choices
from parlour_client.tui.themes import (
    BOARDS,
    CELL_VARIABLES,
    INK,
    PAPER,
    TABLE_VARIABLES,
    THEMES,
    named,
    other,
)
from tests.client.tui.harness import Nowhere, terminal_harness

PAGE_BOARDS = Path(__file__).parents[3] / "server/parlour_server/web/board/boards.css"
GROUNDS = ("background", "surface", "panel")
"""What text stands on."""
READABLE = 4.5
"""What WCAG 2 asks of text (AA)."""
SEEN = 2.9
"""And, less strictly, of lines: a shade under its 3, where a line runs through the darkest ground."""


def contrast(one: str, two: str) -> float:
    def light(colour: str) -> float:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return luminance((red, green, blue))

    darker, lighter = sorted((light(one), light(two)))
    return (lighter + 0.05) / (darker + 0.05)


def grounds(theme: Theme) -> list[str]:
    return [str(getattr(theme, ground)) for ground in GROUNDS]


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_ink_is_read_on_every_ground(theme: Theme) -> None:
    inks = {
        name: theme.variables[name] for name in TABLE_VARIABLES if name not in ("board-line", *CELL_VARIABLES)
    }
    inks["foreground"] = str(theme.foreground)
    for (name, ink), ground in product(inks.items(), grounds(theme)):
        assert contrast(ink, ground) >= READABLE, (name, ground)
    for ground in grounds(theme):
        assert contrast(theme.variables["board-line"], ground) >= SEEN


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_what_stands_on_a_board_is_read_on_its_cells(theme: Theme) -> None:
    colours = theme.variables
    for ground in (colours["cell"], colours["other-cell"]):
        for ink in ("first-piece", "second-piece", "on-cell", "cursor"):
            assert contrast(colours[ink], ground) >= READABLE, (ink, ground)
        assert contrast(colours["cell-line"], ground) >= SEEN
    assert contrast(colours["cell-line"], str(theme.background)) >= SEEN


def test_a_board_has_the_colours_of_the_page() -> None:
    rules = dict(re.findall(r'\[data-board="(\w+)"\] \.square \{(.*?)\}', PAGE_BOARDS.read_text(), re.DOTALL))
    assert list(rules) == list(BOARDS)
    for board, dark in product(BOARDS, (False, True)):
        on_page = {
            name: re.sub("^#(...)$", r"#\1\1", both.split(", ")[dark])
            for name, both in re.findall(r"--([\w-]+): light-dark\((.*?)\)", rules[board])
        }
        usual = THEMES[not dark].variables
        pieces = [on_page.get(side, usual[f"{side}-seat"]) for side in ("first", "second")]
        cells = [on_page[name] for name in ("cell", "cell-odd", "line")]
        assert (*cells, *pieces) == BOARDS[board][dark]


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_what_stands_on_a_colour_is_read_on_it(theme: Theme) -> None:
    for name in ("first-seat", "notice"):
        assert contrast(str(theme.background), theme.variables[name]) >= READABLE


def test_the_choice_is_kept_beside_other_settings(tmp_path: Path) -> None:
    choices = Choices(tmp_path)
    assert (choices.theme, choices.language) == (INK, None)
    choices.keep(theme=PAPER)
    choices.keep(language="pl")
    assert (Choices(tmp_path).theme, Choices(tmp_path).language) == (PAPER, "pl")
    choices.keep(language=None)
    assert Choices(tmp_path).language is None
    assert [file.name for file in tmp_path.iterdir()] == ["screen.json"]


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[]",
        '{"theme": "neon", "board": "oak"}',
        '{"board": []}',
        '{"theme": 7, "language": "xx"}',
        '{"language": []}',
        "\x00\xff",
    ],
)
def test_what_can_not_be_read_is_no_choice(tmp_path: Path, kept: str) -> None:
    (tmp_path / "screen.json").write_text(kept)
    assert (Choices(tmp_path).theme, Choices(tmp_path).language) == (INK, None)
    assert Choices(tmp_path).board == ""


async def test_a_key_changes_it_everywhere_and_for_the_next_time(state: Path) -> None:
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            assert at.app.theme == INK
            await at.press("t")
            assert at.app.theme == PAPER
            await at.press("question_mark", "ctrl+t")
            assert (at.screen, at.app.theme) == ("HelpScreen", INK)
            await at.press("ctrl+t")
        assert Choices(state).theme == PAPER
        async with terminal_harness(opening) as at:
            assert at.app.theme == PAPER
    assert other(PAPER) == INK


async def test_a_board_is_chosen_for_both_themes_and_for_the_next_time(state: Path) -> None:
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            await at.press("ctrl+p")
            assert at.screen == "BoardDialog"
            await at.press("ctrl+p", "down", "enter")
            assert at.app.theme == named(INK, "wood")
            await at.press("t")
            assert at.app.theme == named(PAPER, "wood")
        async with terminal_harness(opening) as at:
            assert at.app.theme == named(PAPER, "wood")
            await at.press("ctrl+p", "escape")
            assert at.app.theme == named(PAPER, "wood")
            await at.press("ctrl+p", "home", "enter")
            assert at.app.theme == PAPER
    assert Choices(state).board == ""


async def test_without_colours_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            styles = [
                segment.style for strip in at.app.screen._compositor.render_strips() for segment in strip
            ]
    for style in styles:
        assert style is None or style.color is None or style.color.is_default
        assert style is None or style.bgcolor is None or style.bgcolor.is_default
