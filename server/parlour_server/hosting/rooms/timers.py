"""What a room does by itself when time has passed: a flag falls, a bot sits down, clocks go on, two bots
begin their next game.

One timer at a time, set anew whenever something happened. What it does goes the way of every command, so
that a timer which fires too early or twice does no harm; what could not be saved is tried again.
"""

from functools import partial
from typing import NamedTuple

from parlour_protocol.ids import SEATS, Seat, Version
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.context import Timer
from parlour_server.hosting.rooms.audience import Audience
from parlour_server.hosting.rooms.bot_seat import BotSeat
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.refusals import Refusal
from parlour_server.room.commands import (
    SERVER,
    CheckFlag,
    EndStandIn,
    ResumeClocks,
    RoomCommand,
    SeatAwaitedBot,
    SeatStandIn,
    StartNextGame,
    StopClocks,
)
from parlour_server.room.state import Bot, RoomState

MOST_LAG = 500
"""Milliseconds of a move's way that are forgiven at most."""
ROUNDING = 0.002
"""Seconds by which a timer is set late, rather than find nothing due."""
PACES_BETWEEN_GAMES = 3
"""Two bots pause between games for this many times their pace, and no more than `LONGEST_PAUSE` seconds."""
LONGEST_PAUSE = 10.0
RETRY_SECONDS = 2.0
"""How long until what could not be saved is tried once more."""
GRACE_SECONDS = 30.0
"""Clocks that stand still after a restart go on after so long, if the player whose time runs stays away."""


class Unseen(NamedTuple):
    """How long the player whose time runs could not see the position, or move: that is not charged."""

    clock: tuple[Version, int]
    """Which turn's clock it is of: see `Timers._clock`."""
    begun: int
    """Since when it could not be seen, in milliseconds since 1970."""
    milliseconds: int


