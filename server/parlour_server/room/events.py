"""What happened in a room: the facts of its log, in the past tense.

These are stored for ever. A field may be added with a default; none may change its meaning.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from parlour_protocol.ids import Seat
from parlour_protocol.views import Report, RoomSettings


@dataclass(frozen=True, slots=True)
class RoomCreated:
    """Version 1 of every room."""

    game: str
    settings: RoomSettings
    owner: str
    kind: Literal["room_created"] = "room_created"


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player, or a bot with its settings, sat down."""

    seat: Seat
    player: str
    name: str
    bot: str | None = None
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
    kind: Literal["move_played"] = "move_played"


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The game ended; a draw has no winner."""

    winner: Seat | None
    reason: str
    kind: Literal["game_finished"] = "game_finished"


@dataclass(frozen=True, slots=True)
class RematchOffered:
    """A player asks for another game."""

    seat: Seat
    kind: Literal["rematch_offered"] = "rematch_offered"


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
    | RematchOffered
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
