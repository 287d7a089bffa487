"""What asks a server: a connection, or a client over one."""

from abc import ABC, abstractmethod
from typing import Any, TypeVar

from parlour_protocol.answers import Answer, Welcome
from parlour_protocol.commands import Command

A = TypeVar("A")


class Requester(ABC):
    """Sends commands, and knows the server's limits."""

    @property
    @abstractmethod
    def welcome(self) -> Welcome:
        """The server's last welcome: who we are there, and its limits."""

    @abstractmethod
    async def _request(self, command: Command[Any]) -> Answer:
        """Send a command and wait for its answer."""

    async def request(self, command: Command[A]) -> A:
        """Send a command, its `id` drawn by `new_id`, and wait for its answer, however long it takes.

        Raises `Refused` with what the server sent, and what the stream raises where that ended.
        """
        answer: Any = await self._request(command)
        return answer  # type: ignore[no-any-return]
