"""How a server's numbers change: rates from one look to the next."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from parlour_protocol.local.admin import AddressRow, PlayerRow, RoomRow, ServerStatus, Timing

KEPT = 120
"""So many looks are remembered."""


@dataclass(frozen=True, slots=True)
class Look:
    """All that was seen of a server in one model."""

    at: float
    """Seconds, by any clock that never jumps."""
    status: ServerStatus
    rooms: list[RoomRow]
    players: list[PlayerRow]
    addresses: list[AddressRow]


class History:
    """The last looks at one server. One that was started anew, or is another node, begins anew."""

    def __init__(self) -> None:
        self._looks: deque[Look] = deque(maxlen=KEPT)

    def add(self, look: Look) -> None:
        """Remember another look."""
        if self._looks:
            now, before = look.status, self._looks[-1].status
            if now.uptime < before.uptime or now.node != before.node:
                self._looks.clear()
        self._looks.append(look)

    @property
    def last(self) -> Look | None:
        """The latest look."""
        return self._looks[-1] if self._looks else None

    def values(self, number: Callable[[ServerStatus], float]) -> list[float]:
        """A number at each look."""
        return [number(look.status) for look in self._looks]

    def rates(self, total: Callable[[ServerStatus], float]) -> list[float]:
        """By how much a total has grown each second, from each look to the next."""
        looks = list(self._looks)
        return [
            max(0.0, total(after.status) - total(before.status)) / max(0.001, after.at - before.at)
            for before, after in pairwise(looks)
        ]

    def mean(self, timing: Callable[[ServerStatus], Timing]) -> float | None:
        """How long something took on average since the look before, in seconds; None: it wasn't done."""
        if len(self._looks) < 2:
            return None
        before, after = (timing(look.status) for look in (self._looks[-2], self._looks[-1]))
        count = after.count - before.count
        return None if count <= 0 else (after.seconds - before.seconds) / count

    def new_refusals(self) -> dict[str, int]:
        """What was refused since the look before, by code, the most first."""
        if len(self._looks) < 2:
            return {}
        before, after = self._looks[-2].status.refusals, self._looks[-1].status.refusals
        return grown(before, after)

    def room_rates(self) -> Mapping[str, float]:
        """How many events each room has had a second since the look before, by its code."""
        if len(self._looks) < 2:
            return {}
        before, after = self._looks[-2], self._looks[-1]
        events = {row.room: row.events for row in before.rooms}
        seconds = max(0.001, after.at - before.at)
        return {
            row.room: max(0, row.events - events.get(row.room, row.events)) / seconds for row in after.rooms
        }


def grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """By how much counts have grown, the most first; those that have not are left out."""
    more = {code: count - before.get(code, 0) for code, count in after.items()}
    return dict(sorted(((code, count) for code, count in more.items() if count > 0), key=lambda one: -one[1]))
