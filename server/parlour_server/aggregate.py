"""A kind of thing that is what its log says, as pure functions: the room is one.

`hosting.actors` gives it durability, several nodes and recovery from crashes; none of that is known here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pydantic import TypeAdapter

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, Applied, Steps


class Versioned(Protocol):
    """A state that counts the records of which it was folded."""

    version: Version


S = TypeVar("S", bound=Versioned)


@dataclass(slots=True)
class Decision:
    """What a command causes; no events where it asks for what stands already."""

    events: Sequence[Any]
    applied: Applied | None = None
    """The move that was played, if one was: for the fold of its event."""


class Moment(NamedTuple):
    """What `decide` gets beside the state and the command."""

    by: str
    """Whose command it is."""
    now: int
    """Milliseconds since 1970."""
    chance: Callable[[int], int]
    """Draws a whole number from 0 up to, but not including, its argument."""


def _one(state: Any, event: Any) -> int:
    return 1


def _never(state: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Aggregate(Generic[S]):
    """The functions that make one kind; its state is changed by `evolve` alone."""

    kind: str
    """Of its logs; empty: they are rooms'."""
    noun: str
    """What people call one of them."""
    initial: Callable[[str], S]
    """The state of an empty log, by the log's key."""
    decide: Callable[[S, Any, Any], Decision]
    """The events that a command causes. Changes nothing; raises `Refusal`."""
    evolve: Callable[[S, Any], None]
    """Fold one record into the state. Never refuses."""
    answer: Callable[[S, str, str], Version | None]
    """The version that an author's command of this id has led to; None: it was not accepted."""
    effort: Callable[[S, Any], int] = _one
    """How much work it was to fold an event just now: see `Steps`."""
    is_over: Callable[[S], bool] = _never
    """Is nothing more to happen, so that no node needs to run it?"""
    events: TypeAdapter[Any] | None = None
    """The type of its events, each an object in JSON; None: stores know them, since they are rooms'."""

    def replay(self, key: str, records: Sequence[AnyRecord]) -> Steps[S]:
        """Fold a log from its beginning."""
        state = self.initial(key)
        for record in records:
            self.evolve(state, record)
            yield self.effort(state, record.event)
        return state
