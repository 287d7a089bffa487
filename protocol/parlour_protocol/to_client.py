"""What a server may say: answers to commands, events of rooms, and notices.

An answer carries the `id` of its command. An event carries its room and the version that it made,
one more than the event before it. A notice carries neither; it may be dropped, and only shows.
A client ignores fields, notices and kinds of events that it doesn't know.

In JSON a field that is None is left out.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args, get_type_hints

from pydantic import Discriminator, Field, Tag

from parlour_protocol.errors import Code
from parlour_protocol.ids import CommandId, Seat, Version
from parlour_protocol.views import (
    Both,
    BotLine,
    Channel,
    ClockView,
    Entrant,
    GameLine,
    GameRecord,
    Grade,
    Limits,
    Offer,
    PastRoom,
    Position,
    Report,
    RoomLine,
    RoomSettings,
    RoomView,
    SeatView,
    ThoughtView,
    TreeNode,
)

# ---------------------------------------------------------------- answers


@dataclass(slots=True)
class Welcome:
    """The answer to `hello`."""

    id: CommandId
    protocol: int
    server: str
    player: str
    """The player's public name for programs; no secret."""
    name: str
    limits: Limits
    token: str | None = None
    """A new player's secret, told this once: keep it and send it in the next hello."""
    type: Literal["welcome"] = "welcome"


@dataclass(slots=True)
class Accepted:
    """Done, and durable: the command's effect stands in the room's log up to `version`."""

    id: CommandId
    room: str
    version: Version
    type: Literal["accepted"] = "accepted"


@dataclass(slots=True)
class Refused:
    """Not done; nothing changed. Without an id: the message could not be read that far."""

    code: Code
    message: str
    """A sentence for people: what was wrong and what to do."""
    id: CommandId | None = None
    room: str | None = None
    version: Version | None = None
    legal: list[str] | None = None
    """For a move: the legal ones."""
    retry_after: float | None = None
    """Seconds after which the same command may succeed, where waiting helps."""
    type: Literal["refused"] = "refused"


@dataclass(slots=True)
class Hint:
    """The answer to `hint`: the position's moves with their costs. For whoever asked alone."""

    id: CommandId
    room: str
    version: Version
    report: Report
    type: Literal["hint"] = "hint"


@dataclass(slots=True)
class Thoughts:
    """The answer to `thoughts`: as many of the kept reports as the viewer may see."""

    id: CommandId
    room: str
    thoughts: list[ThoughtView]
    type: Literal["thoughts"] = "thoughts"


@dataclass(slots=True)
class Rooms:
    """The answer to `rooms`."""

    id: CommandId
    rooms: list[RoomLine]
    players: int = 0
    """How many players are connected."""
    type: Literal["rooms"] = "rooms"


@dataclass(slots=True)
class Games:
    """The answer to `games`."""

    id: CommandId
    games: list[GameLine]
    type: Literal["games"] = "games"


@dataclass(slots=True)
class Bots:
    """The answer to `bots`."""

    id: CommandId
    bots: list[BotLine]
    type: Literal["bots"] = "bots"


@dataclass(slots=True)
class Analysis:
    """The answer to `analyse`."""

    id: CommandId
    game: str
    position: Position
    report: Report
    winner: Literal["first", "second", "draw"] | None = None
    """Who has won the position already, by side; None while the game goes on."""
    moves: list[str] = field(default_factory=list)
    """The moves that lead there, one by one, as the game writes them."""
    grade: Grade | None = None
    """Of the move that was played, where one was asked about and the search had come to it."""
    type: Literal["analysis"] = "analysis"


@dataclass(slots=True)
class GameTree:
    """The answer to `tree`: every position that the search visited, parents first."""

    id: CommandId
    game: str
    position: Position
    depth: int
    """How many plies it looked ahead."""
    pruned: bool
    """Was it alpha-beta that searched?"""
    nodes: list[TreeNode]
    type: Literal["game_tree"] = "game_tree"


@dataclass(slots=True)
class Raced:
    """The answer to `race`: what one search found, and what that took."""

    id: CommandId
    game: str
    position: Position
    entrant: Entrant
    depth: int
    """The horizon that it was given."""
    report: Report
    """Its one candidate is the best move; not finished where it was stopped."""
    type: Literal["raced"] = "raced"


@dataclass(slots=True)
class Record:
    """The answer to `record`: a part of a game as it was played, and whether there is more of it."""

    id: CommandId
    record: GameRecord
    more: bool = False
    type: Literal["record"] = "record"


