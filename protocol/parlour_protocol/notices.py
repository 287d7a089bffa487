"""What a server says without being asked, beside events: it may be dropped, and only shows.

A notice is described here alone: `make types` writes its row in docs/protocol.md from it.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from parlour_protocol.ids import Both, CommandId, Seat, Version
from parlour_protocol.messages import Notice, RoomNotice, messages_of
from parlour_protocol.views.reports import GradeCounts, Report, ReviewedMove
from parlour_protocol.views.rooms import Channel, ClockView, RoomLine
from parlour_protocol.views.tournaments import TournamentView
from parlour_protocol.words import Said, Translatable


@dataclass(slots=True)
class Presence(RoomNotice):
    """Who is connected, as changes of the view: fold it as an event.

    It changes `online`, `watching`, `away_since` and `claim_from`, and no version.
    """

    set: dict[str, Any]
    splice: dict[str, list[list[Any]]] = field(default_factory=dict)
    type: Literal["presence"] = "presence"


@dataclass(slots=True)
class Thinking(RoomNotice):
    """What a bot thinks at this moment about the position at `version`, where the room shows it.

    Before its first thought, always: that its search waits, and that it begins. `clock` stands in for the
    view's until the next `thinking` or move: a bot's time rests while its search waits for its turn.
    """

    only_shows = True

    version: Version
    seat: Seat
    report: Report
    clock: ClockView | None = None
    type: Literal["thinking"] = "thinking"


@dataclass(slots=True)
class Typing(RoomNotice):
    """A person writes in this `channel` of the chat; for those alone who read it.

    It holds for 6 seconds, or until the next line of that `name`.
    """

    only_shows = True

    channel: Channel
    name: str
    type: Literal["typing"] = "typing"


@dataclass(slots=True)
class Lobby(Notice):
    """What has changed in the list of rooms, for those who asked for it by `rooms`.

    `rooms` are as they are now, `gone` are the codes that are no longer in the list, and `players` is how
    many players are connected.
    """

    rooms: list[RoomLine]
    gone: list[str] = field(default_factory=list)
    players: int = 0
    type: Literal["lobby"] = "lobby"


@dataclass(slots=True)
class TournamentChanged(Notice):
    """How a tournament stands, for those who subscribed to it by `tournament`."""

    only_shows = True

    view: TournamentView
    type: Literal["tournament_changed"] = "tournament_changed"


@dataclass(slots=True)
class Progress(Notice):
    """How the command with the id `about` gets on, where it asked for that with `progress`: true.

    A `hint`, an `analyse` or a `race` by its report until now, with up to 81 candidates, the best first; a
    `review` by each `move` that is graded, as far as its own search tells, `of` so many, with the whole
    report on the position before it, and in `grades` how often each side was given each grade so far. While
    it waits for its turn, or for compiled code, the report says how many are before it, or how far that is,
    and no more.
    """

    only_shows = True

    about: CommandId
    report: Report
    move: ReviewedMove | None = None
    of: int | None = None
    grades: Both[GradeCounts] | None = None
    type: Literal["progress"] = "progress"


@dataclass(slots=True)
class Announcement(Notice, Translatable):
    """What the server's host says to everyone who is connected: show it."""

    text: str
    text_said: Said | None = field(default=None, compare=False)
    type: Literal["announcement"] = "announcement"


@dataclass(slots=True)
class Goodbye(Notice, Translatable):
    """The server ends this connection; come back after `retry_after` seconds where it is given."""

    code: Literal["stopping", "closed", "too_fast", "no_hello", "kicked", "banned"]
    message: str
    retry_after: float | None = None
    said: Said | None = field(default=None, compare=False)
    type: Literal["goodbye"] = "goodbye"


NOTICES = messages_of(Notice, RoomNotice)
"""Every kind of notice."""
