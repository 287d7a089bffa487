"""All keys of all screens, read off the screens themselves: a key that does something is listed here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from parlour_client.tui.screens.sheet import Sheet
from parlour_client.tui.worded import said
from parlour_protocol.words import say

SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "escape": "esc",
    "space": "space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "page up",
    "pagedown": "page down",
}

INDENT = 12
"""Columns before what a key does."""


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys under a heading: those of some classes, and what can be pressed, typed or clicked besides.

    The words are ids.
    """

    heading: str
    classes: Sequence[type[Any]]
    more: Sequence[tuple[str, str]] = ()


class HelpScreen(Sheet):
    """Groups of keys with what they do."""

    def __init__(self, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self._groups = groups

    @property
    def heading(self) -> str:
        """What these are."""
        return say("screen.key.keys")

    def content(self) -> ComposeResult:
        """The groups, spread over two columns of much the same height."""
        columns: tuple[list[KeyGroup], list[KeyGroup]] = ([], [])
        for group in self._groups:
            min(columns, key=_height).append(group)
        with Horizontal():
            for column in columns:
                yield Keys(column)


class Keys(Widget):
    """Groups of keys below each other; what a key does is wrapped beside it, not below."""

    def __init__(self, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self._groups = groups

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines(self.size.width))

    def _lines(self, width: int) -> list[Content]:
        lines: list[Content] = []
        for group in self._groups:
            lines += [Content("")] * bool(lines) + [Content.styled(say(group.heading), "bold $first-seat")]
            for keys, what in keys_of(group):
                wrapped = Content.styled(_sentence(said(what)), "$past").wrap(max(8, width - INDENT))
                before = Content.styled(f"{keys:>{INDENT - 2}}  ", "bold")
                lines += [before + wrapped[0], *(line.pad_left(INDENT) for line in wrapped[1:])]
        return lines


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _height(groups: list[KeyGroup]) -> int:
    return sum(len(keys_of(group)) + 2 for group in groups)


def keys_of(group: KeyGroup) -> list[tuple[str, str]]:
    """A group's keys, each with the id of what it does; nothing twice."""
    listed: dict[str, str] = {}
    for keys, what in chain(group.more, *(_keys(one) for one in group.classes)):
        listed.setdefault(what, keys)
    return [(keys, what) for what, keys in listed.items()]


def _keys(source: type[Any]) -> Iterator[tuple[str, str]]:
    """A class's own keys, with words."""
    words: dict[str, list[str]] = {}
    for binding in Binding.make_bindings(source.__dict__.get("BINDINGS", ())):
        if binding.description and not binding.system:
            shown = binding.key_display or SHOWN.get(binding.key, binding.key)
            keys = words.setdefault(binding.tooltip or binding.description, [])
            if shown not in keys:
                keys.append(shown)
    for what, keys in words.items():
        yield " ".join(keys), what
