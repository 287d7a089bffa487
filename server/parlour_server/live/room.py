"""A room that runs: one inbox, one append at a time, and whoever looks on.

Ordering takes the place of locks. A command is decided when the one before it is durable; what it
causes is shown when it is durable itself. Nothing here assumes to be the only writer of the log: on a
version conflict the room reads on, and decides again.
"""

import math
from collections import deque
from dataclasses import replace

import structlog

from parlour_protocol.codec import encode_to_client
from parlour_protocol.errors import Code
from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.to_client import Presence, Refused, Replaced, Snapshot
from parlour_server.live.bot_seat import BotSeat
from parlour_server.live.lobby import Lobby
from parlour_server.live.long_logs import folded
from parlour_server.live.request import Member, Request
from parlour_server.live.waits import Waits
from parlour_server.live.world import Timer, World
from parlour_server.room.commands import Claim, Create, Play, Say
from parlour_server.room.decide import decide
from parlour_server.room.events import (
    MovePlayed,
    Record,
    RoomClosed,
    Said,
    SeatLeft,
    SeatTaken,
    StandInSeated,
)
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.views import Around, channel_of, event_view, room_view, sees_thoughts, unheard
from parlour_server.store.port import StoreError, VersionConflict

log = structlog.get_logger()

REFUSALS_KEPT = 64
PRESENCE_DELAY = 0.05
"""Seconds in which comings and goings are gathered into one notice."""
INBOX_LENGTH = 256
READ_AGAIN_SECONDS = 1.0
CRASHES_ALLOWED = 2
CRASH_SECONDS = 60.0
"""A room that crashes once more within so many seconds is put aside, its log kept."""
ASIDE = (
    "Something is wrong with this room, so it was put aside. Nothing of it is lost: ask whoever runs the "
    "server, and play in another room meanwhile."
)


