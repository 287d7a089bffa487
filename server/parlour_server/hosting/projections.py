"""Projections: what follows from all finished games, one after the other, such as a rating.

A projection's state is saved together with the number of the last game in it, in one transaction, and only
where it stood at the number that it was read with. So each game counts once, whatever is killed meanwhile,
and also where two work on the same projection by mistake.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog
from pydantic import TypeAdapter

from parlour_server.hosting.context import Context
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.port import Checkpoint, StoreError

log = structlog.get_logger()

S = TypeVar("S")

GAMES_AT_ONCE = 100
"""Games that are folded between two checkpoints at most."""
SAVE_SECONDS = 1.0
"""After so long no further one is begun before the checkpoint is saved and the lease renewed."""
BEAT_SECONDS = 2.0
"""How often finished games are looked for, those of other nodes among them."""
LEASE_SECONDS = 60.0
"""How long a node that works on a projection keeps others from it.

A game that is searched takes half of it.
"""


@dataclass(frozen=True, slots=True)
class Projection(Generic[S]):
    """A fold over all finished games, aborted ones among them."""

    name: str
    """Its checkpoint stands under this name for good: another fold needs another one."""
    initial: Callable[[], S]
    fold: Callable[[S, int, FinishedGame], Awaitable[S]]
    """With the number of the game. It may be called again with the same one, and changes nothing but what it
    gives."""
    states: TypeAdapter[S]
    """How a state is saved. It should hold ids and no names: people may have theirs removed."""


class ProjectionRunner(Generic[S]):
    """Keeps a projection up to date. Each node has one, and one of them works at a time."""

    def __init__(self, projection: Projection[S], context: Context) -> None:
        self._projection, self._context = projection, context
        self._wake = asyncio.Event()
        self._known: tuple[str, S] | None = None
        """The state that was saved or read last, with its text."""

    async def run(self, beat: float | None = None) -> None:
        """Work until it is cancelled: soon after each game that ends here, and every `BEAT_SECONDS`.

        Or every `beat` seconds, where other nodes' games may wait for longer.
        """
        unsubscribe = self._context.finished_games.subscribe(lambda game: self._wake.set())
        fault = ""
        try:
            while True:
                self._wake.clear()
                try:
                    await self.catch_up()
                except StoreError as error:
                    log.warning("a projection is behind", projection=self._projection.name, reason=str(error))
                except Exception as error:
                    # It stands before what it can't take, and tries that again: none is to be left out.
                    if fault != (fault := repr(error)):
                        log.error("a projection failed", projection=self._projection.name, exc_info=error)
                timer = self._context.later(beat or BEAT_SECONDS, self._wake.set)
                await self._wake.wait()
                timer.cancel()
        finally:
            unsubscribe()

    async def catch_up(self) -> None:
        """Fold the games since the checkpoint, unless another node does. Raises `StoreError`."""
        while await self._is_ours() and await self._fold_some():
            pass

    async def state(self) -> S:
        """The state at the last checkpoint, whichever node made it. Raises `NotReadable`."""
        return self._read(await self._context.store.checkpoint(self._projection.name))

    async def _is_ours(self) -> bool:
        return await self._context.node.hold(f"projection {self._projection.name}", LEASE_SECONDS)

    async def _fold_some(self) -> bool:
        """Fold the next games; False: there are none."""
        store, name = self._context.store, self._projection.name
        checkpoint = await store.checkpoint(name)
        games = await store.finished_games(checkpoint.after, GAMES_AT_ONCE)
        if not games:
            return False
        state, after = self._read(checkpoint), checkpoint.after
        begun = self._context.monotonic()
        for after, game in games:
            state = await self._projection.fold(state, after, game)
            if self._context.monotonic() - begun >= SAVE_SECONDS:
                break
        text = self._projection.states.dump_json(state).decode()
        # Where it is not moved another node has counted these: the next turn goes on from there.
        if await store.move_checkpoint(name, checkpoint.after, Checkpoint(after, text)):
            self._known = text, state
        return True

    def _read(self, checkpoint: Checkpoint) -> S:
        if not checkpoint.after:
            return self._projection.initial()
        if self._known is None or self._known[0] != checkpoint.state:
            self._known = checkpoint.state, self._projection.states.validate_json(checkpoint.state)
        return self._known[1]
