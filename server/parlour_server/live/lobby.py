"""The lobby: who looks at the list of rooms, and what has changed in it since they last heard."""

from collections import Counter
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

    `line` gives a room as it is now in the list, or None where it isn't.
    """

    def __init__(self, world: World, line: Callable[[str], RoomLine | None]) -> None:
        self._world = world
        self._line = line
        self._visitors: dict[Visitor, None] = {}
        self._changed: set[str] = set()
        self._timer: Timer | None = None
        self._here: Counter[str] = Counter()
        """The players who are connected, each with how many connections."""

    def enter(self, visitor: Visitor) -> None:
        """Tell a visitor of every change from now on."""
        self._visitors[visitor] = None

    def leave(self, visitor: Visitor) -> None:
        """No longer."""
        self._visitors.pop(visitor, None)

    @property
    def players(self) -> int:
        """How many people are connected."""
        return len(self._here)

    def came(self, player: str) -> None:
        """A player has connected, perhaps once more."""
        self._here[player] += 1
        self._tell_soon()

    def went(self, player: str) -> None:
        """One of a player's connections has ended."""
        self._here[player] -= 1
        if not self._here[player]:
            del self._here[player]
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
        lines = {code: self._line(code) for code in sorted(changed)}
        there = [line for line in lines.values() if line is not None]
        gone = [code for code, line in lines.items() if line is None]
        message = encode_to_client(LobbyNotice(there, gone, self.players))
        for visitor in self._visitors:
            visitor.send(message)
