"""A log: the events of one room, or of anything else that is what its events say.

Each event stands there with its time, its author and the command that caused it. A log is known by its key:
a room's is its code, `KMRTQA`; all others' are `kind:name`, without white space.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar

from parlour_protocol.events import KnownEvent, RoomClosed

T = TypeVar("T")
E_co = TypeVar("E_co", default=KnownEvent, covariant=True)

Steps = Generator[int, None, T]
"""Work on a log that may be long. It pauses after each record, so that a server can do other things,
and yields how much was done since: 1 for a record of the usual size."""

ROOM = ""
"""The kind of a room's log."""


def kind_of(key: str) -> str:
    """The kind of log that a key names."""
    kind, colon, _ = key.partition(":")
    return kind if colon else ROOM


def is_room(key: str) -> bool:
    """Is it the log of a room?"""
    return ":" not in key


def closes(event: Any) -> bool:
    """Does a log end with this event? One of another kind's says so by a class variable `closes_log`."""
    return isinstance(event, RoomClosed) or getattr(event, "closes_log", False)


@dataclass(slots=True)
class Applied:
    """A move that `decide` has parsed and played already, for `evolve` to take over."""

    before: Any
    """The position that it was played in."""
    move: int
    after: Any
    over: bool
    """Does it end the game?"""


@dataclass(slots=True)
class LogRecord(Generic[E_co]):
    """An event as it stands in a log: without a type of event, in a room's."""

    event: E_co
    at: int
    """Milliseconds since 1970."""
    by: str
    """The player who caused it; empty for the server itself."""
    command: str | None = None
    """The author's id for the command, by which a repeated one is known."""
    applied: Applied | None = None
    """Not stored: where it is missing, as in a log that is read, the move is parsed."""


AnyRecord = LogRecord[Any]
"""A record of any kind of log."""
