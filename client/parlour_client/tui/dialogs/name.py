"""How one wants to be called."""

from textual import work
from textual.app import ComposeResult
from textual.widgets import Button, Static

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.dialogs.fields import FormRow, typed
from parlour_client.tui.error_text import error_sentence
from parlour_protocol.words import say


class NameDialog(Dialog[str]):
    """Asks for a name until the server takes one; gives that."""

    def __init__(self, parlour: Client) -> None:
        super().__init__()
        self._parlour = parlour
        self._field = typed("own-name", value=parlour.name, longest=200)
        self._row = FormRow(say("screen.key.name"), self._field)

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.key.name")

    def content(self) -> ComposeResult:
        """The field, and the button."""
        yield Static(say("screen.name.about"))
        yield Static("")
        yield self._row
        with Buttons(classes="buttons"):
            yield DialogButton(say("screen.name.keep"), id="keep", main=True)

    def on_mount(self) -> None:
        """Type at once."""
        self._field.focus()

    def on_input_changed(self) -> None:
        """What was wrong is being put right."""
        self._row.right()

    def on_input_submitted(self) -> None:
        """Enter takes it."""
        self._rename()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """So does the button."""
        self._rename()

    @work(exclusive=True)
    async def _rename(self) -> None:
        try:
            await self._parlour.rename(self._field.value)
        except ParlourError as fault:
            self._row.wrong(error_sentence(fault))
            self._field.focus()
        else:
            self.leave(self._parlour.name)
