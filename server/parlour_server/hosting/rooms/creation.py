"""Rooms that are being created: from the command until the room is durable, and can be found.

A room and all who sit in it from the beginning are one append: all of it stands, or nothing. Room creation is
idempotent for each (player, command id): a command that created a room before, also before a restart, leads
there again. Where no more rooms may be in memory another sleeps for it, if there is one that is not needed.
"""

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.actors.requests import ReplyCallback
from parlour_server.hosting.limits.rate_limits import Subject, is_limited
from parlour_server.hosting.refusing import refusing
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.lobby import Lobby
from parlour_server.hosting.rooms.requests import RoomRequest
from parlour_server.refusals import Refusal, no_such_room
from parlour_server.store.port import StoreError


class Creator(NamedTuple):
    """A connection whose player creates a room."""

    reply: ReplyCallback
    enter: Callable[[LiveRoom], None] | None = None
    """Called after the reply, where there is a room and the player is to be shown it."""


class Creation:
    """All rooms that are being created."""

    def __init__(self, registry: Registry[LiveRoom], lobby: Lobby, store_is_full: Callable[[], None]) -> None:
        self._registry, self._lobby, self._context = registry, lobby, registry.context
        self._store_is_full = store_is_full
        self.rooms: dict[str, LiveRoom] = {}
        """Those that are not durable yet."""
        self._creating: dict[tuple[str, str], _Room] = {}
        """By the player and the id of the command."""

    def create(
        self,
        request: RoomRequest,
        address: str = "",
        enter: Callable[[LiveRoom], None] | None = None,
        *,
        looked_up: bool = False,
    ) -> None:
        """Create a room for a player at this address; the reply comes when it is durable.

        `looked_up`: it is known that the command has led to no room before.
        """
        key, creator = (request.by, request.id), Creator(request.reply, enter)
        if (creating := self._creating.get(key)) is not None:
            # The same command came again before it had a reply.
            creating.creators.append(creator)
            return
        creating = self._creating[key] = _Room(request, address, [creator])
        with self._refusing(creating):
            if looked_up:
                self._begin(creating)
                return
            found, refuse = partial(self._looked_up, creating), partial(self._reply, creating)
            self._context.node.look_up_command(*key, found, refuse)

    def _looked_up(self, creating: "_Room", room: str | None, error: StoreError | None) -> None:
        """The store knows whether this command has led to a room before."""
        with self._refusing(creating):
            if error is not None:
                raise error
            if room is None:
                self._begin(creating)
            else:
                self._reply_again(creating, room)

    def _reply_again(self, creating: "_Room", code: str) -> None:
        """The room stands. Those who enter it need it awake."""
        version = creating.request.command.version
        if (room := self._registry.get(code)) is not None or not creating.enters:
            self._reply(creating, None, code, version, room)
        else:
            refuse = partial(self._reply, creating)
            self._context.spawn(self._fetch(creating, code, version), refuse, player=creating.request.by)

    async def _fetch(self, creating: "_Room", code: str, version: Version) -> None:
        room = await self._registry.fetch(code, creating.address)
        if room is None:
            raise no_such_room()
        self._reply(creating, None, code, version, room)

    def _refusing(self, creating: "_Room") -> AbstractContextManager[None]:
        """Whatever goes wrong inside is answered, to all who sent the command."""
        return refusing(partial(self._reply, creating), player=creating.request.by)

    def _begin(self, creating: "_Room") -> None:
        """Raises `Refusal`."""
        if self._registry.stopped:
            raise Refusal(Code.BUSY, Sentence("refusal.stopping"), retry_after=2.0)
        if not creating.request.command.tournament:
            self._context.rate_limits.take("new_room", Subject(creating.request.by, creating.address))
        # Last: no room is put to sleep for one that is refused.
        make_place(self._registry, self.rooms.values(), creating.address)
        code = self._new_code()
        room = self.rooms[code] = LiveRoom(code, self._context, self._lobby, creating.address)
        request = creating.request
        command = request.command
        if not self._context.limits.rated:
            # A setting that is nothing here is not shown, either.
            command = replace(command, settings=command.settings.model_copy(update={"rated": True}))
        rated = replace(command, rated=self._context.limits.rated and command.settings.rated)
        room.submit(replace(request, command=rated, reply=partial(self._created, creating, room)))

    def _new_code(self) -> str:
        """A code for a new room. Those of rooms that sleep the store refuses."""
        known = self._registry.wanted | self.rooms.keys()
        while (code := self._context.new_code()) in known:
            pass
        return code

    def _created(
        self, creating: "_Room", made: LiveRoom, _: str, code: str, version: Version, refusal: Refusal | None
    ) -> None:
        with self._refusing(creating):
            del self.rooms[made.code]
            if refusal is not None:
                if refusal.code is Code.SERVER_FULL:
                    self._store_is_full()
                raise refusal
            try:
                self._registry.add(made)
            except BaseException:
                # It stands, and is read from its log when it is asked for.
                made.stop()
                raise
            self._reply(creating, None, code, version, made)

    def _reply(
        self,
        creating: "_Room",
        refusal: Refusal | None,
        code: str = "",
        version: Version = 0,
        room: LiveRoom | None = None,
    ) -> None:
        by, command_id = creating.request.by, creating.request.id
        if self._creating.pop((by, command_id), None) is None:
            # It was answered before something else went wrong.
            return
        self._context.node.command_done(by, command_id)
        for creator in creating.creators:
            creator.reply(command_id, code, version, refusal)
            if creator.enter is not None and room is not None:
                creator.enter(room)

    def stop(self) -> None:
        """Rooms that become durable now are found after the next start."""
        for room in self.rooms.values():
            room.stop()


