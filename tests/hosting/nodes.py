"""Several nodes in one process, over one log and one clock; and people who play across them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.hosting.harness import Clock, HostingHarness, Person, settle
from tests.support.nodes import Ground, MemoryCluster, NodeStore


class Nodes:
    """Harnesses that share a log and a clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.ground = Ground(lambda: int(1000 * self.clock.seconds))
        self.harnesses: list[HostingHarness] = []
        self.clusters: list[MemoryCluster] = []

    async def open(self, name: str = "") -> HostingHarness:
        number = len(self.harnesses) + 1
        cluster = MemoryCluster(self.ground, name or f"n{number}")
        harness = HostingHarness(
            store=NodeStore(cluster), clock=self.clock, cluster=cluster, name=f"{number}-"
        )
        self.harnesses.append(harness)
        self.clusters.append(cluster)
        await harness.load()
        return harness

    async def advance(self, seconds: float) -> None:
        """Let time pass bit by bit, and all that it brings happen."""
        steps = max(1, round(seconds / 0.05))
        for _ in range(steps):
            self.clock.advance(seconds / steps)
            await settle()

    def kill(self, harness: HostingHarness) -> None:
        """As by `kill -9`: nothing of it happens any more."""
        cluster = self.clusters[self.harnesses.index(harness)]
        cluster.cut = True
        self.ground.nodes.pop(cluster.node)
        for actor in [*harness.directory.awake(), *harness.counters.awake(), *harness.tournaments.awake()]:
            actor.stop()

    async def close(self) -> None:
        for harness in self.harnesses:
            await harness.leave()
            await harness.scheduler.close()

    def holders(self, room: str) -> list[int]:
        """Which nodes hold a room's lease."""
        awake = [(number, one.directory.get(room)) for number, one in enumerate(self.harnesses)]
        return [number for number, one in awake if one is not None and one.leased and not one.stopped]

    # ------------------------------------------------------------ people

    async def created(self, owner: Person, bots: int = 0, **settings: Any) -> str:
        """A room, in which so many bots begin to play."""
        room: str = (await owner.ask_store("create", game="tictactoe", settings=settings))["room"]
        for _ in range(bots):
            asked = owner.say("add_bot", room=room, bot="random")
            await self.advance(0.2)
            assert owner.answers(asked)[0]["type"] == "accepted"
        return room

    async def table(self, ada: Person, ben: Person, moves: str = "", **settings: Any) -> str:
        """A room where Ada sits first and Ben second, wherever they are connected, after these moves."""
        room = await self.created(ada, **settings)
        for person in (ada, ben):
            asked = person.say("sit", room=room)
            await self.advance(0.2)
            assert person.answers(asked)[0]["type"] == "accepted", person.answers(asked)
        await self.advance(0.5)
        for ply, move in enumerate(moves.split()):
            await self.play((ada, ben)[ply % 2], room, move)
        return room

    async def play(self, person: Person, room: str, move: str) -> dict[str, Any]:
        asked = person.say("play", room=room, version=person.view(room)["version"], move=move)
        await self.advance(0.1)
        return dict(person.answers(asked)[0])

    async def comes_back(
        self, person: Person, harness: HostingHarness, room: str, seconds: float = 0.5
    ) -> Person:
        """The player's connection to this node, where they subscribe to a room."""
        back = await harness.person("Back", token=person.token)
        back.say("subscribe", room=room)
        await self.advance(seconds)
        return back


@pytest.fixture
async def nodes() -> AsyncIterator[Nodes]:
    nodes = Nodes()
    yield nodes
    await nodes.close()
