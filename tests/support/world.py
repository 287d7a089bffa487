"""What the fake servers of tests/hosting and tests/sim share: a store that outlives them, and their parts."""

from typing import Any

from parlour_server.hosting.actors.registry import Registry
from parlour_server.hosting.cluster.node import ClusterNode
from parlour_server.hosting.context import Context
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.hosting.tournaments.registry import Tournaments
from parlour_server.store.cluster import Cluster
from parlour_server.store.memory import MemoryStore
from tests.support.counter import COUNTER


class LastingStore(MemoryStore):
    """Outlives its server, and is full at times."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.alive = 0

    def note_alive(self, at: int) -> None:
        self.alive = at

    async def last_alive(self) -> int:
        return self.alive


class Parts:
    """Rooms and a second aggregate over a context, alone or as a node of a cluster."""

    def __init__(self, context: Context, cluster: Cluster | None = None) -> None:
        self.directory = Directory(context)
        self.counters: Registry[Any] = Registry(context, COUNTER)
        self.tournaments = Tournaments(context, self.directory)
        if cluster is not None:
            context.node = ClusterNode(cluster, context, self.directory, self.counters, self.tournaments)

    async def load(self) -> None:
        await self.directory.load()
        await self.counters.load()
        await self.tournaments.load()

    async def leave(self) -> None:
        """Let other nodes have what is this one's, and stop."""
        await self.directory.leave()
        self.stop()

    def stop(self) -> None:
        self.directory.stop()
        self.counters.stop()
        self.tournaments.stop()
