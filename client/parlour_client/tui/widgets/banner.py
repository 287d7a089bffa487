"""The banner on top of a screen while the connection is lost."""

from textual.content import Content
from textual.widgets import Static


class Banner(Static):
    """Says when the next attempt to connect is."""

    def show(self, sentence: str) -> None:
        """Show another sentence."""
        self.update(Content(sentence))