class Timers:
    """The timers of one room."""

    def __init__(self, room: LogActor[RoomState, RoomRequest], audience: Audience, bots: BotSeat) -> None:
        self._room, self._audience, self._bots = room, audience, bots
        self._timer: Timer | None = None
        self._under_way = 0
        """How many commands of its own have no reply yet."""
        self._retry_at: float | None = None
        """When to look again, by the steady clock, where the last of them was refused; and not before."""
        self._next_game_at: float | None = None
        """When two bots begin their next game, by the steady clock."""
        self._last_alive: int | None = None
        """As of when the clocks are still to be stopped, in milliseconds since 1970: see `_stopped_as_of`."""
        self._resume_at = 0.0
        """When clocks that stand still go on at the latest, by the steady clock."""
        self._unseen = Unseen((0, 0), 0, 0)

    # ------------------------------------------------------------ clocks

    def stop_clocks(self, last_alive: int) -> None:
        """Let the clocks stand still after the server was down, or the room asleep.

        Of the time until now only that up to `last_alive` is charged, in milliseconds since 1970. They go on
        when the player whose time runs is back, or after a grace.
        """
        clocks = self._room.state.clocks
        assert clocks is not None
        self.begin_grace()
        if not clocks.stopped:
            self._last_alive = last_alive
            self._room.submit(self._stopping())

    def begin_grace(self) -> None:
        """Players can come back from now on: clocks that stand still do so for `GRACE_SECONDS` at most."""
        self._resume_at = self._room.context.monotonic() + GRACE_SECONDS

    @property
    def stopping_clocks(self) -> bool:
        """Are the clocks still to be stopped, as of when the server went down?"""
        return self._last_alive is not None

    def due_before(self, command: RoomCommand, received_at: int) -> RoomRequest | None:
        """What has to be done before a command: stop the clocks, and end a game whose time is up.

        What comes too late is to find the game over.
        """
        if isinstance(command, StopClocks | CheckFlag):
            return None
        if self._stopped_as_of() is not None:
            return self._stopping()
        if not self._room.leased and self._room.state.bot_to_move:
            # How long its search has waited is known where that is asked for.
            return None
        left = self._time_left(received_at)
        return None if left is None or left > 0 else self._check_flag()

    def forgiven(self, seat: Seat | None, at: int) -> int:
        """Milliseconds that this seat is not charged of those from when its clock runs until then.

        It could not see the position yet; its move may have been on its way; a bot's search has waited.
        """
        seated = None if seat is None else self._room.state.seats[seat]
        if seated is None:
            return 0
        if seated.acting_bot is not None:
            return self._unseen_before(at) + self._bots.waited
        return self._unseen_before(at) + min(MOST_LAG, self._audience.lag_of(seated.player))

    def _unseen_before(self, at: int) -> int:
        unseen = self._unseen
        return max(0, min(unseen.milliseconds, at - unseen.begun)) if unseen.clock == self._clock else 0

    @property
    def _clock(self) -> tuple[Version, int]:
        """The position for which a clock runs, and since when."""
        state = self._room.state
        return state.position_version, 0 if state.clocks is None else state.clocks.since

    def published(self) -> None:
        """What was just folded is shown now. It may have taken the store long, or a hint, to come here."""
        clocks = self._room.state.clocks
        assert clocks is not None
        if clocks.running is not None and self._clock != self._unseen.clock:
            self._unseen = Unseen(self._clock, clocks.since, self._room.context.now() - clocks.since)

    def taken_over(self, unserved_since: int) -> None:
        """Another node showed the position, and died then."""
        clocks = self._room.state.clocks
        if clocks is not None:
            begun = max(unserved_since, clocks.since)
            self._unseen = Unseen(self._clock, begun, self._room.context.now() - begun)

    def stood_still(self, milliseconds: int) -> None:
        """The node did, for so long, so that no command came in."""
        clocks = self._room.state.clocks
        if clocks is not None and clocks.running is not None:
            now = self._room.context.now()
            already = self._unseen_before(now)
            begun = self._unseen.begun if already else max(clocks.since, now - milliseconds)
            self._unseen = Unseen(self._clock, begun, min(now - clocks.since, already + milliseconds))

    def _time_left(self, now: int) -> int | None:
        """Milliseconds until the running time is up, with all that is forgiven; None: none runs."""
        state = self._room.state
        clocks = state.clocks
        if state.phase != "playing" or clocks is None or clocks.running is None:
            return None
        return clocks.remaining(clocks.running, now) + self.forgiven(clocks.running, now)

    def _check_flag(self) -> RoomRequest:
        return self._request(CheckFlag(), "flag")

    def _stopped_as_of(self) -> int | None:
        """As of when the clocks are still to be stopped, before anything else; None: they need not be."""
        if self._last_alive is not None:
            return self._last_alive
        state = self._room.state
        clocks = state.clocks
        if state.phase != "playing" or clocks is None or clocks.running is None or clocks.stopped:
            return None
        return self._room.context.node.stood_still(clocks.since)

    def _stopping(self) -> RoomRequest:
        # How much was spent is known when it is decided: another clock may run by then.
        return self._request(StopClocks(0), "stop")

    def stop_command(self, now: int) -> StopClocks:
        """How much the player whose time runs had spent when the clocks stood still."""
        state = self._room.state
        clocks = state.clocks
        assert clocks is not None
        seated = None if clocks.running is None else state.seats[clocks.running]
        # A bot's search begins again, and how long it had waited for a worker went with the server.
        again = seated is not None and seated.acting_bot is not None
        as_of = self._stopped_as_of()
        until = now if as_of is None else min(as_of, now)
        return StopClocks(0 if again else max(0, until - clocks.since - self._unseen_before(until)))

    def _until_clocks_resume(self) -> float | None:
        """In how many seconds clocks that stand still go on; None: not as things stand."""
        state = self._room.state
        if state.clocks is None or not state.clocks.stopped or state.clocks.running is None:
            return None
        seated = state.seats[state.clocks.running]
        gone = self._audience.away_since(state.clocks.running) is not None
        if seated is None or seated.acting_bot is not None or not gone:
            return 0.0
        return self._resume_at - self._room.context.monotonic()

    # ------------------------------------------------------------ stand-ins

    def end_stand_in(self, seat: Seat) -> None:
        """Hand a seat back to its player, now that they are here."""
        seated = self._room.state.seats[seat]
        if seated is not None and seated.stand_in is not None and self._room.state.phase != "closed":
            self._room.submit(self._request(EndStandIn(seat), f"back-{seat}"))

    def _stand_in_due(self, seat: Seat) -> float | None:
        """In how many seconds a bot is to play for the player of a seat; None: not as things stand."""
        state, settings = self._room.state, self._room.state.settings
        seated = state.seats[seat]
        wanted = state.phase == "playing" and settings.stand_in is not None and not state.shared
        if not wanted or seated is None or seated.acting_bot is not None:
            return None
        since = self._audience.away_since(seat)
        return None if since is None else settings.patience - (self._room.context.now() - since) / 1000

    # ------------------------------------------------------------ a bot where no player came

    def _until_bot_comes(self) -> float | None:
        """In how many seconds a bot takes the free seat; None: not as things stand.

        It keeps no player waiting who is away: their time would run, and no other could be found for them.
        """
        state, context = self._room.state, self._room.context
        if state.awaited is None or context.drain_until is not None:
            return None
        waits = any(
            seated is not None and self._audience.away_since(seat) is None
            for seat, seated in zip(SEATS, state.seats, strict=True)
        )
        return (state.awaited.at - context.now()) / 1000 if waits else None

    # ------------------------------------------------------------ two bots' games

    def _until_next_game(self) -> float | None:
        """In how many seconds the next game begins by itself; None: not as things stand."""
        state, now = self._room.state, self._room.context.monotonic()
        if not state.awaits_next_game() or not self._bots.may_begin_game:
            self._next_game_at = None
            return None
        if self._next_game_at is None:
            self._next_game_at = now + min(LONGEST_PAUSE, PACES_BETWEEN_GAMES * state.settings.pace)
        return self._next_game_at - now

    # ------------------------------------------------------------ the timer

    def update(self) -> None:
        """Set the timer to whatever comes next."""
        room, state = self._room, self._room.state
        settings = state.settings
        timeless = (
            state.clocks is None
            and settings.stand_in is None
            and settings.games == 1
            and state.awaited is None
            and self._timer is None
        )
        if timeless and self._retry_at is None:
            return
        self.stop()
        if self._under_way or room.stopped or not room.leased:
            return
        due = [
            self._until_flag(),
            self._until_clocks_resume(),
            self._until_next_game(),
            self._until_bot_comes(),
            *map(self._stand_in_due, SEATS),
        ]
        waits = [wait for wait in due if wait is not None]
        if self._retry_at is not None:
            waits = [self._retry_at - room.context.monotonic()]
        if waits:
            self._timer = room.context.later(max(0.0, min(waits)) + ROUNDING, self._fire)

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def leave_to_others(self) -> None:
        """Another node runs them from now on."""
        self.stop()
        self._last_alive = None

    def _until_flag(self) -> float | None:
        clocks = self._room.state.clocks
        if self._stopped_as_of() is not None:
            return 0.0
        left = None if clocks is None or clocks.stopped else self._time_left(self._room.context.now())
        return None if left is None else left / 1000

    def _fire(self) -> None:
        self._timer = self._retry_at = None
        room = self._room
        if self._stopped_as_of() is not None:
            room.submit(self._stopping())
        elif (wait := self._until_clocks_resume()) is not None and wait <= 0:
            room.submit(self._request(ResumeClocks(), "resume"))
        elif (left := self._time_left(room.context.now())) is not None and left <= 0:
            room.submit(self._check_flag())
        if (wait := self._until_next_game()) is not None and wait <= 0:
            room.submit(self._request(StartNextGame(), "next"))
        if (wait := self._until_bot_comes()) is not None and wait <= 0:
            room.submit(self._request(SeatAwaitedBot(), "bot"))
        for seat in SEATS:
            if self._audience.away_since(seat) is None:
                self.end_stand_in(seat)
            due, bot = self._stand_in_due(seat), room.state.settings.stand_in
            if due is not None and due <= 0 and bot is not None:
                seated = SeatStandIn(seat, Bot(bot, room.context.chance(2**31)))
                room.submit(self._request(seated, f"stand-in-{seat}"))
        self.update()

    # ------------------------------------------------------------ its own commands

    def _request(self, command: RoomCommand, name: str) -> RoomRequest:
        self._under_way += 1
        # Named by the version: where it comes twice it counts once.
        command_id = f"{name}-{self._room.state.version}"
        return RoomRequest(
            command, SERVER, command_id, partial(self._replied, isinstance(command, StopClocks))
        )

    def _replied(
        self, stopped: bool, command_id: str, room: str, version: Version, refusal: Refusal | None
    ) -> None:
        self._under_way -= 1
        if refusal is not None:
            # It could not be saved.
            self._retry_at = self._room.context.monotonic() + RETRY_SECONDS
        elif stopped:
            self._last_alive = None
        self.update()
