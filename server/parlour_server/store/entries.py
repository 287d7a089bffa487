"""What is looked up otherwise than by a log's key: open rooms, who sat where, what commands led to, results.

All of it follows from the records. Logs of other kinds stand among the open rooms, and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from parlour_protocol.events import BotAwaited, ChatPosted, GameFinished, RoomClosed, RoomCreated, SeatTaken
from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, closes, is_room
from parlour_server.store.finished_games import FinishedGame, finished_in

ENTERED = frozenset({RoomCreated, SeatTaken, BotAwaited, ChatPosted, GameFinished, RoomClosed})
"""What is to be entered of; moves, of which there are most, are not."""


@dataclass(slots=True)
class Entries:
    """What new records say, in the order in which they were added."""

    opened: list[tuple[str]] = field(default_factory=list)
    """The keys of logs that begin with them."""
    closed: list[tuple[str]] = field(default_factory=list)
    """The keys of logs that end with them."""
    seats: list[tuple[str, str]] = field(default_factory=list)
    """Players, and the rooms where they sat down."""
    came: list[tuple[str, str, str]] = field(default_factory=list)
    """Players, and the rooms to which they came by a command, whose id stands between them."""
    visits: list[tuple[str, str]] = field(default_factory=list)
    """Players who are more than visitors now, and the rooms that they made, sat down in or spoke in."""
    games: list[FinishedGame] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Is there anything to enter?"""
        return bool(self.opened or self.closed or self.seats or self.came or self.visits or self.games)

    def add(self, key: str, expected: Version, records: Sequence[AnyRecord]) -> None:
        """Add what the records of a log say that follow the version `expected`."""
        if not is_room(key):
            if expected == 0:
                self.opened.append((key,))
            if records and closes(records[-1].event):
                self.closed.append((key,))
            return
        for version, record in enumerate(records, expected):
            event = record.event
            if type(event) not in ENTERED:
                continue
            if isinstance(event, GameFinished):
                self.games += finished_in(key, version, [record])
                continue
            if isinstance(event, RoomClosed):
                self.closed.append((key,))
                continue
            if isinstance(event, SeatTaken):
                if event.bot is not None:
                    continue
                self.seats.append((event.player, key))
            elif isinstance(event, RoomCreated):
                self.opened.append((key,))
            self.visits.append((record.by, key))
            if record.command is not None and not isinstance(event, ChatPosted):
                self.came.append((record.by, record.command, key))
