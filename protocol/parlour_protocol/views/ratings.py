"""Ratings as the server shows them: who is rated in a game, and one player's way there."""

from dataclasses import dataclass
from typing import Literal

from parlour_protocol.ids import Both, Seat
from parlour_protocol.views.rooms import ResultView, SeatView


@dataclass(slots=True)
class RatedGame:
    """A game in which players are rated."""

    game: str
    people: int
    bots: int
    games: int
    """How many rated games have been played."""


@dataclass(slots=True)
class RatingLine:
    """A player's rating in a game."""

    place: int
    """Among people, or among bots."""
    name: str
    """A bot, or a program, is marked as one."""
    key: str
    """What the player is known by here, whose name others may have, too."""
    kind: Literal["person", "program", "bot"]
    rating: int
    deviation: int
    """The strength lies within two of these around the rating, in 95 of 100 cases."""
    games: int
    provisional: Literal[True] | None = None
    """Is the deviation so large that the rating says little?"""
    you: Literal[True] | None = None


@dataclass(slots=True)
class SeatRating:
    """How a seat's player is rated in the room's game."""

    rating: int
    provisional: Literal[True] | None = None
    change: str | None = None
    """By which the room's last game changed it: `+17`; None where it didn't, or is not counted yet."""


@dataclass(slots=True)
class PastRated:
    """A rated game of a player's."""

    seats: Both[SeatView]
    you: Seat
    """Where that player sat."""
    opponent: Seat
    result: ResultView
    rating: int
    """The player's after it."""
    change: str
    """By which that was another one than before: `+17`; empty where that is no longer known."""
    at: int
    """When it ended: milliseconds since 1970."""
    phase: Literal["finished"] = "finished"
    your_turn: Literal[False] = False


@dataclass(slots=True)
class RatedAgainst:
    """How a player's last games against one opponent went."""

    name: str
    key: str
    games: int
    wins: int = 0
    draws: int = 0
    losses: int = 0
