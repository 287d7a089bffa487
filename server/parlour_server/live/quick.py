"""Quick match: a seat with the next person who wants the same game, under the same settings.

Who waits for it already waits on in the same room. Else somebody who waits is found; else a room is
made, in which the next one is found. Who comes while that one is being made waits for it, so that two who
ask at once meet.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.views import RoomSettings
from parlour_server.live.request import Asker, Request, not_looked_up
from parlour_server.room.commands import Create, Sit
from parlour_server.room.refusals import Refusal
from parlour_server.store.port import StoreError

if TYPE_CHECKING:
    from parlour_server.live.directory import Directory
    from parlour_server.live.room import LiveRoom

log = structlog.get_logger()

ELSEWHERE = frozenset({Code.ROOM_FULL, Code.SEAT_TAKEN, Code.UNKNOWN_ROOM})
"""What a room refuses that may be had in another."""
MOST_TRIES = 8
"""How many seats may be snatched away before one gives up."""


class Wanted(NamedTuple):
    """What two must agree in to be matched."""

    game: str
    settings: RoomSettings


class Seeker(Asker, Protocol):
    """Whoever seeks a game."""

    player: str

    @property
    def gone(self) -> bool:
        """Has its connection ended?"""

    def matched(self, command_id: str, room: "LiveRoom") -> None:
        """A seat was found, and is about to be taken: the answer follows."""


class QuickMatch:
    """One player's search for a seat, from `seek` to the seeker's answer."""

    def __init__(
        self, directory: "Directory", wanted: Wanted, name: str, seeker: Seeker, command_id: str
    ) -> None:
        self._directory = directory
        self._wanted = wanted
        self._sit = Sit(name)
        self._seekers = [seeker]
        """More than one where the same command came again before it was answered."""
        self.player = seeker.player
        self._id = command_id
        # A room counts a player's command once, and this one may have made it.
        self._sit_id = f"{command_id}/sit"
        self._tries = 0
        self._room: LiveRoom | None = None
        """Where the seat is being taken; none: the room is being made."""
        self._refused_by: set[LiveRoom] = set()
        """Where somebody was quicker: a room refuses the same command for good."""
        self._waiting: list[QuickMatch] = []
        """Who wants the same, and waits until this one sits."""

    def seek(self) -> None:
        """Begin: this command may have led to a seat before, even before a restart."""
        self._directory.world.store.room_by(self.player, self._sit_id, self._looked_up)

    def _looked_up(self, room: str | None, error: StoreError | None) -> None:
        if error is not None:
            log.error("no seat was sought", reason=str(error))
            self.refused(self._id, "", 0, not_looked_up())
        elif room is not None:
            self._go_to(room)
        else:
            self._look_around()

    def _look_around(self) -> None:
        """Find a seat, or make a room to wait in."""
        self._tries += 1
        directory, wanted = self._directory, self._wanted
        room = directory.seat_for(wanted.game, wanted.settings, self.player, self._refused_by)
        maker = directory.seekers.get(wanted)
        if room is not None:
            self._take(room)
        elif maker is not None and maker is not self:
            maker._waiting.append(self)
        else:
            directory.seekers.setdefault(wanted, self)
            # A room counts a player's command once: where the first one was lost, this is another.
            make_id = self._id if self._tries == 1 else f"{self._id}/{self._tries}"
            directory.create(Create(wanted.game, wanted.settings), self.player, make_id, self)

    def _go_to(self, code: str) -> None:
        """Take a seat in a room that may be asleep."""
        if self._directory.absent(code):
            self._directory.world.spawn(self._fetch(code))
        else:
            self._take(self._directory.find(code))

    async def _fetch(self, code: str) -> None:
        try:
            await self._directory.fetch(code)
            room = self._directory.find(code)
        except Refusal as refusal:
            self.refused(self._id, "", 0, refusal)
        else:
            self._take(room)

    def also(self, seeker: Seeker) -> None:
        """Answer somebody else, too: the same player, who asks again."""
        self._seekers.append(seeker)
        if self._room is not None:
            seeker.matched(self._id, self._room)

    def _take(self, room: "LiveRoom") -> None:
        self._room = room
        for seeker in self._seekers:
            seeker.matched(self._id, room)
        room.submit(Request(self._sit, self.player, self._sit_id, self))

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """The room is made, or the seat is taken."""
        if self._room is None:
            self._go_to(room)
        else:
            for seeker in self._seekers:
                seeker.accepted(self._id, room, version)
            self._done()

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """No room, or somebody was quicker, or it is closed."""
        if self._room is not None and refusal.code in ELSEWHERE and self._tries < MOST_TRIES:
            self._refused_by.add(self._room)
            self._room = None
            self._look_around()
        else:
            for seeker in self._seekers:
                seeker.refused(self._id, room, version, refusal)
            self._done()

    def _done(self) -> None:
        self._directory.found(self.player, self._id)
        if self._directory.seekers.get(self._wanted) is self:
            del self._directory.seekers[self._wanted]
        waiting, self._waiting = self._waiting, []
        for match in waiting:
            # Whoever has gone meanwhile would keep the other waiting.
            if any(not seeker.gone for seeker in match._seekers):
                match._look_around()
            else:
                match._directory.found(match.player, match._id)
