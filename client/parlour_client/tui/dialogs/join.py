"""A room by its code, or by a link to it: from any screen."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Button, Input, Static

from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.dialogs.fields import FormRow, typed
from parlour_protocol.words import say


class JoinDialog(Dialog[None]):
    """Asks for a code or a link, and goes there."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, port: AppPort, text: str = "") -> None:
        super().__init__()
        self._port = port
        self._row = FormRow(
            say("screen.join.room"), typed("code", say("screen.lobby.code_hint"), text, longest=300)
        )

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.join.title")

    def content(self) -> ComposeResult:
        """The field, and what to do there."""
        yield Static(say("screen.join.about"))
        yield Static("")
        yield self._row
        with Buttons(classes="buttons"):
            yield DialogButton(say("screen.join.sit"), id="sit", main=True)
            yield DialogButton(say("screen.join.watch"), id="watch")

    def on_mount(self) -> None:
        """Type at once."""
        self._row.field.focus()

    def on_input_changed(self) -> None:
        """What was wrong is being put right."""
        self._row.right()

    def on_input_submitted(self) -> None:
        """Enter sits down."""
        self._go(sit=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A way to go there."""
        self._go(sit=event.button.id == "sit")

    def _go(self, *, sit: bool) -> None:
        field = self.query_one("#code", Input)
        if wrong := self._port.go_to(field.value, sit=sit):
            self._row.wrong(wrong)
            field.focus()
        else:
            self.leave(None)
