"""All connections: for announcements, and for the server's host to list and to end."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Literal, Protocol

from parlour_protocol.errors import Code
from parlour_server.hosting.limits.rate_limits import Limited


class Connection(Limited, Protocol):
    """One connection of a player's, or of a peer that has not said hello yet, when both names are empty."""

    name: str
    since: float
    """When it was opened, by the server's monotonic clock, in seconds."""
    refused: Counter[Code] | None
    """What was refused on it; None: nothing so far."""

    @property
    def rooms(self) -> Collection[str]:
        """The codes of the rooms subscribed to."""

    def send(self, message: bytes, /) -> None:
        """Send a message."""

    def lag(self) -> int:
        """Milliseconds that a message takes to and fro, as measured; 0 where that is not known."""

    def dismissed(self, room: str) -> None:
        """Nothing more comes from this room: it is closed."""

    def end(self, why: Literal["kicked", "banned"], message: str) -> None:
        """Say goodbye with a sentence, and end it."""


class Connections:
    """All connections of one server."""

    def __init__(self) -> None:
        self._all: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._all))

    def add(self, connection: Connection) -> None:
        """A connection was opened."""
        self._all[connection] = None

    def remove(self, connection: Connection) -> None:
        """It has ended."""
        self._all.pop(connection, None)

    def send(self, message: bytes) -> int:
        """Send a message to all who have said hello; gives the number of players."""
        players = set()
        for one in self:
            if one.player:
                one.send(message)
                players.add(one.player)
        return len(players)

    def players(self) -> dict[str, list[Connection]]:
        """The connections of every player who has said hello, by the player's id, the oldest first."""
        found: dict[str, list[Connection]] = {}
        for one in self._all:
            if one.player:
                found.setdefault(one.player, []).append(one)
        return found
