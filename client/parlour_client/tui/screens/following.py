"""Follows a table's room: its state, whether we are connected, and why it is not followed any more."""

import asyncio
from collections.abc import Callable

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.room import Room, RoomChange
from parlour_client.sdk.state import ClientRoomState, as_of, typists
from parlour_client.text import wording
from parlour_client.tui.error_text import game_error_sentence
from parlour_protocol.notices import Replaced
from parlour_protocol.unasked import RoomMessage
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class Following:
    """Follows the room's changes: calls `applied` with the view before and the message, then `changed`."""

    def __init__(
        self,
        room: Room,
        *,
        applied: Callable[[RoomView, RoomMessage], None],
        disconnected: Callable[[], None],
        reconnected: Callable[[], None],
        changed: Callable[[], None],
        ended: str = "",
    ) -> None:
        self._room = room
        self._applied = applied
        self._disconnected = disconnected
        self._reconnected = reconnected
        self._changed = changed
        self._lost: tuple[Disconnected, float] | None = None
        self._stopped: float | None = None
        """When the connection was lost: nobody knows what the clocks have done since then."""
        self.shown: ClientRoomState = room.state
        """The room's state, up to the message that was taken last."""
        self.ended = ended
        """Why its messages come no more; empty while they do."""

    async def run(self) -> None:
        """Follow the room until it ends."""
        try:
            async for change in self._room.changes():
                self._take(change)
        except ParlourError as fault:
            self.ended = game_error_sentence(fault)
        else:
            view = self.shown.view
            if view.phase == "closed":
                self.ended = f"{wording.result(view)} {say('table.closed')}".strip()
            elif not self.ended:
                self.ended = say("screen.table.left")
        self._changed()

    def _take(self, change: RoomChange) -> None:
        # Not `change.before`, which is missing where the reader fell behind and the room's stream began anew.
        message, before, self.shown = change.message, self.shown.view, change.after
        match message:
            case Disconnected():
                self._lost = (message, _time())
                self._stopped = self._stopped or _time()
                self._disconnected()
            case Reconnected():
                self._lost = self._stopped = None
                self._reconnected()
            case Replaced():
                self.ended = say("connection.elsewhere")
            case _:
                self._applied(before, message)
        self._changed()

    @property
    def now(self) -> RoomView:
        """The room's view with its times as of now, or of when the connection was lost."""
        return as_of(self.shown, self._stopped or _time())

    @property
    def typists(self) -> list[str]:
        """The names of those who write in the viewer's chat now."""
        return typists(self.shown, self._stopped or _time())

    @property
    def connected(self) -> bool:
        """Is the connection up?"""
        return self._lost is None

    @property
    def retry_in(self) -> float | None:
        """The seconds until the next attempt to connect; None while we are connected."""
        if self._lost is None:
            return None
        lost, since = self._lost
        return max(0.0, lost.retry_in - (_time() - since))

    @property
    def reason(self) -> str:
        """Why the connection is lost, or what can be done about it, where that is known."""
        return "" if self._lost is None else self._lost[0].reason


def _time() -> float:
    return asyncio.get_running_loop().time()
