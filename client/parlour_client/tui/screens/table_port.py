"""What the objects that a table's screen owns may ask of it."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from parlour_client.sdk.state import ClientRoomState
from parlour_protocol.views.rooms import RoomView


class TablePort(Protocol):
    """A table's screen, as its objects see it."""

    @property
    def shown(self) -> ClientRoomState:
        """The room's state."""

    @property
    def view(self) -> RoomView:
        """The room's view."""

    @property
    def is_your_turn(self) -> bool:
        """Is the player to move?"""

    def changed(self) -> None:
        """Show what is known now: all but the board."""

    def refuse_closed(self, name: str) -> None:
        """Show why the action of this name is not open."""

    def show_present(self) -> None:
        """Show the position as it stands on the board."""

    def work_alone(self, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this in the background, in place of what runs in its group; why it fails is shown."""

    def stop_work(self, group: str) -> None:
        """Cancel what runs in a group."""
