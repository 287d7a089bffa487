"""What happened in a run, moment by moment: what two runs of one seed must have in common."""

import hashlib
from collections.abc import Callable

from tests.sim.loop import SimulatedLoop


class Trace:
    """Lines, written when somebody reads them."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self._lines: list[tuple[float, str, object]] = []
        self.watch: Callable[[str], None] | None = None
        """Told of every line at once, if set."""

    def note(self, who: str, what: object) -> None:
        """Write down that something happens now."""
        self._lines.append((self._loop.time(), who, what))
        if self.watch is not None:
            self.watch(_line(self._lines[-1]))

    def lines(self, last: int | None = None) -> list[str]:
        """All lines, or the last few."""
        return [_line(line) for line in (self._lines if last is None else self._lines[-last:])]

    def digest(self) -> str:
        """A short name for the whole of it."""
        return hashlib.sha256("\n".join(self.lines()).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self._lines)


def _line(line: tuple[float, str, object]) -> str:
    at, who, what = line
    return f"{at:10.4f}  {who:<14} {what}"
