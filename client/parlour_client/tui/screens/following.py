"""Follows a table's room: its state, whether we are connected, and why it is not followed any more."""

import asyncio
from collections.abc import AsyncIterator

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.messages import Disconnected, Reconnected, RoomUpdate
from parlour_client.sdk.room import Room
from parlour_client.sdk.state import ClientRoomState, as_of, typists
from parlour_client.text import wording
from parlour_client.tui.error_text import game_error_sentence
from parlour_protocol.notices import Replaced
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class Following:
    """Follows the room's changes, one for each turn of an `async for`: the view before it and the message."""

    def __init__(self, room: Room, ended: str = "") -> None:
        self._room = room
        self._lost: tuple[Disconnected, float] | None = None
        self._stopped: float | None = None
        """When the connection was lost: nobody knows what the clocks have done since then."""
        self.shown: ClientRoomState = room.state
        """The room's state, up to the message that was taken last."""
        self.ended = ended
        """Why its messages come no more; empty while they do."""

    async def __aiter__(self) -> AsyncIterator[tuple[RoomView, RoomUpdate]]:
        try:
            async for change in self._room.changes():
                # Not `change.before`, which is missing where a reader that fell behind begins anew.
                before, self.shown = self.shown.view, change.after
                match change.message:
                    case Disconnected() as lost:
                        self._lost = (lost, _time())
                        self._stopped = self._stopped or _time()
                    case Reconnected():
                        self._lost = self._stopped = None
                    case Replaced():
                        self.ended = say("connection.elsewhere")
                yield before, change.message
        except ParlourError as fault:
            self.ended = game_error_sentence(fault)
        else:
            view = self.shown.view
            if view.phase == "closed":
                self.ended = f"{wording.result(view)} {say('table.closed')}".strip()
            elif not self.ended:
                self.ended = say("screen.table.left")

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
