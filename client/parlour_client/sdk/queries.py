"""What can be asked of a server without a room: over a connection, or in this process."""

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakSet

from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import ConnectionLost
from parlour_client.sdk.requests import Requester
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.stream import Stream
from parlour_protocol import answers, commands
from parlour_protocol.views.rooms import BotLine, GameLine
from parlour_protocol.words import say

if TYPE_CHECKING:  # so that a query needs none of what only rooms bring
    from parlour_client.sdk.messages import Notice


class QueryClient(Requester):
    """Asks for games, bots and analyses, and publishes what belongs to no room, such as progress.

    Its methods raise `Refused` where the server says no.
    """

    def __init__(self) -> None:
        self._streams: WeakSet[Stream[Notice]] = WeakSet()
        self._ended = False
        self._error: BaseException | None = None

    async def games(self) -> list[GameLine]:
        """The games that the server knows."""
        return (await self.request(command(commands.ListGames))).games

    async def rules(self, game: str) -> answers.Rules:
        """How a game is played, point by point, with positions that show it."""
        return await with_retries(lambda: self.request(command(commands.AskRules, game=game)))

    async def bots(self) -> list[BotLine]:
        """The bots that it can seat."""
        return (await self.request(command(commands.ListBots))).bots

    async def analyse(
        self, game: str, moves: str = "", *, bot: str = "perfect", played: str | None = None
    ) -> answers.Analysis:
        """Score every move of a position, and grade the one that was played."""
        return await with_retries(
            lambda: self.request(command(commands.Analyse, game=game, moves=moves, bot=bot, played=played))
        )

    async def puzzle(self, game: str | None = None, day: str | None = None) -> answers.Puzzle:
        """The puzzle of a day, written as `2026-11-30`, of any game or of one."""
        return await self.request(command(commands.AskPuzzle, game=game, day=day))

    async def exercise(
        self, lesson: answers.Lesson, number: int = 1, answer: Sequence[str] | None = None
    ) -> answers.Exercise:
        """An exercise on searches, with an `answer` whether that is right, and why."""
        given = None if answer is None else list(answer)
        return await self.request(command(commands.AskExercise, lesson=lesson, number=number, answer=given))

    def notices(self) -> AsyncIterator["Notice"]:
        """A stream of what belongs to no room, from now on, for `async for`; each call has its own.

        It ends when the client is closed, and raises what ended it otherwise. At most 1024 notices wait
        for a reader: one that falls further behind gets a `ConnectionLost`, and asks for the list again.
        """
        stream: Stream[Notice] = Stream(_fell_behind)
        if self._ended:
            stream.end(self._error)
        self._streams.add(stream)
        return stream

    def _publish(self, notice: "Notice") -> None:
        for stream in self._streams:
            stream.put(notice)

    def _end(self, error: BaseException | None) -> None:
        """End all streams, those that are asked for later too."""
        self._ended, self._error = True, error
        for stream in self._streams:
            stream.end(error)


def _fell_behind(stream: "Stream[Notice]") -> None:
    stream.end(ConnectionLost(say("error.fell_behind")))
