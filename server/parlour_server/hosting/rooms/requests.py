"""What comes to rooms: a command of a person, and the wish to be matched with another one."""

from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from pydantic_core import to_json

from parlour_protocol.settings import RoomSettings
from parlour_server.hosting.actors.requests import Request
from parlour_server.room.state import Bot


@dataclass(slots=True)
class RoomRequest(Request):
    """A command with what a room has to know of its author."""

    name: str = ""
    """The author's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""


class MatchRequest(NamedTuple):
    """What two must agree in to be matched."""

    game: str
    settings: RoomSettings


def match_key(wanted: MatchRequest) -> str:
    """The name of a request among the nodes of a cluster."""
    return sha256(to_json([wanted.game, wanted.settings])).hexdigest()[:32]
