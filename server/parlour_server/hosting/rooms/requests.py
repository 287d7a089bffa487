"""A command on its way to a room."""

from dataclasses import dataclass

from parlour_protocol.errors import Code
from parlour_server.hosting.actors.requests import Request
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import Bot


@dataclass(slots=True)
class RoomRequest(Request):
    """A command with what a room has to know of its author."""

    name: str = ""
    """The author's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""


def not_looked_up() -> Refusal:
    """Why a command waits where the store can't tell just now what an earlier one has led to."""
    said = "The server could not look that up."
    return Refusal(Code.INTERNAL, said, retry_after=2.0)
