"""What all dialogs share: a frame in the middle of the screen, moved in by arrows, left by escape."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button

from parlour_client.tui.framed import Answer, Framed


class Dialog(Framed[Answer]):
    """A frame with a few lines in it."""

    FRAME = Vertical

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "screen.key.back"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", "screen.key.move", key_display="↑ ↓"),
    ]


class Buttons(Horizontal):
    """A dialog's buttons, side by side: left and right lead from one to the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", "screen.key.move", key_display="← →"),
    ]


class DialogButton(Button):
    """A button on one line, whose key the footer names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "press", "screen.key.press", key_display="enter")
    ]

    def __init__(self, label: str, *, id: str, main: bool = False, disabled: bool = False) -> None:  # noqa: A002
        super().__init__(label, id=id, classes="-main" if main else None, compact=True, disabled=disabled)
