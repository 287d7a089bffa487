"""Is the server to be closed, though others are on it? For the one who has started it, on leaving."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Button, Static

from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.words import say

CloseAnswer = Literal["leave", "close"]


class CloseServerDialog(Dialog[CloseAnswer]):
    """Asks; without an answer one stays."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "screen.key.stay")]

    def __init__(self, others: Sequence[str]) -> None:
        super().__init__()
        self._others = others

    def compose(self) -> ComposeResult:
        """Who is there, and the three ways."""
        from parlour_client.text.wording import still_connected

        with Vertical(classes="frame") as frame:
            frame.border_title = say("screen.close_server.title")
            yield Static(still_connected(self._others), markup=False)
            with Buttons(classes="buttons"):
                yield DialogButton(say("screen.close_server.leave"), id="leave", main=True)
                yield DialogButton(say("screen.close_server.close"), id="close")
                yield DialogButton(say("screen.key.stay"), id="stay")
        yield Footer()

    def on_mount(self) -> None:
        """What harms nobody comes first."""
        self.query_one("#leave").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """One of the ways."""
        self.leave("leave" if event.button.id == "leave" else "close" if event.button.id == "close" else None)
