"""Two bots play a match: pairs of games that begin at the same position, with colours swapped in the second.

With a seed, and bots whose searches no time ends, a match is the same each time, on however many tables it is
played at once: all that is drawn by chance follows from the seed, the number of the pair and the seat.
"""

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from parlour_client.bots.openings import Openings
from parlour_client.sdk import records
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ConnectionLost, ParlourError, Refused
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.room import Room
from parlour_client.sdk.tasks import first_done
from parlour_protocol.commands import AskedSettings
from parlour_protocol.ids import SEATS, Seat
from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.reports import Compiling
from parlour_protocol.words import say

CLOSE_SECONDS = 2.0
PAIR = 2
"""Games from one opening: each bot begins one."""

SETTINGS = AskedSettings(starts="alternate", pace=0, reports="after")
"""The first seat begins the first game of a pair, the second one the second; nobody waits between moves."""


class Participant(Protocol):
    """An external participant: it sits down by itself, plays, and asks for each next game."""

    async def sit(self, code: str, seat: Seat, games: int, seed: str) -> None:
        """Sit down for so many games, and play on without being waited for."""

    async def failed(self) -> None:
        """Wait until it has played all its games; raise why where it can't play on."""


Table = Mapping[Seat, Participant]
"""The participants at one of the tables of a match; the other seats are for bots of the server's."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match to be played; `bots` are the server's, or in a seat of a participant's of no importance."""

    game: str
    bots: tuple[str, str]
    games: int
    seed: int
    random_plies: int | None = None
    """How many random moves each pair of games begins with; None: as many as its openings need to differ."""


Played = Callable[[int, GameRecord], None]
"""Called with the number of a pair, and a game of it that is over; its record has its number in the match."""

OnCompiling = Callable[[Compiling], None]
"""Called with how far compiled code is that a bot waits for."""


OnWaiting = Callable[[Refused, float], None]
"""Called with why the next room has to wait, and for how many seconds."""


async def play_match(
    client: Client,
    match: Match,
    tables: Sequence[Table],
    played: Played,
    compiling: OnCompiling = lambda compiling: None,
    waiting: OnWaiting = lambda refused, seconds: None,
) -> int:
    """Play a match on these tables; gives how many random plies its openings had.

    Raises `UsageError`, `Refused`, and what the connection's stream and a participant raise. Its rooms are
    closed on every way out.
    """
    pairs = -(-match.games // PAIR)
    openings = Openings(client, match.game, match.random_plies, match.seed, pairs)
    takes_seed = {
        bot.name for bot in await client.bots() if any(setting.name == "seed" for setting in bot.settings)
    }
    # Drawn in order, whichever table is free: so that they are the same on any number of them.
    drawing, numbers = asyncio.Lock(), iter(range(pairs))

    async def play_at(table: Table) -> None:
        while True:
            async with drawing:
                number = next(numbers, None)
                if number is None:
                    return
                opening = await openings.draw()
            bots = [
                seeded(bot, _seed(match, number, seat), takes_seed) for seat, bot in enumerate(match.bots)
            ]
            seated = replace(match, bots=(bots[0], bots[1]))
            await _play_pair(client, seated, number, opening, table, played, compiling, waiting)

    playing = [asyncio.create_task(play_at(table)) for table in tables]
    try:
        await asyncio.gather(*playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    return openings.plies or 0


async def _play_pair(
    client: Client,
    match: Match,
    number: int,
    opening: list[str],
    table: Table,
    played: Played,
    compiling: OnCompiling,
    waiting: OnWaiting,
) -> None:
    """The games from one opening, in a room of their own."""
    games = min(PAIR, match.games - number * PAIR)
    # A long match outlasts what a server allows of new rooms in a minute.
    seats = ["open" if seat in table else match.bots[seat] for seat in SEATS]
    room = await with_retries(
        lambda: client.create(match.game, seats=seats, moves=" ".join(opening), settings=SETTINGS),
        math.inf,
        waiting,
    )
    try:
        for seat, participant in table.items():
            await participant.sit(room.code, seat, games, _seed(match, number, seat))

        async def over(game: int) -> None:
            record = await records.fetch(client, room.code, game)
            played(number, replace(record, number=number * PAIR + game))

        failures = [participant.failed() for participant in table.values()]
        await first_done(_watch(room, games, over, compiling, ask=not table), beside=failures)
    finally:
        with suppress(ParlourError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await with_retries(room.close)


async def _watch(
    room: Room,
    games: int,
    over: Callable[[int], Awaitable[None]],
    compiling: OnCompiling,
    *,
    ask: bool,
) -> None:
    """Watch the room until so many games are over; with `ask` the next game is asked for here."""
    done = 0
    async for change in room.changes():
        shown = change.after
        if shown.thinking is not None and shown.thinking.report.compiling is not None:
            compiling(shown.thinking.report.compiling)
        # By the state, not by the event: a game may have ended while the connection was lost.
        if shown.view.phase != "finished" or shown.view.game_number <= done:
            continue
        while done < shown.view.game_number:
            done += 1
            await over(done)
        if done >= games:
            return
        if ask:
            await with_retries(room.rematch)
    raise ConnectionLost(say("error.match_room_closed"))


def _seed(match: Match, number: int, seat: int) -> str:
    return f"{match.seed}/{number}/{seat}"


def seeded(bot: str, seed: str, takes_seed: Container[str]) -> str:
    """The bot with a seed of its own, drawn from this text; as it is where it has one, or takes none."""
    name, colon, settings = bot.partition(":")
    if (
        name not in takes_seed
        or (colon and not settings)
        or any(one.strip().startswith("seed=") for one in settings.split(","))
    ):
        return bot
    drawn = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4]) >> 1
    return f"{bot},seed={drawn}" if settings else f"{name}:seed={drawn}"