class LiveRoom:
    """One room. Made by the directory, from nothing or from its log."""

    def __init__(self, code: str, world: World, lobby: Lobby) -> None:
        self.code = code
        self._lobby = lobby
        self.state = RoomState(code)
        self.world = world
        self.members: dict[Member, None] = {}
        self.idle_since = world.monotonic()
        self._inbox: deque[Request] = deque()
        self._pending: tuple[Request, list[Record]] | None = None
        self._catching_up = False
        self._put_before: Request | None = None
        """The last command that had to wait until the clocks were woken, or a flag had fallen."""
        self._refused: dict[tuple[str, str], Refusal] = {}
        """The last refusals, which no event tells of."""
        self._timer: Timer | None = None
        """Until the log is read once more, where that failed."""
        self._presence_timer: Timer | None = None
        self._crashes: deque[float] = deque(maxlen=CRASHES_ALLOWED)
        self.aside = False
        """Was it put aside, since it kept crashing?"""
        self.stopped = False
        """Does it wait for nothing any more?"""
        self._bots = BotSeat(self)
        self._waits = Waits(self)

    # ------------------------------------------------------------ commands

    def submit(self, request: Request) -> None:
        """Take a command. It is answered through its asker, at once or when it is durable."""
        if self.aside:
            self._refuse(request, Refusal(Code.INTERNAL, ASIDE))
        elif self._pending is None and not self._catching_up:
            self._handle(request)
            if self._inbox:
                self._drain()
        elif len(self._inbox) >= INBOX_LENGTH:
            self._refuse(request, Refusal(Code.BUSY, "This room is busy. Try again.", retry_after=1.0))
        else:
            self._inbox.append(request)

    def _drain(self) -> None:
        while self._inbox and self._pending is None and not self._catching_up:
            self._handle(self._inbox.popleft())

    def _handle(self, request: Request) -> None:
        state = self.state
        known = state.answer(request.by, request.id)
        if known is not None:
            # The same command again, after a lost answer: it counts once.
            request.asker.accepted(request.id, self.code, known)
            return
        refused = self._refused.get((request.by, request.id))
        if refused is not None:
            request.asker.refused(request.id, self.code, state.version, refused)
            return
        command = request.command
        now = self.world.now()
        if state.clocks is not None:
            first = self._waits.due_before(command, now)
            if first is not None:
                self._inbox.appendleft(request)
                self._put_before = request
                request, command = first, first.command
            elif type(command) is Play:
                command.lag = self._waits.forgiven(state.seat_of(request.by))
        if type(command) is Play and command.version > state.version and not request.read_on:
            # Its author has seen more than we have: another server wrote to this room.
            request.read_on = True
            self._inbox.appendleft(request)
            self._catch_up()
            return
        if type(command) is Claim:
            # As it is now, not when it was asked: the other may be back.
            command = replace(command, away=self._away_across(request.by))
        if type(command) is Say:
            command = replace(command, here=self.is_here(request.by))
        try:
            events = decide(state, command, request.by, self.world.chance, now)
        except Refusal as refusal:
            self._refuse(request, refusal)
            return
        except Exception as error:
            self._crashed(request, error)
            return
        if not events:
            request.asker.accepted(request.id, self.code, state.version)
            return
        records = [Record(event, now, request.by, request.id) for event in events]
        self._pending = (request, records)
        self.world.store.append(self.code, state.version, records, self._appended)

    def _appended(self, error: StoreError | None) -> None:
        assert self._pending is not None
        request, records = self._pending
        self._pending = None
        if error is None:
            standing = self.state.version + len(records)
            try:
                for record in records:
                    evolve(self.state, record)
                    self._show(record)
            except Exception as fault:
                # Its events stand in the log, which knows its answer: it is asked again when that is read.
                log.error("a room crashed", room=self.code, command=_name(request), exc_info=fault)
                if self._crashes_too_often():
                    # Put aside, but this much is done.
                    request.asker.accepted(request.id, self.code, standing)
                    self._put_aside()
                else:
                    self._inbox.appendleft(request)
                    self._catch_up(afresh=True)
                return
            request.asker.accepted(request.id, self.code, self.state.version)
            self._waits.acted(request.by)
            self._tend()
        elif isinstance(error, VersionConflict) and isinstance(request.command, Create):
            # The code is another room's. Asked again, the directory draws another.
            self._refuse(request, Refusal(Code.BUSY, "That room code is taken. Try again.", retry_after=0.1))
        elif isinstance(error, VersionConflict):
            self._inbox.appendleft(request)
            self._catch_up()
        else:
            # Why is for the log: a player can mend nothing, and a file's path is none of theirs.
            log.error("a command was not saved", room=self.code, reason=str(error))
            said = "The server could not save that, so it is not done. Try again in a moment."
            self._refuse(request, Refusal(Code.NOT_SAVED, said, retry_after=2.0))
            if self._inbox and self._inbox[0] is self._put_before:
                # Nor can what it was put before be done without it.
                self._refuse(self._inbox.popleft(), Refusal(Code.NOT_SAVED, said, retry_after=2.0))
        if self._inbox:
            self._drain()

    def _refuse(self, request: Request, refusal: Refusal) -> None:
        # A repeat gets the first answer again, but one that told to wait may have waited.
        if refusal.retry_after is None:
            self._refused[request.by, request.id] = refusal
            if len(self._refused) > 2 * REFUSALS_KEPT:
                self._refused = dict(list(self._refused.items())[-REFUSALS_KEPT:])
        request.asker.refused(request.id, self.code, self.state.version, refusal)

    # ------------------------------------------------------------ the log

    def load(self, state: RoomState, last_alive: int = 0) -> None:
        """Go on from where a log leads, and ask for what is due (a bot's move).

        Clocks go on from here: after `last_alive`, in milliseconds since 1970, nobody's time ran.
        """
        self.state = state
        if self.ticking:
            self._waits.wake(last_alive)
        self._tend()

    def _tend(self) -> None:
        """Ask for what is due now, and when the next thing will be."""
        # What was being saved when it stopped may become durable afterwards.
        if not self.stopped:
            self._bots.tend()
            self._waits.tend()

    def _catch_up(self, *, afresh: bool = False) -> None:
        """Read on from our version, or all of it; what waits in the inbox is decided afterwards."""
        self._catching_up = True
        self.world.spawn(self._read_on(afresh))

    async def _read_on(self, afresh: bool) -> None:
        try:
            records = await self.world.store.read(self.code, 0 if afresh else self.state.version)
            if afresh:
                self.state = await folded(self.code, records)
                self._show_snapshots()
                self._make_up()
            else:
                for record in records:
                    evolve(self.state, record)
                    self._show(record)
        except Exception as error:
            log.error("a room can't be read", room=self.code, exc_info=error)
            if not isinstance(error, StoreError | OSError) and self._crashes_too_often():
                # Read it can be, but not folded.
                self._catching_up = False
                self._put_aside()
                return
            waiting, self._inbox = self._inbox, deque()
            for request in waiting:
                said = "This room can't be read just now. Try again."
                self._refuse(request, Refusal(Code.INTERNAL, said, retry_after=2.0))
            if not self.stopped:
                self._timer = self.world.later(READ_AGAIN_SECONDS, lambda: self._catch_up(afresh=True))
            return
        self._catching_up = False
        self._tend()
        self._drain()

    def _crashed(self, request: Request, error: Exception) -> None:
        """A fault of ours: the command's author hears of it, and the room starts again from its log."""
        log.error("a room crashed", room=self.code, command=_name(request), exc_info=error)
        if self._crashes_too_often():
            self._put_aside()
            self._refuse(request, Refusal(Code.INTERNAL, ASIDE))
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
        now = self.world.monotonic()
        full = len(self._crashes) == CRASHES_ALLOWED
        often = full and now - self._crashes[0] < CRASH_SECONDS
        self._crashes.append(now)
        return often

    def _put_aside(self) -> None:
        """Obey nobody any more, and say so to everyone here. The log stays as it is."""
        log.error("a room is put aside: it keeps crashing", room=self.code)
        self.aside = True
        self.stop()
        message = encode_to_client(Refused(Code.INTERNAL, ASIDE, room=self.code))
        for member in self.members:
            member.send(message)
        waiting, self._inbox = self._inbox, deque()
        for request in waiting:
            self._refuse(request, Refusal(Code.INTERNAL, ASIDE))

    # ------------------------------------------------------------ showing

    def _show(self, record: Record) -> None:
        """Show everyone who follows what has just been folded, to each as much as they may see."""
        event = record.event
        self._lobby.changed(self.state)
        if self.members:
            if isinstance(event, MovePlayed) and event.report is not None:
                self._show_thoughtful(record)
            elif isinstance(event, Said):
                self._show_said(record, event)
            else:
                message = encode_to_client(event_view(self.state, record, thoughts=False))
                for member in self.members:
                    member.send(message)
        if not isinstance(event, MovePlayed):
            self._follow_up(record)

    def _follow_up(self, record: Record) -> None:
        """What an event that is no move means for those who follow, or should."""
        match record.event:
            case SeatTaken(player=player, bot=None):
                self._waits.sat(player)
                self._see_anew(player)
            case SeatTaken():
                self._presence_changed()
            case SeatLeft():
                self._waits.stood_up(record.by)
                self._see_anew(record.by)
            case StandInSeated(seat=seat):
                self._waits.stood_in(seat)
            case RoomClosed():
                self.dismiss()
            case _:
                pass

    def _make_up(self) -> None:
        """Do what events mean that were folded without being shown, since the room had crashed over them."""
        self._lobby.changed(self.state)
        if self.state.phase == "closed":
            self.dismiss()
        else:
            self._waits.look_around()
            self._presence_changed()

    def _see_anew(self, player: str) -> None:
        """Whoever sat down or stood up has another view of the room now."""
        for member in self.members:
            if member.player == player:
                self.show_snapshot(member)
        self._presence_changed()

    def _show_thoughtful(self, record: Record) -> None:
        messages: dict[bool, bytes] = {}
        for member in self.members:
            allowed = sees_thoughts(self.state, self.state.seat_of(member.player))
            if allowed not in messages:
                messages[allowed] = encode_to_client(event_view(self.state, record, thoughts=allowed))
            member.send(messages[allowed])

    def _show_said(self, record: Record, said: Said) -> None:
        heard = encode_to_client(event_view(self.state, record, thoughts=False))
        silence = encode_to_client(unheard(self.state, record))
        for member, seat in self.viewers():
            member.send(heard if channel_of(seat) == said.channel else silence)

    def show_snapshot(self, member: Member) -> None:
        """Show one follower all of the room."""
        around = Around(self.online(), self.watching(), self.away(), self._waits.clocks_now())
        view = room_view(self.state, member.player, around)
        member.send(encode_to_client(Snapshot(self.code, self.state.version, view)))

    def _show_snapshots(self) -> None:
        for member in self.members:
            self.show_snapshot(member)

    # ------------------------------------------------------------ who is here

    def follow(self, member: Member, since: Version | None) -> None:
        """Show a member everything from now on; first a snapshot, unless it is up to date.

        A player sits at one place: whoever followed for the same seat before is told to let go.
        """
        if self.state.seat_of(member.player) is not None:
            self._replace(member)
        self.members[member] = None
        self._waits.came(member.player)
        # Whoever sat down or stood up is shown all of the room after that event, and may have missed that.
        if since != self.state.version or since == self.state.seats_version:
            self.show_snapshot(member)
        self._presence_changed()

    def unfollow(self, member: Member) -> None:
        """Show a member no more. A seat stays taken."""
        if member in self.members:
            del self.members[member]
            if not self.is_here(member.player):
                self._waits.left(member.player)
            self._presence_changed()
            if not self.members:
                self.idle_since = self.world.monotonic()

    def _replace(self, newest: Member) -> None:
        for member in [one for one in self.members if one.player == newest.player and one is not newest]:
            del self.members[member]
            member.send(encode_to_client(Replaced(self.code)))
            member.dismissed(self.code)

    @property
    def idle(self) -> bool:
        """Does it wait for nothing: no command, no log, no bot?"""
        return self._pending is None and not self._inbox and not self._catching_up and not self._bots.busy

    @property
    def ticking(self) -> bool:
        """Does somebody's time run?"""
        clocks = self.state.clocks
        return self.state.phase == "playing" and clocks is not None and clocks.running is not None

    @property
    def waking(self) -> bool:
        """Has it still to write down for how long the server was down?"""
        return self._waits.waking

    @property
    def has_someone_waiting(self) -> bool:
        """Does a person who is here sit and wait for another?"""
        return self.state.phase == "waiting" and any(
            seated is not None and seated.bot is None and self.is_here(seated.player)
            for seated in self.state.seats
        )

    @property
    def is_deserted(self) -> bool:
        """Has everyone gone away who sat down here, and is there nobody to look at what they left?"""
        people = [seated.player for seated in self.state.seats if seated is not None and seated.bot is None]
        if not people or any(map(self.is_here, people)):
            return False
        # Who looks on at an empty table has nothing to see, and no seat is kept free by them.
        return self.state.phase == "waiting" or not self.watching()

    def is_here(self, player: str) -> bool:
        """Is a player connected, and following?"""
        return any(member.player == player for member in self.members)

    def away(self) -> list[float | None]:
        """For each seat: for how many seconds its player has been away, where that is so; to be shown."""
        first, second = self._waits.away(0), self._waits.away(1)
        return [_told(first), _told(second)]

    def _away_across(self, player: str) -> int | None:
        """Milliseconds for which a player's opponent has been away; None: they are here, or there is none."""
        seat = self.state.seat_of(player)
        away = None if seat is None else self._waits.away(other(seat))
        return None if away is None else round(1000 * away)

    def online(self) -> list[bool]:
        """For each seat: is its player connected?"""
        here = {member.player for member in self.members}
        return [
            seat is not None and (seat.bot is not None or seat.player in here) for seat in self.state.seats
        ]

    def watching(self) -> int:
        """How many look on."""
        return sum(1 for member in self.members if self.state.seat_of(member.player) is None)

    def _presence_changed(self) -> None:
        if self._presence_timer is None and not self.stopped:
            self._presence_timer = self.world.later(PRESENCE_DELAY, self._show_presence)

    def _show_presence(self) -> None:
        self._presence_timer = None
        self._lobby.changed(self.state)
        if self.members:
            message = encode_to_client(Presence(self.code, self.online(), self.watching(), self.away()))
            for member in self.members:
                member.send(message)

    def viewers(self) -> list[tuple[Member, Seat | None]]:
        """Everyone who follows, with their seat."""
        return [(member, self.state.seat_of(member.player)) for member in self.members]

    def dismiss(self) -> None:
        """Send everyone home: the room is closed."""
        members, self.members = self.members, {}
        for member in members:
            member.dismissed(self.code)

    def has_obeyed(self, by: str, command_id: str) -> bool:
        """Has it accepted a command of this name before?"""
        return self.state.answer(by, command_id) is not None

    def stop(self) -> None:
        """Let go of searches and timers, for good. The log stays."""
        self.stopped = True
        self._bots.stop()
        self._waits.stop()
        for timer in (self._presence_timer, self._timer):
            if timer is not None:
                timer.cancel()


def _name(request: Request) -> str:
    return type(request.command).__name__


def _told(away: float | None) -> float | None:
    """Seconds to a tenth, and never more than there were: whoever reads them asks no sooner than they may."""
    return None if away is None else math.floor(10 * away) / 10
