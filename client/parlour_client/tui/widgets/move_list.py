"""The moves of a game, to step through: choosing one shows the board after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from parlour_protocol.words import say

HERE = "◂"


@dataclass
class Picked(Message):
    """The board after so many moves is wanted: from the moves, or from a review's curve."""

    ply: int


class Moves(Widget, can_focus=True):
    """Two moves a line. The board that is looked at is marked, and kept in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-2)", show=False),
        Binding("down", "step(2)", show=False),
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._moves: Sequence[str] = ()
        self._ply = 0
        self._given = 0

    def show(self, moves: Sequence[str], ply: int | None, given: int = 0) -> None:
        """The game's moves, and after how many of them the board is looked at (None: after all).

        The first `given` were there when the game began.
        """
        self._moves, self._ply, self._given = moves, len(moves) if ply is None else ply, given
        self.refresh()

    def render(self) -> Content:
        """As many lines as there is room for, with the one that is looked at."""
        if not self._moves:
            return Content.styled(say("count.moves_made", count=0), "$past")
        lines = rows(self._moves, self._ply, self._given, self.size.width)
        top = self._top(len(lines))
        return Content("\n").join(lines[top : top + max(self.size.height, 1)])

    def _top(self, count: int) -> int:
        """The first line that is shown: the one looked at is as low as what follows it allows."""
        height = max(self.size.height, 1)
        here = max(self._ply - 1, 0) // 2
        return max(0, min(here - height // 2, count - height))

    def on_click(self, event: events.Click) -> None:
        """Look at the board after the move that was clicked."""
        offset = event.get_content_offset(self)
        if not self._moves or offset is None:
            return
        row = offset.y + self._top((len(self._moves) + 1) // 2)
        number, first, second = _widths(self._moves)
        gap = _gap(number + first + second, self.size.width)
        ply = 2 * row + (1 if offset.x < number + gap + first + gap - 1 else 2)
        if 1 <= ply <= len(self._moves) + 1:
            event.stop()
            self.post_message(Picked(min(ply, len(self._moves))))

    def action_step(self, plies: int) -> None:
        """So many moves on, or back."""
        if self._moves:
            self.post_message(Picked(max(0, min(self._ply + plies, len(self._moves)))))


def _widths(moves: Sequence[str]) -> tuple[int, int, int]:
    """Of the numbers, of the first side's moves, and of the second's."""
    lengths = [cell_len(move) for move in moves]
    number = len(str((len(moves) + 1) // 2))
    return number, max(lengths[::2], default=1), max(lengths[1::2], default=1)


def _gap(filled: int, width: int) -> int:
    """How far a line's parts stand apart, so that long moves still stand in pairs."""
    return 2 if filled + 7 <= width else 1


def rows(moves: Sequence[str], ply: int, given: int = 0, width: int = 80) -> list[Content]:
    """Every pair of moves on a line; the one after which the board is looked at is marked."""
    number, first, second = _widths(moves)
    gap = _gap(number + first + second, width)
    air = " " * (gap - 1)
    lines = []
    for at in range(0, len(moves), 2):
        line = Content.styled(str(at // 2 + 1).rjust(number) + " " * gap, "$past")
        for index, widest in ((at, first), (at + 1, second)):
            if index >= len(moves):
                break
            move = moves[index]
            here = index + 1 == ply
            past = index < given or index + 1 > ply
            line += Content.styled(move, "bold reverse" if here else "$past" if past else "")
            line += " " * (widest - cell_len(move)) + air
            line += Content.styled(HERE if here else " ", "$cursor") + air
        lines.append(line)
    return lines
