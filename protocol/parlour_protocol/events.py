"""What happens in a room: the facts of its log, in the past tense, as they are stored and as they are sent.

These are stored for ever: a field may be added with a default; none may change its meaning. What must never
leave the server is marked `Private` here, and nowhere else; `codec` leaves it out of every message.

On the wire an event carries its room, the version that it made (one more than the last), and how the
room's view differs since: see `fold`. A client ignores fields and kinds of events that it doesn't know.
"""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, Field, TypeAdapter

from parlour_protocol.actions import OFFERS, Offer
from parlour_protocol.ids import Both, Seat, Version
from parlour_protocol.messages import RoomMessage
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Report
from parlour_protocol.views.rooms import Channel, KnownTermination, KnownUnrated, RoomView
from parlour_protocol.words import Said, Translatable

T = TypeVar("T")

_PRIVATE = "private"
_CHANNEL = "channel"

Private = Annotated[T, _PRIVATE]
"""Stays on the server: no viewer gets it."""

OfChannel = Annotated[T, _CHANNEL]
"""For those alone who read the event's channel."""


@dataclass(slots=True)
class RoomCreated:
    """Version 1 of every room."""

    game: str
    settings: RoomSettings
    moves: tuple[str, ...] = ()
    """From the start to the position where its games begin."""
    owner: Private[str] = ""
    tournament: str | None = None
    """The code of the tournament of which its game is one."""
    rated: bool = False
    """Do its games count for ratings, where nothing stands against it?"""
    kind: Literal["room_created"] = "room_created"


@dataclass(slots=True)
class SeatTaken:
    """A player, or a bot, sat down; a player also where a bot sat."""

    seat: Seat
    name: str
    bot: str | None = None
    """A bot's settings as one would type them, `minimax:depth=4`."""
    program: bool = False
    """Does a program of the player's own play here?"""
    player: Private[str] = ""
    seed: Private[int | None] = None
    """What a bot's random choices follow from: a player who knew it could foretell them."""
    kind: Literal["seat_taken"] = "seat_taken"


@dataclass(slots=True)
class SeatRenamed:
    """A seat's player is called otherwise from now on."""

    seat: Seat
    name: str
    kind: Literal["seat_renamed"] = "seat_renamed"


@dataclass(slots=True)
class SeatLeft:
    """A player stood up: the seat is free."""

    seat: Seat
    kind: Literal["seat_left"] = "seat_left"


@dataclass(slots=True)
class BotAwaited:
    """A bot takes the free seat from this moment on, unless a player comes first."""

    bot: str
    """Its settings as one would type them."""
    at: int
    """Milliseconds since 1970, by the server's clock."""
    seed: Private[int | None] = None
    kind: Literal["bot_awaited"] = "bot_awaited"


@dataclass(slots=True)
class StandInSeated:
    """A bot plays on for a player who is away."""

    seat: Seat
    bot: str
    seed: Private[int | None] = None
    kind: Literal["stand_in_seated"] = "stand_in_seated"


@dataclass(slots=True)
class StandInLeft:
    """The player is back and plays on."""

    seat: Seat
    kind: Literal["stand_in_left"] = "stand_in_left"


@dataclass(slots=True)
class GameStarted:
    """Both seats are taken, or a rematch was agreed on: a game began, `starter` to play the first side."""

    starter: Seat
    kind: Literal["game_started"] = "game_started"


@dataclass(slots=True)
class MovePlayed:
    """A move, as people write it."""

    seat: Seat
    move: str
    report: Private[Report | None] = None
    """How a bot found it. It goes out in the view, to those who may see it."""
    lag: Private[int] = 0
    """Milliseconds of its time that were on the way, or in which a bot's search waited for its turn. They are
    not charged."""
    kind: Literal["move_played"] = "move_played"


@dataclass(slots=True)
class PlayerSummary:
    """A player of a game that is over."""

    player: str
    name: str
    bot: str | None = None
    """A bot's settings as one would type them."""
    program: bool = False


@dataclass(slots=True)
class GameSummary:
    """What a rating or a tournament needs of a game that is over, beside how it ended."""

    game: str
    """With its variant, as `RoomCreated` names it."""
    number: int
    """Among its room's games, from 1."""
    starter: Seat
    plies: int
    """Moves that were made, without those of the position where it began."""
    players: Both[PlayerSummary]
    clock: str | None = None
    started_with: int = 0
    """How many moves led to the position where it began."""
    rated: bool = False
    """Does it count for ratings?"""


@dataclass(slots=True)
class GameFinished(Translatable):
    """The game is over: won by a seat, or by neither."""

    termination: KnownTermination
    winner: Seat | None = None
    reason: str = ""
    """A sentence's part for people: `three in a row`."""
    by: Seat | None = None
    """The seat that brought it about by resigning, aborting or claiming, if one did."""
    summary: Private[GameSummary | None] = field(default=None, compare=False)
    """So that a store lists the game without its log. It follows from the events before: missing in those of
    earlier versions."""
    reason_said: Said | None = field(default=None, compare=False)
    """What the reason is made of; None where a stranger's game gave it, and in logs of earlier versions."""
    unrated: KnownUnrated | None = field(default=None, compare=False)
    """Why a game of a rated room doesn't count for ratings, where that is so."""
    kind: Literal["game_finished"] = "game_finished"


@dataclass(slots=True)
class OfferMade:
    """A player offers a draw, or asks for a move back or for another game; or a spectator for a bot's seat.

    An offer stands until the other one answers; of a draw or a takeback also until a move is played.
    """

    seat: Seat
    """Who offers it; of a spectator's, the seat that is asked for."""
    offer: Offer
    name: str | None = None
    """The spectator's."""
    kind: Literal["offer_made"] = "offer_made"


