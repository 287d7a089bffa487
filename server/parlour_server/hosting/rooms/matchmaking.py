"""Quick match: a seat with the next player who wants the same game, under the same settings.

A player who waits for it already waits on in the same room. Else another who waits is found; else a room is
created, in which the next one is found. A player who comes while that one is being created waits for it, so
that two who ask at once meet.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from itertools import chain
from typing import NamedTuple

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.actors.requests import ReplyCallback
from parlour_server.hosting.refusing import refusing
from parlour_server.hosting.rooms.creation import Creation
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.hosting.rooms.requests import MatchRequest, RoomRequest, match_key
from parlour_server.refusals import Refusal, no_such_room
from parlour_server.room.commands import Create, Seek
from parlour_server.room.state import Bot
from parlour_server.store.port import StoreError

ELSEWHERE = frozenset({Code.ROOM_FULL, Code.SEAT_TAKEN, Code.UNKNOWN_ROOM})
"""What a room refuses that may be had in another."""
REPLIES_KEPT = 256
HOLD_SECONDS = 5.0
"""How long other nodes go to a room that was created for a request, or wait for it to be."""
MOST_TRIES = 8
"""How many seats may be taken by others before the search gives up."""


class Seeker(NamedTuple):
    """A connection whose player seeks a game."""

    reply: ReplyCallback
    enter: Callable[[LiveRoom], None]
    """Called after the reply, where there is a seat in this room."""
    gone: Callable[[], bool]
    """Has the connection ended?"""
    address: str = ""


class Matchmaking:
    """All searches for a seat."""

    def __init__(self, rooms: Registry[LiveRoom], creation: Creation) -> None:
        self.rooms, self.creation = rooms, creation
        self.creating: dict[MatchRequest, _Match] = {}
        """The match that creates a room for a game request."""
        self._matches: dict[tuple[str, str], _Match] = {}
        """By the player and the id of the command."""
        self._waiting_already: dict[tuple[str, str], tuple[str, Version]] = {}
        """The last replies that no event records, since the player had that seat before."""

    def seek(
        self,
        wanted: MatchRequest,
        player: str,
        name: str,
        command_id: str,
        seeker: Seeker,
        bot: Bot | None = None,
        bot_after: float | None = None,
    ) -> None:
        """Find a seat for a player; the same command again waits for the same seat.

        The bot takes the other one where no player has come in so many seconds.
        """
        match = self._matches.get((player, command_id))
        before = self._waiting_already.get((player, command_id))
        if before is not None:

            def refuse(refusal: Refusal) -> None:
                seeker.reply(command_id, "", 0, refusal)

            self.rooms.context.spawn(self._reply_again(command_id, *before, seeker), refuse)
        elif match is None:
            match = _Match(self, wanted, player, name, command_id, seeker, bot, bot_after)
            self._matches[player, command_id] = match
            match.seek()
        else:
            match.seekers.append(seeker)

    async def _reply_again(self, command_id: str, room: str, version: Version, seeker: Seeker) -> None:
        found = await self.fetch(room, seeker.address)
        seeker.reply(command_id, room, version, None)
        seeker.enter(found)

    async def fetch(self, code: str, address: str) -> LiveRoom:
        """A room that may be asleep. Raises `Refusal`."""
        room = self.rooms.get(code) or await self.rooms.fetch(code, address)
        if room is None:
            raise no_such_room()
        return room

    def seat_for(self, wanted: MatchRequest, player: str, without: Collection[str]) -> str | None:
        """The code of a room where this player, or else another, waits for another to play just this.

        The one that has waited longest, those at other nodes last, and none of those that are left out.
        """
        rooms = [room for room in self.rooms.awake() if room.code not in without and room.seeks == wanted]
        own = (room.code for room in rooms if room.state.seat_of(player) is not None)
        remote = self.rooms.context.node.remote
        far = [
            code
            for code in remote.seeking(match_key(wanted))
            if code not in without and self.rooms.get(code) is None
        ]
        theirs = (code for code in far if remote.has(code, player))
        return next(chain(own, theirs, (room.code for room in rooms), far), None)

    def waits_already(self, player: str, command_id: str, room: str, version: Version) -> None:
        """A player had a seat before they sought one: the same command again leads there, too."""
        self._waiting_already[player, command_id] = room, version
        if len(self._waiting_already) > REPLIES_KEPT:
            del self._waiting_already[next(iter(self._waiting_already))]

    def ended(self, match: "_Match") -> bool:
        """A search for a seat has ended; false: it had before."""
        if self._matches.pop((match.player, match.id), None) is None:
            return False
        self.rooms.context.node.command_done(match.player, match.sit_id)
        return True


class _Match:
    """One player's search for a seat, from `seek` to the reply."""

    def __init__(
        self,
        all_: Matchmaking,
        wanted: MatchRequest,
        player: str,
        name: str,
        command_id: str,
        seeker: Seeker,
        bot: Bot | None,
        bot_after: float | None,
    ) -> None:
        self._all, self._rooms = all_, all_.rooms
        self.wanted = wanted
        self._key = f"match {match_key(wanted)}"
        self.player, self._name = player, name
        self._bot, self._bot_after = bot, bot_after
        self._address = seeker.address
        self.seekers = [seeker]
        """More than one where the same command came again before it had a reply."""
        self.id = command_id
        # A command of the player's is idempotent in a room, by this id: whether it created it or came there.
        self.sit_id = f"{command_id}/sit"
        self._tries = 0
        self._refused_by: set[str] = set()
        """Where another was quicker: a room refuses the same command for good."""
        self._waiting: list[_Match] = []
        """Matches that want the same, and wait until this one sits."""

    def seek(self) -> None:
        """Begin: this command may have led to a seat before, even before a restart."""
        with self._refusing():
            self._rooms.context.node.look_up_command(self.player, self.sit_id, self._looked_up, self._refused)

    def _refusing(self) -> AbstractContextManager[None]:
        """Whatever goes wrong inside ends the search: it is answered, and those who wait for it go on."""
        return refusing(self._refused, player=self.player)

    def _refused(self, refusal: Refusal) -> None:
        self._end("", 0, refusal)

    def _looked_up(self, room: str | None, error: StoreError | None) -> None:
        with self._refusing():
            if error is not None:
                raise error
            if room is not None:
                self._go_to(room)
            else:
                self._look_around()

    def _look_around(self) -> None:
        """Find a seat, or create a room to wait in."""
        self._tries += 1
        wanted, creating = self.wanted, self._all.creating
        room = self._all.seat_for(wanted, self.player, self._refused_by)
        creator = creating.get(wanted)
        if room is not None:
            self._go_to(room)
        elif creator is not None and creator is not self:
            creator._waiting.append(self)
        else:
            creating.setdefault(wanted, self)
            self._rooms.context.node.claim(
                self._key, HOLD_SECONDS, self._refused_by, self._claimed, self._refused
            )

    def _create(self) -> None:
        create = Create(*self.wanted, seats=("me", None), bot_after=self._bot_after)
        self._all.creation.create(self._request(create, self._created), self._address, looked_up=True)

    def _request(self, command: Create | Seek, reply: ReplyCallback) -> RoomRequest:
        return RoomRequest(command, self.player, self.sit_id, reply, self._name, self._bot)

    def _claimed(self, room: str | None) -> None:
        """Create a room unless another node does so now: then go there."""
        with self._refusing():
            if room is None:
                self._create()
            else:
                self._go_to(room)

    def _created(self, command_id: str, room: str, version: Version, refusal: Refusal | None) -> None:
        with self._refusing():
            if refusal is not None:
                raise refusal
            self._end(room, version, None)

    def _go_to(self, code: str) -> None:
        """Take a seat in a room that may be asleep."""
        if (room := self._rooms.get(code)) is not None:
            self._take(room)
        else:
            self._rooms.context.spawn(self._fetch(code), self._refused, player=self.player)

    async def _fetch(self, code: str) -> None:
        self._take(await self._all.fetch(code, self._address))

    def _take(self, room: LiveRoom) -> None:
        room.submit(self._request(Seek(self._bot_after), self._seated))

    def _seated(self, command_id: str, room: str, version: Version, refusal: Refusal | None) -> None:
        if refusal is not None and refusal.code in ELSEWHERE and self._tries < MOST_TRIES:
            # Another was quicker, or it is closed.
            self._refused_by.add(room)
            with self._refusing():
                self._look_around()
        elif refusal is not None and refusal.code is Code.ALREADY_SEATED:
            # They wait here already.
            self._all.waits_already(self.player, self.id, room, version)
            self._end(room, version, None)
        else:
            self._end(room, version, refusal)

    def _end(self, room: str, version: Version, refusal: Refusal | None) -> None:
        """Answer, once; whatever comes after that changes nothing."""
        if not self._all.ended(self):
            return
        waiting, self._waiting = self._waiting, []
        if self._all.creating.get(self.wanted) is self:
            del self._all.creating[self.wanted]
            # Where nothing was created, the next one may try.
            made = room if refusal is None else ""
            self._rooms.context.node.publish(self._key, made, HOLD_SECONDS)
        found = self._rooms.get(room) if refusal is None else None
        try:
            for seeker in self.seekers:
                seeker.reply(self.id, room, version, refusal)
                if found is not None:
                    seeker.enter(found)
        finally:
            for match in waiting:
                # One whose player has gone meanwhile would keep the other waiting.
                if any(not seeker.gone() for seeker in match.seekers):
                    with match._refusing():
                        match._look_around()
                else:
                    self._all.ended(match)
