"""All rooms that run, by code: created, found, listed, loaded after a restart, retired."""

from collections import Counter, defaultdict
from itertools import chain

import structlog

from parlour_protocol.ids import Version
from parlour_protocol.views.rooms import RoomLine
from parlour_server.hosting.carry_codes import CarryCodes
from parlour_server.hosting.context import Context
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.hosting.remote_presence import RoomStatus
from parlour_server.hosting.rooms.awake_rooms import AwakeRooms, retiring, waits_for_anybody
from parlour_server.hosting.rooms.creation import Creation
from parlour_server.hosting.rooms.histories import Histories
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.match_request import MatchRequest, match_key
from parlour_server.hosting.rooms.matchmaking import Matchmaking
from parlour_server.room.view import room_line
from parlour_server.store.port import StoreError

log = structlog.get_logger()

MOST_LISTED = 100
LISTED = {"waiting": 0, "playing": 1, "finished": 2}
"""The phases of the rooms in the list, in its order."""
SWEEP_SECONDS = 30.0
PRUNE_SECONDS = 3600.0
GUEST_SECONDS = 30.0
"""So long a room is kept in memory whose lease another node holds, once no one is connected to it here."""
BEAT_SECONDS = 2.0
"""How often it is noted that the server is up, where clocks run: a crash costs a player no more than that."""


