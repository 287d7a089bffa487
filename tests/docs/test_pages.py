"""All our pages: commands are commands, links lead somewhere, and what is shown is what is printed."""

import re
from pathlib import Path

import pytest

from tests.docs import commands, console
from tests.docs.markdown import ROOT, anchors, links, page

TARGETS = set(re.findall(r"^([a-z-]+):.*## ", page("Makefile"), re.MULTILINE))
PAGES = [*console.PAGES, "CHANGELOG.md"]


@pytest.mark.parametrize("name", console.PAGES)
def test_what_a_command_shows_is_what_it_prints(name: str, tmp_path: Path) -> None:
    blocks = console.blocks(page(name))
    if not any(command.output for block in blocks for command in console.shown(block)):
        # A page that shows no output needs no server.
        return
    with console.story(tmp_path) as story:
        for block in blocks:
            for command in console.shown(block):
                if command.output:
                    printed = story.run(command)
                    assert console.same(printed, command.output), f"{command.line}\n{printed}"


@pytest.mark.parametrize("name", PAGES)
def test_every_command_is_one(name: str) -> None:
    for words in commands.shown(page(name)):
        commands.check(words)
    for words in commands.mentioned(page(name)):
        commands.check_options(words)


@pytest.mark.parametrize("name", PAGES)
def test_every_make_target_is_one(name: str) -> None:
    assert commands.make_targets(page(name)) <= TARGETS


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    here = ROOT / name
    for link in links(page(name)):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = here.parent / path if path else here
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link
