"""What can be asked of a room, once the door has checked who asks and what the words mean."""

from dataclasses import dataclass

from parlour_protocol.ids import Seat, Version
from parlour_protocol.views import Report, RoomSettings


@dataclass(frozen=True, slots=True)
class Create:
    """Begin the room."""

    game: str
    settings: RoomSettings


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a seat, or any that is free."""

    name: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Stand up."""


@dataclass(frozen=True, slots=True)
class SeatBot:
    """Put a bot in a seat, or in any that is free."""

    bot: str
    """Its settings in full, seed and all: what a restart needs to go on as before."""
    seat: Seat | None = None


@dataclass(slots=True)
class Play:
    """Play a move for the position at `version`. Not frozen: one is made for every move played."""

    move: str
    version: Version
    report: Report | None = None
    """A bot's thoughts."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up."""

    reason: str = "resignation"


@dataclass(frozen=True, slots=True)
class OfferRematch:
    """Ask for another game."""


@dataclass(frozen=True, slots=True)
class Close:
    """End the room for good."""

    reason: str


Command = Create | Sit | Leave | SeatBot | Play | Resign | OfferRematch | Close
