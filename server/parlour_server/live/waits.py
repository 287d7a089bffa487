"""What a room does when time has passed: a flag falls, a player has been away for too long.

One timer at a time, set anew whenever something happened. What it does goes the way of every command, so
that a timer which fires too early or twice does no harm.
"""

from typing import TYPE_CHECKING

from parlour_protocol.ids import Seat
from parlour_server.live.request import NOBODY, Request
from parlour_server.live.world import Timer
from parlour_server.room.commands import Command, EndStandIn, Flag, StandIn
from parlour_server.room.decide import SERVER
from parlour_server.search.bots import parse_bot, with_seed

if TYPE_CHECKING:
    from parlour_server.live.room import LiveRoom

MOST_LAG = 500
"""Milliseconds of a move's way that are forgiven at most."""
ROUNDING = 0.002
"""Seconds by which a timer is set late, rather than find nothing due."""


class Waits:
    """The waits of one room."""

    def __init__(self, room: "LiveRoom") -> None:
        self._room = room
        self._timer: Timer | None = None
        self._since = room.world.monotonic()
        self._left_at: dict[str, float] = {}
        """When each player of the room was last here, by the steady clock."""

    def came(self, player: str) -> None:
        """A player is here."""
        self._left_at.pop(player, None)
        state = self._room.state
        seat = state.seat_of(player)
        seated = None if seat is None else state.seats[seat]
        if seated is not None and seated.stand_in is not None:
            self._submit(EndStandIn(), "back", player)
        self.tend()

    def left(self, player: str) -> None:
        """A player is no longer here."""
        self._left_at[player] = self._room.world.monotonic()
        self.tend()

    def away(self, seat: Seat) -> float | None:
        """For how many seconds a seat's player has been away; None: here, or nobody's."""
        seated = self._room.state.seats[seat]
        if seated is None or seated.bot is not None or self._room.is_here(seated.player):
            return None
        # Since the room was taken up, if they never came: that the server was down is no fault of theirs.
        return self._room.world.monotonic() - self._left_at.get(seated.player, self._since)

    def flag_fell(self, now: int) -> bool:
        """Is somebody's time up, with all that is forgiven?"""
        state = self._room.state
        clocks = state.clocks
        if state.phase != "playing" or clocks is None or clocks.running is None:
            return False
        return clocks.remaining(clocks.running, now) + self.forgiven(clocks.running) <= 0

    def forgiven(self, seat: Seat) -> int:
        """Milliseconds that a move of this seat's may have been on its way."""
        seated = self._room.state.seats[seat]
        if seated is None or seated.mind is not None:
            return 0
        lags = [member.lag() for member in self._room.members if member.player == seated.player]
        return min(MOST_LAG, max(lags, default=0))

    def flag(self) -> Request:
        """The command that ends the game."""
        return Request(Flag(), SERVER, f"flag-{self._room.state.version}", NOBODY)

    def tend(self) -> None:
        """Set the timer to whatever comes next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        state = self._room.state
        if state.clocks is None and state.settings.stand_in is None:
            return
        waits = [wait for wait in (self._until_flag(), self._until_stand_in()) if wait is not None]
        if waits:
            self._timer = self._room.world.later(max(0.0, min(waits)) + ROUNDING, self._fire)

    def stop(self) -> None:
        """Wait for nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _until_flag(self) -> float | None:
        clocks = self._room.state.clocks
        if self._room.state.phase != "playing" or clocks is None or clocks.running is None:
            return None
        left = clocks.remaining(clocks.running, self._room.world.now())
        return (left + self.forgiven(clocks.running)) / 1000

    def _until_stand_in(self) -> float | None:
        waits = [self._stand_in_due(seat) for seat in self._seats()]
        return min((wait for wait in waits if wait is not None), default=None)

    def _stand_in_due(self, seat: Seat) -> float | None:
        state = self._room.state
        seated, settings = state.seats[seat], state.settings
        if state.phase != "playing" or settings.stand_in is None or seated is None or seated.mind is not None:
            return None
        away = self.away(seat)
        return None if away is None else settings.patience - away

    def _fire(self) -> None:
        self._timer = None
        room = self._room
        if self.flag_fell(room.world.now()):
            room.submit(self.flag())
        for seat in self._seats():
            due = self._stand_in_due(seat)
            bot = room.state.settings.stand_in
            if due is not None and due <= 0 and bot is not None:
                spec = with_seed(parse_bot(bot), room.world.chance(2**31))
                self._submit(StandIn(seat, str(spec)), f"stand-in-{seat}", SERVER)
        self.tend()

    def _submit(self, command: Command, name: str, by: str) -> None:
        # Named by the version: where it comes twice it counts once.
        self._room.submit(Request(command, by, f"{name}-{self._room.state.version}", NOBODY))

    @staticmethod
    def _seats() -> tuple[Seat, Seat]:
        return (0, 1)
