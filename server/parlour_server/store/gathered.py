"""What gathers while a commit is under way, to be saved with the next one, and how it is answered."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord
from parlour_server.store.port import Done, Player, StoreError

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(slots=True)
class Append:
    """Records that are to be added to a log."""

    room: str
    expected: Version
    records: Sequence[AnyRecord]
    done: Done
    events: Sequence[bytes] = ()
    """Their events, encoded as they are committed, for a store whose hints hold them, too."""


@dataclass(slots=True)
class NewPlayer:
    """A new player, to be kept."""

    token_hash: str
    player: Player
    at: int
    done: Done


Gathered = Append | NewPlayer


def settle(future: asyncio.Future[T], result: T, error: BaseException | None) -> None:
    """Give a future its result, or the error if there is one; nothing where it is settled already."""
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


async def added(gather: Callable[[NewPlayer], None], token_hash: str, player: Player, at: int) -> None:
    """Have a player kept with what `gather` has committed next: see `Store.add_player`."""
    kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    gather(NewPlayer(token_hash, player, at, partial(settle, kept, None)))
    await kept


def call_back(one: Gathered, outcome: StoreError | None) -> None:
    """Say how it went, on the event loop's thread."""
    try:
        one.done(outcome)
    except Exception as error:
        # One room's fault; the others of the commit wait for their answers.
        log.error("a room failed to take its answer", room=getattr(one, "room", None), exc_info=error)
