"""Opens rooms whose code is known."""

from typing import TYPE_CHECKING

from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.tui.app_port import OpenRoom
from parlour_client.tui.error_text import game_error_sentence

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room
    from parlour_protocol.views.records import PastRoom


def seat_or_watch(code: str) -> OpenRoom:
    """Take a room's free seat, or go back to our own; where both are taken, watch."""

    return lambda parlour: parlour.enter(code)


def watch(code: str) -> OpenRoom:
    """Watch a room."""
    return lambda parlour: parlour.watch(code)


def closed(past: "PastRoom") -> OpenRoom:
    """Show the last game of a closed room, from its record."""
    from parlour_client.sdk import records

    return lambda parlour: records.as_room(parlour, past.room, None, past.you, "closed")


def remembered(opener: OpenRoom) -> OpenRoom:
    """Open one of the player's own games, which the server may no longer have."""

    async def open_room(parlour: "Client") -> "Room":
        try:
            return await opener(parlour)
        except Refused as refused:
            raise ParlourError(game_error_sentence(refused)) from refused

    return open_room
