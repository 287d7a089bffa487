"""A QR code on a terminal: black on white, also where the terminal is dark."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from parlour_client.render.console import Screen
from parlour_protocol.qr_text import half_blocks

BLACK_ON_WHITE = Style.parse("#000000 on #ffffff")


def qr_lines(rows: Sequence[str], screen: Screen) -> list[Text]:
    """The code, line by line; none where there is no code, or where the terminal has no signs for it."""
    if screen.ascii_only or not rows:
        return []
    if screen.out.no_color or not screen.out.is_terminal:
        # Most terminals are dark.
        return [Text(line) for line in half_blocks(rows, ink=".")]
    return [Text(line, BLACK_ON_WHITE) for line in half_blocks(rows)]
