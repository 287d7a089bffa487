"""A command on its way to a room, and the callback that gets its reply."""

from collections.abc import Callable
from dataclasses import dataclass

from parlour_protocol.errors import Code
from parlour_protocol.ids import Version
from parlour_server.room.commands import RoomCommand
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import Bot

ReplyCallback = Callable[[str, str, Version, Refusal | None], None]
"""Called once with the command's id, the room's code and version, and why it was refused.

None: it is accepted, and durable. The code is empty where there is no room.
"""


@dataclass(slots=True)
class RoomRequest:
    """A command with its author."""

    command: RoomCommand
    by: str
    id: str
    reply: ReplyCallback
    name: str = ""
    """The author's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""
    caught_up: bool = False
    """Has the room read its log on for this one already?"""


def no_reply(command_id: str, room: str, version: Version, refusal: Refusal | None) -> None:
    """For commands whose author needs no reply."""


def not_looked_up() -> Refusal:
    """Why a command waits where the store can't tell just now what an earlier one has led to."""
    said = "The server could not look that up."
    return Refusal(Code.INTERNAL, said, retry_after=2.0)
