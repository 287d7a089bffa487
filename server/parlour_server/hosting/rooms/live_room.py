"""A room that runs: the actor of its log, its subscribers, its bots and its timers."""

import structlog

from parlour_protocol.actions import OFFERS
from parlour_protocol.answers import Refused
from parlour_protocol.codec import encode_to_client
from parlour_protocol.commands import Claim, PlayerAction, PlayMove, Say
from parlour_protocol.errors import Code
from parlour_protocol.events import (
    ClocksStopped,
    GameFinished,
    MovePlayed,
    RoomClosed,
    RoomCreated,
    SeatLeft,
    SeatTaken,
    StandInSeated,
)
from parlour_protocol.ids import SEATS, Seat, Version
from parlour_protocol.words import Sentence
from parlour_server.hosting.actors.log_actor import Behind, DoFirst, LogActor, quarantine_refusal
from parlour_server.hosting.actors.requests import no_reply
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Context
from parlour_server.hosting.rooms.audience import Audience
from parlour_server.hosting.rooms.bot_seat import BotSeat
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.requests import MatchRequest, RoomRequest
from parlour_server.hosting.rooms.timers import Timers
from parlour_server.kinds import ROOM
from parlour_server.log import LogRecord
from parlour_server.refusals import Refusal
from parlour_server.room.commands import (
    SERVER,
    BotMove,
    CheckFlag,
    CommandContext,
    Create,
    Forfeit,
    Retire,
    StopClocks,
)
from parlour_server.room.state import RoomState
from parlour_server.store.finished_games import finished_in
from parlour_server.store.port import StoreError, StoreFull, VersionConflict

log = structlog.get_logger()

_TO_OWNER = frozenset(name for name, terms in OFFERS.items() if terms.to_owner)

SEATING = frozenset({RoomCreated, SeatTaken, SeatLeft, RoomClosed})
"""What other nodes have to know at once, since their people may want to come."""


