"""A sheet to read: over whatever is shown, it scrolls where it is long, and any key for leaving leaves it."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from parlour_client.tui.framed import Framed


class Sheet(Framed[None]):
    """Something to read."""

    FRAME = VerticalScroll

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,Q,question_mark,enter,f1", "leave", "screen.key.back", key_display="esc")
    ]

    def on_mount(self) -> None:
        """Arrows scroll."""
        self.query_one(VerticalScroll).focus()