@dataclass(slots=True)
class Board:
    """The answer to `board`."""

    id: CommandId
    game: str
    position: Position
    moves: list[str]
    """The moves that lead there, one by one, as the game writes them."""
    winner: Literal["first", "second", "draw"] | None = None
    type: Literal["board"] = "board"


@dataclass(slots=True)
class History:
    """The answer to `history`: the player's own rooms, the last used first."""

    id: CommandId
    rooms: list[PastRoom]
    type: Literal["history"] = "history"


# ---------------------------------------------------------------- what happens in a room


@dataclass(slots=True)
class RoomCreated:
    """Version 1 of every room."""

    game: str
    title: str
    settings: RoomSettings
    kind: Literal["room_created"] = "room_created"


@dataclass(slots=True)
class SeatTaken:
    """Somebody sat down, or plays on there now: `who` is what the seat is from here on."""

    seat: Seat
    who: SeatView
    kind: Literal["seat_taken"] = "seat_taken"


@dataclass(slots=True)
class SeatLeft:
    """A seat is free again."""

    seat: Seat
    kind: Literal["seat_left"] = "seat_left"


@dataclass(slots=True)
class GameStarted:
    """Both seats are taken, or a rematch was agreed on."""

    number: int
    starter: Seat
    to_move: Seat
    position: Position
    moves: list[str] = field(default_factory=list)
    """Those that it begins with, where it is played on from another."""
    kind: Literal["game_started"] = "game_started"


@dataclass(slots=True)
class MovePlayed:
    """A move, the position after it and whoever moves next (None: the game is over)."""

    seat: Seat
    move: str
    position: Position
    to_move: Seat | None = None
    report: Report | None = None
    """A bot's thoughts, where the viewer may see them."""
    kind: Literal["move_played"] = "move_played"


@dataclass(slots=True)
class GameFinished:
    """The game is over: won by a seat, or drawn (no winner)."""

    reason: str
    wins: Both[int]
    draws: int
    winner: Seat | None = None
    kind: Literal["game_finished"] = "game_finished"


@dataclass(slots=True)
class RematchOffered:
    """A seat asks for another game."""

    seat: Seat
    kind: Literal["rematch_offered"] = "rematch_offered"


@dataclass(slots=True)
class GameAborted:
    """The game ended before it had begun in earnest. It counts for nobody."""

    seat: Seat
    """Who wished it."""
    kind: Literal["game_aborted"] = "game_aborted"


@dataclass(slots=True)
class DrawOffered:
    """A seat offers a draw. The offer stands until the other one answers, or moves."""

    seat: Seat
    kind: Literal["draw_offered"] = "draw_offered"


@dataclass(slots=True)
class TakebackOffered:
    """A seat asks to take its last move back. It stands until the other one answers, or anyone moves."""

    seat: Seat
    kind: Literal["takeback_offered"] = "takeback_offered"


@dataclass(slots=True)
class OfferDeclined:
    """An offer no longer stands: this seat turned it down, or took it back."""

    seat: Seat
    offer: Offer
    kind: Literal["offer_declined"] = "offer_declined"


@dataclass(slots=True)
class MovesTakenBack:
    """The last moves are undone, for this seat."""

    seat: Seat
    plies: int
    position: Position
    to_move: Seat | None = None
    kind: Literal["moves_taken_back"] = "moves_taken_back"


@dataclass(slots=True)
class ClocksWoken:
    """The clocks stood still, since the server was down or the room asleep, and go on now."""

    kind: Literal["clocks_woken"] = "clocks_woken"


@dataclass(slots=True)
class Said:
    """Somebody said something. Whoever may not hear it gets the event without its words."""

    channel: Channel
    name: str | None = None
    text: str | None = None
    kind: Literal["said"] = "said"


@dataclass(slots=True)
class NothingChanged:
    """Somebody asked for what stood already."""

    kind: Literal["nothing_changed"] = "nothing_changed"


@dataclass(slots=True)
class RoomClosed:
    """The room's last event."""

    reason: str
    kind: Literal["room_closed"] = "room_closed"


@dataclass(slots=True)
class UnknownEvent:
    """A kind of event that this client is too old for: count its version, and ask for a snapshot."""

    kind: str


_KINDS = (
    RoomCreated,
    SeatTaken,
    SeatLeft,
    GameStarted,
    MovePlayed,
    GameFinished,
    GameAborted,
    RematchOffered,
    DrawOffered,
    TakebackOffered,
    OfferDeclined,
    MovesTakenBack,
    ClocksWoken,
    Said,
    NothingChanged,
    RoomClosed,
)
_KNOWN_KINDS = frozenset(get_args(get_type_hints(kind)["kind"])[0] for kind in _KINDS)


