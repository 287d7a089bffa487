"""What happened in a room: the facts of its log, in the past tense.

These are stored for ever. A field may be added with a default; none may change its meaning.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from parlour_protocol.ids import Seat
from parlour_protocol.views import Channel, Offer, Report, RoomSettings


@dataclass(frozen=True, slots=True)
class RoomCreated:
    """Version 1 of every room."""

    game: str
    settings: RoomSettings
    owner: str
    moves: tuple[str, ...] = ()
    """From the start to the position where its games begin."""
    kind: Literal["room_created"] = "room_created"


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player, or a bot with its settings, sat down; a player also where a bot sat."""

    seat: Seat
    player: str
    name: str
    bot: str | None = None
    program: bool = False
    """Does a program of the player's own play here?"""
    kind: Literal["seat_taken"] = "seat_taken"


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player stood up."""

    seat: Seat
    kind: Literal["seat_left"] = "seat_left"


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game began, `starter` to move."""

    starter: Seat
    kind: Literal["game_started"] = "game_started"


@dataclass(slots=True)
class MovePlayed:
    """A move, as people write it. Not frozen, since one is made for every move played."""

    seat: Seat
    move: str
    report: Report | None = None
    lag: int = 0
    """Milliseconds of its time that were on the way, and are not charged."""
    kind: Literal["move_played"] = "move_played"


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The game ended; a draw has no winner."""

    winner: Seat | None
    reason: str
    kind: Literal["game_finished"] = "game_finished"


@dataclass(frozen=True, slots=True)
class GameAborted:
    """The game ended before it had begun in earnest: it counts for nobody."""

    seat: Seat
    """Whose wish it was."""
    kind: Literal["game_aborted"] = "game_aborted"


@dataclass(frozen=True, slots=True)
class RematchOffered:
    """A player asks for another game."""

    seat: Seat
    kind: Literal["rematch_offered"] = "rematch_offered"


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """A player offers a draw. It stands until the other one answers, or moves."""

    seat: Seat
    kind: Literal["draw_offered"] = "draw_offered"


@dataclass(frozen=True, slots=True)
class TakebackOffered:
    """A player asks to take their last move back. It stands until the other one answers, or anyone moves."""

    seat: Seat
    kind: Literal["takeback_offered"] = "takeback_offered"


@dataclass(frozen=True, slots=True)
class OfferDeclined:
    """An offer was turned down, or taken back by whoever had made it."""

    seat: Seat
    offer: Offer
    kind: Literal["offer_declined"] = "offer_declined"


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """The last moves are undone, for this seat."""

    seat: Seat
    plies: int
    kind: Literal["moves_taken_back"] = "moves_taken_back"


@dataclass(frozen=True, slots=True)
class StandInSeated:
    """A bot plays on for a player who is away."""

    seat: Seat
    bot: str
    kind: Literal["stand_in_seated"] = "stand_in_seated"


@dataclass(frozen=True, slots=True)
class StandInLeft:
    """The player is back and plays on."""

    seat: Seat
    kind: Literal["stand_in_left"] = "stand_in_left"


@dataclass(frozen=True, slots=True)
class ClocksWoken:
    """The clocks stood still for a while: of the time since the last event only so many ms are charged."""

    spent: int
    kind: Literal["clocks_woken"] = "clocks_woken"


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    channel: Channel
    name: str
    text: str
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class NothingChanged:
    """A player asked for what stood already. Written down: the same command again gets the same answer."""

    kind: Literal["nothing_changed"] = "nothing_changed"


@dataclass(frozen=True, slots=True)
class RoomClosed:
    """The room's last event."""

    reason: str
    kind: Literal["room_closed"] = "room_closed"


Event = Annotated[
    RoomCreated
    | SeatTaken
    | SeatLeft
    | GameStarted
    | MovePlayed
    | GameFinished
    | GameAborted
    | RematchOffered
    | DrawOffered
    | TakebackOffered
    | OfferDeclined
    | MovesTakenBack
    | StandInSeated
    | StandInLeft
    | ClocksWoken
    | Said
    | NothingChanged
    | RoomClosed,
    Field(discriminator="kind"),
]


@dataclass(slots=True)
class Record:
    """An event as it stands in the log: with its time, its author and the command that caused it."""

    event: Event
    at: int
    """Milliseconds since 1970."""
    by: str
    """The player who caused it; empty for the server itself."""
    command: str | None = None
    """The author's id for the command, by which a repeated one is known."""
