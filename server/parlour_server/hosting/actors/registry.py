"""The actors of one kind that are awake, by key: woken from their logs, and put to sleep.

Wakes go on side by side. Of those that want the same key at once the first reads the log, and the others
wait for it. Before a log is read its lease is asked for, so that one node does what has to be done by itself.
"""

import asyncio
from collections.abc import Collection
from functools import partial
from typing import Any, Generic, TypeVar

import structlog

from parlour_protocol.errors import Code
from parlour_protocol.words import Sentence
from parlour_server.aggregate import Aggregate
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.background import Background
from parlour_server.hosting.context import Context
from parlour_server.hosting.remote_presence import Status
from parlour_server.log import kind_of
from parlour_server.refusals import Refusal
from parlour_server.store.cluster import ASLEEP
from parlour_server.store.port import StoreError

log = structlog.get_logger()

SWEEP_SECONDS = 30.0
GUEST_SECONDS = 30.0
"""How long one is kept in memory whose lease this node does not hold, once no one here uses it."""
READ_AGAIN_SECONDS = 1.0
"""How long a log that could not be read is not read again."""

A = TypeVar("A", bound=LogActor[Any, Any])


class Registry(Generic[A]):
    """All of one kind. What stands under "hooks" may be more for a kind of its own."""

    begins_by_itself = True
    """Does a log begin with the first command for its key, whichever node that comes to?"""

    def __init__(self, context: Context, aggregate: Aggregate[Any]) -> None:
        self.context = context
        self.aggregate = aggregate
        self._actors: dict[str, A] = {}
        self._waking: dict[str, asyncio.Task[Refusal | None]] = {}
        """Those that are being looked for in the store, and those that could not be read just now."""
        self._background = Background(context)
        self.stopped = False

    def __len__(self) -> int:
        return len(self._actors)

    def get(self, key: str) -> A | None:
        """One that is in memory."""
        return self._actors.get(key)

    def awake(self) -> Collection[A]:
        """All that are in memory."""
        return self._actors.values()

    @property
    def wanted(self) -> set[str]:
        """The keys of all that are in memory, or are being woken."""
        return {*self._actors, *self._waking}

    def add(self, actor: A) -> None:
        """One has begun its log, which no one else knows yet."""
        self._actors[actor.key] = actor

    async def load(self) -> None:
        """Wake those that are open, for what they do by themselves; from now on those that are idle sleep.

        Raises `StoreError`.
        """
        keys = [key for key in await self.context.node.open_others() if kind_of(key) == self.aggregate.kind]
        for key in keys[-self.context.limits.rooms :]:
            await self.wake(key)
        self._background.every(self.sweep_seconds, self.sweep)

    # ------------------------------------------------------------ waking

    async def fetch(self, key: str, address: str = "") -> A | None:
        """One that may be asleep, or behind: woken for those at this address, and as far as its log goes now.

        None: there is none. Raises `Refusal`.
        """
        if (actor := self._actors.get(key)) is None:
            if (refused := await self.wake(key, address)) is not None:
                raise refused
        else:
            if self.begins_by_itself:
                # So that it does not fall asleep as it is asked for.
                actor.idle_since = self.context.monotonic()
            if self.context.node.is_one_of_several:
                await actor.catch_up()
        return self._actors.get(key)

    async def woken(self, key: str) -> A | None:
        """One that is in memory, once it is woken if it is about to be."""
        if (waking := self._waking.get(key)) is not None:
            await waking
        return self._actors.get(key)

    async def wake(self, key: str, address: str = "", since: int | None = None) -> Refusal | None:
        """Why one can't be had; None: it is here, or there is none.

        `address`: of those who want it. `since`: see `take_up`, where that is known.
        """
        task = self._waking.get(key)
        if task is None:
            task = self._waking[key] = asyncio.create_task(self._wake(key, address, since))
        return await asyncio.shield(task)

    async def _wake(self, key: str, address: str, since: int | None) -> Refusal | None:
        loaded, refused, asked_at = False, None, self.context.monotonic()
        acquired = False
        try:
            if since is None:
                # Before it is read: no one is to play on while it is not known whether its clocks ran.
                since = await self.context.node.acquire(key)
                acquired = since is not None
            # Of an empty log no node holds the lease, and another may have begun it since.
            unsure = acquired and since == ASLEEP and self.begins_by_itself
            held_since = None if since is None or unsure else asked_at
            last_alive = ASLEEP if since == ASLEEP else None
            loaded = await self._load(key, last_alive, address, held_since, since or None)
            actor = self._actors.get(key)
            begun = actor is not None and actor.state.version and not (actor.leased or actor.is_over)
            if unsure and begun and actor is not None:
                asked_at = self.context.monotonic()
                held = await self.context.node.acquire(key) is not None
                if held and self.context.node.still_holds(asked_at):
                    actor.hold_lease(last_alive)
        except Refusal as refusal:
            loaded, refused = True, refusal
        except StoreError as error:
            log.warning(f"a {self.aggregate.noun}'s lease can't be had", **self._name(key), reason=str(error))
        if acquired and (refused is not None or not loaded):
            # Another node may be able to run it.
            await self.context.node.release([key], asleep=since == ASLEEP)
        if loaded:
            del self._waking[key]
            return refused
        # Asked for again and again, it is not read each time.
        forget = partial(self._waking.__delitem__, key)
        self._background.later(f"read {key}", READ_AGAIN_SECONDS, forget)
        return Refusal(Code.INTERNAL, Sentence("refusal.not_loaded"), retry_after=READ_AGAIN_SECONDS)

    async def _load(
        self,
        key: str,
        last_alive: int | None,
        address: str = "",
        held_since: float | None = None,
        unserved_since: int | None = None,
    ) -> bool:
        """Read one from the store; false: it can't be read, or can't go on from there.

        `held_since`: see `SoleNode.still_holds`; None: its lease is another node's. Raises `Refusal` where it
        is there, and has no place.
        """
        node, aggregate = self.context.node, self.aggregate
        try:
            records = await self.context.store.read(key)
            state = await self.context.replay.run(partial(aggregate.replay, key), records)
            if self.stopped or key in self._actors or (actor := self._make(key, state, address)) is None:
                return True
            self._actors[key] = actor
            if held_since is not None and state.version and not aggregate.is_over(state):
                actor.leased = node.still_holds(held_since)
            actor.restore(state, last_alive, unserved_since)
            node.mark_dirty(key)
        except Refusal:
            raise
        except Exception as error:
            # What the store says is known. Else a game is not installed, or our own code has failed.
            crash = None if isinstance(error, StoreError) else error
            said = f"a {aggregate.noun} can't be loaded"
            log.error(said, **self._name(key), reason=str(error), exc_info=crash)
            if key in self._actors:
                self._actors.pop(key).stop()
            return False
        return True

    def _name(self, key: str) -> dict[str, str]:
        return {self.aggregate.noun: key}

    # ------------------------------------------------------------ leases, and sleep

    async def take_up(self, key: str, since: int, asked_at: float) -> bool:
        """Hold the lease of a log, which no node did after `since`; false: it can't be read just now.

        It was asked for then, by the steady clock.
        """
        node, here = self.context.node, key in self._actors
        refused = None if here else await self.wake(key, "", since)
        actor = self._actors.get(key)
        if actor is None:
            full = refused is not None and refused.code is Code.SERVER_FULL
            if full or refused is None:
                await node.release([key], asleep=not full)
            return full or refused is None
        if here:
            await actor.catch_up()
        if actor.is_over:
            await node.release([key], asleep=True)
        elif not actor.leased and node.still_holds(asked_at):
            actor.hold_lease(ASLEEP if since == ASLEEP else None)
        return True

    @property
    def sweep_seconds(self) -> float:
        """How often those are looked for that were left alone."""
        return min(SWEEP_SECONDS, self.context.limits.idle_seconds, self.context.limits.away_seconds)

    def sweep(self) -> None:
        """Let those go that were left alone for long."""
        now = self.context.monotonic()
        for actor in list(self._actors.values()):
            alone = now - actor.idle_since
            if actor.is_over:
                self.put_to_sleep(actor)
            elif not actor.leased:
                # Another node has it, or it has no log.
                if not actor.in_use and actor.at_rest and alone > GUEST_SECONDS:
                    self.put_to_sleep(actor)
            elif actor.idle and alone > self._kept_seconds(actor):
                self._let_go(actor)

    def put_to_sleep(self, actor: A) -> None:
        """Take one out of memory. Its log stays."""
        actor.stop()
        self._actors.pop(actor.key, None)
        self.context.node.put_to_sleep(actor.key, leased=actor.leased)

    def stop(self) -> None:
        """Stop all; the logs stay."""
        self.stopped = True
        self._background.stop_timers()
        for actor in self._actors.values():
            actor.stop()

    # ------------------------------------------------------------ hooks

    def _make(self, key: str, state: Any, address: str) -> A | None:
        """An actor for a log that leads to this state, for those at this address who want it.

        It is as of an empty log yet. None: there is to be none. Raises `Refusal` for want of a place.
        """
        if len(self) >= self.context.limits.rooms:
            free = [actor for actor in self._actors.values() if actor.idle and not actor.in_use]
            if not free:
                raise Refusal(Code.SERVER_FULL, Sentence("refusal.actors_full"), retry_after=60.0)
            self.put_to_sleep(min(free, key=lambda one: one.idle_since))
        return LogActor(key, self.context, self.aggregate)  # type: ignore[return-value]

    def _kept_seconds(self, actor: A) -> float:
        """How long one is kept in memory that was left alone."""
        return self.context.limits.idle_seconds

    def _let_go(self, actor: A) -> None:
        """Do what is done with one that was left alone for so long."""
        self.put_to_sleep(actor)

    def status_of(self, key: str) -> Status:
        """What other nodes should know of one, beside its log."""
        return Status()

    def changed_elsewhere(self, key: str) -> None:
        """What other nodes have posted about one is not as it was."""
