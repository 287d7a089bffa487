"""Is that really to be done? Before anything that somebody else would notice."""

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Button, Static

from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.words import say


class ConfirmDialog(Dialog[str]):
    """Asks; its answer is the name of the way that was chosen. Without one nothing is done."""

    def __init__(self, title: str, sentence: str, ways: Mapping[str, str]) -> None:
        """`ways`: names, each with what stands on its button."""
        super().__init__()
        self._title, self._sentence, self._ways = title, sentence, ways

    def compose(self) -> ComposeResult:
        """The sentence, the ways, and the way back."""
        with Vertical(classes="frame") as frame:
            frame.border_title = self._title
            yield Static(self._sentence, markup=False)
            with Buttons(classes="buttons"):
                for name, label in self._ways.items():
                    yield DialogButton(label, id=name)
                yield DialogButton(say("screen.key.back"), id="back", main=True)
        yield Footer()

    def on_mount(self) -> None:
        """What harms nobody comes first."""
        self.query_one("#back").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """One of the ways."""
        self.leave(event.button.id if event.button.id in self._ways else None)
