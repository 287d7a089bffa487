"""Since when the seated players of a room are away: not connected to it."""

from collections.abc import Callable
from typing import Any

from parlour_protocol.ids import Seat
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.room.state import RoomState


class Absences:
    """One room's. Moments are milliseconds since 1970.

    `is_here` says whether a player is connected.
    """

    def __init__(self, room: LogActor[RoomState, Any], is_here: Callable[[str], bool]) -> None:
        self._room, self._context, self._is_here = room, room.context, is_here
        self._loaded_at = room.context.now()
        self.left_at: dict[str, int] = {}
        """When each seated player who is away was last here, or did something here."""

    def came(self, player: str) -> None:
        """A player has connected, or stood up."""
        self.left_at.pop(player, None)

    def left(self, player: str) -> None:
        """A player has disconnected, or sat down without being connected."""
        if self._room.state.seat_of(player) is not None:
            self.left_at[player] = self._context.now()

    def look_again(self) -> None:
        """Find out anew which players are away, after events folded unpublished, or elsewhere."""
        for seated in self._room.state.seats:
            if seated is None or seated.bot is not None:
                continue
            if self._is_here(seated.player):
                self.came(seated.player)
            else:
                self.left_at.setdefault(seated.player, self._context.now())

    def since(self, seat: Seat) -> int | None:
        """Since when a seat's player is away; None: here, or there is none."""
        seated = self._room.state.seats[seat]
        if seated is None or seated.bot is not None or self._is_here(seated.player):
            return None
        # Since the room was loaded, if they never came: that the server was down is no fault of theirs.
        return self.left_at.get(seated.player, self._loaded_at)

    def both(self) -> list[int | None]:
        """`since` for both seats."""
        return [self.since(0), self.since(1)]
