"""All rooms that run, by code: made, found, listed, taken up again after a restart, retired."""

import asyncio
from collections.abc import Callable

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.views import RoomLine, RoomSettings
from parlour_server.games import UnknownGame
from parlour_server.live.lobby import Lobby
from parlour_server.live.quick import QuickMatch, Wanted
from parlour_server.live.request import NOBODY, Asker, Request
from parlour_server.live.room import ASIDE, LiveRoom
from parlour_server.live.world import Timer, World
from parlour_server.room.commands import Close, Create
from parlour_server.room.decide import SERVER
from parlour_server.room.refusals import Refusal
from parlour_server.room.views import room_line
from parlour_server.store.port import StoreError

log = structlog.get_logger()

MOST_LISTED = 100
SWEEP_SECONDS = 30.0
PRUNE_SECONDS = 3600.0
BEAT_SECONDS = 2.0
"""How often it is noted that the server is up, where clocks run: a crash costs a player no more than that."""


class Directory:
    """The rooms of one server. `load` it before the first connection."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lobby = Lobby(world, self.list)
        self.seekers: dict[Wanted, QuickMatch] = {}
        """Who is making a room for a quick match, by what they want."""
        self._rooms: dict[str, LiveRoom] = {}
        self._asleep: dict[str, asyncio.Task[None] | None] = {}
        """Open rooms that are only in the store, and who fetches them, if anyone does."""
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
        awake = set(fresh[-limits.rooms :])
        self._asleep = dict.fromkeys(code for code in await store.open_rooms() if code not in awake)
        self._again(SWEEP_SECONDS, self._sweep)
        self._beat()
        self._keep_what_is_new()

    async def _take_up(self, code: str, last_alive: int) -> None:
        room = LiveRoom(code, self.world, self.lobby)
        try:
            records = await self.world.store.read(code)
            room.load(records, last_alive)
            first = records[0]
        except UnknownGame as error:
            log.error("a room is put aside: its game is not installed", room=code, reason=str(error))
        except Exception as error:
            log.error("a room is put aside: its log can't be folded", room=code, exc_info=error)
        else:
            self._rooms[room.code] = room
            if first.command is not None:
                self._remember(room, first.by, first.command)

    def asleep(self, text: str) -> str | None:
        """The code of the room that was meant, if it has to be fetched from the store first."""
        if text in self._asleep:
            return text
        code = parse_code(text)
        return code if code in self._asleep else None

    async def fetch(self, code: str) -> None:
        """Take up a room that is only in the store. Does nothing for another. Raises `Refusal`."""
        if code not in self._asleep:
            return
        task = self._asleep[code]
        if task is None:
            if len(self) >= self.world.limits.rooms:
                raise self._full()
            task = self._asleep[code] = asyncio.create_task(self._wake_up(code))
        await asyncio.shield(task)
        if code in self._asleep:
            said = "This room can't be read just now. The server's log tells why."
            raise Refusal(Code.INTERNAL, said, retry_after=5.0)

    async def _wake_up(self, code: str) -> None:
        async with self._pruning:
            if code not in self._asleep:
                return
            # Nobody's clock ran while nobody was there: from its last event on, it goes on from now.
            await self._take_up(code, 0)
        if code in self._rooms:
            del self._asleep[code]
        else:
            self._asleep[code] = None

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
        order = {"waiting": 0, "playing": 1, "finished": 2}
        rooms = [
            room
            for room in reversed(self._rooms.values())
            if room.state.phase in order and room.state.settings.visibility == "public" and not room.aside
        ]
        chosen = sorted(rooms, key=lambda room: order[room.state.phase])[:MOST_LISTED]
        return [room_line(room.state, room.watching()) for room in chosen]

    def seat_for(self, game: str, settings: RoomSettings, player: str) -> LiveRoom | None:
        """A room where somebody waits for another to play just this; the one that has waited longest."""
        for room in self._rooms.values():
            state = room.state
            if (
                state.phase == "waiting"
                and state.rules.name == game
                and state.settings == settings
                and len(state.free_seats()) == 1
                and state.seat_of(player) is None
                and not state.start
                and room.has_someone_waiting
                and not room.aside
            ):
                return room
        return None

    def seated_by(self, player: str, command_id: str) -> LiveRoom | None:
        """The room that has obeyed a player's command of this name."""
        return next((room for room in self._rooms.values() if room.has_obeyed(player, command_id)), None)

    def __len__(self) -> int:
        return len(self._rooms)

    # ------------------------------------------------------------ making

    def create(self, command: Create, by: str, command_id: str, asker: Asker) -> None:
        """Make a room; the asker is answered when it is durable."""
        known = self._created.get((by, command_id))
        if known is not None and (known in self._rooms or known in self._asleep):
            asker.accepted(command_id, known, 1)
            return
        making = self._being_made.get((by, command_id))
        if making is not None:
            making.askers.append(asker)
            return
        if len(self._rooms) + len(self._being_made) >= self.world.limits.rooms:
            asker.refused(command_id, "", 0, self._full())
            return
        code = self.world.new_code()
        while self._is_taken(code):
            code = self.world.new_code()
        making = _Maker(self, LiveRoom(code, self.world, self.lobby), by, asker)
        self._being_made[by, command_id] = making
        making.room.submit(Request(command, by, command_id, making))

    def _is_taken(self, code: str) -> bool:
        being_made = any(making.room.code == code for making in self._being_made.values())
        return code in self._rooms or code in self._asleep or being_made

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
                    self._asleep[room.code] = None

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
                self._asleep.pop(code, None)
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
