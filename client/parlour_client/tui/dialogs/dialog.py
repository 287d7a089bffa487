"""What all dialogs share: a frame in the middle of the screen, moved in by arrows, left by escape."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """A frame with a few lines in it. Its answer is None where it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", "Move", key_display="↑ ↓"),
    ]

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
