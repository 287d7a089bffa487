"""All rooms that run, by code: made, found, listed, taken up again after a restart, retired."""

import asyncio
import math
from collections.abc import Callable, Collection
from functools import partial

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.views import RoomLine, RoomSettings
from parlour_server.games import UnknownGame
from parlour_server.live.bucket import Bucket
from parlour_server.live.lobby import Lobby
from parlour_server.live.quick import QuickMatch, Seeker, Wanted
from parlour_server.live.request import NOBODY, Asker, Request
from parlour_server.live.room import ASIDE, LiveRoom
from parlour_server.live.world import Timer, World
from parlour_server.room.commands import Close, Create
from parlour_server.room.decide import SERVER
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import room_line
from parlour_server.store.port import StoreError

log = structlog.get_logger()

ROOMS_AT_ONCE = 2
"""For so many minutes' worth of rooms a player may make at once."""
MOST_LISTED = 100
LISTED = {"waiting": 0, "playing": 1, "finished": 2}
"""The phases of the rooms in the list, in its order."""
SWEEP_SECONDS = 30.0
PRUNE_SECONDS = 3600.0
READ_AGAIN_SECONDS = 5.0
BEAT_SECONDS = 2.0
"""How often it is noted that the server is up, where clocks run: a crash costs a player no more than that."""


