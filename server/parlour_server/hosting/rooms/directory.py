"""All rooms that run, by code: created, found, listed, loaded after a restart, put to sleep."""

from collections import Counter
from contextlib import suppress
from functools import partial

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version, parse_code
from parlour_protocol.words import Sentence
from parlour_server.hosting.actors.log_actor import quarantine_refusal
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.carry_codes import CarryCodes
from parlour_server.hosting.context import Context
from parlour_server.hosting.daily_puzzles import DailyPuzzles
from parlour_server.hosting.ratings import Ratings
from parlour_server.hosting.remote_presence import Status
from parlour_server.hosting.rooms.creation import Creation, make_place
from parlour_server.hosting.rooms.histories import Histories
from parlour_server.hosting.rooms.housekeeping import Housekeeping
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.matchmaking import Matchmaking
from parlour_server.hosting.rooms.requests import match_key
from parlour_server.hosting.rooms.room_list import line_of
from parlour_server.kinds import ROOM
from parlour_server.refusals import Refusal, no_such_room
from parlour_server.room.state import RoomState
from parlour_server.store.cluster import ASLEEP
from parlour_server.store.port import StoreError

ROOMS_RENAMED = 32
"""In how many of their rooms a player gets a new name, from the last used one on."""
ROOMS_FREED_AT_ONCE = 500
"""Some ten megabytes. To look for cycles takes 5 ms with a thousand rooms."""


class Directory(Registry[LiveRoom]):
    """The rooms of one server, and what is theirs alone. `load` it before the first connection."""

    begins_by_itself = False

    def __init__(self, context: Context) -> None:
        super().__init__(context, ROOM)
        self.lobby = Lobby(context, partial(line_of, self))
        self.carry_codes = CarryCodes(context)
        self.histories = Histories(context, self._came)
        self.puzzles = DailyPuzzles(context)
        self.ratings = Ratings(context)
        self.housekeeping = Housekeeping(self, self.lobby)
        self.creation = Creation(self, self.lobby, self.housekeeping.prune_soon)
        self.matchmaking = Matchmaking(self, self.creation)
        self.loaded = False
        """Have the rooms been read that were open when the server last ended?"""
        self._left_memory = 0
        """How many rooms have done so since memory was last freed."""

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
        self.housekeeping.begin()

    # ------------------------------------------------------------ finding

    def _get(self, text: str) -> LiveRoom | None:
        """The room in memory that was meant by a code, however it is written."""
        return self._actors.get(text) or self._actors.get(parse_code(text) or "")

    def find(self, text: str) -> LiveRoom:
        """The room with this code, also one that has just closed. Raises `Refusal`."""
        room = self._get(text)
        if room is None:
            raise no_such_room()
        return room

    def find_open(self, text: str) -> LiveRoom:
        """The room with this code, if it is not closed. Raises `Refusal`."""
        room = self.find(text)
        if room.state.phase == "closed":
            raise Refusal(Code.UNKNOWN_ROOM, Sentence("refusal.room_closed"))
        if room.quarantined:
            raise quarantine_refusal()
        return room

    async def rooms_of(self, player: str, address: str) -> list[LiveRoom]:
        """The open rooms in which a player sits, of the last that they used. Raises `Refusal`."""
        try:
            codes = await self.context.store.rooms_of(player, ROOMS_RENAMED)
        except StoreError as error:
            raise Refusal(Code.INTERNAL, Sentence("refusal.history_unreadable"), retry_after=2.0) from error
        found = []
        for code in codes:
            with suppress(Refusal):
                room = await self.fetch(code, address)
                if (
                    room is not None
                    and room.state.phase != "closed"
                    and room.state.seat_of(player) is not None
                ):
                    found.append(room)
        return found

    def is_secret(self, text: str, player: str) -> bool:
        """Is that the code of a room that is awake and private, in which this player has no seat?"""
        room = self._get(text)
        if room is None or room.state.settings.visibility == "public":
            return False
        return room.state.seat_of(player) is None

    def code_to_load(self, text: str, version: Version = 0) -> str | None:
        """The code of the room that was meant, if it may be in the store alone: `fetch` it then.

        Or if another node has brought it to a version that is not known here.
        """
        room = self._get(text)
        if room is None:
            return parse_code(text)
        return room.code if self.context.node.is_one_of_several and room.state.version < version else None

    # ------------------------------------------------------------ counting

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

    # ------------------------------------------------------------ see `Registry`

    def _make(self, code: str, state: RoomState, address: str) -> LiveRoom | None:
        # Of several nodes it may be created here while it is read.
        if not state.version or code in self.creation.rooms:
            return None
        make_place(self, self.creation.rooms.values(), address)
        return LiveRoom(code, self.context, self.lobby, address)

    def add(self, room: LiveRoom) -> None:
        """A room that was being created stands in the store."""
        super().add(room)
        self.lobby.changed(room.state)

    async def take_up(self, code: str, since: int, asked_at: float) -> bool:
        """A room that would be asleep by now, had nodes been alive, is left asleep."""
        if code in self.creation.rooms:
            return True  # and is held as soon as it is created
        wanted = code in self._actors or code in self._waking or since == ASLEEP
        if not wanted and self.context.now() - since > 1000 * self.context.limits.away_seconds:
            await self.context.node.release([code], asleep=True)
            return True
        return await super().take_up(code, since, asked_at)

    def put_to_sleep(self, room: LiveRoom) -> None:
        """All subscriptions to it end, too."""
        super().put_to_sleep(room)
        room.audience.dismiss()
        self.lobby.changed(room.state)
        self._left_memory += 1
        if self._left_memory == ROOMS_FREED_AT_ONCE:
            self._left_memory = 0
            self.context.free_memory()

    def _kept_seconds(self, room: LiveRoom) -> float:
        limits = self.context.limits
        return limits.away_seconds if room.state.phase == "playing" else limits.idle_seconds

    def _let_go(self, room: LiveRoom) -> None:
        """Close one without a game."""
        if room.state.game_number == 0 and not room.quarantined:
            room.retire()
        else:
            self.put_to_sleep(room)

    def status_of(self, code: str) -> Status:
        """Who is connected to a room here, and how it stands in the list if it is run here."""
        room = self._actors.get(code)
        if room is None or room.state.phase == "closed":
            return Status()
        audience = room.audience
        status = Status(audience.seated_here(), audience.watching_here(), audience.walls_here())
        if room.leased:
            status.line = line_of(self, code)
            status.seeks = None if room.seeks is None else match_key(room.seeks)
        return status

    def changed_elsewhere(self, code: str) -> None:
        """A room's people, or its line in the list."""
        self.lobby.changed_elsewhere(code)
        if (room := self._actors.get(code)) is not None:
            room.presence_changed_elsewhere()

    async def leave(self) -> None:
        """Leave the rooms to the other nodes, if there are any; those connected here still play on."""
        await self.context.node.leave()

    def stop(self) -> None:
        """Searches and timers end, and clocks rest. Rooms that become durable now are found after a start."""
        if self.loaded:  # else its rooms' clocks still rest
            self.housekeeping.stop()
        self.lobby.stop()
        super().stop()
        self.creation.stop()
