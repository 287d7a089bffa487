"""What is said to a server, over the wire or the admin socket: requests, and signals that want no answer.

Each class is one message, and each class of request names the type of its answer.
"""

from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

AnswerT = TypeVar("AnswerT", covariant=True)

_MESSAGES: list[type[Any]] = []


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
            _MESSAGES.append(cls)


class Request(ToServerMessage, Generic[AnswerT]):
    """A request, answered by an `AnswerT` or by `Refused`."""


class Signal(ToServerMessage):
    """A message that wants no answer. It may be dropped, and nothing that is kept follows from it.

    Over the limit of messages, or where it can't be read, it is refused like any other message.
    """


def messages_of(base: type[Any]) -> tuple[type[Any], ...]:
    """The messages below a class, in the order of their definitions."""
    return tuple(one for one in _MESSAGES if issubclass(one, base))


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
