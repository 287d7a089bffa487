"""What a server says without being asked: a class for each message, known on the wire by its `type`.

A message is a class below one of these and listed nowhere else: the codec, the schema, the page's types and
the clients find it by its base.

    Unasked
    +-- RoomMessage     goes to those who subscribed to a room
    |   +-- RoomNotice  beside its events; may be dropped
    +-- Notice          belongs to no room; may be dropped
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

_KINDS: dict[str, type[Any]] = {}


class Unasked:
    """A message that answers no command."""

    __slots__ = ()

    if TYPE_CHECKING:
        type: str  # each class has a literal of its own

    only_shows = False
    """May a client that falls behind leave it unread? The next one says it anew."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # By name, since a dataclass with slots is made twice.
        if "type" in cls.__annotations__:
            _KINDS[cls.__name__] = cls


@dataclass(slots=True)
class RoomMessage(Unasked):
    """A message to those who subscribed to a room."""

    room: str


@dataclass(slots=True)
class RoomNotice(RoomMessage):
    """One beside the room's events: it has no version, is not kept, and may be dropped or repeated.

    Where the catalogue of words has `notice.TYPE`, every front end says that sentence, in which the notice's
    fields stand; a `seat` gives it the `name` of its player.
    """


class Notice(Unasked):
    """One that belongs to no room."""

    __slots__ = ()


def unasked_of(*bases: type[Any]) -> tuple[type[Any], ...]:
    """The messages below one of these classes, in the order of their definitions."""
    return tuple(kind for kind in _KINDS.values() if issubclass(kind, bases))
