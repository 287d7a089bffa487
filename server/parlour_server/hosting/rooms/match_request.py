"""What two players must agree in to be matched, and the name of that among nodes."""

from hashlib import sha256
from typing import NamedTuple

from pydantic_core import to_json

from parlour_protocol.settings import RoomSettings


class MatchRequest(NamedTuple):
    """What two must agree in to be matched."""

    game: str
    settings: RoomSettings


def match_key(wanted: MatchRequest) -> str:
    """The name of a request among the nodes of a cluster."""
    return sha256(to_json([wanted.game, wanted.settings])).hexdigest()[:32]
