"""The list of rooms as it changes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from parlour_client import sentences
from parlour_client.clean import clean
from parlour_protocol.to_client import Lobby
from parlour_protocol.views import RoomLine


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


def changes(notice: Lobby) -> list[str]:
    """What a notice tells, one line for each room."""
    told = [
        f"{clean(line.room)}: {clean(line.game)}, {line.phase}, {_players(line)}, {line.moves} moves"
        + (f", {sentences.watching(line.watching)}" if line.watching else "")
        for line in notice.rooms
    ]
    return [*told, *(f"{clean(room)} is gone" for room in notice.gone)]


def _players(line: RoomLine) -> str:
    return " against ".join(sentences.seat_name(seat) for seat in line.seats)


def here(players: int) -> str:
    """How many players are connected."""
    return f"{players} {'player is' if players == 1 else 'players are'} here."
