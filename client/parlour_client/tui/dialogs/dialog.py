"""What all dialogs share: a frame in the middle of the screen, moved in by arrows, left by escape."""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button

from parlour_client.tui.widgets.footer import Footer

Answer = TypeVar("Answer")

WIDE = 72
"""Columns from which a field's note stands beside it; on narrower screens it stands below."""


class Dialog(ModalScreen[Answer]):
    """A frame with a few lines in it. Its answer is None where it was left."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - textual declares it so

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "screen.key.back"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", "screen.key.move", key_display="↑ ↓"),
    ]

    @property
    @abstractmethod
    def heading(self) -> str:
        """Its title, in the frame's upper edge."""

    @abstractmethod
    def content(self) -> ComposeResult:
        """What stands in the frame."""

    def compose(self) -> ComposeResult:
        """The frame, and the keys."""
        with Vertical(classes="frame") as frame:
            frame.border_title = self.heading
            yield from self.content()
        yield Footer()

    def action_leave(self) -> None:
        """Without an answer."""
        self.leave(None)

    def leave(self, answer: Answer | None) -> None:
        """Give an answer, once: a key may come twice, and an answer after somebody has left."""
        if self.is_there:
            self.dismiss(answer)

    @property
    def is_there(self) -> bool:
        """Not left yet?"""
        return self in self.app.screen_stack


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
