"""The players' time in one game: what is left, whose runs, and since when.

All moments are milliseconds since 1970 as the log has them, so that the fold of a log gives the same clocks
wherever it is read.
"""

from dataclasses import dataclass

from parlour_protocol.clocks import TimeControl
from parlour_protocol.ids import Seat


@dataclass(slots=True)
class Clocks:
    """Changed by the fold of the log alone."""

    control: TimeControl
    left: list[int]
    """Milliseconds for each seat, as of `since`."""
    running: Seat | None = None
    since: int = 0
    stopped: bool = False
    """Do they stand still, until the player whose time runs is back?"""

    @classmethod
    def full(cls, control: TimeControl) -> "Clocks":
        """Both with all their time."""
        return cls(control, [control.base, control.base])

    def remaining(self, seat: Seat, now: int) -> int:
        """Milliseconds that a seat has left; 0 or less: its time is up."""
        spent = max(0, now - self.since) if seat == self.running and not self.stopped else 0
        return self.left[seat] - spent

    def moved(self, seat: Seat, at: int, lag: int) -> None:
        """A seat has moved: charge it, but for what was on the way, and add what its control adds."""
        if seat != self.running:
            return
        self._charge(at - lag)
        control = self.control
        self.left[seat] = control.base if control.per_move else self.left[seat] + control.increment
        self.running, self.stopped = None, False

    def taken_back(self, seat: Seat) -> None:
        """A move is undone: take what it added, or taking back and moving would gain time for ever."""
        if not self.control.per_move:
            left = self.left[seat]
            # A player who has thought for long since then loses no game by it.
            self.left[seat] = max(min(left, 1000), left - self.control.increment)

    def run(self, seat: Seat | None, at: int) -> None:
        """This seat's time runs from now on; None: no clock does. The one that ran is charged until now."""
        if seat == self.running:
            return
        if self.running is not None:
            self._charge(at)
        if seat is not None and self.control.per_move:
            self.left[seat] = self.control.base
        self.running, self.since, self.stopped = seat, at, False

    def stop(self, at: int, spent: int) -> None:
        """Stand still: of the time until now only so much is charged."""
        if self.running is not None:
            self.left[self.running] = max(0, self.left[self.running] - spent)
        self.since, self.stopped = at, True

    def resume(self, at: int, rested: int) -> None:
        """Go on from now; of the time until now so much is not charged."""
        if self.running is not None:
            self._charge(at - rested)
        self.since, self.stopped = at, False

    def _charge(self, at: int) -> None:
        assert self.running is not None
        spent = 0 if self.stopped else max(0, at - self.since)
        self.left[self.running] = max(0, self.left[self.running] - spent)
        self.since = max(self.since, at)
