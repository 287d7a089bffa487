"""A room that runs: one inbox, one append at a time, and its subscribers.

Ordering takes the place of locks. A command is decided when the one before it is durable; what it
causes is published when it is durable itself. Nothing here assumes to be the only writer of the log: on a
version conflict the room catches up with the log, and decides again.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

import structlog

from parlour_protocol.answers import Refused
from parlour_protocol.codec import encode_to_client
from parlour_protocol.commands import Claim, PlayMove, Say
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    ClocksStopped,
    MovePlayed,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
    StandInSeated,
)
from parlour_protocol.ids import SEATS, Seat, Version
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.rooms.absences import Absences
from parlour_server.hosting.rooms.audience import Audience, Subscriber
from parlour_server.hosting.rooms.bot_seat import BotSeat
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.hosting.rooms.timers import Timers
from parlour_server.log import LogRecord
from parlour_server.room.command_context import CommandContext
from parlour_server.room.commands import BotMove, Create
from parlour_server.room.decide import decide
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import RoomState, evolve
from parlour_server.store.port import NotReadable, StoreError, StoreFull, VersionConflict

log = structlog.get_logger()

REFUSALS_KEPT = 64
INBOX_LENGTH = 256
READ_AGAIN_SECONDS = 1.0
CRASHES_ALLOWED = 2
CRASH_SECONDS = 60.0
"""A room that crashes once more within so many seconds is quarantined, its log kept."""
SEATING = frozenset({RoomCreated, SeatTaken, SeatLeft, RoomClosed})
"""What other nodes have to know at once, since their people may want to come."""
QUARANTINED = (
    "Something is wrong with this room, so it was put aside. Nothing of it is lost: ask the host of the "
    "server, and play in another room meanwhile."
)


class LiveRoom:
    """One room. Made by the directory, from nothing or from its log."""

    def __init__(self, code: str, context: Context, lobby: Lobby, address: str = "") -> None:
        self.code = code
        self.address = address
        """Where it was made, or asked for while it slept; empty where that is not known."""
        self.context = context
        self.state = RoomState(code)
        self.idle_since = self.changed_at = self.made_at = context.monotonic()
        """In seconds: when its last subscriber left, when its last event was appended, when it came here."""
        self.quarantined = False
        """Does it refuse all commands, since it kept crashing?"""
        self.stopped = False
        """Are its timers and searches ended for good?"""
        self.leased = False
        """Are they this node's to run? Else another's, or nobody's at present."""
        self._lobby = lobby
        self._inbox: deque[RoomRequest] = deque()
        self._pending: tuple[RoomRequest, list[LogRecord]] | None = None
        self._catching_up = False
        self._rewritten = False
        """Is its log to be read anew as soon as nothing is being saved?"""
        self._conflicting = False
        """Has its last append met a conflict, so that its log can't be as it is here?"""
        self._hinted: Version = 0
        """How far its log goes, as another node says."""
        self._sent: Sequence[LogRecord] = ()
        """The records that led there, if it sent them, too."""
        self._reading: list[asyncio.Future[None]] = []
        """Those who wait until it is read as far as it goes."""
        self._held_up: RoomRequest | None = None
        """The last command that had to wait until the clocks stood still, or a flag had fallen."""
        self._refused: dict[tuple[str, str], tuple[Version, Refusal]] = {}
        """The last refusals, which no event records, and the versions at which they were decided."""
        self._retry_timer: Timer | None = None
        """Until the log is read once more, where that failed."""
        self._crashes: deque[float] = deque(maxlen=CRASHES_ALLOWED)
        self.absences = Absences(context, self._state, self.is_here)
        self.audience = Audience(code, context, self._state, self.absences.both, self._presence_changed)
        self.lag_of = self.audience.lag_of
        self._bots = BotSeat(self)
        self._timers = Timers(self)

    def _state(self) -> RoomState:
        return self.state

    # ------------------------------------------------------------ commands

    def submit(self, request: RoomRequest) -> None:
        """Take a command. Its reply comes at once, or when it is durable."""
        if self.quarantined:
            self._refuse(request, Refusal(Code.INTERNAL, QUARANTINED))
        elif self._pending is None and not self._catching_up:
            self._handle(request)
            if self._inbox:
                self._drain()
        elif len(self._inbox) >= INBOX_LENGTH:
            self._refuse(request, Refusal(Code.BUSY, "This room is busy.", retry_after=1.0))
        else:
            self._inbox.append(request)

    def _drain(self) -> None:
        if self._pending is None and not self._catching_up:
            if self._rewritten:
                self._rewritten = False
                self._catch_up(afresh=True)
            elif self._reading:
                self._catch_up()
            elif self._hinted > self.state.version:
                self._follow_hint()
        while self._inbox and self._pending is None and not self._catching_up:
            self._handle(self._inbox.popleft())

    def _handle(self, request: RoomRequest) -> None:
        state = self.state
        known = state.answer(request.by, request.id)
        if known is not None:
            # The same command again, after a lost reply: it is idempotent.
            request.reply(request.id, self.code, known, None)
            return
        if self._refused:
            refused = self._refused.get((request.by, request.id))
            if refused is not None:
                request.reply(request.id, self.code, *refused)
                return
        now = self.context.now()
        if state.clocks is not None:
            first = self._timers.due_before(request.command, now)
            if first is not None:
                self._inbox.appendleft(request)
                self._held_up = request
                request = first
        command = request.command
        # By type, since a class of pydantic's is slow to tell its instances.
        made_for = command.version if type(command) is PlayMove or type(command) is BotMove else 0
        if made_for > state.version and not request.caught_up:
            # Its author has seen more than we have: another server wrote to this room.
            request.caught_up = True
            self._inbox.appendleft(request)
            self._catch_up()
            return
        try:
            decision = decide(state, command, self._command_context(request, now))
        except Refusal as refusal:
            if self.context.node.is_one_of_several and not request.caught_up:
                # Another node may know better, and nobody is to be refused for what is no longer so.
                request.caught_up = True
                self._inbox.appendleft(request)
                self._catch_up()
            else:
                self._refuse(request, refusal)
            return
        except Exception as error:
            self._crashed(request, error)
            return
        if not decision.events:
            request.reply(request.id, self.code, state.version, None)
            return
        records = [
            LogRecord(event, now, request.by, request.id, decision.applied) for event in decision.events
        ]
        self._pending = (request, records)
        self.context.store.append(self.code, state.version, records, self._appended)

    def bot_waited(self) -> int:
        """Milliseconds that the bot to move has waited for a worker."""
        return self._bots.waited

    def _command_context(self, request: RoomRequest, now: int) -> CommandContext:
        found = CommandContext(request.by, now, self.context.chance, request.name, request.bot)
        kind = type(request.command)
        if kind is PlayMove or kind is BotMove:
            if self.state.clocks is not None:
                found.lag = self._timers.forgiven(self.state.to_move)
            return found
        if self.ticking:
            found.rested = self._bots.waited
        if kind is Say:
            found.here = self.is_here(request.by)
        elif kind is Claim:
            # As it is now, not when it was asked: the other may be back.
            found.away_since = (self.absences.since(0), self.absences.since(1))
        return found

    def _appended(self, error: StoreError | None) -> None:
        assert self._pending is not None
        request, records = self._pending
        self._pending = None
        if error is None:
            self.changed_at = self.context.monotonic()
            version = self.state.version + len(records)
            events = self.context.counters.events
            try:
                for record in records:
                    events[type(record.event)] += 1
                    evolve(self.state, record)
                    record.applied = None
                    self._publish(record)
            except Exception as fault:
                # Its events stand in the log, which knows its answer: it is asked again when that is read.
                log.error("a room crashed", room=self.code, command=_name(request), exc_info=fault)
                if self._crashes_too_often():
                    request.reply(request.id, self.code, version, None)
                    self._quarantine()
                else:
                    self._inbox.appendleft(request)
                    self._catch_up(afresh=True)
                return
            request.reply(request.id, self.code, version, None)
            if self.absences.acted(request.by):
                self.audience.presence_changed()
            self._update()
        elif isinstance(error, VersionConflict) and isinstance(request.command, Create):
            # The code is another room's. Asked again, the directory draws another.
            self._refuse(request, Refusal(Code.BUSY, "That room code is taken.", retry_after=0.1))
        elif isinstance(error, StoreFull):
            log.error("a room was not created", reason=str(error))
            said = "This server has no room for new games just now. Try later."
            self._refuse(request, Refusal(Code.SERVER_FULL, said, retry_after=60.0))
        elif isinstance(error, VersionConflict):
            self._inbox.appendleft(request)
            self._conflicting = True
            self._catch_up()
        else:
            # Why is for the log: a player can mend nothing, and a file's path is none of theirs.
            log.error("a command was not saved", room=self.code, reason=str(error))
            said = "The server could not save that, so it is not done."
            self._refuse(request, Refusal(Code.NOT_SAVED, said, retry_after=2.0))
            if self._inbox and self._inbox[0] is self._held_up:
                # Nor can what waited for it be done without it.
                self._refuse(self._inbox.popleft(), Refusal(Code.NOT_SAVED, said, retry_after=2.0))
        if self._inbox or self._rewritten or self._hinted > self.state.version or self._reading:
            self._drain()

    def _refuse(self, request: RoomRequest, refusal: Refusal) -> None:
        # A repeat gets the first reply again, but after one with `retry_after` it may be different now.
        if refusal.retry_after is None:
            self._refused[request.by, request.id] = self.state.version, refusal
            if len(self._refused) > 2 * REFUSALS_KEPT:
                self._refused = dict(list(self._refused.items())[-REFUSALS_KEPT:])
        request.reply(request.id, self.code, self.state.version, refusal)

    def has_accepted(self, by: str, command_id: str) -> bool:
        """Has it accepted a command of this id before?"""
        return self.state.answer(by, command_id) is not None

    # ------------------------------------------------------------ the log

    def restore(self, state: RoomState, last_alive: int | None = 0) -> None:
        """Go on from where a log leads, and ask for what is due (a bot's move).

        After `last_alive`, in milliseconds since 1970, nobody's time ran: see `Timers.stop_clocks`; None: it
        ran on. Where another node holds the room's lease, that is all its affair.
        """
        self.state = state
        self.begin_grace()
        if self.leased:
            self.hold_lease(last_alive)

    def begin_grace(self) -> None:
        """Players can come back from now on: see `Timers.begin_grace`."""
        self._timers.begin_grace()

    def hold_lease(self, last_alive: int | None = None) -> None:
        """Run its timers and searches from now on, which nobody did after `last_alive`: see `restore`.

        None: somebody did.
        """
        self.leased = True
        if self.ticking and last_alive is not None:
            self._timers.stop_clocks(last_alive)
        self._update()
        self.context.node.mark_dirty(self.code)

    def drop_lease(self) -> None:
        """Leave its timers and searches to another node, or to nobody."""
        self.leased = False
        self._bots.stop()
        self._timers.leave_to_others()
        self.context.node.mark_dirty(self.code)

    def _update(self) -> None:
        """Ask for what is due now, and when the next thing will be."""
        # What was being saved when it stopped may become durable afterwards.
        if self.leased and not self.stopped:
            self._bots.update()
            self._timers.update()

    def hinted(self, version: Version, records: Sequence[LogRecord] = ()) -> None:
        """Its log goes on to this version at least; the records that led there, if any are given."""
        if version > max(self._hinted, self.state.version):
            self._hinted, self._sent = version, records
            self._drain()

    def _follow_hint(self) -> None:
        """Fold what another node has sent; read on where there is a gap before it."""
        records, self._sent = self._sent, ()
        if not records or self._hinted != self.state.version + len(records):
            self._catch_up()
            return
        try:
            self._fold(records)
        except Exception as error:
            log.error("a room crashed", room=self.code, exc_info=error)
            self._catch_up(afresh=True)
        else:
            self._update()

    def _fold(self, records: Sequence[LogRecord]) -> None:
        """Fold what stands in the log, and send it to all subscribers."""
        for record in records:
            evolve(self.state, record)
            self._publish(record)
        self.changed_at = self.context.monotonic()

    async def catch_up(self) -> None:
        """Wait until it is read as far as its log goes now, or has stopped."""
        if self.stopped:
            return
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reading.append(read)
        self._drain()
        await read

    def reload(self) -> None:
        """Start again from the log, which was rewritten at the same versions."""
        if not self.stopped and not self.quarantined:
            self._rewritten = True
            self._drain()

    def _catch_up(self, *, afresh: bool = False) -> None:
        """Read the log on from our version, or all of it; what waits in the inbox is decided afterwards."""
        self._catching_up = True
        self.context.spawn(self._read_log(afresh))

    async def _read_log(self, afresh: bool) -> None:
        reading, self._reading = self._reading, []
        self._hinted, self._sent = 0, ()
        try:
            records = await self.context.store.read(self.code, 0 if afresh else self.state.version)
            if self._conflicting and not records and not afresh:
                # It can't go on from here: a database that was restored has lost what stood behind this.
                log.error("a room is ahead of its log, and starts again from that", room=self.code)
                afresh, records = True, await self.context.store.read(self.code)
            self._conflicting = False
            if afresh and not records:
                raise NotReadable(f"The log of room {self.code} is gone.")
            if afresh:
                self.state = await self.context.replay.state(self.code, records)
                self.audience.start_afresh()
                self._look_again()
            else:
                self._fold(records)
        except Exception as error:
            log.error("a room can't be read", room=self.code, exc_info=error)
            if not isinstance(error, StoreError | OSError) and self._crashes_too_often():
                # Read it can be, but not folded.
                self._catching_up = False
                self._quarantine()
                return
            waiting, self._inbox = self._inbox, deque()
            for request in waiting:
                said = "This room can't be read just now."
                self._refuse(request, Refusal(Code.INTERNAL, said, retry_after=2.0))
            if not self.stopped:
                self._retry_timer = self.context.later(
                    READ_AGAIN_SECONDS, lambda: self._catch_up(afresh=True)
                )
            return
        finally:
            for one in reading:
                if not one.done():
                    one.set_result(None)
        self._catching_up = False
        self._update()
        self._drain()

    def _crashed(self, request: RoomRequest, error: Exception) -> None:
        """Refuse a command at which our own code failed, and start again from the log."""
        log.error("a room crashed", room=self.code, command=_name(request), exc_info=error)
        if self._crashes_too_often():
            self._quarantine()
            self._refuse(request, Refusal(Code.INTERNAL, QUARANTINED))
            return
        refusal = Refusal(
            Code.INTERNAL,
            "That is a fault of the server's. The room starts again from its log; look at the board, "
            "then try once more.",
            retry_after=1.0,
        )
        self._refuse(request, refusal)
        self._catch_up(afresh=True)

    def _crashes_too_often(self) -> bool:
        self.context.counters.room_crashes += 1
        now = self.context.monotonic()
        full = len(self._crashes) == CRASHES_ALLOWED
        often = full and now - self._crashes[0] < CRASH_SECONDS
        self._crashes.append(now)
        return often

    def _quarantine(self) -> None:
        """Refuse all commands from now on, and notify the subscribers. The log stays as it is."""
        log.error("a room is quarantined: it keeps crashing", room=self.code)
        self.quarantined = True
        self.stop()
        self.audience.send(encode_to_client(Refused(Code.INTERNAL, QUARANTINED, room=self.code)))
        waiting, self._inbox = self._inbox, deque()
        for request in waiting:
            self._refuse(request, Refusal(Code.INTERNAL, QUARANTINED))

    # ------------------------------------------------------------ what follows from events

    def _publish(self, record: LogRecord) -> None:
        """Send what has just been folded, and do what follows from it."""
        self._lobby.changed(self.state)
        self.audience.publish(record)
        if type(record.event) is not MovePlayed:
            self._follow(record)

    def _follow(self, record: LogRecord) -> None:
        if type(record.event) in SEATING:
            self.context.node.mark_dirty(self.code)
        match record.event:
            case SeatTaken(player=player, bot=None):
                self._replace_from_elsewhere()
                if not self.is_here(player):
                    self._seated_from_afar(player)
            case SeatLeft():
                self.absences.came(record.by)
            case StandInSeated(seat=seat):
                self._end_needless_stand_in(seat)
            case ClocksStopped():
                self.begin_grace()
            case RoomClosed():
                self.audience.dismiss()
            case _:
                pass

    def _seated_from_afar(self, player: str) -> None:
        if self.context.node.is_one_of_several:
            # Most likely they are connected to another node, which has yet to post it.
            self.audience.expect(player, self.presence_changed_elsewhere)
        else:
            # Their connection was lost meanwhile.
            self.absences.left(player)

    def _look_again(self) -> None:
        """Do what follows from events that were folded without being published."""
        self._lobby.changed(self.state)
        if self.state.phase == "closed":
            self.audience.dismiss()
            return
        self._replace_from_elsewhere()
        self.absences.look_again()
        for seat in SEATS:
            self._end_needless_stand_in(seat)
        self.audience.presence_changed()

    def _replace_from_elsewhere(self) -> None:
        """Of a player who sits here and at another node, the one who came last stays."""
        self.audience.replace_from_elsewhere(self.context.node.name)

    def _end_needless_stand_in(self, seat: Seat) -> None:
        if self.absences.since(seat) is None:
            self._timers.end_stand_in(seat)

    def _presence_changed(self) -> None:
        self._lobby.changed(self.state)
        self.context.node.mark_dirty(self.code)

    def presence_changed_elsewhere(self) -> None:
        """Somebody came or went at another node."""
        self._replace_from_elsewhere()
        self.absences.look_again()
        self.audience.presence_changed()
        for seat in SEATS:
            self._end_needless_stand_in(seat)
        self._timers.update()

    # ------------------------------------------------------------ subscribers

    def subscribe(self, subscriber: Subscriber, since: Version | None) -> None:
        """Send a subscriber everything from now on: see `Audience.add`."""
        self.absences.came(subscriber.player)
        self.audience.add(subscriber, since)
        if (waiting := self._bots.waiting()) is not None:
            subscriber.send(encode_to_client(waiting))
        seat = self.state.seat_of(subscriber.player)
        if seat is not None:
            self._timers.end_stand_in(seat)
            self._timers.update()

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber nothing more. A seat stays taken."""
        if subscriber in self.audience.subscribers:
            self.audience.remove(subscriber)
            if not self.is_here(subscriber.player):
                self.absences.left(subscriber.player)
                self._timers.update()
            if not self.audience:
                self.idle_since = self.context.monotonic()

    def is_here(self, player: str) -> bool:
        """Is a player connected, and subscribed, here or at another node?"""
        return self.audience.has(player)

    # ------------------------------------------------------------ for the directory

    @property
    def at_rest(self) -> bool:
        """Does it wait for no command and no log? Its bots may be thinking."""
        return not (self._pending is not None or self._inbox or self._catching_up)

    @property
    def idle(self) -> bool:
        """Does it wait for nothing: no command, no log, no bot, no next game?"""
        return self.at_rest and not (self._bots.busy or self.state.awaits_next_game())

    @property
    def has_work(self) -> bool:
        """Has the server something to do in it: a bot's move, or the next game of two bots?"""
        return self.state.bot_to_move or self.state.awaits_next_game()

    @property
    def is_expecting_somebody(self) -> bool:
        """Does a person sit in it whose game is not over, or has not begun?"""
        seated = any(seat is not None and seat.bot is None for seat in self.state.seats)
        return seated and self.state.phase in ("waiting", "playing")

    @property
    def ticking(self) -> bool:
        """Does somebody's time run?"""
        clocks = self.state.clocks
        return self.state.phase == "playing" and clocks is not None and clocks.running is not None

    @property
    def stopping_clocks(self) -> bool:
        """Has it still to record since when the server was down?"""
        return self._timers.stopping_clocks

    @property
    def has_someone_waiting(self) -> bool:
        """Does a player who is connected sit and wait for another?"""
        return self.state.phase == "waiting" and any(
            seated is not None and seated.bot is None and self.is_here(seated.player)
            for seated in self.state.seats
        )

    @property
    def attended(self) -> bool:
        """Is anybody connected to it, here or at another node?"""
        return bool(self.audience) or self.context.node.remote.attended(self.code) is not None

    @property
    def is_deserted(self) -> bool:
        """Has everyone gone away who sat down here, and is nobody watching what they left?"""
        people = [seated.player for seated in self.state.seats if seated is not None and seated.bot is None]
        if not people or any(map(self.is_here, people)):
            return False
        # Who watches an empty table has nothing to see, and no seat is kept free by them.
        return self.state.phase == "waiting" or not self.audience.watching()

    def stop(self) -> None:
        """End searches and timers for good. The log stays."""
        self.stopped = True
        self._bots.stop()
        self._timers.stop()
        self.audience.stop()
        for one in self._reading:
            if not one.done():
                one.set_result(None)
        if self._retry_timer is not None:
            self._retry_timer.cancel()


def _name(request: RoomRequest) -> str:
    return type(request.command).__name__
