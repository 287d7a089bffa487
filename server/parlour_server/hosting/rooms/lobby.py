"""The lobby: the subscribers to the list of rooms, and what has changed in it since the last notice."""

from collections import Counter
from collections.abc import Callable
from itertools import islice

from parlour_protocol.codec import encode_to_client
from parlour_protocol.notices import Lobby as LobbyNotice
from parlour_protocol.views.rooms import RoomLine
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Context, Timer
from parlour_server.room.state import RoomState

GATHER_SECONDS = 0.5
"""How long changes are gathered into one notice."""
ROOMS_AT_ONCE = 100
"""How many a notice tells of at most: where more rooms change, each is told of less often."""


class Lobby:
    """Rooms report changes; subscribers get them at intervals.

    `line` gives a room as it is now in the list, or None where it isn't.
    """

    def __init__(self, context: Context, line: Callable[[str], RoomLine | None]) -> None:
        self._context = context
        self._line = line
        self._subscribers: dict[Connection, None] = {}
        self._changed: dict[str, None] = {}
        """The codes of rooms, the one that changed first first."""
        self._timer: Timer | None = None
        self.here: Counter[str] = Counter()
        """The players who are connected, each with how many connections."""

    def subscribe(self, subscriber: Connection) -> None:
        """Send a subscriber every change from now on."""
        self._subscribers[subscriber] = None

    def unsubscribe(self, subscriber: Connection) -> None:
        """Send a subscriber nothing more."""
        self._subscribers.pop(subscriber, None)

    @property
    def players(self) -> int:
        """How many people are connected, to all nodes."""
        return len(self.here) + sum(self._context.node.remote.players.values())

    def came(self, player: str) -> None:
        """A player has connected, perhaps once more."""
        self.here[player] += 1
        self.notify_soon()

    def went(self, player: str) -> None:
        """One of a player's connections has ended."""
        self.here[player] -= 1
        if not self.here[player]:
            del self.here[player]
        self.notify_soon()

    def changed(self, room: RoomState) -> None:
        """A room came, went, or is not as it was. Of a private one nothing is sent, not even that it went."""
        if self._subscribers and room.settings.visibility == "public":
            self._changed[room.code] = None
            self.notify_soon()

    def changed_elsewhere(self, code: str) -> None:
        """A public room of another node came, went, or is not as it was."""
        if self._subscribers:
            self._changed[code] = None
            self.notify_soon()

    def stop(self) -> None:
        """Send nothing more."""
        self._subscribers.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def notify_soon(self) -> None:
        """Send what has changed, and how many players there are, in a moment."""
        if self._subscribers and self._timer is None:
            self._timer = self._context.later(GATHER_SECONDS, self._notify)

    def _notify(self) -> None:
        self._timer = None
        lines = {code: self._line(code) for code in islice(self._changed, ROOMS_AT_ONCE)}
        for code in lines:
            del self._changed[code]
        there = [line for line in lines.values() if line is not None]
        gone = [code for code, line in lines.items() if line is None]
        message = encode_to_client(LobbyNotice(there, gone, self.players))
        for subscriber in self._subscribers:
            subscriber.send(message)
        if self._changed:
            self.notify_soon()
