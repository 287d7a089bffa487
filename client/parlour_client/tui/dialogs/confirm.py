"""A yes or a no, before what can't be undone."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from parlour_client.tui.dialogs.dialog import Dialog
from parlour_client.tui.footer import Footer


class ConfirmDialog(Dialog[bool]):
    """Asks a question. True for yes; None or False for no."""

    DEFAULT_CSS = """
    ConfirmDialog > .frame { width: 52; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Yes"),
        Binding("n", "no", "No"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, question: str, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self._question = question
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        """The question, and two buttons: enter says no, so that nothing is lost by a slip."""
        with Vertical(classes="frame"):
            yield Static(self._question, markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._no, id="no", compact=True)
                yield Button(self._yes, id="yes", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """The harmless answer is at hand."""
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """An answer."""
        self.dismiss(event.button.id == "yes")

    def action_yes(self) -> None:
        """Yes."""
        self.dismiss(True)

    def action_no(self) -> None:
        """No."""
        self.dismiss(False)
