"""A composition root without rooms, store or socket: answers queries within the process that asks.

A client that has no server's address loads it by name, and needs neither a child process nor a connection.
Commands and answers are the protocol's, as objects.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from parlour_protocol import commands
from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.analysis import log
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.games import broken_games
from parlour_server.refusals import Refusal
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.sessions.queries import QUERIES, Queries

if TYPE_CHECKING:  # so that a query needs nothing of the way from message to text
    from parlour_protocol.codec import ToClient


class QueryServer:
    """Answers one client's queries. To be made and closed on the loop.

    `say` gets each answer, and notices of progress. A search runs in a thread, as long as it was asked to.
    """

    def __init__(self, say: Callable[["ToClient"], None]) -> None:
        log.for_a_person = True
        self._say = say
        self._scheduler = SearchScheduler(
            kind="thread",
            workers=1,
            longest=0,
            kernels=compiled if numba_modules.available() else None,
        )
        self._queries = Queries(self._scheduler, say, self._refuse, lambda: Requester("question"))

    def receive(self, command: commands.Command[Any]) -> None:
        """Take a command; its answer comes at once, or later."""
        try:
            if type(command) not in QUERIES or getattr(command, "room", None) is not None:
                raise Refusal(Code.NOT_ALLOWED, Sentence("refusal.without_rooms"))
            self._queries.answer(command)
            if isinstance(command, commands.ListGames):
                for broken in broken_games():
                    log.warning("a game can't be loaded", **asdict(broken))
        except Refusal as refusal:
            self._refuse(command.id, refusal)

    async def close(self) -> None:
        """Stop what is searched, unanswered, and what is compiled."""
        self._queries.close()
        await self._scheduler.close()
        log.for_a_person = False

    def _refuse(self, command_id: str, refusal: Refusal) -> None:
        self._say(refusal.answer(command_id))
