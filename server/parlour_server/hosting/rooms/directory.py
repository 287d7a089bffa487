"""All rooms that run, by code: created, found, listed, loaded after a restart, retired."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from functools import partial
from itertools import chain

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.views.rooms import RoomLine
from parlour_server.games import UnknownGame
from parlour_server.hosting.actors.log_actor import quarantine_refusal
from parlour_server.hosting.actors.requests import ReplyCallback, no_reply
from parlour_server.hosting.carry_codes import CarryCodes
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.hosting.remote_presence import RoomStatus
from parlour_server.hosting.rooms.creation import Creation
from parlour_server.hosting.rooms.histories import Histories
from parlour_server.hosting.rooms.live_room import ROOM, LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.matchmaking import Matchmaking, MatchRequest, match_key
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.room.command_context import SERVER
from parlour_server.room.commands import Create, Retire
from parlour_server.room.refusals import Refusal, no_such_room
from parlour_server.room.view import room_line
from parlour_server.store.cluster import ASLEEP
from parlour_server.store.port import StoreError

log = structlog.get_logger()

MOST_LISTED = 100
LISTED = {"waiting": 0, "playing": 1, "finished": 2}
"""The phases of the rooms in the list, in its order."""
SWEEP_SECONDS = 30.0
PRUNE_SECONDS = 3600.0
ROOMS_FREED_AT_ONCE = 500
"""Some ten megabytes. To look for cycles takes 5 ms with a thousand rooms."""
READ_AGAIN_SECONDS = 1.0
"""So long a room that could not be read is not asked for again."""
GUEST_SECONDS = 30.0
"""So long a room is kept in memory whose lease another node holds, once nobody is connected to it here."""
BEAT_SECONDS = 2.0
"""How often it is noted that the server is up, where clocks run: a crash costs a player no more than that."""


class Directory:
    """The rooms of one server. `load` it before the first connection."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.lobby = Lobby(context, self.line)
        self._rooms: dict[str, LiveRoom] = {}
        self._fetching: dict[str, asyncio.Task[Refusal | None]] = {}
        """Rooms that are being looked for in the store, and those that could not be read just now."""
        self.carry_codes = CarryCodes(context)
        self.histories = Histories(context, self._came)
        self._creation = Creation(self)
        self.matchmaking = Matchmaking(self)
        self._left_memory = 0
        """How many rooms have done so since memory was last freed."""
        self._pruning = asyncio.Lock()
        """Held while rooms are forgotten, so that none is fetched half."""
        self._timers: dict[Callable[[], None], Timer] = {}
        self._loaded = self._stopped = False

    def _came(self, room: str, player: str) -> Version | None:
        """When a player first subscribed to a room that is in memory: see `Audience.came`."""
        return self._rooms[room].audience.came(player) if room in self._rooms else None

    async def load(self) -> None:
        """Load the open rooms from their logs. One that can't be read is left out, its log kept.

        Those that would be asleep by now, had the server not been down, are left to be fetched.
        """
        limits, asked_at = self.context.limits, self.context.monotonic()
        fresh = self.context.now() - round(1000 * limits.away_seconds)
        for code, last_alive in (await self.context.node.join(limits.rooms, fresh)).items():
            await self._load(code, last_alive, held_since=asked_at)
        if self._stopped:  # meanwhile
            return
        self._loaded = True
        for room in self._rooms.values():
            room.begin_grace()
        self._again(self._sweep_seconds, self._sweep)
        self._beat()
        self._prune_now_and_then()
        self._forget_visitors_now_and_then()

    async def _load(
        self, code: str, last_alive: int | None, address: str = "", held_since: float | None = None
    ) -> bool:
        """Read a room from the store; false: it can't be read, or can't go on from there.

        `held_since`: see `SoleNode.still_holds`; None: its lease is another node's. Raises `Refusal` where it
        is there, and has no place.
        """
        try:
            records = await self.context.store.read(code)
            state = await self.context.replay.run(partial(ROOM.replay, code), records)
            # Of several nodes it may have been created here while it was read.
            known = code in self._rooms or self._creation.creates(code)
            if state.version and not self._stopped and not known:
                self.make_room(address)
                room = self._rooms[code] = LiveRoom(code, self.context, self.lobby, address)
                if held_since is not None and state.phase != "closed":
                    room.leased = self.context.node.still_holds(held_since)
                room.restore(state, last_alive)
                self.context.node.mark_dirty(code)
        except Refusal:
            raise
        except UnknownGame as error:
            log.error("a room can't be loaded: its game is not installed", room=code, reason=str(error))
            return False
        except StoreError as error:
            log.error("a room can't be loaded", room=code, reason=str(error))
            return False
        except Exception as error:
            log.error("a room can't be loaded: its log leads nowhere", room=code, exc_info=error)
            if code in self._rooms:
                self._rooms.pop(code).stop()
            return False
        return True

    @property
    def _sweep_seconds(self) -> float:
        return min(SWEEP_SECONDS, self.context.limits.idle_seconds, self.context.limits.away_seconds)

    def code_to_load(self, text: str, version: Version = 0) -> str | None:
        """The code of the room that was meant, if it may be in the store alone: `fetch` it then.

        Or if another node has brought it to a version that is not known here.
        """
        room = self._rooms.get(text) or self._rooms.get(parse_code(text) or "")
        if room is None:
            return parse_code(text)
        return room.code if self.context.node.is_one_of_several and room.state.version < version else None

    async def fetch(self, code: str, address: str = "") -> int:
        """Load a room from the store for somebody at this address, also a closed one, whose answers may be
        asked for again.

        Does nothing where there is none. Gives how many records were read. Raises `Refusal`.
        """
        room = self._rooms.get(code)
        if self._creation.creates(code):
            return 0
        if room is not None:
            if self.context.node.is_one_of_several:
                await room.catch_up()
            return 0
        refused = await self._fetch(code, address)
        if refused is not None:
            raise refused
        return self._rooms[code].state.version if code in self._rooms else 0

    async def _fetch(self, code: str, address: str, since: int | None = None) -> Refusal | None:
        """Why it can't be had; None: it is here, or nowhere. `since`: see `take_up`, where that is known."""
        task = self._fetching.get(code)
        if task is None:
            work = self._fetch_from_store(code, address, since)
            task = self._fetching[code] = asyncio.create_task(work)
        return await asyncio.shield(task)

    async def _fetch_from_store(self, code: str, address: str, since: int | None) -> Refusal | None:
        loaded, refused, asked_at = False, None, self.context.monotonic()
        acquired = False
        async with self._pruning:
            try:
                if since is None:
                    # Before it is read: nobody is to play on while it is not known whether its clocks ran.
                    since = await self.context.node.acquire(code)
                    acquired = since is not None
                held_since = None if since is None else asked_at
                loaded = await self._load(code, ASLEEP if since == ASLEEP else None, address, held_since)
            except Refusal as refusal:
                loaded, refused = True, refusal
            except StoreError as error:
                log.warning("a room's lease can't be had", room=code, reason=str(error))
        if acquired and (refused is not None or not loaded):
            # Another node may be able to run it.
            await self.context.node.release([code], asleep=since == ASLEEP)
        if loaded:
            del self._fetching[code]
            return refused
        # Asked for again and again, it is not read each time.
        self._again(READ_AGAIN_SECONDS, partial(self._fetching.__delitem__, code))
        said = "This room can't be read just now. The server's log tells why."
        return Refusal(Code.INTERNAL, said, retry_after=READ_AGAIN_SECONDS)

    def find(self, text: str) -> LiveRoom:
        """The room with this code, also one that has just closed. Raises `Refusal`."""
        room = self._rooms.get(text) or self._rooms.get(parse_code(text) or "")
        if room is None:
            raise no_such_room()
        return room

    def is_secret(self, text: str, player: str) -> bool:
        """Is that the code of a room that is awake, of which only those know whom somebody gave it?"""
        room = self._rooms.get(text) or self._rooms.get(parse_code(text) or "")
        if room is None or room.state.settings.visibility == "public":
            return False
        return room.state.seat_of(player) is None

    def find_open(self, text: str) -> LiveRoom:
        """The room with this code, if it is not closed. Raises `Refusal`."""
        room = self.find(text)
        if room.state.phase == "closed":
            raise Refusal(Code.UNKNOWN_ROOM, "This room is closed. Create another one.")
        if room.quarantined:
            raise quarantine_refusal(ROOM.noun)
        return room

    def make_room(self, address: str) -> None:
        """Where no more rooms may be awake, in all or from this address, put one to sleep that nobody needs.

        Raises `Refusal`.
        """
        limits = self.context.limits
        awake = [*self._rooms.values(), *self._creation.rooms]
        if is_limited(address) and limits.rooms_of_an_address:
            own = [room for room in awake if room.address == address]
            if len(own) >= limits.rooms_of_an_address:
                said = (
                    f"From your address come as many rooms as may be in use ({len(own)}). Leave one of them."
                )
                self._evict(own, said)
        if len(self._rooms) + len(self._creation) >= limits.rooms:
            self._evict(awake, "This server holds as many rooms as it may. Try later.")

    def _evict(self, rooms: list[LiveRoom], said: str) -> None:
        """Put one of these rooms to sleep, or close it where no game was begun. Raises `Refusal`.

        Those in which somebody is are safe, and for a while those to which somebody may come back. Of the
        others one whose game is not running goes first, of the address with the most rooms.
        """
        now, kept = self.context.monotonic(), self.context.limits.kept_room_seconds
        free = [
            room
            for room in rooms
            if room.code in self._rooms
            and not room.audience
            and room.at_rest
            and not (room.is_expecting_somebody and now - room.idle_since < kept)
        ]
        if not free:
            raise Refusal(Code.SERVER_FULL, said, retry_after=60.0)
        made = Counter(room.address for room in self._rooms.values() if is_limited(room.address))
        room = min(free, key=lambda one: (_needed(one), -made[one.address], one.idle_since))
        if room.state.game_number == 0:
            room.submit(_retiring())
        self._put_to_sleep(room)

    def new_code(self) -> str:
        """A code for a new room. Those of rooms that sleep the store refuses."""
        while True:
            code = self.context.new_code()
            if code not in self._rooms and code not in self._fetching and not self._creation.creates(code):
                return code

    def list(self) -> list[RoomLine]:
        """What is being played: waiting rooms first, then running ones, the newest first of each.

        Those where nobody sits come last. Where not all have a line, addresses take turns.
        """
        groups: dict[tuple[bool, int], list[LiveRoom]] = defaultdict(list)
        counts: Counter[tuple[bool, int, str]] = Counter()
        for room in reversed(self._rooms.values()):
            if room.state.phase not in LISTED:
                continue
            key = _listed_at(room)
            # Where one address has thousands, most need not be looked at any further.
            if counts[*key, room.address] < MOST_LISTED and _is_listed(room):
                counts[*key, room.address] += 1
                groups[key].append(room)
        chosen = _in_turns(list(chain.from_iterable(groups[key] for key in sorted(groups))))
        lines = [room_line(room.state, room.audience.watching()) for room in chosen]
        others = [line for line in self.context.node.remote.lines() if line.room not in self._rooms]
        if others:
            lines = sorted(lines + others, key=_line_listed_at)[:MOST_LISTED]
        return lines

    def line(self, code: str) -> RoomLine | None:
        """A room as the list has it; None where it isn't in there."""
        room = self._rooms.get(code)
        if room is None:
            return self.context.node.remote.line(code)
        return room_line(room.state, room.audience.watching()) if _is_listed(room) else None

    def seat_for(self, wanted: MatchRequest, player: str, without: Collection[str]) -> str | None:
        """The code of a room where this player, or else somebody, waits for another to play just this.

        The one that has waited longest, those at other nodes last, and none of those that are left out.
        """
        rooms = [
            room
            for room in self._rooms.values()
            if _waits_for_anybody(room)
            and wanted == (room.state.rules.name, room.state.settings)
            and room.code not in without
        ]
        own = (room.code for room in rooms if room.state.seat_of(player) is not None)
        elsewhere = self.context.node.remote
        far = [
            code for code in elsewhere.seeking(match_key(wanted)) if code not in without | self._rooms.keys()
        ]
        return next(
            chain(
                own,
                (code for code in far if elsewhere.has(code, player)),
                (room.code for room in rooms),
                far,
            ),
            None,
        )

    def __len__(self) -> int:
        return len(self._rooms)

    def awake(self) -> Collection[LiveRoom]:
        """All rooms that are in memory."""
        return self._rooms.values()

    @property
    def attended(self) -> int:
        """In how many rooms a game is under way while somebody is there."""
        return sum(room.state.phase == "playing" and bool(room.audience) for room in self._rooms.values())

    @property
    def loaded(self) -> bool:
        """Have the rooms been read that were open when the server last ended?"""
        return self._loaded

    @property
    def phases(self) -> Counter[str]:
        """How many rooms are in each phase."""
        return Counter(room.state.phase for room in self._rooms.values())

    @property
    def quarantined(self) -> int:
        """How many rooms refuse all commands, since they kept crashing."""
        return sum(1 for room in self._rooms.values() if room.quarantined)

    @property
    def playing(self) -> int:
        """In how many rooms a game is under way."""
        return sum(1 for room in self._rooms.values() if room.state.phase == "playing")

    # ------------------------------------------------------------ for the other nodes

    def get(self, code: str) -> LiveRoom | None:
        """A room that is in memory."""
        return self._rooms.get(code)

    @property
    def players(self) -> int:
        """How many players are connected here."""
        return len(self.lobby.here)

    def post_of(self, code: str) -> RoomStatus:
        """What other nodes should know of a room."""
        room = self._rooms.get(code)
        if room is None or room.state.phase == "closed":
            return RoomStatus()
        here = room.audience.seated_here()
        post = RoomStatus(here, room.audience.lags_of(here), room.audience.watching_here())
        if room.leased:
            post.line = self.line(code)
            if _waits_for_anybody(room):
                post.seeks = match_key(MatchRequest(room.state.rules.name, room.state.settings))
        return post

    async def take_up(self, code: str, since: int, asked_at: float) -> bool:
        """Hold the lease of a room, which nobody did after `since`; false: it can't be read just now.

        It was asked for then, by the steady clock.
        """
        node = self.context.node
        if self._creation.creates(code):
            return True  # and is held as soon as it is created
        here = code in self._rooms
        fetched = here or code in self._fetching or since == ASLEEP
        if not fetched and self.context.now() - since > 1000 * self.context.limits.away_seconds:
            await node.release([code], asleep=True)
            return True
        refused = None if here else await self._fetch(code, "", since)
        room = self._rooms.get(code)
        if room is None:
            full = refused is not None and refused.code is Code.SERVER_FULL
            if full or refused is None:
                await node.release([code], asleep=not full)
            return full or refused is None
        if here:
            await room.catch_up()
        if room.state.phase == "closed":
            await node.release([code], asleep=True)
        elif not room.leased and node.still_holds(asked_at):
            room.hold_lease(ASLEEP if since == ASLEEP else None)
        return True

    # ------------------------------------------------------------ making

    def create(
        self, command: Create, by: str, command_id: str, reply: ReplyCallback, address: str = ""
    ) -> None:
        """Create a room for somebody at this address; the reply comes when it is durable."""
        self._creation.create(command, by, command_id, reply, address)

    def add(self, room: LiveRoom) -> None:
        """A room that was being created stands in the store."""
        self._rooms[room.code] = room
        self.lobby.changed(room.state)
        if self.context.node.still_holds(room.made_at):
            room.hold_lease()

    # ------------------------------------------------------------ retiring

    def _sweep(self) -> None:
        """Let rooms go that nobody came to for long: close those without a game, put the others to sleep."""
        self._again(self._sweep_seconds, self._sweep)
        now, limits = self.context.monotonic(), self.context.limits
        for room in list(self._rooms.values()):
            if room.state.phase == "closed":
                self._put_to_sleep(room)
            elif not room.leased:
                # Another node has it.
                if not room.audience and room.at_rest and now - room.idle_since > GUEST_SECONDS:
                    self._put_to_sleep(room)
            elif not room.attended and room.idle:
                away = now - room.idle_since
                playing = room.state.phase == "playing"
                if away <= (limits.away_seconds if playing else limits.idle_seconds):
                    continue
                if room.state.game_number == 0 and not room.quarantined:
                    room.submit(_retiring())
                else:
                    self._put_to_sleep(room)
        self.context.rate_limits.sweep()
        self.carry_codes.sweep()

    def _prune_now_and_then(self) -> None:
        if self.context.limits.keep_seconds > 0:
            self.context.spawn(self._prune())
            self._again(PRUNE_SECONDS, self._prune_now_and_then)

    def reload(self, code: str) -> None:
        """A room's log was rewritten: if it is awake, it starts again from there."""
        room = self._rooms.get(code)
        if room is not None:
            room.reload()

    def prune_soon(self) -> None:
        """Forget old rooms without waiting for the hour, where any may be forgotten: the store is full."""
        if self.context.limits.keep_seconds > 0 and not self._pruning.locked():
            self.context.spawn(self._prune())

    async def _prune(self) -> None:
        """Forget for good what is older than is kept, but for rooms that somebody may be in."""
        before = self.context.now() - round(1000 * self.context.limits.keep_seconds)
        async with self._pruning:
            try:
                gone = await self.context.store.prune(before, set(self._rooms))
            except StoreError as error:
                # The store may be closed meanwhile.
                if not self._stopped:
                    log.error("old rooms were not pruned", reason=str(error))
                return
        if gone:
            log.info("old rooms are pruned", rooms=len(gone))

    def _forget_visitors_now_and_then(self) -> None:
        if self.context.limits.keep_visitors_seconds > 0:
            self.context.spawn(self._forget_visitors())
            self._again(PRUNE_SECONDS, self._forget_visitors_now_and_then)

    async def _forget_visitors(self) -> None:
        """Forget players who never did anything, but for those who are connected."""
        before = self.context.now() - round(1000 * self.context.limits.keep_visitors_seconds)
        try:
            gone = await self.context.store.forget_visitors(before, set(self.lobby.here))
        except StoreError as error:
            if not self._stopped:
                log.error("visitors were not forgotten", reason=str(error))
            return
        if gone:
            log.info("visitors are forgotten", players=gone)

    def _beat(self) -> None:
        """Note now and then that the server is up, for the clocks of those who play."""
        self.context.now()  # it has to be looked at: see `SteadyClock`
        if any(room.ticking for room in self._rooms.values()):
            self._note_alive()
        self._again(BEAT_SECONDS, self._beat)

    def _note_alive(self) -> None:
        # While a room has still to write down since when the server was down, the last note is that time.
        if not any(room.stopping_clocks and not room.quarantined for room in self._rooms.values()):
            self.context.node.note_alive(self.context.now())

    def _again(self, seconds: float, work: Callable[[], None]) -> None:
        if self._stopped:
            return

        def fire() -> None:
            del self._timers[work]
            work()

        self._timers[work] = self.context.later(seconds, fire)

    def _put_to_sleep(self, room: LiveRoom) -> None:
        room.stop()
        room.audience.dismiss()
        self._rooms.pop(room.code, None)
        self.lobby.changed(room.state)
        self.context.node.put_to_sleep(room.code, leased=room.leased)
        self._left_memory += 1
        if self._left_memory == ROOMS_FREED_AT_ONCE:
            self._left_memory = 0
            self.context.free_memory()

    async def leave(self) -> None:
        """Leave the rooms to the other nodes, if there are any; who is connected here still plays on."""
        await self.context.node.leave()

    def stop(self) -> None:
        """Stop all rooms' searches and timers, and rest the clocks; the logs stay."""
        self._stopped = True
        if self._loaded:  # else its rooms' clocks still rest
            self._note_alive()
        for timer in self._timers.values():
            timer.cancel()
        self.lobby.stop()
        for room in self._rooms.values():
            room.stop()
        self._creation.stop()


def _retiring() -> RoomRequest:
    return RoomRequest(Retire(), SERVER, "retire", no_reply)


def _needed(room: LiveRoom) -> int:
    """How much a room that nobody is in may be missed, the least first."""
    if room.state.phase == "closed":
        return 0
    return 2 if room.state.phase == "playing" else 1


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


def _waits_for_anybody(room: LiveRoom) -> bool:
    """Does a player wait in it for whoever wants to play just this?"""
    state = room.state
    alone = room.has_someone_waiting and len(state.free_seats()) == 1
    return alone and not state.start and not room.quarantined


def _is_listed(room: LiveRoom) -> bool:
    state = room.state
    listed = state.phase in LISTED and state.settings.visibility == "public"
    return listed and not room.quarantined and not room.is_deserted
