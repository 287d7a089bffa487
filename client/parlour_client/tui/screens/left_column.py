"""The left column of a table, declared: what stands above and below the board.

To add something, add a `Part`. The board takes all lines that the others leave.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parlour_client.tui.screens import status_line
from parlour_client.tui.table_model import TableModel
from parlour_client.tui.widgets import players
from parlour_client.tui.widgets.function_widget import Draw


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is drawn above or below the board."""

    name: str
    """Its widget's id, too."""
    draw: Draw
    lines: int = 1
    """Its height."""
    tight: int = 1
    """The same where a tall board needs every line; 0: it gives way."""
    small: int = 0
    """The same on a small screen."""
    optional: bool = False
    """On a small screen it is shown only where the board leaves those lines."""
    grows: bool = False
    """It takes one more line where the board leaves one."""
    visible: Callable[[TableModel], bool] = lambda moment: True
    """Whether it has anything to show."""


ABOVE: Sequence[Part] = (Part("players", players.draw, lines=2, small=1, optional=True),)
BELOW: Sequence[Part] = (Part("status", status_line.draw, lines=2, small=1, grows=True),)
PARTS = (*ABOVE, *BELOW)
