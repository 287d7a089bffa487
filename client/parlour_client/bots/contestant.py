"""A bot's file in a match: it plays over a connection of its own, like any other player."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from parlour_client.bots.entrant import is_file
from parlour_client.bots.errors import BotError
from parlour_client.bots.host import series
from parlour_client.bots.limits import MEMORY
from parlour_client.bots.match import Table
from parlour_client.bots.player import BotPlayer
from parlour_client.bots.process import BotProcess
from parlour_client.render.console import Screen
from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.sanitize import clean
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.words import say

MOST_SHOWN = 3
"""So many errors of a bot are shown one by one."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What a file may use in a match: seconds for a move, and bytes of memory."""

    seconds: float | None = 60.0
    memory: int = MEMORY


class Errors:
    """A file's errors at all tables of a match: the first are shown one by one, at last their number."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._count = 0
        self._name = ""

    def add(self, name: str, error: BotError) -> None:
        """Count an error, and show it."""
        self._count, self._name = self._count + 1, clean(name)
        if self._count <= MOST_SHOWN:
            self._screen.refuse(
                say("command.bot.fault_in_match", name=self._name, kind=error.called, error=str(error))
            )

    def sum_up(self) -> None:
        """Say how many there were, where not all of them were shown."""
        if self._count > MOST_SHOWN:
            self._screen.refuse(say("command.bot.faults_in_match", name=self._name, count=self._count))


class Contestant:
    """A file at one table of a match: entered with `async with`, seated by the match, and then on its own."""

    def __init__(self, server: str, path: Path, errors: Errors, limits: FileLimits) -> None:
        self._server = server
        self._process = BotProcess(path, limits.memory)
        self._errors = errors
        self._limits = limits
        self._stack = AsyncExitStack()
        self._parlour: Client | None = None
        self._playing: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """What its file calls it."""
        return self._process.name

    async def __aenter__(self) -> "Contestant":
        await self._stack.enter_async_context(self._process)
        try:
            identity = GuestIdentity(self._process.name)
            self._parlour = await self._stack.enter_async_context(connect(self._server, identity=identity))
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stop()
        await self._stack.aclose()

    def check(self, game: str) -> None:
        """Raise `UsageError` where the file does not claim the game."""
        self._process.check(game)

    async def sit(self, code: str, seat: Seat, games: int, seed: str) -> None:
        """Sit down, and play so many games as they come."""
        assert self._parlour is not None
        await self._stop()
        room = await with_retries(partial(self._parlour.join, code, seat, program=True))
        on_error = partial(self._errors.add, self.name)
        player = BotPlayer(room, self._process, on_error, self._limits.seconds, seed)

        async def play() -> None:
            async for _ in series(player, games, ask=True):
                pass

        self._playing = asyncio.create_task(play())

    async def failed(self) -> None:
        """Wait until it has played all its games; raise why where it can't play on."""
        assert self._playing is not None
        await self._playing

    async def _stop(self) -> None:
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Seated:
    """The tables of a match, and what its two bots are called."""

    tables: list[Table]
    names: tuple[str, str]


@asynccontextmanager
async def seated(
    client: Client, screen: Screen, game: str, entrants: tuple[str, str], tables: int, limits: FileLimits
) -> AsyncIterator[Seated]:
    """So many tables, each with a process of its own for every file among the two entrants.

    Raises `UsageError` where a file can't be played with.
    """
    names, laid = list(entrants), [dict[Seat, Contestant]() for _ in range(tables)]
    errors = [Errors(screen) for _ in SEATS]
    async with AsyncExitStack() as stack:
        for seat in SEATS:
            if not is_file(entrants[seat]):
                continue
            stack.callback(errors[seat].sum_up)
            for table in laid:
                contestant = Contestant(client.url, Path(entrants[seat]), errors[seat], limits)
                table[seat] = await stack.enter_async_context(contestant)
                contestant.check(game)
                names[seat] = contestant.name
        yield Seated([*laid], (names[0], names[1]))
