"""The lobby: who looks at the list of rooms, and what has changed in it since they last heard."""

from collections.abc import Callable
from typing import Protocol

from parlour_protocol.codec import encode_to_client
from parlour_protocol.to_client import Lobby as LobbyNotice
from parlour_protocol.views import RoomLine
from parlour_server.live.world import Timer, World
from parlour_server.room.state import RoomState

GATHER_SECONDS = 0.5
"""So long changes are gathered into one notice."""


class Visitor(Protocol):
    """Whoever looks at the list."""

    def send(self, message: bytes) -> None:
        """Show a message."""


class Lobby:
    """Rooms tell it what has changed; visitors hear of that at intervals.

    `list_rooms` gives the list as it is now.
    """

    def __init__(self, world: World, list_rooms: Callable[[], list[RoomLine]]) -> None:
        self._world = world
        self._list = list_rooms
        self._visitors: dict[Visitor, None] = {}
        self._changed: set[str] = set()
        self._timer: Timer | None = None
        self.players = 0
        """How many are connected."""

    def enter(self, visitor: Visitor) -> None:
        """Tell a visitor of every change from now on."""
        self._visitors[visitor] = None

    def leave(self, visitor: Visitor) -> None:
        """No longer."""
        self._visitors.pop(visitor, None)

    def came(self) -> None:
        """A player has connected."""
        self.players += 1
        self._tell_soon()

    def went(self) -> None:
        """A player has gone."""
        self.players -= 1
        self._tell_soon()

    def changed(self, room: RoomState) -> None:
        """A room came, went, or is not as it was. Of a private one nobody hears, not even that it went."""
        if self._visitors and room.settings.visibility == "public":
            self._changed.add(room.code)
            self._tell_soon()

    def stop(self) -> None:
        """Tell nobody anything more."""
        self._visitors.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell_soon(self) -> None:
        if self._visitors and self._timer is None:
            self._timer = self._world.later(GATHER_SECONDS, self._tell)

    def _tell(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, set()
        now = {line.room: line for line in self._list() if line.room in changed}
        gone = sorted(changed - now.keys())
        message = encode_to_client(LobbyNotice(list(now.values()), gone, self.players))
        for visitor in list(self._visitors):
            visitor.send(message)
