"""Two bots play each other: a room, a rematch after every game, and a tally.

The first bot always moves first, unless they begin in turn. With a seed, and bots that take one, a match is
the same each time.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Protocol

from parlour_client.render.tables import Tally
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ConnectionLost, ParlourError
from parlour_client.sdk.retry import with_retries
from parlour_client.sdk.room import Room
from parlour_client.sdk.state import ClientRoomState
from parlour_client.sdk.tasks import first_done
from parlour_protocol.commands import AskedSettings
from parlour_protocol.ids import SEATS, Seat

CLOSE_SECONDS = 2.0

SETTINGS = AskedSettings(starts="first", pace=0, reports="never")
"""The first seat begins every game, and nobody waits between moves."""
IN_TURN = AskedSettings(starts="alternate", pace=0, reports="never")
"""The same, but that the second seat begins every other game."""


class Participant(Protocol):
    """An external participant: it sits down by itself, plays, and asks for each next game."""

    async def sit(self, code: str, seat: Seat) -> None:
        """Sit down, and play on without being waited for."""

    async def failed(self) -> None:
        """Wait until it has played all its games; raise why where it can't play on."""


async def play_match(
    client: Client,
    game: str,
    first: str,
    second: str,
    games: int,
    seed: int | None,
    progress: Callable[[Tally], None],
    participants: Mapping[Seat, Participant] | None = None,
    *,
    in_turn: bool = False,
) -> None:
    """Play the games one after the other; after each, `progress` is called with the tally.

    The first begins every game, or with `in_turn` every other one. `first` and `second` are bots of the
    server's, or the names of the `participants` in those seats.
    Raises `Refused`, and what the connection's stream raises. The room is closed on every way out.
    """
    bots, participants = [first, second], participants or {}
    if seed is not None:
        seedable = await _seedable(client)
        bots = [seeded(bot, seed, seat, seedable) for seat, bot in enumerate(bots)]
    settings = IN_TURN if in_turn else SETTINGS
    room = await client.create(game, seat=None, settings=settings)
    try:
        begun = time.perf_counter()

        def tell(shown: ClientRoomState, moves: int) -> None:
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

        for seat in SEATS:
            if seat in participants:
                await participants[seat].sit(room.code, seat)
            else:
                await with_retries(partial(room.add_bot, bots[seat], seat))
        failures = [one.failed() for one in participants.values()]
        await first_done(_play(room, games, tell, ask=not participants), beside=failures)
    finally:
        with suppress(ParlourError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await room.close()


async def _play(room: Room, games: int, tell: Callable[[ClientRoomState, int], None], *, ask: bool) -> None:
    """Watch the room until so many games are done; after each, tell of the room and the moves of all.

    With `ask` the next game is asked for here.
    """
    done = moves = 0
    async for change in room.changes():
        shown = change.after
        # By the state, not by the event: a game may have ended while the connection was lost.
        if shown.view.phase != "finished" or shown.view.game_number <= done:
            continue
        done = shown.view.game_number
        moves += len(shown.view.moves)
        tell(shown, moves)
        if done >= games:
            return
        if ask:
            await with_retries(room.rematch)
    raise ConnectionLost("The room was closed before the match was over.")


async def _seedable(client: Client) -> set[str]:
    return {bot.name for bot in await client.bots() if any(one.name == "seed" for one in bot.settings)}


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
