"""A tournament that runs: the actor of its log, its subscribers, and what it does by itself.

At the node that holds its lease it looks at its state again and again, and takes each step that is due: a
room for each game that has none, what has become of each game that has one, a word to rooms whose games were
decided here, the next round. A step that was taken before changes nothing: a room is created once by its
game's key, and a key is decided once. So it does not matter where a node was killed, nor whether two do the
same.
"""

from collections.abc import Callable

import structlog

from parlour_protocol.codec import encode_to_client
from parlour_protocol.ids import Seat, Version, other
from parlour_protocol.notices import TournamentChanged
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.tournaments import TournamentView
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.actors.requests import Request, no_reply
from parlour_server.hosting.connections import Connection
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.log import AnyRecord
from parlour_server.refusals import Refusal
from parlour_server.room.commands import SERVER, Create, Forfeit, Invited, SeatPlan
from parlour_server.room.state import Bot
from parlour_server.tournament import TOURNAMENT
from parlour_server.tournament.commands import (
    NoteClosed,
    NoteResult,
    NoteTable,
    Proceed,
    TournamentCommand,
)
from parlour_server.tournament.events import How
from parlour_server.tournament.pairing import draw
from parlour_server.tournament.state import Game, Key, Pair, TournamentState
from parlour_server.tournament.view import tournament_view

log = structlog.get_logger()

BEAT_SECONDS = 1.0
"""How often it looks for what is due; at once, when something has happened here."""
GATHER_SECONDS = 0.25
"""How long changes are gathered before they are shown."""