@dataclass(slots=True)
class _Room:
    """A room that is being created, and everyone who sent the command."""

    request: RoomRequest
    address: str
    creators: list[Creator]

    @property
    def enters(self) -> bool:
        """Is anyone of them to be shown the room?"""
        return any(one.enter is not None for one in self.creators)


def make_place(rooms: Registry[LiveRoom], creating: Collection[LiveRoom], address: str) -> None:
    """Where no more rooms may be in memory, in all or from this address, put one to sleep that is not needed.

    Those that are being created count, too. Raises `Refusal`.
    """
    limits = rooms.context.limits
    held = [*rooms.awake(), *creating]
    if is_limited(address) and limits.rooms_of_an_address:
        own = [room for room in held if room.address == address]
        if len(own) >= limits.rooms_of_an_address:
            _evict(rooms, own, Sentence("refusal.rooms_of_address", count=len(own)))
    if len(rooms) + len(creating) >= limits.rooms:
        _evict(rooms, held, Sentence("refusal.rooms_full"))


def _evict(rooms: Registry[LiveRoom], held: Collection[LiveRoom], said: Sentence) -> None:
    """Put one of these rooms to sleep, or close it where no game was begun. Raises `Refusal`.

    Those with people are safe, and for a while those to which a player may come back. Of the
    others one whose game is not running goes first, of the address with the most rooms.
    """
    now, kept = rooms.context.monotonic(), rooms.context.limits.kept_room_seconds
    free = [
        room
        for room in held
        if rooms.get(room.code) is not None
        and not room.audience
        and room.at_rest
        and not (room.expects_a_player and now - room.idle_since < kept)
    ]
    if not free:
        raise Refusal(Code.SERVER_FULL, said, retry_after=60.0)
    made = Counter(room.address for room in rooms.awake() if is_limited(room.address))
    room = min(free, key=lambda one: (_needed(one), -made[one.address], one.idle_since))
    if room.state.game_number == 0:
        room.retire()
    rooms.put_to_sleep(room)


def _needed(room: LiveRoom) -> int:
    """How much an empty room may be missed, the least first."""
    if room.state.phase == "closed":
        return 0
    return 2 if room.state.phase == "playing" else 1
