"""Words on screens: said when they are shown, and anew where another language is chosen meanwhile."""

from typing import Any, Protocol, runtime_checkable

from textual.content import Content
from textual.screen import Screen

from parlour_protocol.words import ENGLISH, say

_PLACE = "\0"
"""Where a content comes to stand in a sentence; no sentence has it."""


@runtime_checkable
class Worded(Protocol):
    """A widget or a screen that keeps words which it has said: not all of it is drawn anew each time."""

    def reword(self) -> None:
        """Say them once more, in the language of now."""


def reword(screen: Screen[Any]) -> None:
    """Say all that is on a screen once more, in the language of now."""
    for node in screen.walk_children(with_self=True):
        if isinstance(node, Worded):
            node.reword()
        node.refresh(layout=True)
    screen.refresh_bindings()


def said(words: str) -> str:
    """The sentence of an id, as bindings have one in their description; other words as they are."""
    return say(words) if words in ENGLISH else words


def around(id_: str, **contents: Content) -> Content:
    """A sentence with one argument that has a style of its own."""
    ((name, content),) = contents.items()
    before, _, after = say(id_, **{name: _PLACE}).partition(_PLACE)
    return Content(before) + content + Content(after)
