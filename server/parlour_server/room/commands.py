"""What can be asked of a room, once the door has checked who asks and what the words mean."""

from dataclasses import dataclass
from typing import Literal

from parlour_protocol.ids import Seat, Version
from parlour_protocol.views import Offer, Report, RoomSettings


@dataclass(frozen=True, slots=True)
class Create:
    """Begin the room."""

    game: str
    settings: RoomSettings
    moves: tuple[str, ...] = ()
    """Legal moves from the start, to the position where its games begin."""


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a seat, or any that is free."""

    name: str
    seat: Seat | None = None
    program: bool = False
    """Does a program play, and no person?"""


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
    """A bot's thoughts, or those of a player's own program."""
    lag: int = 0
    """Milliseconds that the way here took, as far as they are not to be paid for."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up."""

    reason: str = "resignation"


@dataclass(frozen=True, slots=True)
class OfferRematch:
    """Ask for another game."""


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offer a draw, or take the one that is offered."""


@dataclass(frozen=True, slots=True)
class OfferTakeback:
    """Ask to take one's last move back, or let the other side do so."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Turn an offer down, or take one's own back."""

    offer: Offer


@dataclass(frozen=True, slots=True)
class Abort:
    """End a game that has hardly begun, for nobody."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Take what the rules allow when the other player has been away for too long."""

    what: Literal["win", "draw", "bot"]
    away: int | None = None
    """Milliseconds for which they have been away, as the room knows it; None: they are here."""
    bot: str | None = None
    """Who plays on for them, settings and all."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Let the room's bot play for a player who is away. For the server itself."""

    seat: Seat
    bot: str


@dataclass(frozen=True, slots=True)
class EndStandIn:
    """A player whom a bot stood in for is back. For the server itself."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Sit down where a bot sits, and play on."""

    name: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Say:
    """Say something to the other players, or to the others who look on."""

    name: str
    text: str
    here: bool = True
    """Do they follow the room, as it knows?"""


@dataclass(frozen=True, slots=True)
class Flag:
    """Look whether somebody's time is up. For the server itself."""


@dataclass(frozen=True, slots=True)
class Wake:
    """The server has come back: clocks go on, and nobody pays for the time between."""

    spent: int
    """Milliseconds of the side to move that had run before."""


@dataclass(frozen=True, slots=True)
class Close:
    """End the room for good."""

    reason: str


Command = (
    Create
    | Sit
    | Leave
    | SeatBot
    | Play
    | Resign
    | OfferRematch
    | OfferDraw
    | OfferTakeback
    | Decline
    | Abort
    | Claim
    | StandIn
    | EndStandIn
    | TakeOver
    | Say
    | Flag
    | Wake
    | Close
)