def _kind_tag(value: Any) -> str:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) and kind in _KNOWN_KINDS else "unknown"


RoomEvent = Annotated[
    Annotated[RoomCreated, Tag("room_created")]
    | Annotated[SeatTaken, Tag("seat_taken")]
    | Annotated[SeatLeft, Tag("seat_left")]
    | Annotated[GameStarted, Tag("game_started")]
    | Annotated[MovePlayed, Tag("move_played")]
    | Annotated[GameFinished, Tag("game_finished")]
    | Annotated[GameAborted, Tag("game_aborted")]
    | Annotated[RematchOffered, Tag("rematch_offered")]
    | Annotated[DrawOffered, Tag("draw_offered")]
    | Annotated[TakebackOffered, Tag("takeback_offered")]
    | Annotated[OfferDeclined, Tag("offer_declined")]
    | Annotated[MovesTakenBack, Tag("moves_taken_back")]
    | Annotated[ClocksWoken, Tag("clocks_woken")]
    | Annotated[Said, Tag("said")]
    | Annotated[NothingChanged, Tag("nothing_changed")]
    | Annotated[RoomClosed, Tag("room_closed")]
    | Annotated[UnknownEvent, Tag("unknown")],
    Discriminator(_kind_tag),
]


@dataclass(slots=True)
class Event:
    """One event of one room. Versions of a room follow each other without gaps."""

    room: str
    version: Version
    at: int
    """When it happened: milliseconds since 1970, by the server's clock."""
    event: RoomEvent
    clock: ClockView | None = None
    """The players' time when it happened, in games with a clock."""
    type: Literal["event"] = "event"


@dataclass(slots=True)
class Snapshot:
    """All of a room as this viewer may see it at `version`; events go on from there."""

    room: str
    version: Version
    view: RoomView
    type: Literal["snapshot"] = "snapshot"


# ---------------------------------------------------------------- notices


@dataclass(slots=True)
class Thinking:
    """What a bot thinks at this moment, for those who may see it."""

    room: str
    version: Version
    """The version of the position that it thinks about."""
    seat: Seat
    report: Report
    type: Literal["thinking"] = "thinking"


@dataclass(slots=True)
class Progress:
    """How the search of an `analyse` gets on, for those who asked to be told."""

    about: CommandId
    """The id of the `analyse` that it is about."""
    report: Report
    """With the best few candidates alone."""
    type: Literal["progress"] = "progress"


@dataclass(slots=True)
class Presence:
    """Who is connected: each seat's player, and how many look on."""

    room: str
    online: Both[bool]
    watching: int
    away: Both[float | None] = field(default_factory=lambda: [None, None])
    """For each seat: for how many seconds its player has not been, where that is so."""
    type: Literal["presence"] = "presence"


@dataclass(slots=True)
class Replaced:
    """The player follows this room through a newer connection: nothing more comes from it here.

    Whoever is told so lets go, and does not come back by itself.
    """

    room: str
    type: Literal["replaced"] = "replaced"


@dataclass(slots=True)
class Lobby:
    """What has changed in the list of rooms, for those who asked to be told."""

    rooms: list[RoomLine]
    """As they are now."""
    gone: list[str] = field(default_factory=list)
    """The codes of those that are no longer in the list."""
    players: int = 0
    """How many players are connected."""
    type: Literal["lobby"] = "lobby"


@dataclass(slots=True)
class Goodbye:
    """The server ends this connection, and says whether to come back and when."""

    code: Literal["stopping", "too_fast", "no_hello"]
    message: str
    retry_after: float | None = None
    type: Literal["goodbye"] = "goodbye"


Answer = (
    Welcome
    | Accepted
    | Refused
    | Hint
    | Thoughts
    | Rooms
    | Games
    | Bots
    | Analysis
    | GameTree
    | Raced
    | Record
    | Board
    | History
)
"""What answers a command."""

ToClient = Annotated[
    Welcome
    | Accepted
    | Refused
    | Hint
    | Thoughts
    | Rooms
    | Games
    | Bots
    | Analysis
    | GameTree
    | Raced
    | Record
    | Board
    | History
    | Event
    | Snapshot
    | Thinking
    | Progress
    | Presence
    | Replaced
    | Lobby
    | Goodbye,
    Field(discriminator="type"),
]
