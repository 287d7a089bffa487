"""The database that the nodes of a cluster share, and each node's own way to it: slow, cut, or down for all.

What nodes tell each other comes late, in another order, or not at all. After a crash only the log stands: who
was alive, who held which lease and what was posted are forgotten.
"""

import asyncio
import random
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextvars import Context
from dataclasses import dataclass
from typing import Any, TypeVar

from parlour_protocol.ids import Version
from parlour_server.store.cluster import Callbacks, Posted, Renewal
from parlour_server.store.port import StoreError
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather
from tests.support.nodes import Ground, MemoryCluster

UNREACHABLE = "The simulated database can't be reached."
SLOW_ANSWERS = 0.5
"""How likely an answer takes longer than the call."""
PATIENCE = 3.0
"""Seconds after which a call at the latest is given up that gets no answer."""

T = TypeVar("T")


@dataclass(slots=True)
class Database(Ground):
    """What stands, whoever runs."""

    unavailable: bool = False

    def crash(self) -> None:
        """Lose all that is not written to disk: see `store.cluster`."""
        self.leases.clear()
        self.holders.clear()
        self.posted.clear()

    def forget_nodes(self) -> None:
        """End the leases of all nodes before their time."""
        for lease in self.leases.values():
            lease.until = min(lease.until, self.now())


class SimulatedCluster(MemoryCluster):
    """One node's way to the others: see `store.cluster.Cluster`."""

    def __init__(
        self,
        database: Database,
        node: str,
        loop: SimulatedLoop,
        process: Context,
        sockets: Context,
        dice: random.Random,
        weather: Weather,
        trace: Trace,
    ) -> None:
        super().__init__(database, node)
        self._database, self._loop = database, loop
        self._process, self._sockets = process, sockets
        self._dice, self._weather, self._trace = dice, weather, trace
        self._calls = 0
        """How many are under way."""
        self._closed = False

    @property
    def unreachable(self) -> bool:
        """Is this node cut off, or the database down?"""
        return self.cut or self._database.unavailable

    async def close(self) -> None:
        """Reach nobody any more."""
        self._closed = True
        self.die()
        while self._calls:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        # Whoever asks again and again has been refused by then.
        await asyncio.sleep(0.1)

    def give_up(self) -> float:
        """How many seconds a call waits that gets no answer."""
        return self._dice.uniform(0, PATIENCE)

    def die(self) -> None:
        """The node is gone."""
        self._database.nodes.pop(self.node, None)

    def receive(self, call: Callable[[Callbacks], None]) -> None:
        """Another node has done something: it comes to be known later, or not at all."""
        if self._dice.random() >= self._weather.lost_hints:
            late = self._dice.uniform(*self._weather.hints)
            self._loop.call_later(late, self._receive, call, context=self._sockets)

    def _receive(self, call: Callable[[Callbacks], None]) -> None:
        if not self.unreachable and self._database.nodes.get(self.node) is self:
            self._process.copy().run(super().receive, call)

    async def _over(self, call: Coroutine[Any, Any, T], name: str) -> T:
        """Go to the database and back. What was done there stands, also where its answer is lost."""
        self._calls += 1
        try:
            await self._travel(name)
            answer = await call
            if self._weather.lost_calls or self._dice.random() < SLOW_ANSWERS:
                await self._travel(f"{name}, which is done")
        finally:
            self._calls -= 1
            call.close()
        return answer

    async def _travel(self, name: str) -> None:
        if self._closed:
            raise StoreError("This node has left.")
        await asyncio.sleep(self._dice.uniform(*self._weather.commit))
        fails = self._weather.lost_calls > 0 and self._dice.random() < self._weather.lost_calls
        if fails or self.unreachable:
            self._trace.note(self.node, f"no answer to {name}")
            await asyncio.sleep(self.give_up())
            raise StoreError(UNREACHABLE)

    async def renew(self, seconds: float, players: int) -> Renewal:
        return await self._over(super().renew(seconds, players), "renew")

    async def leave(self) -> None:
        await self._over(super().leave(), "leave")

    async def leased(self) -> list[str]:
        return await self._over(super().leased(), "leased")

    async def take_over(self, most: int, wanted: Collection[str] = ()) -> dict[str, int]:
        taken = await self._over(super().take_over(most, wanted), "take_over")
        if taken:
            self._trace.note(self.node, f"takes over {taken}")
        return taken

    async def acquire(self, room: str) -> int | None:
        since = await self._over(super().acquire(room), f"acquire {room}")
        self._trace.note(self.node, f"acquires {room}: {since}")
        return since

    async def release(self, rooms: Collection[str], *, asleep: bool) -> None:
        await self._over(super().release(rooms, asleep=asleep), "release")
        self._trace.note(self.node, f"releases {list(rooms)} {asleep=}")

    async def post(self, posts: Mapping[str, str | None]) -> None:
        await self._over(super().post(posts), "post")
        self._trace.note(self.node, f"posts {dict(posts)}")

    async def posts(self, *, afresh: bool = False) -> list[Posted]:
        seen = self._seen
        try:
            return await self._over(super().posts(afresh=afresh), "posts")
        except StoreError:
            # What has not arrived is asked for once more.
            self._seen = seen
            raise

    async def behind(self, versions: Mapping[str, Version]) -> list[str]:
        return await self._over(super().behind(versions), "behind")

    async def broadcast(self, text: str) -> None:
        await self._over(super().broadcast(text), "broadcast")

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        await self._over(super().keep(key, text, seconds), f"keep {key} {text}")

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        return await self._over(super().replace(key, old, text), f"replace {key} {text}")

    async def look_up(self, key: str) -> str | None:
        return await self._over(super().look_up(key), "look_up")

    async def take(self, key: str) -> str | None:
        return await self._over(super().take(key), "take")

    async def hold(self, key: str, seconds: float, without: Collection[str] = ()) -> str | None:
        return await self._over(super().hold(key, seconds, without), "hold")

    async def let_go(self, key: str) -> None:
        await self._over(super().let_go(key), "let_go")
