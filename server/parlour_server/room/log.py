"""A room's log: its events with their time, their author and the command that caused them."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from parlour_protocol.events import KnownEvent

T = TypeVar("T")

Steps = Generator[int, None, T]
"""Work on a log that may be long. It pauses after each record, so that a server can do other things,
and yields how much was done since: 1 for a record of the usual size."""


class Applied(NamedTuple):
    """A move that `decide` has parsed and played already, for `evolve` to take over."""

    before: Any
    """The position that it was played in."""
    move: int
    after: Any
    over: bool
    """Does it end the game?"""


@dataclass(slots=True)
class LogRecord:
    """An event as it stands in the log."""

    event: KnownEvent
    at: int
    """Milliseconds since 1970."""
    by: str
    """The player who caused it; empty for the server itself."""
    command: str | None = None
    """The author's id for the command, by which a repeated one is known."""
    applied: Applied | None = None
    """Not stored: where it is missing, as in a log that is read, the move is parsed."""
