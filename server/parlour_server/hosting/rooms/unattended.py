"""How far two bots play on in a room that no one is connected to.

They would write to its log without end, for no one. So they have a budget of events, which begins when the
last connection leaves, or when a person last asked for something there; then they rest until a person comes,
to this node or another one, or a program asks for a game.
"""

from parlour_protocol.ids import Version
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.rooms.audience import Audience
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.room.state import RoomState

UNATTENDED_EVENTS = 1000
"""So many events they cause at most: whole games, so that those find them who come back later."""


class Unattended:
    """The budget of one room."""

    def __init__(self, room: LogActor[RoomState, RoomRequest], audience: Audience) -> None:
        self._room, self._audience = room, audience
        self._attended_at: Version = 0
        """The version at which someone was last seen to be connected."""

    def _left(self) -> int:
        state = self._room.state
        if self._audience.attended:
            self._attended_at = state.version
        return UNATTENDED_EVENTS - (state.version - max(self._attended_at, state.asked_at))

    @property
    def move(self) -> bool:
        """May a bot make a move? A game with clocks is played to its end, since its clocks run on."""
        state = self._room.state
        return state.clocks is not None or not state.all_bots() or self._left() > 0

    @property
    def next_game(self) -> bool:
        """May the next game begin? Only one that can be played to its end."""
        return self._left() >= min(self._room.state.rules.max_plies, UNATTENDED_EVENTS)
