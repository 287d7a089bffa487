"""A field to type into that says so where what is pasted is too long for it."""

from textual import events
from textual.widgets import Input

from parlour_protocol.words import say


class TextField(Input):
    """What does not fit is cut off."""

    def _on_paste(self, event: events.Paste) -> None:
        """Before the field itself takes it."""
        text = " ".join(event.text.split())
        if self.max_length:
            room = self.max_length - len(self.value) + len(self.selected_text)
            if len(text) > room:
                self.notify(too_long(self.max_length), severity="warning", markup=False)
            text = text[:room]
        event.text = text


def too_long(longest: int) -> str:
    """That something was cut."""
    return say("screen.too_long", count=longest)
