"""A game that is wanted: from a dialog, a card or a command line, to a room."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from parlour_client.sdk.seats import is_guest
from parlour_client.text.names import game_name
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room
    from parlour_client.sdk.source import Source

FRIEND, NEXT_PLAYER = "(friend)", "(next)"
"""Opponents that are no bots, as `HERE` is none; no bot's name has a bracket."""

Side = Literal["first", "second", "random", "none"]


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game against somebody. `settings` are those of `RoomSettings` that differ from the usual."""

    game: str
    opponent: str
    """A bot with its settings, `FRIEND`, or `HERE` with a name."""
    side: Side = "first"
    """One's own seat; with `none` one watches, and the opponent has the first one."""
    settings: dict[str, Any] = field(default_factory=dict)
    moves: str = ""
    """Those that it begins after, as they were typed."""
    source: "Source | None" = None
    """The game whose position it is played on from."""
    other: str = ""
    """The bot in the second seat, where one watches."""

    async def get(self, parlour: "Client") -> "Room":
        """Make the room with all who sit in it, or watch. Raises `ParlourError`."""
        game, moves = self.game, self.moves
        if self.source is not None:
            from parlour_client.sdk.records import beginning

            game, moves = await beginning(parlour, self.source)
        across = "open" if self.opponent == FRIEND else self.opponent
        if self.side == "none":
            seats = across, self.other
        elif self.side == "second" or (self.side == "random" and secrets.randbelow(2)):
            seats = across, "me"
        else:
            seats = "me", across
        return await parlour.create(game, seats=seats, moves=moves, **self.settings)

    def __str__(self) -> str:
        """What is asked for, until it is there."""
        if self.side == "none":
            return say("screen.two_bots", game=game_name(self.game), first=self.opponent, last=self.other)
        return say("screen.against", game=game_name(self.game), name=opponent_name(self.opponent))


def opponent_name(opponent: str) -> str:
    """What a bot, or a person who is not known yet, is called."""
    if opponent == FRIEND:
        return say("screen.opponent.friend")
    if is_guest(opponent):
        return opponent.partition(":")[2] or say("screen.opponent.guest")
    return say("screen.opponent.next") if opponent == NEXT_PLAYER else opponent
