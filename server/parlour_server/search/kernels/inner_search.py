"""The inner search (`negamax.py`) joined with one game's functions, and their memory.

There are two kinds: compiled ones (`compiled.py`) and interpreted ones (`interpreted.py`). They visit
the same nodes as long as neither table is full.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parlour_server.games.game import Move

MOVE_NUMBERS = (1 << 16) - 1
"""The most that moves may have: an entry of the table has room for as many."""


class TableMemory:
    """The table of one search after the other: of one at a time.

    New memory costs more on its first touch than all the probing of half a second.
    """

    def __init__(self) -> None:
        self._kept: Any = None

    def empty_table(self, slots: int) -> Any:
        """A table of zeros; what the last search left in it is gone."""
        import numpy as np

        if self._kept is None or len(self._kept) < slots:
            self._kept = np.zeros(slots, np.int64)
            return self._kept
        table = self._kept[:slots]
        table.fill(0)
        return table


@dataclass(slots=True)
class InnerSearch:
    """The inner search of one search, set up with its position."""

    code: Any
    """The names of `negamax.py` and of a kernel: a module, or something like it."""
    state: Any
    work: Any
    table: Any
    slots: int
    """Numbers in the table: a power of two."""
    stop: Any
    """One byte: not 0 ends the search."""
    number: Callable[[Move], int] = int
    """The engine's number of one of the game's moves."""
    move: Callable[[int], Move] = int
    """And back."""

    def play(self, number: int) -> None:
        """Play a move, by its number."""
        self.code.play(self.state, number)

    def undo(self, number: int) -> None:
        """Take it back."""
        self.code.undo(self.state, number)

    def end_score(self) -> int | None:
        """What an end by the root's move just played is worth to the root's side; None: no end."""
        end = self.code.ended(self.state)
        if end:
            self.work[self.code.LINES + self.code.MOST_PLIES + 2] = 0
        return int(self.code.ended_score(self.state, self.work, end, 1)) if end else None

    def estimate(self) -> int:
        """The root's move just played at a horizon of one ply, for the root's side; threats are followed."""
        self.work[self.code.LINES + self.code.MOST_PLIES + 2] = 0
        if self["THREAT_LIMIT"] > 1 and self.code.urgent(self.state):
            return self.child_value(1, -self.code.INFINITE, self.code.INFINITE)
        return -int(self.code.evaluate(self.state))

    def child_value(self, depth: int, alpha: int, beta: int) -> int:
        """The same with `depth` plies in all, within a window as in `negamax.py`."""
        score = self.code.value(self.state, self.work, self.table, self.stop, depth - 1, 1, -beta, -alpha)
        return -int(score)

    def line(self) -> list[Move]:
        """Best play behind the root's move, as the last search with an open window saw it."""
        start = self.code.LINES + self.code.MOST_PLIES + 2
        length = int(self.work[start])
        return [self.move(int(self.work[start + i])) for i in range(1, length + 1)]

    def __getitem__(self, name: str) -> int:
        """One of the engine's numbers, by the name that `negamax.py` gives its place: `NODES`."""
        return int(self.work[getattr(self.code, name)])

    def __setitem__(self, name: str, number: int) -> None:
        self.work[getattr(self.code, name)] = number
