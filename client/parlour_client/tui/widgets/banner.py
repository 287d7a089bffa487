"""The banner on top of a screen while the connection is lost."""

from typing import Any

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static


class Banner(Static):
    """Says when the next attempt to connect is."""

    @classmethod
    def show(cls, screen: Screen[Any], sentence: str) -> None:
        """Show a sentence on top of a screen, in the place of the one that stands there."""
        if shown := screen.query(cls):
            shown.first().update(Content(sentence))
        else:
            screen.mount(cls(sentence, markup=False))
