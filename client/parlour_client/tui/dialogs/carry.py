"""The way to another device: a link, and its QR code for a phone to scan."""

from textual.app import ComposeResult
from textual.containers import Center
from textual.widgets import Static

from parlour_client.sdk.carrying import CarriedSeat
from parlour_client.text import wording
from parlour_client.tui.dialogs.dialog import Dialog
from parlour_protocol.qr_text import half_blocks
from parlour_protocol.words import say


class CarryDialog(Dialog[None]):
    """Shows the link for as long as one likes; it can be opened for a short while."""

    def __init__(self, seat: CarriedSeat) -> None:
        super().__init__()
        self._seat = seat

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.carry.title")

    def content(self) -> ComposeResult:
        """What to do with it, the code, the link."""
        yield Static(wording.carry_sentence(self._seat), markup=False)
        if self._seat.rows is not None:
            with Center():
                yield Static("\n".join(half_blocks(self._seat.rows)), id="qr", markup=False)
        yield Static(self._seat.link, id="link", markup=False)
