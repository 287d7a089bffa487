"""A command on its way to a room."""

from dataclasses import dataclass

from parlour_server.hosting.actors.requests import Request
from parlour_server.room.state import Bot


@dataclass(slots=True)
class RoomRequest(Request):
    """A command with what a room has to know of its author."""

    name: str = ""
    """The author's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""
