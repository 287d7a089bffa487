"""Two bots play each other: a room, a rematch after every game, and a tally.

The first bot always moves first, unless they begin in turn. With a seed, and bots that take one, a match is
the same each time.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Protocol

from parlour_client.connection import Connection, RoomLost, new_id
from parlour_client.faults import Fault, Refused
from parlour_client.model import Shown, apply
from parlour_client.patience import patiently
from parlour_client.tables import Tally
from parlour_protocol import to_server
from parlour_protocol.ids import Seat
from parlour_protocol.to_client import Accepted, Event, Snapshot
from parlour_protocol.to_server import AskedSettings

CLOSE_SECONDS = 2.0

SETTINGS = AskedSettings(starts="first", pace=0, reports="never")
"""The first seat begins every game, and nobody waits between moves."""
IN_TURN = AskedSettings(starts="alternate", pace=0, reports="never")
"""The same, but that the second seat begins every other game."""


class Guest(Protocol):
    """Who is no bot of the server's: it sits down by itself, plays, and asks for each next game."""

    async def sit(self, code: str, seat: Seat) -> None:
        """Sit down, and play on without being waited for."""

    async def failed(self) -> None:
        """Wait until it can't play on, and raise why."""


async def play_match(
    connection: Connection,
    game: str,
    first: str,
    second: str,
    games: int,
    seed: int | None,
    progress: Callable[[Tally], None],
    guests: Mapping[Seat, Guest] | None = None,
    *,
    in_turn: bool = False,
) -> None:
    """Play the games one after the other; after each, `progress` is told the tally.

    The first begins every game, or with `in_turn` every other one. `first` and `second` are bots of the
    server's, or the names of the `guests` in those seats.
    Raises `Refused`, and what the connection's stream raises. The room is closed on every way out.
    """
    bots, guests = [first, second], guests or {}
    if seed is not None:
        seedable = await _seedable(connection)
        bots = [seeded(bot, seed, seat, seedable) for seat, bot in enumerate(bots)]
    settings = IN_TURN if in_turn else SETTINGS
    made = await connection.request(to_server.CreateRoom(id=new_id(), game=game, settings=settings))
    room = made.room
    try:
        await connection.request(to_server.Watch(id=new_id(), room=room))
        begun = time.perf_counter()

        def tell(shown: Shown, moves: int) -> None:
            wins = shown.view.wins
            progress(
                Tally(
                    game=shown.view.game,
                    first=first,
                    second=second,
                    games=shown.view.game_number,
                    first_wins=wins[0],
                    second_wins=wins[1],
                    draws=shown.view.draws,
                    moves=moves,
                    seconds=round(time.perf_counter() - begun, 3),
                )
            )

        seats: tuple[Seat, Seat] = (0, 1)
        for seat in seats:
            if seat in guests:
                await guests[seat].sit(room, seat)
                continue

            def sit_down(seat: Seat = seat) -> Awaitable[Accepted]:
                command = to_server.AddBot(id=new_id(), room=room, bot=bots[seat], seat=seat)
                return connection.request(command)

            await patiently(sit_down)
        await _unless_one_fails(_play(connection, room, games, tell, ask=not guests), guests)
    finally:
        with suppress(Fault, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await connection.request(to_server.CloseRoom(id=new_id(), room=room))


async def _unless_one_fails(match: Awaitable[None], guests: Mapping[Seat, Guest]) -> None:
    """Wait for the match, or raise why a guest can't play on."""
    tasks = [asyncio.ensure_future(match), *(asyncio.ensure_future(one.failed()) for one in guests.values())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _play(
    connection: Connection, room: str, games: int, tell: Callable[[Shown, int], None], *, ask: bool
) -> None:
    """Follow the room until so many games are done; after each, tell of the room and the moves of all.

    With `ask` the next game is asked for here.
    """
    shown: Shown | None = None
    done = moves = 0
    async for heard in connection:
        if isinstance(heard, RoomLost):
            raise Refused(heard.refusal)
        if not isinstance(heard, Snapshot | Event):
            continue
        shown = apply(shown, heard)
        # Told by the state, not by the event: a game may have ended while the line was down.
        if shown is None or shown.view.phase != "finished" or shown.view.game_number <= done:
            continue
        done = shown.view.game_number
        moves += len(shown.view.moves)
        tell(shown, moves)
        if done >= games:
            return
        if ask:
            await patiently(lambda: connection.request(to_server.Rematch(id=new_id(), room=room)))
    raise AssertionError("a stream ends with an error")


async def _seedable(connection: Connection) -> set[str]:
    answer = await connection.request(to_server.ListBots(id=new_id()))
    return {bot.name for bot in answer.bots if any(one.startswith("seed=") for one in bot.settings)}


def seeded(bot: str, seed: int, seat: int, seedable: set[str]) -> str:
    """The bot with a seed of its own, drawn from the match's; as it is where it has one, or takes none."""
    name, colon, settings = bot.partition(":")
    if (
        name not in seedable
        or (colon and not settings)
        or any(one.strip().startswith("seed=") for one in settings.split(","))
    ):
        return bot
    drawn = int.from_bytes(hashlib.sha256(f"{seed}:{seat}".encode()).digest()[:4]) >> 1
    return f"{bot},seed={drawn}" if settings else f"{name}:seed={drawn}"
