"""Which rooms a connection follows, and up to which version: so that nothing above sees a gap or a repeat.

Pure: messages in, verdicts out.
"""

from typing import Literal

from parlour_protocol.ids import Version
from parlour_protocol.to_client import Event, RoomClosed, Snapshot, UnknownEvent

Verdict = Literal["show", "drop", "refetch", "show and refetch"]
"""What to do with a message; to refetch is to ask for a snapshot of its room."""


class Following:
    """The rooms followed, each with the last version heard of (None: a snapshot is on its way)."""

    def __init__(self) -> None:
        self._rooms: dict[str, Version | None] = {}

    def __contains__(self, room: str) -> bool:
        return room in self._rooms

    def rooms(self) -> list[tuple[str, Version | None]]:
        """Every room with its version, as a return after a lost connection must name them."""
        return list(self._rooms.items())

    def version(self, room: str) -> Version | None:
        """The last version heard; None where the room is not followed or its snapshot is awaited."""
        return self._rooms.get(room)

    def start(self, room: str) -> None:
        """Follow a room from its next snapshot on; one that is followed already stays as it is."""
        self._rooms.setdefault(room, None)

    def stop(self, room: str) -> None:
        """Follow it no more."""
        self._rooms.pop(room, None)

    def judge(self, message: Event | Snapshot) -> Verdict:
        """Take note of a room's message, and say whether it belongs on a screen."""
        room, version = message.room, message.version
        if room not in self._rooms:
            return "drop"
        known = self._rooms[room]
        if isinstance(message, Snapshot):
            # The same version again is news where it was our sitting down that changed the view.
            if known is not None and version < known:
                return "drop"
            self._rooms[room] = version
            return "show"
        if known is None or version <= known:
            return "drop"
        if version > known + 1:
            self._rooms[room] = None
            return "refetch"
        self._rooms[room] = version
        if isinstance(message.event, RoomClosed):
            self.stop(room)
        return "show and refetch" if isinstance(message.event, UnknownEvent) else "show"
