"""README.md, and what its pages say of bots and folders."""

import re

from parlour_server.search.thinking import list_bots
from tests.docs import commands
from tests.docs.markdown import ROOT, blocks, named, page, section, tables

PAGE = page("README.md")
BOTS = tables(page("docs/bots.md"))["Bot"]


def test_the_four_things_are_shown_as_commands() -> None:
    shown = {words[0] for words in commands.shown(section(PAGE, "## Four things people come for"))}
    assert {"serve", "play", "join", "watch", "create", "add-bot", "analyse", "arena"} <= shown


def test_every_bot_stands_there_with_its_settings() -> None:
    written = {name: re.findall(r"`(\w+)`", settings) for name, settings, _ in BOTS}
    known = {f"`{bot.name}`": [one.name for one in bot.settings] for bot in list_bots()}
    assert written == known
    assert named(BOTS) == [bot.name for bot in list_bots()]


def test_every_folder_of_the_layout_is_there() -> None:
    layout = next(
        block for block in blocks(page("docs/architecture.md"), "text") if block.startswith("protocol/")
    )
    folders = [line.split("/")[0] for line in layout.splitlines()]
    assert all((ROOT / folder).is_dir() for folder in folders)
    (server,) = re.findall(r"parlour_server: (.+)", layout)
    assert all((ROOT / "server/parlour_server" / part).is_dir() for part in server.split(", "))
