"""What a screen may ask of the application that shows it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room

OpenRoom = Callable[["Client"], Awaitable["Room"]]
"""A way to a room: by sitting down, by watching, by making it."""


class AppPort(Protocol):
    """The application, as its screens see it."""

    @property
    def parlour(self) -> "Client | None":
        """The player's place on the server; None while we are not connected for the first time."""

    def say(self, sentence: str) -> None:
        """Show a sentence for a while, on any screen."""

    def refuse(self, sentence: str) -> None:
        """Show for a while what was refused."""

    def open_table(self, sentence: str, open_room: OpenRoom) -> None:
        """Show `sentence`, open the room, and show its table; or say why that can't be."""

    async def get(self, open_room: OpenRoom) -> "Room":
        """Get a room, however long that takes. Raises `ParlourError`."""

    def show(self, room: "Room | None") -> None:
        """Show a room's table; nothing for None."""

    def list_games(self, code: str) -> None:
        """Show the list of a room's games."""

    def reconnect(self) -> None:
        """Try to connect once more, where that failed."""

    def go_to(self, text: str, *, sit: bool = True) -> str:
        """Go where a code, a link or a server's address leads. Gives a sentence where it leads nowhere."""
