"""README.md: what it says can be typed, can be; what it points to is there."""

import re

import pytest

from parlour_server.search.thinking import list_bots
from tests.docs import commands
from tests.docs.markdown import ROOT, anchors, blocks, links, named, page, section, tables

PAGE = page("README.md")
CHANGES = page("CHANGELOG.md")
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", page("Makefile"), re.MULTILINE))


def test_every_make_target_is_one() -> None:
    told = commands.make_targets(PAGE) | commands.make_targets(CHANGES)
    assert {"play", "test", "check", "bench"} <= told <= TARGETS


@pytest.mark.parametrize("words", commands.shown(PAGE), ids=" ".join)
def test_every_command_shown_is_one(words: list[str]) -> None:
    commands.check(words)


@pytest.mark.parametrize("words", commands.mentioned(PAGE) + commands.mentioned(CHANGES), ids=" ".join)
def test_every_command_mentioned_is_one(words: list[str]) -> None:
    commands.check_options(words)


def test_the_five_things_are_shown_as_commands() -> None:
    told = {words[0] for words in commands.shown(section(PAGE, "## Five things to do"))}
    assert {"serve", "play", "join", "watch", "create", "add-bot", "arena", "bot"} <= told


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    for link in links(page(name)):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        assert (ROOT / path).exists(), link
        assert not anchor or anchor in anchors(page(path or name)), link


def test_every_bot_is_told_with_its_settings() -> None:
    told = {name: re.findall(r"`(\w+)`", settings) for name, settings, _ in tables(PAGE)["Bot"]}
    known = {f"`{bot.name}`": [one.name for one in bot.settings] for bot in list_bots()}
    assert told == known
    assert named(tables(PAGE)["Bot"]) == [bot.name for bot in list_bots()]


def test_every_folder_of_the_layout_is_there() -> None:
    layout = next(block for block in blocks(PAGE, "text") if block.startswith("protocol/"))
    folders = [line.split("/")[0] for line in layout.splitlines()]
    assert all((ROOT / folder).is_dir() for folder in folders)
    (server,) = re.findall(r"parlour_server: (.+)", layout)
    assert all((ROOT / "server/parlour_server" / part).is_dir() for part in server.split(", "))
