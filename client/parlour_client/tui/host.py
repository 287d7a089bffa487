"""What a screen may ask of the application that shows it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parlour_client.parlour import Parlour
    from parlour_client.room import Room

Getting = Callable[["Parlour"], Awaitable["Room"]]
"""A way to a room: by sitting down, by looking on, by making it."""

Then = Callable[["Room"], Awaitable[None]]
"""What is done at a table once it is shown."""


class Host(Protocol):
    """The application, as its screens see it."""

    @property
    def parlour(self) -> "Parlour | None":
        """The player's place on the server; None while we are not connected for the first time."""

    def say(self, sentence: str) -> None:
        """Tell something, on whatever screen is shown."""

    def refuse(self, sentence: str) -> None:
        """Tell what was refused."""

    def open_table(self, taken: str, getting: Getting) -> None:
        """Say that it was taken up, get the room, and show its table; tell why where that can't be."""

    async def get(self, getting: Getting) -> "Room":
        """Get a room, however long that takes. Raises `Fault`."""

    def show(self, room: "Room | None") -> None:
        """Show a room's table; nothing for None."""

    def again(self) -> None:
        """Try to connect once more, where that failed."""

    def meant(self, text: str, *, sit: bool = True) -> str:
        """Go where a code, a link or a server's address leads. Gives a sentence where it leads nowhere."""