class Directory(AwakeRooms):
    """The rooms of one server. `load` it before the first connection."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, Lobby(context, self.line))
        self.carry_codes = CarryCodes(context)
        self.histories = Histories(context, self._came)
        self.creation = Creation(self)
        self.matchmaking = Matchmaking(self, self.creation)
        self.loaded = False
        """Have the rooms been read that were open when the server last ended?"""

    def _came(self, room: str, player: str) -> Version | None:
        """When a player first subscribed to a room that is in memory: see `Audience.came`."""
        return self._actors[room].audience.came(player) if room in self._actors else None

    async def load(self) -> None:
        """Load the open rooms from their logs. One that can't be read is left out, its log kept.

        Those that would be asleep by now, had the server not been down, are left to be fetched.
        """
        limits, asked_at = self.context.limits, self.context.monotonic()
        fresh = self.context.now() - round(1000 * limits.away_seconds)
        for code, last_alive in (await self.context.node.join(limits.rooms, fresh)).items():
            await self._load(code, last_alive, held_since=asked_at)
        if self.stopped:  # meanwhile
            return
        self.loaded = True
        for room in self._actors.values():
            room.timers.begin_grace()
        self._background.later("sweep", self._sweep_seconds, self._sweep)
        self._beat()
        self._prune_now_and_then()
        self._forget_visitors_now_and_then()

    @property
    def _sweep_seconds(self) -> float:
        return min(SWEEP_SECONDS, self.context.limits.idle_seconds, self.context.limits.away_seconds)

    def list(self) -> list[RoomLine]:
        """What is being played: waiting rooms first, then running ones, the newest first of each.

        Empty ones come last. Where not all have a line, addresses take turns.
        """
        groups: dict[tuple[bool, int], list[LiveRoom]] = defaultdict(list)
        counts: Counter[tuple[bool, int, str]] = Counter()
        for room in reversed(self._actors.values()):
            if room.state.phase not in LISTED:
                continue
            key = _listed_at(room)
            # Where one address has thousands, most need not be looked at any further.
            if counts[*key, room.address] < MOST_LISTED and _is_listed(room):
                counts[*key, room.address] += 1
                groups[key].append(room)
        chosen = _in_turns(list(chain.from_iterable(groups[key] for key in sorted(groups))))
        lines = [room_line(room.state, room.audience.watching()) for room in chosen]
        others = [line for line in self.context.node.remote.lines() if line.room not in self._actors]
        if others:
            lines = sorted(lines + others, key=_line_listed_at)[:MOST_LISTED]
        return lines

    def line(self, code: str) -> RoomLine | None:
        """A room as the list has it; None where it isn't in there."""
        room = self._actors.get(code)
        if room is None:
            return self.context.node.remote.line(code)
        return room_line(room.state, room.audience.watching()) if _is_listed(room) else None

    @property
    def attended(self) -> int:
        """In how many rooms a game is under way while people are there."""
        return sum(room.state.phase == "playing" and bool(room.audience) for room in self._actors.values())

    @property
    def phases(self) -> Counter[str]:
        """How many rooms are in each phase."""
        return Counter(room.state.phase for room in self._actors.values())

    @property
    def quarantined(self) -> int:
        """How many rooms refuse all commands, since they kept crashing."""
        return sum(1 for room in self._actors.values() if room.quarantined)

    @property
    def players(self) -> int:
        """How many players are connected here."""
        return len(self.lobby.here)

    def post_of(self, code: str) -> RoomStatus:
        """What other nodes should know of a room."""
        room = self._actors.get(code)
        if room is None or room.state.phase == "closed":
            return RoomStatus()
        here = room.audience.seated_here()
        post = RoomStatus(here, room.audience.lags_of(here), room.audience.watching_here())
        if room.leased:
            post.line = self.line(code)
            if waits_for_anybody(room):
                post.seeks = match_key(MatchRequest(room.state.rules.name, room.state.settings))
        return post

    # ------------------------------------------------------------ retiring

    def _sweep(self) -> None:
        """Let rooms go that were left alone for long: close those without a game, put the others to sleep."""
        self._background.later("sweep", self._sweep_seconds, self._sweep)
        now, limits = self.context.monotonic(), self.context.limits
        for room in list(self._actors.values()):
            if room.state.phase == "closed":
                self.put_to_sleep(room)
            elif not room.leased:
                # Another node has it.
                if not room.audience and room.at_rest and now - room.idle_since > GUEST_SECONDS:
                    self.put_to_sleep(room)
            elif not room.audience.attended and room.idle:
                away = now - room.idle_since
                playing = room.state.phase == "playing"
                if away <= (limits.away_seconds if playing else limits.idle_seconds):
                    continue
                if room.state.game_number == 0 and not room.quarantined:
                    room.submit(retiring())
                else:
                    self.put_to_sleep(room)
        self.context.rate_limits.sweep()

    def _prune_now_and_then(self) -> None:
        if self.context.limits.keep_seconds > 0:
            self.prune_soon()
            self._background.later("prune", PRUNE_SECONDS, self._prune_now_and_then)

    def _forget_visitors_now_and_then(self) -> None:
        if self.context.limits.keep_visitors_seconds > 0:
            self.context.spawn(self._forget_visitors())
            self._background.later("visitors", PRUNE_SECONDS, self._forget_visitors_now_and_then)

    async def _forget_visitors(self) -> None:
        """Forget players who never did anything, but for those who are connected."""
        before = self.context.now() - round(1000 * self.context.limits.keep_visitors_seconds)
        try:
            gone = await self.context.store.forget_visitors(before, set(self.lobby.here))
        except StoreError as error:
            if not self.stopped:
                log.error("visitors were not forgotten", reason=str(error))
            return
        if gone:
            log.info("visitors are forgotten", players=gone)

    def _beat(self) -> None:
        """Note now and then that the server is up, for the clocks of those who play."""
        self.context.now()  # it has to be looked at: see `SteadyClock`
        if any(room.ticking for room in self._actors.values()):
            self._note_alive()
        self._background.later("beat", BEAT_SECONDS, self._beat)

    def _note_alive(self) -> None:
        # While a room has still to write down since when the server was down, the last note is that time.
        if not any(room.timers.stopping_clocks and not room.quarantined for room in self._actors.values()):
            self.context.node.note_alive(self.context.now())

    async def leave(self) -> None:
        """Leave the rooms to the other nodes, if there are any; those connected here still play on."""
        await self.context.node.leave()

    def stop(self) -> None:
        """Stop all rooms' searches and timers, and rest the clocks; the logs stay."""
        if self.loaded:  # else its rooms' clocks still rest
            self._note_alive()
        self.lobby.stop()
        super().stop()


def _in_turns(rooms: list[LiveRoom]) -> list[LiveRoom]:
    """Those that have a line in the list: where not all can, one of each address, then a second and so on."""
    if len(rooms) <= MOST_LISTED:
        return rooms
    seen: Counter[str] = Counter()
    turns: dict[LiveRoom, int] = {}
    for room in rooms:
        turns[room] = seen[room.address]
        seen[room.address] += is_limited(room.address)
    chosen = set(sorted(rooms, key=turns.__getitem__)[:MOST_LISTED])
    return [room for room in rooms if room in chosen]


def _listed_at(room: LiveRoom) -> tuple[bool, int]:
    return not any(room.state.seats), LISTED[room.state.phase]


def _line_listed_at(line: RoomLine) -> tuple[bool, int]:
    return line.standing == "empty", LISTED[line.phase]


def _is_listed(room: LiveRoom) -> bool:
    state = room.state
    listed = state.phase in LISTED and state.settings.visibility == "public"
    return listed and not room.quarantined and not room.is_deserted
