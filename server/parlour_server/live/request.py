"""A command on its way to a room, whoever waits for its answer, and whoever follows the room."""

from dataclasses import dataclass
from typing import Protocol

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_server.room.commands import Command
from parlour_server.room.refusals import Refusal


class Asker(Protocol):
    """Whoever waits for a command's answer."""

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """It is done, and durable."""

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """It is not done, and nothing changed."""


@dataclass(slots=True)
class Request:
    """A command with its author, and who waits for the answer."""

    command: Command
    by: str
    id: str
    asker: Asker
    read_on: bool = False
    """Has the room read its log on for this one already?"""


class Member(Protocol):
    """Whoever follows a room."""

    player: str

    def send(self, message: bytes) -> None:
        """Show a message."""

    def lag(self) -> int:
        """Milliseconds that a message takes to and fro, as measured; 0 where that is not known."""

    def dismissed(self, room: str) -> None:
        """Nothing more comes from this room: it is closed, or the player follows it elsewhere now."""


def not_looked_up() -> Refusal:
    """Where the store can't tell just now what a command had led to before."""
    said = "The server could not look that up. Try again in a moment."
    return Refusal(Code.INTERNAL, said, retry_after=2.0)


class Nobody:
    """Waits for no answer."""

    def accepted(self, command_id: str, room: str, version: Version) -> None:
        """Well."""

    def refused(self, command_id: str, room: str, version: Version, refusal: Refusal) -> None:
        """Well."""


NOBODY = Nobody()
