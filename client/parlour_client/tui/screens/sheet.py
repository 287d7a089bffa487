"""A sheet to read: over whatever is shown, it scrolls where it is long, and any key for leaving leaves it."""

from abc import abstractmethod
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from parlour_client.tui.widgets.footer import Footer


class Sheet(ModalScreen[None]):
    """Something to read in a frame."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - textual declares it so

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,Q,question_mark,enter,f1", "leave", "screen.key.back", key_display="esc")
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
        with VerticalScroll() as frame:
            frame.border_title = self.heading
            yield from self.content()
        yield Footer()

    def on_mount(self) -> None:
        """Arrows scroll."""
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        """Back to where we were."""
        if self in self.app.screen_stack:  # a key may come twice
            self.dismiss(None)
