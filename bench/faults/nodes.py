"""Nodes over one PostgreSQL, each a process of its own that can be killed, stopped, and cut off.

    people -> balancer -> front -> node -> back -> PostgreSQL

`front` and `back` are each node's own proxies: cut one, and the other works on.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from bench.faults.balancer import Balancer, balancing
from parlour_client.sdk.admin import connected
from parlour_protocol.local.admin import Drain
from tests.support import postgres
from tests.support.fork_server import SERVER
from tests.support.proxy import Proxy, between
from tests.support.server import ServerProcess

DATABASE = "parlour"


class NodeProcess(ServerProcess):
    """A server that keeps its games in PostgreSQL."""

    needs = (*SERVER, "parlour_server.store.postgres.store", "parlour_server.store.postgres.cluster")


@dataclass
class Node:
    """One node, and the ways to and from it."""

    name: str
    process: NodeProcess
    front: Proxy
    back: Proxy

    async def end_by_drain(self) -> None:
        """`parlour admin drain`: it ends by itself, soon."""
        async with connected(None, self.process.port) as admin:
            await admin.ask(Drain())
        assert await self.process.ended() == 0

    def pause(self) -> None:
        """Let it do nothing, as a machine does that is suspended."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on, as if no time had passed."""
        os.kill(self.process.pid, signal.SIGCONT)


@dataclass
class Cluster:
    """The nodes, what is before them and what is behind."""

    nodes: list[Node]
    balancer: Balancer
    database: postgres.Server

    @property
    def data(self) -> str:
        """The URL of the database, past all proxies."""
        return self.database.url(DATABASE)


@contextlib.asynccontextmanager
async def clustered(
    server: postgres.Server, folder: Path, count: int, *options: str
) -> AsyncIterator[Cluster]:
    """So many nodes that run before this PostgreSQL, and write their logs to a folder."""
    async with contextlib.AsyncExitStack() as stack:
        maker = await asyncpg.connect(server.url())
        await maker.execute(f"CREATE DATABASE {DATABASE}")
        await maker.close()
        nodes = []
        for number in range(count):
            name = f"node{number + 1}"
            back = await stack.enter_async_context(between(f"tcp://127.0.0.1:{server.port}"))
            way = f"postgresql://postgres@{back.url.rpartition('/')[2]}/{DATABASE}"
            process = NodeProcess(way, *options, log=folder / f"{name}.log")
            front = await stack.enter_async_context(between(process.url))
            stack.push_async_callback(process.kill)
            nodes.append(Node(name, process, front, back))
        await asyncio.gather(*(node.process.start() for node in nodes))
        balancer = await stack.enter_async_context(balancing([node.front for node in nodes]))
        yield Cluster(nodes, balancer, server)
