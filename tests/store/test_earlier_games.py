"""Games that were finished before stores listed them are listed once, in order, by the next start."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from parlour_protocol.events import GameFinished, RoomCreated
from parlour_protocol.settings import RoomSettings
from parlour_server.log import LogRecord
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Store
from parlour_server.store.postgres import migrations
from parlour_server.store.postgres.store import PostgresStore
from parlour_server.store.sqlite import SqliteStore
from parlour_server.store.sqlite.check import check
from tests.store.test_contract import append
from tests.store.test_damage import change, make_older, none
from tests.support import postgres
from tests.support.rooms import ADA, BEN, FIRST_WINS, Table, act, play, started

ROOMS = ("BBBBBB", "AAAAAA", "CCCCCC")
Piece = tuple[str, int, list[LogRecord]]
Opens = Callable[[], AbstractAsyncContextManager[Store]]


@cache
def evening() -> list[Piece]:
    """Three rooms, in which three games are played in turn."""
    tables = {room: Table() for room in ROOMS}
    pieces: list[Piece] = []
    clock = 1_000
    for number in range(3):
        for room, table in tables.items():
            before, table.now = table.state.version, clock
            if number == 0:
                table.take(started(RoomSettings(clock="3+2")))
            else:
                table.do(act("rematch"), ADA)
                table.do(act("rematch"), BEN)
            for move in FIRST_WINS[: 5 if room != "CCCCCC" else 3]:
                assert table.state.turn is not None
                table.do(play(move, table.state.version), (ADA, BEN)[table.state.turn.seat])
            if room == "CCCCCC":
                table.do(act("resign"), BEN)
            pieces.append((room, before, table.log[before:]))
            clock = table.now
    return pieces


async def games_of(store: Store) -> list[FinishedGame]:
    return [game for _, game in await store.finished_games(0, 99)]


async def as_listed_at_once() -> list[FinishedGame]:
    store = MemoryStore()
    for room, before, records in evening():
        await append(store, room, before, *records)
    games = await games_of(store)
    assert len(games) == 9
    return games


async def play_as_before(store: Store) -> None:
    """Keep the evening as earlier versions did, and a game that is not installed any more."""
    for room, before, records in evening():
        old = [
            replace(one, event=replace(one.event, summary=None))
            if isinstance(one.event, GameFinished)
            else one
            for one in records
        ]
        await append(store, room, before, *old)
    created = LogRecord(RoomCreated("lost", RoomSettings(), owner=ADA), 1, ADA, "c0")
    await append(store, "DDDDDD", 0, created, LogRecord(GameFinished("line", 0), 2, ADA, "c1"))
    assert await store.finished_games(0, 9) == []


@asynccontextmanager
async def _sqlite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opens]:
    path = folder / "rooms.db"
    store = await SqliteStore.open(path)
    await play_as_before(store)
    await store.close()
    make_older(path, 5)

    @asynccontextmanager
    async def opens() -> AsyncIterator[Store]:
        store = await SqliteStore.open(path)
        try:
            yield store
        finally:
            await store.close()

    yield opens
    assert check(path, none).faults == []


@asynccontextmanager
async def _postgres(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opens]:
    async with postgres.database(like=postgres.EMPTY) as url:
        monkeypatch.setattr(migrations, "MIGRATIONS", (steps := migrations.MIGRATIONS)[:3])
        store = await PostgresStore.open(url)
        await play_as_before(store)
        await store.close()
        monkeypatch.setattr(migrations, "MIGRATIONS", steps)

        @asynccontextmanager
        async def opens() -> AsyncIterator[Store]:
            store = await PostgresStore.open(url)
            yield store
            await store.close()

        yield opens


STORES = {"sqlite": _sqlite, "postgres": _postgres}


@pytest.fixture(params=STORES)
async def opens(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Opens]:
    async with STORES[request.param](tmp_path, monkeypatch) as opens:
        yield opens


async def test_earlier_games_are_listed_once_in_the_order_of_their_ends(opens: Opens) -> None:
    for _ in range(2):
        async with opens() as store:
            assert await games_of(store) == await as_listed_at_once()


async def test_a_game_that_ends_later_is_listed_after_them(opens: Opens) -> None:
    async with opens() as store:
        await append(store, "NEWAAA", 0, *evening()[0][2])
        *earlier, last = await games_of(store)
        assert (earlier, last.room) == (await as_listed_at_once(), "NEWAAA")


async def test_a_damaged_room_keeps_no_other_from_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _sqlite(tmp_path, monkeypatch) as opens:
        change(tmp_path / "rooms.db", "UPDATE events SET at = at + 1 WHERE room = 'AAAAAA' AND version = 6")
        async with opens() as store:
            games = await games_of(store)
        assert games == [game for game in await as_listed_at_once() if game.room != "AAAAAA"]
        change(tmp_path / "rooms.db", "UPDATE events SET at = at - 1 WHERE room = 'AAAAAA' AND version = 6")
