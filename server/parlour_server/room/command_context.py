"""What `decide` needs beside the state and the command: all that the log doesn't hold."""

from collections.abc import Callable
from dataclasses import dataclass

from parlour_server.room.state import Bot

Chance = Callable[[int], int]
"""Draws a whole number from 0 up to, but not including, its argument."""

SERVER = ""
"""The author of what the server itself does."""


@dataclass(slots=True)
class CommandContext:
    """The moment at which a command is decided. Not frozen, since one is made for every move."""

    by: str
    """The player whose command it is; `SERVER` for the server's own."""
    now: int
    """Milliseconds since 1970."""
    chance: Chance
    name: str = ""
    """The player's name."""
    bot: Bot | None = None
    """The bot that the command names, checked, with its seed."""
    here: bool = True
    """Is the author subscribed to the room?"""
    lag: int = 0
    """Milliseconds up to now that a player who moves, or whose flag is checked, is not charged: a move was on
    its way, say, or a bot's search waited."""
    rested: int = 0
    """Milliseconds that the search of the bot to move has waited: for commands other than its move."""
    away_since: tuple[int | None, int | None] = (None, None)
    """For each seat: since when its player has not been connected; None: connected, or no player's."""