class LiveTournament(LogActor[TournamentState, Request]):
    """One tournament. Its registry makes it."""

    def __init__(
        self, key: str, context: Context, directory: Directory, ended: Callable[[str], None]
    ) -> None:
        super().__init__(key, context, TOURNAMENT)
        self._directory, self._ended = directory, ended
        self.subscribers: dict[Connection, None] = {}
        self._beat: Timer | None = None
        self._showing: Timer | None = None
        self._working = False
        self._again = False
        """Has something happened while it looked?"""
        self._told: set[Key] = set()
        """The games decided here of which their rooms have heard."""

    @property
    def code(self) -> str:
        """Its code, as people know it."""
        return self.key.partition(":")[2]

    # ------------------------------------------------------------ see `LogActor`

    @property
    def wants_lease(self) -> bool:
        """See `LogActor`."""
        return self.state.phase == "playing"

    @property
    def in_use(self) -> bool:
        """See `LogActor`."""
        return bool(self.subscribers)

    @property
    def idle(self) -> bool:
        """See `LogActor`."""
        return self.at_rest and not self.subscribers and self.state.phase != "playing"

    def hold_lease(self, last_alive: int | None = None) -> None:
        """See `LogActor`."""
        super().hold_lease(last_alive)
        self._update()

    def restore(
        self, state: TournamentState, last_alive: int | None = 0, unserved_since: int | None = None
    ) -> None:
        """See `LogActor`."""
        super().restore(state, last_alive, unserved_since)
        self._update()

    def stop(self) -> None:
        """Do nothing more by itself. The log stays."""
        super().stop()
        for timer in (self._beat, self._showing):
            if timer is not None:
                timer.cancel()

    def _publish(self, record: AnyRecord) -> None:
        if self.state.phase == "over":
            self._ended(self.key)
        self.show_soon()

    def _reloaded(self) -> None:
        self.show_soon()

    def _update(self) -> None:
        if self.leased and not self.stopped and self.state.phase == "playing":
            self.look()

    # ------------------------------------------------------------ subscribers

    def subscribe(self, subscriber: Connection) -> None:
        """Show somebody every change from now on."""
        self.subscribers[subscriber] = None
        self.presence_changed()

    def unsubscribe(self, subscriber: Connection) -> None:
        """Show somebody nothing more."""
        if self.subscribers.pop(subscriber, subscriber) is None:
            self.idle_since = self.context.monotonic()
            self.presence_changed()

    def presence_changed(self) -> None:
        """Somebody came or went, here or at another node."""
        self.context.node.mark_dirty(self.key)
        self.show_soon()

    def is_here(self, player: str) -> bool:
        """Is a player connected, as far as this node knows?"""
        return player in self._directory.lobby.here or self.context.node.remote.has(self.key, player)

    def view_of(self, player: str, round_: int | None = None) -> TournamentView:
        """The tournament as a player may see it, with the boards of a round, or the last ones."""
        here = frozenset(one.number for one in self.state.entrants if one.bot or self.is_here(one.player))
        return tournament_view(self.state, self.code, player, here, self.context.now(), round_)

    def show_soon(self) -> None:
        """Show the subscribers what has changed, in a moment."""
        if self.subscribers and self._showing is None and not self.stopped:
            self._showing = self.context.later(GATHER_SECONDS, self._show)

    def _show(self) -> None:
        self._showing = None
        messages: dict[str, bytes] = {}
        for one in list(self.subscribers):
            own = one.player if self._has_part(one.player) else ""
            if own not in messages:
                messages[own] = encode_to_client(TournamentChanged(self.view_of(own)))
            one.send(messages[own])

    def _has_part(self, player: str) -> bool:
        return player == self.state.host or self.state.entrant_of(player) is not None

    # ------------------------------------------------------------ what it does by itself

    def look(self) -> None:
        """Look for what is due, now and in a while."""
        if self._beat is not None:
            self._beat.cancel()
        self._beat = self.context.later(BEAT_SECONDS, self._update)
        if self._working:
            self._again = True
        else:
            self._working = True
            self.context.spawn(self._work())

    async def _work(self) -> None:
        try:
            while not self.stopped and self.leased:
                self._again = False
                self._tell_rooms()
                # A server that is about to stop begins no more games.
                draining = self.context.drain_until is not None
                for pair, game in self.state.open_games():
                    if game.room:
                        await self._look_at(pair, game)
                    elif not draining:
                        self._make_table(pair, game)
                due = None if draining else self.state.due_at
                if due is not None and self.context.now() >= due:
                    self._do(Proceed(), f"proceed {self.state.version}")
                if not self._again:
                    return
        except Exception as error:
            # It looks again with the next beat.
            log.error("a tournament could not go on", tournament=self.code, exc_info=error)
        finally:
            self._working = False

    def _do(self, command: TournamentCommand, name: str) -> None:
        if not self.stopped:
            self.submit(Request(command, SERVER, name, no_reply))

    def _make_table(self, pair: Pair, game: Game) -> None:
        state = self.state
        key = (pair.round, pair.board, game.number)
        name = "{}.{}.{}".format(*key)
        second = pair.second if game.first == pair.first else pair.first
        settings = RoomSettings(
            starts="first",
            reports="after",
            hints="never",
            pace=0.5,
            clock=state.settings.clock,
            takebacks=False,
            take_over="nobody",
        )
        create = Create(
            state.settings.game,
            settings,
            seats=(self._seat(game.first, name), self._seat(second, name)),
            tournament=self.code,
        )

        def made(command_id: str, room: str, version: Version, refusal: Refusal | None) -> None:
            # Where it was refused it is asked for again with the next beat.
            if refusal is None:
                self._do(NoteTable(*key, room), f"table {name}")

        self._directory.creation.create(RoomRequest(create, self.key, name, made))

    def _seat(self, number: int, game: str) -> SeatPlan:
        entrant = self.state.entrants[number - 1]
        if entrant.bot is not None:
            return Bot(entrant.bot, draw(self.state, f"{game}/{number}", 2**31))
        return Invited(entrant.player, entrant.name, entrant.program)

    async def _room(self, code: str) -> LiveRoom | None:
        try:
            return self._directory.get(code) or await self._directory.fetch(code)
        except Refusal:
            # There is no place for it at present, or it can't be read.
            return None

    async def _look_at(self, pair: Pair, game: Game) -> None:
        """What has become of a game? If nobody has come to it for too long, it is lost."""
        room = await self._room(game.room)
        if room is None or room.quarantined:
            return
        key, name = (pair.round, pair.board, game.number), f"{pair.round}.{pair.board}.{game.number}"
        turn, result = room.state.turn, room.state.result
        late = 60_000 * self.state.settings.forfeit_minutes
        if result is not None:
            points = _points(result.winner, result.termination, turned=game.first != pair.first)
            how: How = "no_show" if result.termination in ("abandonment", "aborted") else "played"
            self._do(NoteResult(*key, points, how), f"result {name}")
        elif room.state.phase == "closed":
            self._do(NoteClosed(*key), f"closed {name}")
        elif turn is not None and room.state.is_early and self.context.now() - turn.since >= late:
            seated = room.state.seats[turn.seat]
            if seated is not None and seated.bot is not None:
                # It waits for its search: nobody's fault but the server's.
                return
            ended: Callable[..., None] = lambda *_: self._update()  # noqa: E731
            room.submit(RoomRequest(Forfeit(None, no_show=True), SERVER, f"late {turn.since}", ended))

    def _tell_rooms(self) -> None:
        """Tell rooms whose games were decided here, by the host or since somebody has gone."""
        for pair in self.state.pairs():
            for game in pair.games:
                key = (pair.round, pair.board, game.number)
                if game.how == "forfeit" and game.room and game.points is not None and key not in self._told:
                    self._told.add(key)
                    self.context.spawn(self._tell(pair, game, key))

    async def _tell(self, pair: Pair, game: Game, key: Key) -> None:
        room = await self._room(game.room)
        if room is None:
            # It hears it at the next look.
            self._told.discard(key)
            return
        if room.state.phase != "playing" or game.points is None:
            return
        loser: Seat | None = None
        if sum(game.points):
            loser = 0 if pair.both[game.points.index(0)] == game.first else 1
        room.submit(RoomRequest(Forfeit(loser), SERVER, f"forfeit {self.code}", no_reply))


def _points(winner: Seat | None, termination: str, *, turned: bool) -> tuple[float, float]:
    """What a table's result is to a pair; `turned`: its second has the first seat."""
    if winner is None:
        return (0.0, 0.0) if termination == "aborted" else (0.5, 0.5)
    first = winner if not turned else other(winner)
    return (1.0, 0.0) if first == 0 else (0.0, 1.0)
