"""May people be sent to a server now?"""

import asyncio

import pytest

from parlour_server.analysis.pools import ThreadPool
from parlour_server.hosting.rooms.directory import Directory
from parlour_server.monitoring import readiness
from parlour_server.monitoring.readiness import KEPT_SECONDS, Readiness
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import NotSaved
from tests.hosting.harness import Clock, HandContext, HandScheduler


class FaultyStore(MemoryStore):
    """Fails, or is stuck, when it is asked to commit."""

    def __init__(self) -> None:
        super().__init__()
        self.full = self.stuck = False
        self.checks = 0

    async def check(self) -> None:
        self.checks += 1
        if self.stuck:
            await asyncio.Event().wait()
        if self.full:
            raise NotSaved("The disk is full.")


class Server:
    """What readiness looks at."""

    def __init__(self) -> None:
        self.clock, self.store = Clock(), FaultyStore()
        self.scheduler = HandScheduler(self.clock)
        context = HandContext(self.store, self.scheduler)
        context.clock = self.clock
        self.directory = Directory(context)
        self._readiness = Readiness(self.store, self.directory, self.scheduler, lambda: self.clock.seconds)

    async def unready(self) -> list[str]:
        return await self._readiness.unready()

    async def later(self) -> list[str]:
        self.clock.advance(KEPT_SECONDS)
        return await self.unready()


async def test_a_server_is_ready_once_its_rooms_are_loaded() -> None:
    server = Server()
    assert await server.unready() == ["the rooms are not loaded yet"]
    await server.directory.load()
    assert await server.later() == []


async def test_a_store_that_cannot_save_makes_it_unready_until_it_can() -> None:
    server = Server()
    await server.directory.load()
    server.store.full = True
    assert await server.unready() == ["the store can't save"]
    server.store.full = False
    assert await server.later() == []


async def test_a_stuck_store_is_waited_for_no_longer_than_so(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    await server.directory.load()
    server.store.stuck = True
    monkeypatch.setattr(readiness, "STORE_SECONDS", 0.01)
    assert await server.unready() == ["the store does not answer"]


async def test_workers_that_cannot_be_started_make_it_unready(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    await server.directory.load()
    monkeypatch.setattr(ThreadPool, "failing", True)
    assert await server.unready() == ["the search workers can't be started"]


async def test_however_many_ask_the_disk_is_asked_once_a_second() -> None:
    server = Server()
    await server.directory.load()
    await asyncio.gather(*(server.unready() for _ in range(100)))
    assert server.store.checks == 1
    await server.later()
    assert server.store.checks == 2


async def test_one_who_asks_and_leaves_takes_nobody_s_answer_away() -> None:
    server = Server()
    await server.directory.load()
    first = asyncio.create_task(server.unready())
    await asyncio.sleep(0)
    second = asyncio.create_task(server.unready())
    await asyncio.sleep(0)
    first.cancel()
    assert await second == []
