"""A room by its code, or by a link to it: from any screen."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.dialogs.fields import Line, typed
from parlour_client.tui.footer import Footer
from parlour_client.tui.host import Host

CODE_HINT = "KMRTQA, or a link"


class JoinDialog(Dialog[None]):
    """Asks for a code or a link, and goes there."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, host: Host, text: str = "") -> None:
        super().__init__()
        self._host = host
        self._line = Line("Room", typed("code", CODE_HINT, text, longest=300))

    def compose(self) -> ComposeResult:
        """The field, and what to do there."""
        with Vertical(classes="frame") as frame:
            frame.border_title = "Go to a room"
            yield Static("A room's code has six letters. A link may lead to another server.")
            yield Static("")
            yield self._line
            with Horizontal(classes="buttons"):
                yield Button("Sit down", id="sit", classes="-main", compact=True)
                yield Button("Look on", id="watch", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """Type at once."""
        self._line.field.focus()

    def on_input_changed(self) -> None:
        """What was wrong is being put right."""
        self._line.right()

    def on_input_submitted(self) -> None:
        """Enter sits down."""
        self._go(sit=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A way to go there."""
        self._go(sit=event.button.id == "sit")

    def _go(self, *, sit: bool) -> None:
        field = self.query_one("#code", Input)
        if wrong := self._host.meant(field.value, sit=sit):
            self._line.wrong(wrong)
            field.focus()
        else:
            self.leave(None)
