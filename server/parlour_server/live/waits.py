"""What a room does by itself when time has passed: a flag falls, a stand-in sits down, clocks wake.

One timer at a time, set anew whenever something happened. What it does goes the way of every command, so
that a timer which fires too early or twice does no harm; what could not be saved is tried again.
"""

from typing import TYPE_CHECKING

from parlour_protocol.ids import Seat, Version
from parlour_server.live.request import Request
from parlour_server.live.world import Timer
from parlour_server.room.commands import Command, EndStandIn, Flag, StandIn, Wake
from parlour_server.room.decide import SERVER
from parlour_server.room.refusals import Refusal
from parlour_server.search.bots import parse_bot, with_seed

if TYPE_CHECKING:
    from parlour_server.live.room import LiveRoom

MOST_LAG = 500
"""Milliseconds of a move's way that are forgiven at most."""
ROUNDING = 0.002
"""Seconds by which a timer is set late, rather than find nothing due."""
TRY_AGAIN_SECONDS = 2.0
"""After so long what could not be saved is tried once more."""
_SEATS: tuple[Seat, Seat] = (0, 1)


class Waits:
    """The waits of one room."""

    def __init__(self, room: "LiveRoom") -> None:
        self._room = room
        self._timer: Timer | None = None
        self._under_way = 0
        """How many commands of its own the room has not answered yet."""
        self._again_at: float | None = None
        """When to look again, by the steady clock, where the last of them was refused; and not before."""
        self._woken_after: int | None = None
        """The clocks are still to be woken; until they are, nobody's time is up. Milliseconds since 1970."""
        self._since = room.world.monotonic()
        self._left_at: dict[str, float] = {}
        """When each seated player who is away was last here, by the steady clock."""

    # ------------------------------------------------------------ who is here

    def came(self, player: str) -> None:
        """A player is here."""
        self._left_at.pop(player, None)
        state = self._room.state
        seat = state.seat_of(player)
        if seat is not None:
            self._end_stand_in(seat)
            self.tend()

    def left(self, player: str) -> None:
        """A player is no longer here."""
        if self._room.state.seat_of(player) is not None:
            self._left_at[player] = self._room.world.monotonic()
            self.tend()

    def acted(self, player: str) -> None:
        """A player has done something here; who does not follow the room is away from then on."""
        if player in self._left_at:
            self._left_at[player] = self._room.world.monotonic()
            self.tend()

    def sat(self, player: str) -> None:
        """A player has sat down; whose connection was lost meanwhile is away from now on."""
        if not self._room.is_here(player):
            self._left_at[player] = self._room.world.monotonic()

    def stood_up(self, player: str) -> None:
        """A player has no seat any more."""
        self._left_at.pop(player, None)

    def stood_in(self, seat: Seat) -> None:
        """A bot may play for somebody, who may have come back just then."""
        seated = self._room.state.seats[seat]
        if seated is not None and self._room.is_here(seated.player):
            self._end_stand_in(seat)

    def look_around(self) -> None:
        """Find out anew who is here, after events that nobody told of."""
        now = self._room.world.monotonic()
        for seat in _SEATS:
            seated = self._room.state.seats[seat]
            if seated is not None and seated.bot is None and not self._room.is_here(seated.player):
                self._left_at.setdefault(seated.player, now)
            self.stood_in(seat)

    def away(self, seat: Seat) -> float | None:
        """For how many seconds a seat's player has been away; None: here, or nobody's."""
        seated = self._room.state.seats[seat]
        if seated is None or seated.bot is not None or self._room.is_here(seated.player):
            return None
        # Since the room was taken up, if they never came: that the server was down is no fault of theirs.
        return self._room.world.monotonic() - self._left_at.get(seated.player, self._since)

    def _end_stand_in(self, seat: Seat) -> None:
        seated = self._room.state.seats[seat]
        if seated is not None and seated.stand_in is not None and self._room.state.phase != "closed":
            # The server's own, since a player's names for commands are the player's.
            self._submit(EndStandIn(seat), f"back-{seat}", SERVER)

    # ------------------------------------------------------------ clocks

    def wake(self, last_alive: int) -> None:
        """Let the clocks go on after the server was down, or the room asleep.

        Of the time until now only that up to `last_alive` is charged, in milliseconds since 1970.
        """
        self._woken_after = last_alive
        self._room.submit(self._waking(last_alive))

    def clocks_now(self) -> int:
        """The moment that the clocks show: the last that counts, while they are still to be woken."""
        clocks = self._room.state.clocks
        if self._woken_after is None or clocks is None:
            return self._room.world.now()
        return max(clocks.since, self._woken_after)

    @property
    def waking(self) -> bool:
        """Are the clocks still to be woken?"""
        return self._woken_after is not None

    def due_before(self, command: Command, now: int) -> Request | None:
        """What has to be done before a command: wake the clocks, and end a game whose time is up.

        What comes too late shall find the game over.
        """
        if isinstance(command, Wake | Flag):
            return None
        if self._woken_after is not None:
            return self._waking(self._woken_after)
        return self._flag() if self._flag_fell(now) else None

    def forgiven(self, seat: Seat | None) -> int:
        """Milliseconds that a move of this seat's may have been on its way."""
        seated = None if seat is None else self._room.state.seats[seat]
        if seated is None or seated.mind is not None:
            return 0
        lags = [member.lag() for member in self._room.members if member.player == seated.player]
        return min(MOST_LAG, max(lags, default=0))

    def _flag_fell(self, now: int) -> bool:
        """Is somebody's time up, with all that is forgiven?"""
        state = self._room.state
        clocks = state.clocks
        if state.phase != "playing" or clocks is None or clocks.running is None:
            return False
        return clocks.remaining(clocks.running, now) + self.forgiven(clocks.running) <= 0

    def _flag(self) -> Request:
        return self._request(Flag(), "flag", SERVER)

    def _waking(self, last_alive: int) -> Request:
        clocks = self._room.state.clocks
        assert clocks is not None
        return self._request(Wake(max(0, last_alive - clocks.since)), "wake", SERVER)

    # ------------------------------------------------------------ the timer

    def tend(self) -> None:
        """Set the timer to whatever comes next."""
        state = self._room.state
        if state.clocks is None and state.settings.stand_in is None and self._again_at is None:
            return
        self.stop()
        if self._under_way or self._room.stopped:
            return
        waits = [wait for wait in (self._until_flag(), self._until_stand_in()) if wait is not None]
        if self._again_at is not None:
            waits = [self._again_at - self._room.world.monotonic()]
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
        if self._woken_after is not None:
            return 0.0
        left = clocks.remaining(clocks.running, self._room.world.now())
        return (left + self.forgiven(clocks.running)) / 1000

    def _until_stand_in(self) -> float | None:
        waits = [self._stand_in_due(seat) for seat in _SEATS]
        return min((wait for wait in waits if wait is not None), default=None)

    def _stand_in_due(self, seat: Seat) -> float | None:
        state = self._room.state
        seated, settings = state.seats[seat], state.settings
        if state.phase != "playing" or settings.stand_in is None or seated is None or seated.mind is not None:
            return None
        away = self.away(seat)
        return None if away is None else settings.patience - away

    def _fire(self) -> None:
        self._timer = self._again_at = None
        room = self._room
        if self._woken_after is not None:
            room.submit(self._waking(self._woken_after))
        elif self._flag_fell(room.world.now()):
            room.submit(self._flag())
        for seat in _SEATS:
            self.stood_in(seat)
            due = self._stand_in_due(seat)
            bot = room.state.settings.stand_in
            if due is not None and due <= 0 and bot is not None:
                spec = with_seed(parse_bot(bot), room.world.chance(2**31))
                self._submit(StandIn(seat, str(spec)), f"stand-in-{seat}", SERVER)
        self.tend()

    # ------------------------------------------------------------ its own commands

    def _submit(self, command: Command, name: str, by: str) -> None:
        self._room.submit(self._request(command, name, by))

    def _request(self, command: Command, name: str, by: str) -> Request:
        self._under_way += 1
        # Named by the version: where it comes twice it counts once.
        return Request(command, by, f"{name}-{self._room.state.version}", self)

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """The room has obeyed: see `Asker`."""
        self._under_way -= 1
        if command_id.startswith("wake-"):
            self._woken_after = None
        self.tend()

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """It could not be saved, or came too late: look once more in a while."""
        self._under_way -= 1
        self._again_at = self._room.world.monotonic() + TRY_AGAIN_SECONDS
        self.tend()
