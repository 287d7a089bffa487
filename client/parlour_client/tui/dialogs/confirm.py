"""Is that really to be done? Before anything that somebody else would notice."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Button, Static

from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_protocol.words import say


class ConfirmDialog(Dialog[str]):
    """Asks; its answer is the name of the way that was chosen. Without one nothing is done."""

    back: ClassVar[str] = "screen.key.back"
    """The id of what the way without an answer is called."""
    first: ClassVar[str] = "back"
    """The button that has the focus: what harms nobody."""

    def __init__(self, title: str, sentence: str, ways: Mapping[str, str]) -> None:
        """`ways`: names, each with what stands on its button."""
        super().__init__()
        self._title, self._sentence, self._ways = title, sentence, ways

    @property
    def heading(self) -> str:
        """Its title."""
        return self._title

    def content(self) -> ComposeResult:
        """The sentence, the ways, and the way back."""
        yield Static(self._sentence, markup=False)
        with Buttons(classes="buttons"):
            for name, label in {**self._ways, "back": say(self.back)}.items():
                yield DialogButton(label, id=name, main=name == self.first)

    def on_mount(self) -> None:
        """What harms nobody comes first."""
        self.query_one(f"#{self.first}").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """One of the ways."""
        self.leave(event.button.id if event.button.id in self._ways else None)


class CloseServerDialog(ConfirmDialog):
    """Is the server to be closed, though others are on it? For the one who has started it, on leaving."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "screen.key.stay")]

    back = "screen.key.stay"
    first = "leave"

    def __init__(self, others: Sequence[str]) -> None:
        from parlour_client.text.wording import still_connected

        ways = {name: say(f"screen.close_server.{name}") for name in ("leave", "close")}
        super().__init__(say("screen.close_server.title"), still_connected(others), ways)
