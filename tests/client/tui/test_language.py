"""The language of the screens: chosen by a key, kept for the next time, and spoken by every key."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.content import Content

import parlour_client.tui
from parlour_client.text.actions import ACTIONS
from parlour_client.tui.bindings import label
from parlour_client.tui.choices import Choices
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.worded import around
from parlour_protocol.words import ENGLISH, language, load, speak
from parlour_protocol.words.choice import VARIABLE
from tests.client.tui.harness import Nowhere, terminal_harness


@pytest.fixture(autouse=True)
def polish(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three words of Polish, whatever else there is; and English before and after."""
    words = load("pl").sentences
    assert isinstance(words, dict)
    for id_, word in {
        "connection.connecting": "Łączenie ...",
        "screen.lobby.rooms": "pokoje",
        "screen.key.quit": "Wyjdź",
        "screen.lobby.against": "przeciw {{name}}",
        "screen.panel.moves": "ruchy",
        "screen.table.say_something": "T: napisz coś",
    }.items():
        monkeypatch.setitem(words, id_, word)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("LC_ALL", "C")
    speak("en")
    yield
    speak("en")


async def test_a_key_chooses_it_for_all_screens_at_once_and_for_the_next_time(
    server: str, state: Path
) -> None:
    async with terminal_harness(server) as at:
        await at.connected()
        assert "rooms" in at.shown()
        await at.press("enter")
        await at.at_table()
        await at.press("ctrl+l")
        assert at.screen == "LanguageDialog"
        await at.shows("English", load("pl").say("language.name"), load("de").say("language.name"))
        await at.press("escape")
        assert language().tag == "en"
        await at.press("ctrl+l", "ctrl+l", "home", "down", "down", "enter")
        await at.until(lambda: at.screen == "TableScreen")
        assert language().tag == "pl"
        await at.shows("ruchy", "T: napisz coś")
        await at.press("Q")
        await at.shows("pokoje", "przeciw medium", "Wyjdź")
    assert Choices(state).language == "pl"
    speak("en")
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            await at.shows("pokoje")


async def test_the_one_that_is_asked_for_comes_before_it(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Choices(state).keep(language="pl")
    monkeypatch.setenv(VARIABLE, "en")
    with Nowhere() as opening:
        async with terminal_harness(opening) as at:
            assert language().tag == "en"
            await at.press("ctrl+l", "home", "down", "down", "enter")
            # Also while there is nothing yet.
            await at.shows("pokoje", "Łączenie ...")
            # And the system's is one to choose.
            await at.press("ctrl+l", "end", "enter")
            await at.until(lambda: at.screen == "LobbyScreen")
    assert Choices(state).language is None


def test_every_key_says_what_it_does_by_the_id_of_a_sentence() -> None:
    for module in pkgutil.walk_packages(parlour_client.tui.__path__, "parlour_client.tui."):
        for thing in vars(importlib.import_module(module.name)).values():
            own = vars(thing).get("BINDINGS", ()) if isinstance(thing, type) else ()
            if thing is TableScreen or not getattr(thing, "__module__", "").startswith("parlour_client.tui"):
                continue
            for binding in Binding.make_bindings(own):
                for words in filter(None, (binding.description, binding.tooltip)):
                    assert words in ENGLISH, (thing, words)
    for action in ACTIONS:
        assert not action.label or label(action) in ENGLISH
        assert action.help in ENGLISH


def test_an_argument_keeps_its_style_wherever_it_stands() -> None:
    name = Content.styled("Ada", "bold")
    content = around("table.fact.against", name=name)
    assert content.plain == "against Ada"
    assert [content.plain[span.start : span.end] for span in content.spans] == ["Ada"]
