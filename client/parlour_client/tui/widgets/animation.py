"""What moved between two positions: found in the difference between two views, without any rules. Pure."""

from dataclasses import dataclass, field

from parlour_protocol.views.boards import BoardView

FALL_SECONDS = 0.05
"""For each row. Half of it for all but the first few: what falls gets faster."""
LONGEST_FALL = 0.35
PALE_SECONDS = 0.7


@dataclass(frozen=True, slots=True)
class Motion:
    """What is to be shown moving, and until when."""

    falling: int | None = None
    """The cell in which a piece comes to rest."""
    rows: int = 0
    """How many rows it falls."""
    pale: frozenset[int] = field(default_factory=frozenset)
    """Cells whose pieces changed sides."""

    @property
    def seconds(self) -> float:
        """How long it takes."""
        fall = min(LONGEST_FALL, FALL_SECONDS * self.rows) if self.falling is not None else 0.0
        return max(fall, PALE_SECONDS if self.pale else 0.0)

    def row(self, elapsed: float) -> int | None:
        """The row of a falling piece after so many seconds; None when it has come to rest."""
        if self.falling is None or self.rows < 1:
            return None
        total = min(LONGEST_FALL, FALL_SECONDS * self.rows)
        if elapsed >= total:
            return None
        # As things fall: with the square of the time.
        return int((elapsed / total) ** 2 * (self.rows + 1))


def between(before: BoardView | None, now: BoardView) -> Motion:
    """What moved; nothing where the two are not of one board, or pieces have gone."""
    if before is None or (before.rows, before.columns) != (now.rows, now.columns):
        return Motion()
    old, new = before.texts(), now.texts()
    if len(old) != len(new):
        return Motion()
    empty = now.empty
    if any(was != empty and text == empty for was, text in zip(old, new, strict=True)):
        return Motion()
    come = [cell for cell, was in enumerate(old) if was == empty and new[cell] != empty]
    pale = frozenset(cell for cell, was in enumerate(old) if was != empty and new[cell] != was)
    if now.layout == "tray" and len(come) == 1 and not pale:
        return Motion(come[0], come[0] // len(now.columns))
    return Motion(pale=pale)
