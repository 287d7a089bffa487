"""What takes commands: a connection, a client over one, or a server's queries in this process."""

import secrets
from abc import ABC, abstractmethod
from typing import Any, TypeVar

from parlour_protocol.answers import Answer
from parlour_protocol.commands import Command
from parlour_protocol.messages import Signal
from parlour_protocol.views.rooms import Limits

A = TypeVar("A")


def new_id() -> str:
    """A fresh id for a command, unlike any other."""
    return secrets.token_urlsafe(12)


class Requester(ABC):
    """Sends commands, and knows the server's limits."""

    @property
    @abstractmethod
    def limits(self) -> Limits:
        """How much the server takes, and how fast."""

    @abstractmethod
    async def _request(self, command: Command[Any]) -> Answer:
        """Send a command and wait for its answer."""

    def signal(self, signal: Signal) -> None:  # noqa: B027 - most have no connection to say it on
        """Say what wants no answer: it is lost where there is no connection."""

    async def request(self, command: Command[A]) -> A:
        """Send a command, its `id` drawn by `new_id`, and wait for its answer, however long it takes.

        Raises `Refused` with what the server sent, and what the stream raises where that ended.
        """
        answer: Any = await self._request(command)
        return answer  # type: ignore[no-any-return]