class Directory:
    """The rooms of one server. `load` it before the first connection."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lobby = Lobby(world, self.line)
        self.seekers: dict[Wanted, QuickMatch] = {}
        """Who is making a room for a quick match, by what they want."""
        self._matches: dict[tuple[str, str], QuickMatch] = {}
        """Everyone who is sought a seat for, by the player and the id of the command."""
        self._rooms: dict[str, LiveRoom] = {}
        self._fetching: dict[str, asyncio.Task[None]] = {}
        """Rooms that are being looked for in the store, and those that could not be read just now."""
        self._makers: dict[str, Bucket] = {}
        """How many rooms each player may make still."""
        self._pruning = asyncio.Lock()
        """Held while rooms are forgotten, so that none is fetched half."""
        self._timers: dict[Callable[[], None], Timer] = {}
        self._being_made: dict[tuple[str, str], _Maker] = {}
        """Rooms that are not durable yet, by the player and the id of the `create`."""
        self._created: dict[tuple[str, str], str] = {}
        """Which room a player's `create` made, by its id: asked again, it is answered again."""
        self._asked_for: dict[str, tuple[str, str]] = {}
        """The same the other way round."""

    async def load(self) -> None:
        """Take up the open rooms from their logs. One that can't be read is put aside, log kept.

        Those that would be asleep by now, had the server not been down, are left to be fetched.
        """
        store, limits = self.world.store, self.world.limits
        last_alive = await store.last_alive()
        fresh = await store.open_rooms(self.world.now() - round(1000 * limits.away_room_seconds))
        for code in fresh[-limits.rooms :]:
            await self._take_up(code, last_alive)
        self._again(SWEEP_SECONDS, self._sweep)
        self._beat()
        self._keep_what_is_new()

    async def _take_up(self, code: str, last_alive: int) -> bool:
        """Read a room from the store; false: it can't be read or folded."""
        room = LiveRoom(code, self.world, self.lobby)
        try:
            records = await self.world.store.read(code)
            if records:
                room.load(records, last_alive)
                self._rooms[code] = room
                if records[0].command is not None:
                    self._remember(room, records[0].by, records[0].command)
        except UnknownGame as error:
            log.error("a room is put aside: its game is not installed", room=code, reason=str(error))
            return False
        except Exception as error:
            log.error("a room is put aside: its log can't be folded", room=code, exc_info=error)
            return False
        return True

    def absent(self, text: str) -> str | None:
        """The code of the room that was meant, if it may be in the store alone: `fetch` it then."""
        if text in self._rooms:
            return None
        code = parse_code(text)
        return None if code is None or code in self._rooms else code

    async def fetch(self, code: str) -> None:
        """Take up a room from the store, also a closed one, whose answers may be asked for again.

        Does nothing where there is none. Raises `Refusal`.
        """
        if code in self._rooms or any(making.room.code == code for making in self._being_made.values()):
            return
        task = self._fetching.get(code)
        if task is None:
            if len(self) >= self.world.limits.rooms:
                raise self._full()
            task = self._fetching[code] = asyncio.create_task(self._wake_up(code))
        await asyncio.shield(task)
        if code in self._fetching:
            said = "This room can't be read just now. The server's log tells why."
            raise Refusal(Code.INTERNAL, said, retry_after=READ_AGAIN_SECONDS)

    async def _wake_up(self, code: str) -> None:
        async with self._pruning:
            # Nobody's clock ran while nobody was there: from its last event on, it goes on from now.
            if await self._take_up(code, 0):
                del self._fetching[code]
            else:
                # Asked for again and again, it is not read each time.
                self.world.later(READ_AGAIN_SECONDS, partial(self._fetching.__delitem__, code))

    def find(self, text: str) -> LiveRoom:
        """The room with this code, also one that has just closed. Raises `Refusal`."""
        room = self._rooms.get(text) or self._rooms.get(parse_code(text) or "")
        if room is None:
            raise Refusal(Code.UNKNOWN_ROOM, "There is no such room here. Look at the code once more.")
        return room

    def find_open(self, text: str) -> LiveRoom:
        """The room with this code, if it is not closed. Raises `Refusal`."""
        room = self.find(text)
        if room.state.phase == "closed":
            raise Refusal(Code.UNKNOWN_ROOM, "This room is closed. Create another one.")
        if room.aside:
            raise Refusal(Code.INTERNAL, ASIDE)
        return room

    def _full(self) -> Refusal:
        said = "This server holds as many rooms as it may. Try later."
        return Refusal(Code.SERVER_FULL, said, retry_after=60.0)

    def list(self) -> list[RoomLine]:
        """What is being played: waiting rooms first, then running ones, the newest first of each."""
        rooms = [room for room in reversed(self._rooms.values()) if _is_listed(room)]
        chosen = sorted(rooms, key=lambda room: LISTED[room.state.phase])[:MOST_LISTED]
        return [room_line(room.state, room.watching()) for room in chosen]

    def line(self, code: str) -> RoomLine | None:
        """A room as the list has it; None where it isn't in there."""
        room = self._rooms.get(code)
        return room_line(room.state, room.watching()) if room is not None and _is_listed(room) else None

    def seek(self, wanted: Wanted, name: str, seeker: Seeker, command_id: str) -> None:
        """Find a seat for somebody; the same command again waits for the same seat."""
        match = self._matches.get((seeker.player, command_id))
        if match is None:
            match = QuickMatch(self, wanted, name, seeker, command_id)
            self._matches[seeker.player, command_id] = match
            match.seek()
        else:
            match.also(seeker)

    def found(self, player: str, command_id: str) -> None:
        """A search for a seat has ended."""
        del self._matches[player, command_id]

    def seat_for(
        self, game: str, settings: RoomSettings, player: str, without: Collection[LiveRoom]
    ) -> LiveRoom | None:
        """A room where this player, or else somebody, waits for another to play just this.

        The one that has waited longest, and none of those that are left out.
        """
        rooms = [
            room
            for room in self._rooms.values()
            if room.has_someone_waiting
            and room.state.rules.name == game
            and room.state.settings == settings
            and len(room.state.free_seats()) == 1
            and not room.state.start
            and not room.aside
            and room not in without
        ]
        own = (room for room in rooms if room.state.seat_of(player) is not None)
        return next(own, None) or next(iter(rooms), None)

    def seated_by(self, player: str, command_id: str) -> LiveRoom | None:
        """The room that has obeyed a player's command of this name."""
        return next((room for room in self._rooms.values() if room.has_obeyed(player, command_id)), None)

    def __len__(self) -> int:
        return len(self._rooms)

    # ------------------------------------------------------------ making

    def create(self, command: Create, by: str, command_id: str, asker: Asker) -> None:
        """Make a room; the asker is answered when it is durable."""
        known = self._created.get((by, command_id))
        if known is not None:
            asker.accepted(command_id, known, 1)
            return
        making = self._being_made.get((by, command_id))
        if making is not None:
            making.askers.append(asker)
            return
        if len(self._rooms) + len(self._being_made) >= self.world.limits.rooms:
            asker.refused(command_id, "", 0, self._full())
            return
        wait = self._until_another(by)
        if wait:
            said = f"You have made many rooms just now. Wait {math.ceil(wait)} s, or play on in one of them."
            asker.refused(command_id, "", 0, Refusal(Code.TOO_FAST, said, retry_after=wait))
            return
        code = self.world.new_code()
        while self._is_taken(code):
            code = self.world.new_code()
        making = _Maker(self, LiveRoom(code, self.world, self.lobby), by, asker)
        self._being_made[by, command_id] = making
        making.room.submit(Request(command, by, command_id, making))

    def _until_another(self, player: str) -> float:
        """How many seconds a player has to wait before they make another room; 0: this one is counted."""
        now, limits = self.world.monotonic(), self.world.limits
        bucket = self._makers.get(player)
        if bucket is None:
            rate = limits.rooms_per_minute
            bucket = self._makers[player] = Bucket(rate / 60, ROOMS_AT_ONCE * rate, now)
        return bucket.take(now)

    def _is_taken(self, code: str) -> bool:
        # Of those that sleep the store knows: it refuses their codes.
        being_made = any(making.room.code == code for making in self._being_made.values())
        return code in self._rooms or code in self._fetching or being_made

    def made(self, room: LiveRoom, by: str, command_id: str) -> None:
        """A room that was being made stands in the store."""
        del self._being_made[by, command_id]
        self._rooms[room.code] = room
        self._remember(room, by, command_id)
        self.lobby.changed(room.state)

    def _remember(self, room: LiveRoom, by: str, command_id: str) -> None:
        self._created[by, command_id] = room.code
        self._asked_for[room.code] = by, command_id

    def not_made(self, by: str, command_id: str) -> None:
        """A room that was being made does not."""
        del self._being_made[by, command_id]

    # ------------------------------------------------------------ retiring

    def _sweep(self) -> None:
        """Let rooms go that nobody came to for long: close those without a game, put the others to sleep."""
        self._again(SWEEP_SECONDS, self._sweep)
        now, limits = self.world.monotonic(), self.world.limits
        for room in list(self._rooms.values()):
            if room.state.phase == "closed":
                self.forget(room)
            elif not room.members and room.idle:
                away = now - room.idle_since
                playing = room.state.phase == "playing"
                if away <= (limits.away_room_seconds if playing else limits.idle_room_seconds):
                    continue
                if room.state.game_number == 0 and not room.aside:
                    room.submit(Request(Close("nobody came for long"), SERVER, "sweep", NOBODY))
                else:
                    self._let_go(room)
        self._makers = {player: bucket for player, bucket in self._makers.items() if not bucket.is_full(now)}

    def _keep_what_is_new(self) -> None:
        if self.world.limits.keep_seconds > 0:
            self.world.spawn(self._prune())
            self._again(PRUNE_SECONDS, self._keep_what_is_new)

    async def _prune(self) -> None:
        """Forget for good what is older than is kept, but for rooms that somebody may be in."""
        before = self.world.now() - round(1000 * self.world.limits.keep_seconds)
        async with self._pruning:
            try:
                gone = await self.world.store.prune(before, set(self._rooms))
            except StoreError as error:
                log.error("old rooms were not pruned", reason=str(error))
                return
            for code in gone:
                self._forget_who_asked(code)
        if gone:
            log.info("old rooms are pruned", rooms=len(gone))

    def _beat(self) -> None:
        """Note now and then that the server is up, for the clocks of those who play."""
        if any(room.ticking for room in self._rooms.values()):
            self._note_alive()
        self._again(BEAT_SECONDS, self._beat)

    def _note_alive(self) -> None:
        # While a room has still to write down since when the server was down, the last note is that time.
        if not any(room.waking and not room.aside for room in self._rooms.values()):
            self.world.store.note_alive(self.world.now())

    def _again(self, seconds: float, work: Callable[[], None]) -> None:
        self._timers[work] = self.world.later(seconds, work)

    def forget(self, room: LiveRoom) -> None:
        """Let a closed room go, for good."""
        self._let_go(room)
        self._forget_who_asked(room.code)

    def _let_go(self, room: LiveRoom) -> None:
        room.stop()
        room.dismiss()
        self._rooms.pop(room.code, None)
        self.lobby.changed(room.state)

    def _forget_who_asked(self, code: str) -> None:
        key = self._asked_for.pop(code, None)
        if key is not None and self._created.get(key) == code:
            del self._created[key]

    def stop(self) -> None:
        """Stop all rooms' searches and timers, and rest the clocks; the logs stay."""
        if self._timers:  # else it never came up, and its rooms' clocks still rest
            self._note_alive()
        for timer in self._timers.values():
            timer.cancel()
        self.lobby.stop()
        for room in self._rooms.values():
            room.stop()
        for making in self._being_made.values():
            making.room.stop()


def _is_listed(room: LiveRoom) -> bool:
    state = room.state
    listed = state.phase in LISTED and state.settings.visibility == "public"
    return listed and not room.aside and not room.is_deserted


class _Maker:
    """Waits until a new room is durable, then lets it be found and tells everyone who asked for it."""

    def __init__(self, directory: Directory, room: LiveRoom, by: str, asker: Asker) -> None:
        self.room = room
        self.askers = [asker]
        """More than one where the same command came again before it was answered."""
        self._directory = directory
        self._by = by

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """It stands."""
        self._directory.made(self.room, self._by, command_id)
        for asker in self.askers:
            asker.accepted(command_id, room, version)

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """It does not."""
        self._directory.not_made(self._by, command_id)
        for asker in self.askers:
            asker.refused(command_id, "", 0, refusal)