class LiveRoom(LogActor[RoomState, RoomRequest]):
    """One room. Made by the directory, from nothing or from its log."""

    def __init__(self, code: str, context: Context, lobby: Lobby, address: str) -> None:
        super().__init__(code, context, ROOM)
        self.address = address
        """Where it was made, or asked for while it slept; empty where that is not known."""
        self._lobby = lobby
        self.audience = Audience(self, self._presence_changed)
        self._bots = BotSeat(self, self.audience)
        self.timers = Timers(self, self.audience, self._bots)

    @property
    def code(self) -> str:
        """Its code, the key of its log."""
        return self.key

    # ------------------------------------------------------------ commands

    def _command_context(self, request: RoomRequest, now: int) -> CommandContext:
        """See `LogActor`. What has to be done before comes first, such as to end a game whose time is up."""
        state, command = self.state, request.command
        # By type, since a class of pydantic's is slow to tell its instances.
        kind = type(command)
        moves = kind is PlayMove or kind is BotMove
        received_at = now
        if state.clocks is not None:
            self.context.node.notice_standstill()
            received_at = request.received_at or now
            first = self.timers.due_before(command, received_at)
            if first is not None:
                raise DoFirst(first)
            if kind is StopClocks:
                request.command = self.timers.stop_command(now)
        if moves and command.version > state.version and not request.caught_up:
            raise Behind
        found = CommandContext(request.by, now, self.context.chance, request.name, request.bot)
        if moves or kind is CheckFlag:
            if state.clocks is not None:
                # Nor is what it has waited here, for the store say, its author's time.
                found.lag = self.timers.forgiven(state.to_move, received_at) + now - received_at
            return found
        if self.ticking:
            found.rested = self._bots.waited
        if kind is Say:
            found.here = self._may_talk(request.by)
        elif kind is PlayerAction and command.type in _TO_OWNER:
            asker = None if command.type not in state.offers else state.asker
            found.here = self.is_here(state.owner if asker is None else asker.player)
        elif kind is Claim or kind is Forfeit:
            # As it is now, not when it was asked: the other may be back.
            found.away_since = (self.audience.away_since(0), self.audience.away_since(1))
        return found

    def _may_talk(self, player: str) -> bool:
        """Has a player a seat, or been shown the room?

        That a connection has broken takes nothing away: what was said before waits here, and is said.
        """
        seated = self.state.seat_of(player) is not None
        return seated or self.audience.came(player) is not None or self.is_here(player)

    def _refusal_of(self, request: RoomRequest, error: StoreError) -> Refusal | None:
        if isinstance(error, VersionConflict) and isinstance(request.command, Create):
            # The code is another room's. Asked again, the directory draws another.
            return Refusal(Code.BUSY, Sentence("refusal.code_taken"), retry_after=0.1)
        if isinstance(error, StoreFull):
            log.error("a room was not created", reason=str(error))
            return Refusal(Code.SERVER_FULL, Sentence("refusal.no_more_rooms"), retry_after=60.0)
        return None

    # ------------------------------------------------------------ the log and the lease

    def restore(
        self, state: RoomState, last_alive: int | None = 0, unserved_since: int | None = None
    ) -> None:
        """Go on from where a log leads, and ask for what is due (a bot's move).

        After `last_alive`, in milliseconds since 1970, no player's time ran: see `Timers.stop_clocks`; None:
        it ran on, but for the time that a takeover took. Where another node holds the room's lease, that is
        all its affair.
        """
        super().restore(state)
        if unserved_since is not None:
            self.timers.taken_over(unserved_since)
        self.timers.begin_grace()
        if self.leased:
            self.hold_lease(last_alive)

    def hold_lease(self, last_alive: int | None = None) -> None:
        """Run its timers and searches from now on, which no node did after `last_alive`: see `restore`.

        None: another node did.
        """
        super().hold_lease()
        if self.ticking and last_alive is not None:
            self.timers.stop_clocks(last_alive)
        self._update()
        self.context.node.mark_dirty(self.code)

    def drop_lease(self) -> None:
        """Leave its timers and searches to another node, or to none."""
        super().drop_lease()
        self._bots.stop()
        self.timers.leave_to_others()
        self.context.node.mark_dirty(self.code)

    def _update(self) -> None:
        """Ask for what is due now, and when the next thing will be."""
        if self.leased and not self.stopped:
            self._bots.update()
            self.timers.update()

    # ------------------------------------------------------------ what follows from events

    def _publish(self, record: LogRecord) -> None:
        """Send what has just been folded, and do what follows from it."""
        self._lobby.changed(self.state)
        self.audience.publish(record)
        if self.state.clocks is not None:
            self.timers.published()
        if type(record.event) is not MovePlayed:
            self._follow(record)

    def _follow(self, record: LogRecord) -> None:
        if type(record.event) in SEATING:
            self.context.node.mark_dirty(self.code)
        match record.event:
            case SeatTaken(player=player, bot=None):
                if not self.is_here(player):
                    self._seated_from_afar(player)
            case SeatTaken() | SeatLeft():
                self.audience.returned(record.by)
            case StandInSeated(seat=seat):
                self._end_needless_stand_in(seat)
            case ClocksStopped():
                self.timers.begin_grace()
            case RoomClosed():
                self.audience.dismiss()
            case GameFinished():
                for game in finished_in(self.code, self.state.version - 1, [record]):
                    self.context.finished_games.publish(game)
            case _:
                pass

    def _seated_from_afar(self, player: str) -> None:
        if self.context.node.is_one_of_several:
            # Most likely they are connected to another node, which has yet to post it.
            self.audience.expect(player, self.presence_changed_elsewhere)
        else:
            # Their connection was lost meanwhile.
            self.audience.left(player)

    def _accepted(self, request: RoomRequest) -> None:
        if request.by in self.audience.left_at:
            self.audience.left(request.by)
            self.audience.presence_changed()

    def _quarantined(self) -> None:
        refusal = quarantine_refusal()
        self.audience.send(encode_to_client(Refused(refusal.code, refusal.message, room=self.code)))

    def _reloaded(self) -> None:
        """Do what follows from events that were folded without being published."""
        self.audience.start_afresh()
        self._lobby.changed(self.state)
        if self.state.phase == "closed":
            self.audience.dismiss()
            return
        self.audience.look_who_is_away()
        for seat in SEATS:
            self._end_needless_stand_in(seat)
        self.audience.presence_changed()

    def _end_needless_stand_in(self, seat: Seat) -> None:
        if self.audience.away_since(seat) is None:
            self.timers.end_stand_in(seat)

    def _presence_changed(self) -> None:
        self._lobby.changed(self.state)
        self.context.node.mark_dirty(self.code)

    def presence_changed_elsewhere(self) -> None:
        """A player came or went at another node."""
        self.audience.look_who_is_away()
        self.audience.presence_changed()
        for seat in SEATS:
            self._end_needless_stand_in(seat)
        self._update()

    # ------------------------------------------------------------ subscribers

    def subscribe(self, subscriber: Connection, since: Version | None, *, present: bool = True) -> None:
        """Send a subscriber everything from now on: see `Audience.add`.

        One that is not `present` counts neither as a spectator nor as its player.
        """
        was_here = self.is_here(subscriber.player)
        if present:
            self.audience.returned(subscriber.player)
        self.audience.add(subscriber, since, present=present)
        self._note_gone(subscriber.player, was_here)
        if (waiting := self._bots.waiting()) is not None:
            subscriber.send(encode_to_client(waiting))
        seat = self.state.seat_of(subscriber.player)
        if seat is not None and present:
            self.timers.end_stand_in(seat)
        self._update()

    def unsubscribe(self, subscriber: Connection) -> None:
        """Send a subscriber nothing more. A seat stays taken."""
        if subscriber in self.audience.subscribers:
            was_here = self.is_here(subscriber.player)
            self.audience.remove(subscriber)
            self._note_gone(subscriber.player, was_here)
            if not self.audience:
                self.idle_since = self.context.monotonic()

    def _note_gone(self, player: str, was_here: bool) -> None:
        if was_here and not self.is_here(player):
            self.audience.left(player)
            self.timers.update()

    def is_here(self, player: str) -> bool:
        """Is a player connected, subscribed and present, here or at another node?"""
        return self.audience.has(player)

    # ------------------------------------------------------------ for the directory

    @property
    def in_use(self) -> bool:
        """See `LogActor`."""
        return bool(self.audience)

    @property
    def idle(self) -> bool:
        """Does it wait for nothing: no people, no command, no log, no bot, no next game?"""
        waits = self.audience.attended or self._bots.busy or self._begins_next_game or self._counts
        return self.at_rest and not waits

    @property
    def has_work(self) -> bool:
        """Has the server something to do in it: a bot's move, or the next game of two bots?"""
        moves = self.state.bot_to_move and self._bots.may_move
        return moves or self._begins_next_game or self._counts

    @property
    def _counts(self) -> bool:
        """Does a tournament wait for its game, whoever is here?"""
        return self.state.tournament is not None and self.state.phase == "playing"

    @property
    def _begins_next_game(self) -> bool:
        return self.state.awaits_next_game() and self._bots.may_begin_game

    @property
    def wants_lease(self) -> bool:
        """See `LogActor`: people are here, or the server has something to do in it."""
        return bool(self.audience) or self.has_work

    def _people(self) -> list[str]:
        """The seated players who are no bots."""
        return [seated.player for seated in self.state.seats if seated is not None and seated.bot is None]

    @property
    def expects_a_player(self) -> bool:
        """Does a person sit in it whose game is not over, or has not begun?"""
        return self.state.phase in ("waiting", "playing") and bool(self._people())

    @property
    def ticking(self) -> bool:
        """Does a player's time run?"""
        clocks = self.state.clocks
        return self.state.phase == "playing" and clocks is not None and clocks.running is not None

    @property
    def seeks(self) -> MatchRequest | None:
        """What a player who is connected waits in it for, with anyone who wants to play just this."""
        state = self.state
        alone = state.phase == "waiting" and len(state.free_seats()) == 1 and not state.start
        if not alone or self.quarantined or not any(map(self.is_here, self._people())):
            return None
        return MatchRequest(state.rules.name, state.settings)

    @property
    def is_deserted(self) -> bool:
        """Have all gone away who sat down here, and does no one watch what they left?"""
        people = self._people()
        if not people or any(map(self.is_here, people)):
            return False
        # Who watches an empty table has nothing to see, and no seat is kept free by them.
        return self.state.phase == "waiting" or not self.audience.watching()

    def retire(self) -> None:
        """Close it: it was left alone."""
        self.submit(RoomRequest(Retire(), SERVER, "retire", no_reply))

    def stop(self) -> None:
        """End searches and timers for good. The log stays."""
        super().stop()
        self._bots.stop()
        self.timers.stop()
        self.audience.stop()
