"""The list of rooms as it changes. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parlour_protocol.notices import Lobby
from parlour_protocol.views.rooms import RoomLine


@dataclass(frozen=True, slots=True)
class Listing:
    """The rooms in the order in which they came, and how many players are there."""

    rooms: Sequence[RoomLine]
    players: int

    def after(self, notice: Lobby) -> "Listing":
        """The list after a notice of what has changed."""
        rooms = {line.room: line for line in self.rooms}
        rooms.update({line.room: line for line in notice.rooms})
        for gone in notice.gone:
            rooms.pop(gone, None)
        return Listing(list(rooms.values()), notice.players)


STANDINGS = ("waiting", "playing", "finished", "empty", "closed")


def in_order(rooms: Iterable[RoomLine]) -> list[RoomLine]:
    """Rooms that wait for somebody first, then those that are played in, that are over, where nobody sits."""
    return sorted(rooms, key=lambda line: STANDINGS.index(line.standing))
