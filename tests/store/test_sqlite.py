"""What the SQLite file must do beyond the contract: outlive the process, and say what is wrong."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from parlour_server.live.players import hash_token
from parlour_server.room.events import Record, RoomClosed
from parlour_server.store import sqlite
from parlour_server.store.port import NotReadable, NotSaved, Player, StoreUnusable, VersionConflict
from parlour_server.store.sqlite import SCHEMA_VERSION, SqliteStore
from tests.store.test_contract import append, begin, created, move


async def test_everything_is_there_after_closing(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "new" / "rooms.db")
    await append(store, "AAAAAA", 0, created(), move(1))
    await store.add_player("hash", Player("p-ada", "Ada"))
    pending = begin(store, "AAAAAA", 2, [move(2)])
    await store.close()
    await pending
    again = await SqliteStore.open(tmp_path / "new" / "rooms.db")
    assert await again.read("AAAAAA") == [created(), move(1), move(2)]
    assert await again.find_player("hash") == Player("p-ada", "Ada")
    assert await again.open_rooms() == ["AAAAAA"]
    await again.close()


@pytest.mark.parametrize("seed", range(8))
async def test_it_agrees_with_memory_whenever_it_is_opened_again(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random appends, conflicts and closings; heads noted often; the file closed and opened between."""
    monkeypatch.setattr(sqlite, "NOTE_HEADS_EVERY", 7)
    dice = random.Random(seed)
    memory: dict[str, list[Record]] = {}
    closed: set[str] = set()
    rooms = [f"ROOM{letter}" for letter in "ABCDEFGH"]
    store = await SqliteStore.open(tmp_path / "rooms.db")
    for number in range(300):
        room = dice.choice(rooms)
        log = memory.setdefault(room, [])
        records = [move(number + at) for at in range(dice.randint(1, 3))] if log else [created()]
        if log and len(rooms) > 1 and dice.random() < 0.02:
            records = [Record(RoomClosed("enough"), number, "p-ada", None)]
            closed.add(room)
            rooms.remove(room)
        expected = len(log) if room in closed or dice.random() < 0.8 else dice.randint(0, 5)
        if expected == len(log):
            await append(store, room, expected, *records)
            log.extend(records)
        else:
            with pytest.raises(VersionConflict):
                await append(store, room, expected, *records)
        if dice.random() < 0.05:
            await store.close()
            store = await SqliteStore.open(tmp_path / "rooms.db")
        some = dice.choice(list(memory))
        after = dice.randint(0, len(memory[some]))
        assert await store.read(some, after) == memory[some][after:]
    assert set(await store.open_rooms()) == {room for room, log in memory.items() if log} - closed
    await store.close()


async def test_the_file_is_as_durable_as_promised(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    synchronous, mode = await store._call(
        lambda database: (
            database.execute("PRAGMA synchronous").fetchone()[0],
            database.execute("PRAGMA journal_mode").fetchone()[0],
        )
    )
    assert (synchronous, mode) == (2, "wal")
    await store.close()


async def test_one_server_holds_the_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    with pytest.raises(StoreUnusable, match="in use by another program"):
        await SqliteStore.open(tmp_path / "rooms.db")
    await store.close()


async def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    """What was acknowledged before a kill -9 is there after it, and the file is free."""
    script = f"""
import asyncio, os, signal
from pathlib import Path
from parlour_server.store.sqlite import SqliteStore
from tests.store.test_contract import append, created, move

async def main():
    store = await SqliteStore.open(Path({str(tmp_path)!r}) / "rooms.db")
    await append(store, "AAAAAA", 0, created(), move(1))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    run = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script], cwd=root, check=False, timeout=60
    )
    assert run.returncode == -9
    store = await SqliteStore.open(tmp_path / "rooms.db")
    assert await store.read("AAAAAA") == [created(), move(1)]
    await store.close()


@pytest.mark.parametrize(
    "content", [b"this is no database, but it is long enough to be looked at" * 20, b"x"]
)
async def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rooms.db").write_bytes(content)
    with pytest.raises(StoreUnusable, match="damaged or no SQLite database"):
        await SqliteStore.open(tmp_path / "rooms.db")
    assert (tmp_path / "rooms.db").read_bytes() == content


async def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "theirs.db") as theirs:
        theirs.execute("CREATE TABLE songs (title TEXT)")
    theirs.close()
    before = (tmp_path / "theirs.db").read_bytes()
    with pytest.raises(StoreUnusable, match="something else"):
        await SqliteStore.open(tmp_path / "theirs.db")
    assert (tmp_path / "theirs.db").read_bytes() == before


async def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await store.close()
    with sqlite3.connect(tmp_path / "rooms.db") as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.close()
    with pytest.raises(StoreUnusable, match="newer Parlour"):
        await SqliteStore.open(tmp_path / "rooms.db")


async def test_a_path_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnusable, match="can't be used"):
        await SqliteStore.open(tmp_path / "file" / "rooms.db")
    with pytest.raises(StoreUnusable):
        await SqliteStore.open(tmp_path)


async def test_a_full_disk_refuses_and_then_goes_on(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "AAAAAA", 0, created())
    pages = await store._call(lambda database: database.execute("PRAGMA page_count").fetchone()[0])
    await store._call(lambda database: database.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    with pytest.raises(NotSaved, match="no room left"):
        for number in range(1, 1000):
            await append(store, "AAAAAA", number, move(number))
    kept = await store.read("AAAAAA")
    await store._call(lambda database: database.execute("PRAGMA max_page_count = 1000000").fetchone())
    await append(store, "AAAAAA", len(kept), move(0))
    assert await store.read("AAAAAA") == [*kept, move(0)]
    await store.close()


async def test_the_token_itself_is_never_in_the_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await store.add_player(hash_token("canary-token"), Player("p-ada", "Ada"))
    await store.close()
    for file in tmp_path.iterdir():
        assert b"canary-token" not in file.read_bytes()


async def test_a_record_of_a_later_version_is_told_and_nothing_else_waits(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "AAAAAA", 0, created())
    await append(store, "BBBBBB", 0, created())
    await store._call(
        lambda database: database.execute(
            "UPDATE events SET event = '{\"kind\":\"dealt\"}' WHERE room = 'AAAAAA'"
        )
    )
    with pytest.raises(NotReadable):
        await store.read("AAAAAA")
    await append(store, "BBBBBB", 1, move(1))
    assert await store.read("BBBBBB") == [created(), move(1)]
    await store.close()


async def test_a_missing_record_is_told(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "AAAAAA", 0, created(), move(1))
    await store._call(lambda database: database.execute("DELETE FROM events WHERE version = 1"))
    with pytest.raises(NotReadable):
        await store.read("AAAAAA")
    await store.close()


async def test_a_file_damaged_inside_is_unusable_rather_than_waited_for(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    for number in range(40):
        await append(store, f"ROOM{number:02}", 0, created())
    await store.close()
    data = bytearray((tmp_path / "rooms.db").read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    (tmp_path / "rooms.db").write_bytes(data)
    with pytest.raises(StoreUnusable):
        async with asyncio.timeout(10):
            await SqliteStore.open(tmp_path / "rooms.db")


async def test_one_answer_that_is_taken_badly_keeps_no_other_waiting(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")

    def fails(error: object) -> None:
        raise RuntimeError("a fault of ours")

    store.append("AAAAAA", 0, [created()], fails)
    await begin(store, "BBBBBB", 0, [created()])
    assert await store.open_rooms() == ["AAAAAA", "BBBBBB"]
    await store.close()
