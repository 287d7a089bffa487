"""What a server says without being asked, beside events: it may be dropped, and only shows."""

from dataclasses import dataclass, field
from typing import Any, Literal

from parlour_protocol.ids import Both, CommandId, Seat, Version
from parlour_protocol.views.reports import GradeCounts, Report, ReviewedMove
from parlour_protocol.views.rooms import ClockView, RoomLine
from parlour_protocol.words import Said, Translatable


@dataclass(slots=True)
class Thinking:
    """What a bot thinks at this moment, for those who may see it."""

    room: str
    version: Version
    """The version of the position that it thinks about."""
    seat: Seat
    report: Report
    clock: ClockView | None = None
    """The game's clock as it is, where it differs from the view's: a bot's rests while its search waits for
    its turn."""
    type: Literal["thinking"] = "thinking"


@dataclass(slots=True)
class Progress:
    """The progress of a `hint`, an `analyse`, a `race`, or a `review` by moves, for those who asked for it.

    Each may have to wait for its turn, or for compiled code: then the report says how many are before it or
    how far that is, and no more.
    """

    about: CommandId
    """The id of the command that it is about."""
    report: Report
    """Of a hint, an analysis or a race what is known by now, with 81 candidates at most; of a review the
    whole report on the position before the move."""
    move: ReviewedMove | None = None
    """The move of a review that was graded, as far as its own search tells."""
    of: int | None = None
    """How many moves the review has to grade."""
    grades: Both[GradeCounts] | None = None
    """How often each side was given each grade of the review so far."""
    type: Literal["progress"] = "progress"


@dataclass(slots=True)
class Presence:
    """The connections at a room, as changes of its view: to be folded as an event's are."""

    room: str
    set: dict[str, Any]
    """`online`, `watching`, `away_since` and `claim_from`, as far as they differ."""
    splice: dict[str, list[list[Any]]] = field(default_factory=dict)
    type: Literal["presence"] = "presence"


@dataclass(slots=True)
class Replaced:
    """The player subscribed to this room through a newer connection: this one gets nothing more of it.

    A client that gets this must not subscribe again by itself.
    """

    room: str
    type: Literal["replaced"] = "replaced"


@dataclass(slots=True)
class Lobby:
    """What has changed in the list of rooms, for those who subscribed to it."""

    rooms: list[RoomLine]
    """As they are now."""
    gone: list[str] = field(default_factory=list)
    """The codes of those that are no longer in the list."""
    players: int = 0
    """How many players are connected."""
    type: Literal["lobby"] = "lobby"


@dataclass(slots=True)
class Announcement(Translatable):
    """What the server's host tells everybody who is connected."""

    text: str
    text_said: Said | None = field(default=None, compare=False)
    """What it is made of, where the server says it by itself."""
    type: Literal["announcement"] = "announcement"


@dataclass(slots=True)
class Goodbye(Translatable):
    """The server ends this connection, and says whether to come back and when."""

    code: Literal["stopping", "closed", "too_fast", "no_hello", "kicked", "banned"]
    message: str
    retry_after: float | None = None
    said: Said | None = field(default=None, compare=False)
    """What the sentence is made of, for those who have it in another language."""
    type: Literal["goodbye"] = "goodbye"
