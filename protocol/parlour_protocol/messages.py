"""The bases of all messages, and how the messages themselves are found.

Each class below one of these that has a `type` of its own is one message, known by that on the wire. It is
listed nowhere else: the codec, the schema, the page's types and the clients find it by its base.

    ToServerMessage
    +-- Request         over the wire or the admin socket; each class names the type of its answer
    +-- Signal          wants no answer
    Unasked
    +-- RoomMessage     goes to those who subscribed to a room
    |   +-- RoomNotice  beside its events; may be dropped
    +-- Notice          belongs to no room; may be dropped
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

AnswerT = TypeVar("AnswerT", covariant=True)

_MESSAGES: dict[tuple[str, str], type[Any]] = {}


def _note(message: type[Any]) -> None:
    # By name, since a dataclass with slots is made twice.
    _MESSAGES[message.__module__, message.__qualname__] = message


def messages_of(*bases: type[Any]) -> tuple[type[Any], ...]:
    """The messages below one of these classes, in the order of their definitions."""
    return tuple(one for one in _MESSAGES.values() if issubclass(one, bases))


class ToServerMessage(BaseModel):
    """What a server reads. A field that it doesn't name is refused."""

    # Each class is built when it is first made or read: a client asks few of them.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    if TYPE_CHECKING:
        type: str  # by which it is known on the wire; each class has a literal of its own

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Note each class that is one message."""
        if "type" in cls.model_fields:
            _note(cls)


class Request(ToServerMessage, Generic[AnswerT]):
    """A request, answered by an `AnswerT` or by `Refused`."""


class Signal(ToServerMessage):
    """A message that wants no answer. It may be dropped, and nothing that is kept follows from it.

    Over the limit of messages, or where it can't be read, it is refused like any other message.
    """


class Unasked:
    """A message that answers no command."""

    __slots__ = ()

    if TYPE_CHECKING:
        type: str  # each class has a literal of its own

    only_shows = False
    """May a client that falls behind leave it unread? The next one says it anew."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "type" in cls.__annotations__:
            _note(cls)


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


def answer_type(request: type[Request[Any]]) -> type[Any]:
    """The type of message that answers a request, where it is not refused."""
    for base in request.__mro__:
        if issubclass(base, Request) and (arguments := base.__pydantic_generic_metadata__["args"]):
            answer: type[Any] = arguments[0]
            return answer
    raise TypeError(f"{request.__name__} names no answer")


def types_of(message: type[Any]) -> tuple[str, ...]:
    """The values of `type` by which a request, or what a server says, is known on the wire."""
    return get_args(message.__annotations__["type"])
