"""The ways to a room whose code is known."""

from typing import TYPE_CHECKING

from parlour_client.faults import Fault, Refused
from parlour_client.tui.host import Getting
from parlour_client.tui.told import told_of_a_game

if TYPE_CHECKING:
    from parlour_client.parlour import Parlour
    from parlour_client.room import Room


def seat_or_look(code: str) -> Getting:
    """The way to a room's free seat, or back to our own; where both are taken, to look on."""

    async def getting(parlour: "Parlour") -> "Room":
        from parlour_protocol.errors import Code

        try:
            return await parlour.join(code)
        except Refused as refused:
            if refused.code is not Code.ROOM_FULL:
                raise
        return await parlour.watch(code)

    return getting


def look(code: str) -> Getting:
    """The way to look on."""
    return lambda parlour: parlour.watch(code)


def remembered(way: Getting) -> Getting:
    """The same way to a game that one had, and that the server may have forgotten."""

    async def getting(parlour: "Parlour") -> "Room":
        try:
            return await way(parlour)
        except Refused as refused:
            raise Fault(told_of_a_game(refused)) from refused

    return getting
