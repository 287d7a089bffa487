"""What stands in a frame over whatever is shown: dialogs, and sheets to read."""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widget import Widget

from parlour_client.tui.widgets.footer import Footer

Answer = TypeVar("Answer")

WIDE = 72
"""Columns from which a frame is a wide one."""


class Framed(ModalScreen[Answer]):
    """A frame with a title and the keys below it. Its answer is None where it was left."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - textual declares it so
    FRAME: ClassVar[type[Widget]]
    """What holds the lines."""

    @property
    @abstractmethod
    def heading(self) -> str:
        """Its title, in the frame's upper edge."""

    @abstractmethod
    def content(self) -> ComposeResult:
        """What stands in the frame."""

    def compose(self) -> ComposeResult:
        """The frame, and the keys."""
        with self.FRAME(classes="frame") as frame:
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
