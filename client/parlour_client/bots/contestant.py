"""A bot's file as a seat of the arena: it plays over a line of its own, like any other player."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from parlour_client.bots.entrant import is_file
from parlour_client.bots.errors import BotError
from parlour_client.bots.host import series
from parlour_client.bots.match import play_match
from parlour_client.bots.player import BotPlayer
from parlour_client.bots.process import BotProcess
from parlour_client.render.console import Screen
from parlour_client.render.tables import Tally
from parlour_client.sdk.client import Client, connect
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.retry import with_retries
from parlour_client.text.sanitize import clean
from parlour_protocol.ids import Seat

MOST_SHOWN = 3
"""So many errors of a bot are shown one by one."""


class Contestant:
    """A file in a match: entered with `async with`, seated by the arena, and then on its own."""

    def __init__(self, server: str, path: Path, screen: Screen, games: int, limit: float | None) -> None:
        self._server = server
        self._process = BotProcess(path)
        self._screen = screen
        self._games = games
        self._limit = limit
        self._stack = AsyncExitStack()
        self._parlour: Client | None = None
        self._playing: asyncio.Task[None] | None = None
        self.errors = 0

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
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
        await self._stack.aclose()
        if self.errors > MOST_SHOWN:
            self._screen.refuse(f"{clean(self.name)} lost {self.errors} games by faults of its own.")

    def check(self, game: str) -> None:
        """Raise `UsageError` where the file does not claim the game."""
        self._process.check(game)

    async def sit(self, code: str, seat: Seat) -> None:
        """Sit down, and play the games of the match as they come."""
        assert self._parlour is not None
        room = await with_retries(partial(self._parlour.join, code, seat, program=True))
        player = BotPlayer(room, self._process, self._on_error, self._limit)

        async def play() -> None:
            async for _ in series(player, self._games, ask=True):
                pass

        self._playing = asyncio.create_task(play())

    async def failed(self) -> None:
        """Wait until it has played all its games; raise why where it can't play on."""
        assert self._playing is not None
        await self._playing

    def _on_error(self, error: BotError) -> None:
        self.errors += 1
        if self.errors <= MOST_SHOWN:
            self._screen.refuse(f"{clean(self.name)} loses a game ({error.kind}). {error}")


async def play(
    client: Client,
    screen: Screen,
    game: str,
    entrants: tuple[str, str],
    games: int,
    seed: int | None,
    limit: float | None,
    progress: Callable[[Tally], None],
    *,
    in_turn: bool = False,
) -> None:
    """A match in which files take part. Raises `UsageError` where one can't be played with."""
    first, second = (is_file(entrant) for entrant in entrants)
    async with AsyncExitStack() as stack:
        seats: tuple[tuple[Seat, bool], ...] = ((0, first), (1, second))
        contestants: dict[Seat, Contestant] = {}
        for seat, own in seats:
            if own:
                entered = Contestant(client.url, Path(entrants[seat]), screen, games, limit)
                contestants[seat] = await stack.enter_async_context(entered)
                entered.check(game)
        labels = [contestants[seat].name if own else entrants[seat] for seat, own in seats]
        await play_match(
            client, game, labels[0], labels[1], games, seed, progress, contestants, in_turn=in_turn
        )
