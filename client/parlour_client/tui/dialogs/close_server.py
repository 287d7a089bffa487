"""Is the server to be closed, though others are on it? For the one who has started it, on leaving."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.widgets.footer import Footer

CloseAnswer = Literal["leave", "close"]


class Choose(Button):
    """A button whose key is in the footer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "Choose", key_display="enter")]


class CloseServerDialog(Dialog[CloseAnswer]):
    """Asks; without an answer one stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", "Move", key_display="← →"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("escape", "leave", "Stay"),
    ]

    def __init__(self, others: Sequence[str]) -> None:
        super().__init__()
        self._others = others

    def compose(self) -> ComposeResult:
        """Who is there, and the three ways."""
        from parlour_client.text.wording import still_connected

        with Vertical(classes="frame") as frame:
            frame.border_title = "Close the server?"
            yield Static(still_connected(self._others), markup=False)
            with Horizontal(classes="buttons"):
                yield Choose("Leave it running", id="leave", classes="-main", compact=True)
                yield Choose("Close it", id="close", compact=True)
                yield Choose("Stay", id="stay", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """What harms nobody comes first."""
        self.query_one("#leave").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """One of the ways."""
        self.leave("leave" if event.button.id == "leave" else "close" if event.button.id == "close" else None)
