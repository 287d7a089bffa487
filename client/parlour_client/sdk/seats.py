"""Who sits in a new room's seat, as people write it: `me`, `open`, `here:Ben`, or a bot with its settings."""

from typing import TYPE_CHECKING

from parlour_protocol.words import say

if TYPE_CHECKING:  # so that a lobby can be painted before the wire's types are loaded
    from parlour_protocol.commands import SeatChoice

HERE = "here"
"""Somebody at this device; their name stands behind a colon."""


def is_guest(text: str) -> bool:
    """Does it name somebody at this device?"""
    return text.partition(":")[0] == HERE


def seat_choice(text: str) -> "SeatChoice":
    """The choice that a command carries. Raises `UsageError`."""
    from parlour_client.sdk.commands import checked
    from parlour_protocol.commands import AskedBot, AskedGuest

    if text == "me":
        return "me"
    if text == "open":
        return "open"
    if is_guest(text):
        name = text.partition(":")[2].strip()
        return checked(AskedGuest, {"guest": name or say("seat.guest")})
    return checked(AskedBot, {"bot": text})
