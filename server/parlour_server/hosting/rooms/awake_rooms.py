"""The rooms that are awake: found by their codes, woken, made place for, and put to sleep."""

from collections import Counter
from collections.abc import Collection
from itertools import chain

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version, parse_code
from parlour_server.hosting.actors.log_actor import quarantine_refusal
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.actors.requests import no_reply
from parlour_server.hosting.context import Context
from parlour_server.hosting.limits.rate_limits import is_limited
from parlour_server.hosting.rooms.live_room import ROOM, LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.match_request import MatchRequest, match_key
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.refusals import Refusal, no_such_room
from parlour_server.room.command_context import SERVER
from parlour_server.room.commands import Retire
from parlour_server.room.state import RoomState
from parlour_server.store.cluster import ASLEEP
from parlour_server.store.port import StoreError

log = structlog.get_logger()

ROOMS_FREED_AT_ONCE = 500
"""Some ten megabytes. To look for cycles takes 5 ms with a thousand rooms."""


class AwakeRooms(Registry[LiveRoom]):
    """The rooms in memory, and those that are being created."""

    begins_by_itself = False

    def __init__(self, context: Context, lobby: Lobby) -> None:
        super().__init__(context, ROOM)
        self.lobby = lobby
        self.creating: dict[str, LiveRoom] = {}
        """Rooms that are not durable yet."""
        self._left_memory = 0
        """How many rooms have done so since memory was last freed."""
        self._pruning = False

    # ------------------------------------------------------------ waking

    def code_to_load(self, text: str, version: Version = 0) -> str | None:
        """The code of the room that was meant, if it may be in the store alone: `fetch` it then.

        Or if another node has brought it to a version that is not known here.
        """
        room = self._actors.get(text) or self._actors.get(parse_code(text) or "")
        if room is None:
            return parse_code(text)
        return room.code if self.context.node.is_one_of_several and room.state.version < version else None

    async def fetch(self, code: str, address: str = "") -> int:
        """Load a room from the store for those at this address, also a closed one, whose answers may be
        asked for again.

        Does nothing where there is none. Gives how many records were read. Raises `Refusal`.
        """
        room = self._actors.get(code)
        if code in self.creating:
            return 0
        if room is not None:
            if self.context.node.is_one_of_several:
                await room.catch_up()
            return 0
        refused = await self.wake(code, address)
        if refused is not None:
            raise refused
        return self._actors[code].state.version if code in self._actors else 0

    def _make(self, code: str, address: str) -> LiveRoom:
        return LiveRoom(code, self.context, self.lobby, address)

    def _admits(self, code: str, state: RoomState, address: str) -> bool:
        # Of several nodes it may be created here while it is read.
        if not state.version or code in self.creating:
            return False
        self.make_room(address)
        return True

    def _is_over(self, state: RoomState) -> bool:
        return state.phase == "closed"

    async def take_up(self, code: str, since: int, asked_at: float) -> bool:
        """See `Registry`. A room that would be asleep by now, had nodes been alive, is left asleep."""
        if code in self.creating:
            return True  # and is held as soon as it is created
        wanted = code in self._actors or code in self._waking or since == ASLEEP
        if not wanted and self.context.now() - since > 1000 * self.context.limits.away_seconds:
            await self.context.node.release([code], asleep=True)
            return True
        return await super().take_up(code, since, asked_at)

    def add(self, room: LiveRoom) -> None:
        """A room that was being created stands in the store."""
        del self.creating[room.code]
        self._actors[room.code] = room
        self.lobby.changed(room.state)

    # ------------------------------------------------------------ finding

    def find(self, text: str) -> LiveRoom:
        """The room with this code, also one that has just closed. Raises `Refusal`."""
        room = self._actors.get(text) or self._actors.get(parse_code(text) or "")
        if room is None:
            raise no_such_room()
        return room

    def is_secret(self, text: str, player: str) -> bool:
        """Is that the code of a room that is awake and private, in which this player has no seat?"""
        room = self._actors.get(text) or self._actors.get(parse_code(text) or "")
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
        """Where no more rooms may be awake, in all or from this address, put one to sleep that is not needed.

        Raises `Refusal`.
        """
        limits = self.context.limits
        awake = [*self._actors.values(), *self.creating.values()]
        if is_limited(address) and limits.rooms_of_an_address:
            own = [room for room in awake if room.address == address]
            if len(own) >= limits.rooms_of_an_address:
                said = (
                    f"From your address come as many rooms as may be in use ({len(own)}). Leave one of them."
                )
                self._evict(own, said)
        if len(self._actors) + len(self.creating) >= limits.rooms:
            self._evict(awake, "This server holds as many rooms as it may. Try later.")

    def _evict(self, rooms: list[LiveRoom], said: str) -> None:
        """Put one of these rooms to sleep, or close it where no game was begun. Raises `Refusal`.

        Those with people are safe, and for a while those to which a player may come back. Of the
        others one whose game is not running goes first, of the address with the most rooms.
        """
        now, kept = self.context.monotonic(), self.context.limits.kept_room_seconds
        free = [
            room
            for room in rooms
            if room.code in self._actors
            and not room.audience
            and room.at_rest
            and not (room.is_expecting_somebody and now - room.idle_since < kept)
        ]
        if not free:
            raise Refusal(Code.SERVER_FULL, said, retry_after=60.0)
        made = Counter(room.address for room in self._actors.values() if is_limited(room.address))
        room = min(free, key=lambda one: (_needed(one), -made[one.address], one.idle_since))
        if room.state.game_number == 0:
            room.submit(retiring())
        self.put_to_sleep(room)

    def new_code(self) -> str:
        """A code for a new room. Those of rooms that sleep the store refuses."""
        while True:
            code = self.context.new_code()
            if not any(code in known for known in (self._actors, self._waking, self.creating)):
                return code

    def seat_for(self, wanted: MatchRequest, player: str, without: Collection[str]) -> str | None:
        """The code of a room where this player, or else another, waits for another to play just this.

        The one that has waited longest, those at other nodes last, and none of those that are left out.
        """
        rooms = [
            room
            for room in self._actors.values()
            if waits_for_anybody(room)
            and wanted == (room.state.rules.name, room.state.settings)
            and room.code not in without
        ]
        own = (room.code for room in rooms if room.state.seat_of(player) is not None)
        elsewhere = self.context.node.remote
        far = [
            code for code in elsewhere.seeking(match_key(wanted)) if code not in without | self._actors.keys()
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

    # ------------------------------------------------------------ leaving memory

    def prune_soon(self) -> None:
        """Forget old rooms without waiting for the hour, where any may be forgotten: the store is full."""
        if self.context.limits.keep_seconds > 0:
            self.context.spawn(self._prune())

    async def _prune(self) -> None:
        """Forget for good what is older than is kept, but for rooms that people may be in."""
        if self._pruning:
            return
        self._pruning = True
        before = self.context.now() - round(1000 * self.context.limits.keep_seconds)
        try:
            gone = await self.context.store.prune(before, {*self._actors, *self._waking})
        except StoreError as error:
            # The store may be closed meanwhile.
            if not self.stopped:
                log.error("old rooms were not pruned", reason=str(error))
            return
        finally:
            self._pruning = False
        for code in gone:
            # One that was woken meanwhile was read before it was forgotten.
            if (waking := self._waking.get(code)) is not None:
                await waking
            if (room := self._actors.get(code)) is not None:
                self.put_to_sleep(room)
        if gone:
            log.info("old rooms are pruned", rooms=len(gone))

    def put_to_sleep(self, room: LiveRoom) -> None:
        """See `Registry`. All subscriptions to it end."""
        super().put_to_sleep(room)
        room.audience.dismiss()
        self.lobby.changed(room.state)
        self._left_memory += 1
        if self._left_memory == ROOMS_FREED_AT_ONCE:
            self._left_memory = 0
            self.context.free_memory()

    def stop(self) -> None:
        """See `Registry`. Rooms that become durable now are found after the next start."""
        super().stop()
        for room in self.creating.values():
            room.stop()


def retiring() -> RoomRequest:
    """What closes a room that was left alone."""
    return RoomRequest(Retire(), SERVER, "retire", no_reply)


def _needed(room: LiveRoom) -> int:
    """How much an empty room may be missed, the least first."""
    if room.state.phase == "closed":
        return 0
    return 2 if room.state.phase == "playing" else 1


def waits_for_anybody(room: LiveRoom) -> bool:
    """Does a player wait in it for anyone who wants to play just this?"""
    state = room.state
    alone = room.has_someone_waiting and len(state.free_seats()) == 1
    return alone and not state.start and not room.quarantined
