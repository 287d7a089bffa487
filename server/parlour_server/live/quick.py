"""Quick match: a seat with the next person who wants the same game, under the same settings.

Somebody who waits already is found first; else a room is made, in which the next one is found.
"""

from typing import TYPE_CHECKING, Protocol

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_protocol.views import RoomSettings
from parlour_server.live.request import Asker, Request
from parlour_server.room.commands import Create, Sit
from parlour_server.room.refusals import Refusal

if TYPE_CHECKING:
    from parlour_server.live.directory import Directory
    from parlour_server.live.room import LiveRoom

MOST_TRIES = 8
"""How many seats may be snatched away before one gives up."""


class Seeker(Asker, Protocol):
    """Whoever seeks a game."""

    def matched(self, command_id: str, room: "LiveRoom") -> None:
        """A seat was found, and is about to be taken: the answer follows."""


class QuickMatch:
    """One player's search for a seat: first `Sit`s in what is found, in the end makes a room of its own."""

    def __init__(
        self, directory: "Directory", game: str, settings: RoomSettings, sit: Sit, player: str, seeker: Seeker
    ) -> None:
        self._directory = directory
        self._game, self._settings, self._sit = game, settings, sit
        self._player, self._seeker = player, seeker
        self._tries = 0
        self._making = False

    def seek(self, command_id: str) -> None:
        """Begin, or try once more."""
        self._tries += 1
        room = self._directory.seat_for(self._game, self._settings, self._player)
        if room is not None:
            self._take(command_id, room)
            return
        self._making = True
        self._directory.create(Create(self._game, self._settings), self._player, command_id, self)

    def _take(self, command_id: str, room: "LiveRoom") -> None:
        self._making = False
        self._seeker.matched(command_id, room)
        # A room counts a player's command once, and this one may have made it.
        room.submit(Request(self._sit, self._player, f"{command_id}/sit", self))

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """The room is made, or the seat is taken."""
        if self._making:
            self._take(command_id, self._directory.find(room))
        else:
            self._seeker.accepted(command_id.removesuffix("/sit"), room, version)

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """No room, or somebody was quicker."""
        command_id = command_id.removesuffix("/sit")
        if refusal.code in (Code.ROOM_FULL, Code.SEAT_TAKEN) and self._tries < MOST_TRIES:
            self.seek(command_id)
        else:
            self._seeker.refused(command_id, room, version, refusal)
