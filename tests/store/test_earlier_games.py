"""Games that were finished before stores listed them are listed once, in order, while a server goes on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import asyncpg
import pytest

from parlour_protocol.events import GameFinished, RoomCreated
from parlour_protocol.settings import RoomSettings
from parlour_server.log import LogRecord
from parlour_server.store import earlier_games
from parlour_server.store.anonymise import SOMEONE
from parlour_server.store.earlier_games import PROGRESS
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import Checkpoint, Store
from parlour_server.store.postgres import earlier_games as in_postgres
from parlour_server.store.postgres import migrations
from parlour_server.store.postgres.store import PostgresStore
from parlour_server.store.sqlite import SqliteStore
from parlour_server.store.sqlite import earlier_games as in_sqlite
from parlour_server.store.sqlite import store as sqlite_store
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
        connection = await asyncpg.connect(url)
        assert await connection.fetchval("SELECT count(*) FROM parlour.checkpoints") == 0
        await connection.close()


STORES = {"sqlite": _sqlite, "postgres": _postgres}


@pytest.fixture(params=STORES)
async def opens(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Opens]:
    async with STORES[request.param](tmp_path, monkeypatch) as opens:
        yield opens


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each game is a batch of its own, and nearly each record a piece."""
    monkeypatch.setattr(earlier_games, "REPLAYED_AT_ONCE", 2)
    monkeypatch.setattr(in_sqlite, "SCANNED_AT_ONCE", 5)
    monkeypatch.setattr(sqlite_store, "PAUSE_SECONDS", 0.001)
    for name in ("BATCH_SECONDS", "PAUSE_SECONDS", "RETRY_SECONDS"):
        monkeypatch.setattr(in_postgres, name, 0.0 if name == "BATCH_SECONDS" else 0.001)
    yield


async def until_listed(store: Store, most: int = 9) -> list[FinishedGame]:
    async with asyncio.timeout(10.0):
        # The checkpoint goes last.
        while (  # noqa: ASYNC110
            len(games := await games_of(store)) < most or await store.checkpoint(PROGRESS) != Checkpoint()
        ):
            await asyncio.sleep(0.005)
    return games


async def test_earlier_games_are_listed_in_the_order_of_their_ends(opens: Opens) -> None:
    async with opens() as store:
        assert await until_listed(store) == await as_listed_at_once()
    async with opens() as store:
        assert await games_of(store) == await as_listed_at_once()


@pytest.mark.usefixtures("in_small_steps")
async def test_a_server_that_is_stopped_goes_on_where_it_was(opens: Opens) -> None:
    for most in (1, 3, 4, 9):
        async with opens() as store:
            games = await until_listed(store, most) if most == 9 else await _some(store, most)
    assert games == await as_listed_at_once()


async def _some(store: Store, most: int) -> list[FinishedGame]:
    while len(games := await games_of(store)) < most:  # noqa: ASYNC110
        await asyncio.sleep(0)
    return games


@pytest.mark.usefixtures("in_small_steps")
async def test_games_that_end_meanwhile_are_listed_once(opens: Opens) -> None:
    async with opens() as store:
        for number in range(5):
            await append(store, f"NEW{number}AA", 0, *evening()[0][2])
            await asyncio.sleep(0.01)
        games = await until_listed(store, 14)
        earlier = [game for game in games if game.room in ROOMS]
        assert earlier == await as_listed_at_once()
        assert [game.room for game in games if game not in earlier] == [f"NEW{n}AA" for n in range(5)]


@pytest.mark.usefixtures("in_small_steps")
@pytest.mark.parametrize("pieces", [0, 3, 6, 9, 15, 20, 30])
async def test_a_player_who_is_forgotten_meanwhile_is_named_nowhere(opens: Opens, pieces: int) -> None:
    async with opens() as store:
        for _ in range(pieces):
            await store.used()
            await asyncio.sleep(0.001)
        await store.forget_player(ADA)
        names = {one.name for game in await until_listed(store) for one in game.summary.players}
        assert names == {SOMEONE, "Ben"}


@pytest.mark.usefixtures("in_small_steps")
async def test_two_nodes_list_each_game_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with _postgres(tmp_path, monkeypatch) as opens, opens() as one, opens() as two:
        assert await until_listed(one) == await until_listed(two) == await as_listed_at_once()


async def test_a_damaged_room_keeps_no_other_from_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _sqlite(tmp_path, monkeypatch) as opens:
        change(tmp_path / "rooms.db", "UPDATE events SET at = at + 1 WHERE room = 'AAAAAA' AND version = 6")
        async with opens() as store:
            games = await until_listed(store, 6)
        assert games == [game for game in await as_listed_at_once() if game.room != "AAAAAA"]
        change(tmp_path / "rooms.db", "UPDATE events SET at = at - 1 WHERE room = 'AAAAAA' AND version = 6")
