"""The line across a screen that says that the connection is lost, and when it is tried again."""

from textual.content import Content
from textual.widgets import Static


class Banner(Static):
    """Shown on every screen while the line is down."""

    DEFAULT_CSS = """
    Banner {
        dock: top;
        height: auto;
        background: $notice;
        color: $background;
        text-style: bold;
        text-align: center;
        padding: 0 1;
    }
    """

    def tell(self, sentence: str) -> None:
        """Say it."""
        self.update(Content(sentence))
