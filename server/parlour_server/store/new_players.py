"""New players, who are saved in the same commits as moves."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from parlour_server.store.futures import settle
from parlour_server.store.port import Done, Player


@dataclass(slots=True)
class NewPlayer:
    """A player who is to be kept."""

    token_hash: str
    player: Player
    at: int
    done: Done


async def added(gather: Callable[[NewPlayer], None], token_hash: str, player: Player, at: int) -> None:
    """Have a player kept with what `gather` has committed next: see `Store.add_player`."""
    kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    gather(NewPlayer(token_hash, player, at, partial(settle, kept, None)))
    await kept