@dataclass(slots=True)
class OfferDeclined:
    """An offer no longer stands: this seat turned it down, or withdrew it."""

    seat: Seat
    """Whether a spectator's was withdrawn is told as if they sat already in the seat that they ask for."""
    offer: Offer
    kind: Literal["offer_declined"] = "offer_declined"


@dataclass(slots=True)
class MovesTakenBack:
    """The last moves are undone, for this seat."""

    seat: Seat
    plies: int
    kind: Literal["moves_taken_back"] = "moves_taken_back"


@dataclass(slots=True)
class ClocksStopped:
    """The server was down, or the room asleep: the clocks stand still until the side to move is back."""

    spent: Private[int] = 0
    """How many milliseconds of the time since the last event are charged."""
    kind: Literal["clocks_stopped"] = "clocks_stopped"


@dataclass(slots=True)
class ClocksResumed:
    """The clocks go on, after they stood still or a bot's search waited for its turn."""

    rested: Private[int] = 0
    """How many milliseconds of the time since the last event are not charged."""
    kind: Literal["clocks_resumed"] = "clocks_resumed"


@dataclass(slots=True)
class ChatPosted(Translatable):
    """A line of chat. A viewer who does not read its channel gets the event without name and text."""

    channel: Channel
    name: OfChannel[str] = ""
    text: OfChannel[str] = ""
    text_said: OfChannel[Said | None] = field(default=None, compare=False)
    """What a quick word is made of."""
    kind: Literal["chat_posted"] = "chat_posted"


@dataclass(slots=True)
class RoomClosed(Translatable):
    """The room's last event."""

    reason: str
    reason_said: Said | None = field(default=None, compare=False)
    kind: Literal["room_closed"] = "room_closed"


KnownEvent = (
    RoomCreated
    | SeatTaken
    | SeatRenamed
    | SeatLeft
    | BotAwaited
    | StandInSeated
    | StandInLeft
    | GameStarted
    | MovePlayed
    | GameFinished
    | OfferMade
    | OfferDeclined
    | MovesTakenBack
    | ClocksStopped
    | ClocksResumed
    | ChatPosted
    | RoomClosed
)

EVENTS: tuple[type[Any], ...] = get_args(KnownEvent)
"""Every kind of event."""

NEW_POSITION = (GameStarted, MovePlayed, MovesTakenBack)
"""The events with which a position comes to be."""
ENDS_THOUGHT = (*NEW_POSITION, GameFinished, SeatTaken, SeatLeft, RoomClosed)
"""The events after which no bot thinks about the position any more that was there before."""


def kind_of(event: type[Any]) -> str:
    """The value of `kind` by which an event is known."""
    return str(get_args(get_type_hints(event)["kind"])[0])


def fields_marked(event: type[Any], *marks: str) -> set[str]:
    """The names of an event's fields that are marked so, `private` or `channel`."""
    hints = get_type_hints(event, include_extras=True)
    return {
        one.name
        for one in fields(event)
        if get_origin(hints[one.name]) is Annotated and set(marks) & set(get_args(hints[one.name])[1:])
    }


_KINDS = frozenset(map(kind_of, EVENTS))
_OF_OFFERS = frozenset(map(kind_of, (OfferMade, OfferDeclined)))


@dataclass(slots=True)
class UnknownEvent:
    """A kind of event that this client is too old for: what it changes in the view is right all the same."""

    kind: str
    offer: str | None = None
    """Of an event on an offer: the kind of offer that this client is too old for."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where it is known."""
        new_offer = self.kind in _OF_OFFERS and self.offer not in (None, *OFFERS)
        if self.kind in _KINDS and not new_offer:
            raise ValueError(f"{self.kind} is known, but not so")


RoomEvent = Annotated[
    Annotated[KnownEvent, Field(discriminator="kind")] | UnknownEvent, Field(union_mode="left_to_right")
]


@dataclass(slots=True)
class Event(RoomMessage):
    """One event of one room. Versions of a room follow each other without gaps.

    `set` and `splice` say how the view differs since the last version; `fold` applies them.
    """

    version: Version
    at: int
    """When it happened: milliseconds since 1970, by the server's clock."""
    event: RoomEvent
    set: dict[str, Any] = field(default_factory=dict)
    """Fields of the view by path (`turn`, `position.to_move`), with their values now; null: absent now."""
    splice: dict[str, list[list[Any]]] = field(default_factory=dict)
    """Lists of the view by path, each with its cuts in order: where, how many go, and the items that come."""
    type: Literal["event"] = "event"


@cache
def _room_view() -> TypeAdapter[RoomView]:
    # Built when a client first reads one.
    return TypeAdapter(RoomView)


def read_view(data: dict[str, Any]) -> RoomView:
    """A view that is plain data, typed. Raises pydantic's `ValidationError` where it is none."""
    return _room_view().validate_python(data)


def _is_view(data: dict[str, Any]) -> dict[str, Any]:
    read_view(data)
    return data


@dataclass(slots=True)
class Snapshot(RoomMessage):
    """All of a room as this viewer may see it at its version; events go on from there."""

    version: Version
    at: int
    """When it was taken: milliseconds since 1970, by the server's clock."""
    view: Annotated[dict[str, Any], AfterValidator(_is_view)]
    """A `RoomView` as plain data, to be folded."""
    type: Literal["snapshot"] = "snapshot"
