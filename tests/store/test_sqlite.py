"""What the SQLite file must do beyond the contract: outlive the process, and say what is wrong."""

import asyncio
import os
import random
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_protocol.events import (
    ChatPosted,
    ClocksStopped,
    MovePlayed,
    RoomClosed,
    RoomCreated,
    SeatTaken,
    StandInSeated,
)
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.reports import Candidate, Report, Score
from parlour_server.counters import Counters
from parlour_server.log import LogRecord
from parlour_server.store.gathered import Gathered
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import LogDamaged, NotSaved, Player, StoreFull, StoreUnusable, VersionConflict
from parlour_server.store.sqlite import SqliteStore, backup, committing, heads, pruning
from parlour_server.store.sqlite import store as store_module
from parlour_server.store.sqlite.check import check
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import _OLDEST, SCHEMA_VERSION
from parlour_server.store.sqlite.reading import last_at
from tests.store.test_contract import append, begin, created, move

PATIENCE = 60.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(tmp_path / "rooms.db")
    yield opened
    await opened.close()


async def test_what_cannot_be_encoded_keeps_nothing_else_from_being_saved(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    # Half a character.
    strange = LogRecord(ChatPosted("players", "Eve", "\ud800"), 1, "p-eve")
    begun = [begin(store, f"ROOM0{n}", 0, [created(), *([strange] if n == 1 else [])]) for n in range(3)]
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), NotSaved, type(None)]
    assert await store.open_rooms() == ["ROOM00", "ROOM02"]
    await store.close()


@pytest.mark.parametrize("seed", range(3))
async def test_it_agrees_with_memory_whenever_it_is_opened_again(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random appends, conflicts, closings and prunings; heads noted often; the file opened again between."""
    monkeypatch.setattr(heads, "NOTE_HEADS_EVERY", 7)
    monkeypatch.setattr(pruning, "PRUNED_AT_ONCE", 2)
    dice, memory = random.Random(seed), MemoryStore()
    rooms = [f"ROOM{letter}" for letter in "ABCDEFGHIJ"]
    store = await SqliteStore.open(tmp_path / "rooms.db")
    for number in range(300):
        room = dice.choice(rooms)
        log = await memory.read(room)
        closed = any(isinstance(record.event, RoomClosed) for record in log)
        records = [move(number + at) for at in range(dice.randint(1, 3))] if log else [created()]
        if log and dice.random() < 0.02:
            records = [LogRecord(RoomClosed("enough"), 1_000 + number, "p-ada", None)]
        expected = len(log) if dice.random() < 0.8 else dice.randint(0, 5)
        if not closed and expected == len(log):
            for one in (store, memory):
                await append(one, room, expected, *records)
        elif expected != len(log):
            with pytest.raises(VersionConflict):
                await append(store, room, expected, *records)
        if dice.random() < 0.05:
            before = 1_000 + number - dice.randrange(60)
            assert sorted(await store.prune(before)) == sorted(await memory.prune(before))
        if dice.random() < 0.05:
            await store.close()
            store = await SqliteStore.open(tmp_path / "rooms.db")
        some = dice.choice(rooms)
        after = dice.randint(0, len(await memory.read(some)))
        assert await store.read(some, after) == await memory.read(some, after)
    assert sorted(await store.open_rooms()) == sorted(await memory.open_rooms())
    await store.close()


async def test_the_file_is_as_durable_as_promised(store: SqliteStore) -> None:
    synchronous, mode = await store._call(
        lambda file: (
            file.database.execute("PRAGMA synchronous").fetchone()[0],
            file.database.execute("PRAGMA journal_mode").fetchone()[0],
        )
    )
    assert (synchronous, mode) == (2, "wal")


async def test_one_server_holds_the_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    with pytest.raises(StoreUnusable, match="in use by another program"):
        await SqliteStore.open(tmp_path / "rooms.db")
    await store.close()


@pytest.mark.parametrize(
    ("ours", "content", "said"),
    [
        (
            False,
            b"this is no database, but it is long enough to be looked at" * 20,
            "is no data file of a server's",
        ),
        (False, b"x", "is no data file of a server's"),
        (False, "CREATE TABLE songs (title TEXT)", "something else"),
        (True, f"PRAGMA user_version = {SCHEMA_VERSION + 1}", "newer Parlour"),
        (True, f"PRAGMA user_version = {_OLDEST - 1}", "older Parlour"),
    ],
    ids=["text", "short", "foreign", "newer", "older"],
)
async def test_a_file_that_is_not_of_this_server_is_refused_and_left_alone(
    tmp_path: Path, ours: bool, content: bytes | str, said: str
) -> None:
    path = tmp_path / "rooms.db"
    if ours:
        await (await SqliteStore.open(path)).close()
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(content)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match=said):
        await SqliteStore.open(path)
    assert path.read_bytes() == before


async def test_all_of_an_event_comes_back_what_is_private_too(tmp_path: Path) -> None:
    report = Report("easy", [Candidate("b2", Score(1, "estimate"))])
    log: list[LogRecord] = [
        LogRecord(RoomCreated("tictactoe", RoomSettings(), ("a1", "b2"), owner="p-ada"), 1, "p-ada", "c0"),
        LogRecord(SeatTaken(1, "easy", "easy", player="bot:1", seed=7), 2, "p-ada", "c1"),
        LogRecord(MovePlayed(0, "c3", report, lag=40), 3, "bot:1", "c2"),
        LogRecord(ClocksStopped(spent=1_500), 4, ""),
        LogRecord(StandInSeated(0, "random", seed=9), 5, ""),
        LogRecord(ChatPosted("spectators", "Eve", "hello"), 6, "p-eve", "c3"),
    ]
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "AAAAAA", 0, *log)
    await store.close()
    store = await SqliteStore.open(tmp_path / "rooms.db")
    assert await store.read("AAAAAA") == log
    await store.close()


async def test_a_path_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnusable, match=r"There is no folder .*file for rooms\.db\. Make it, or name"):
        await SqliteStore.open(tmp_path / "file" / "rooms.db")
    with pytest.raises(StoreUnusable):
        await SqliteStore.open(tmp_path)


async def test_a_full_disk_refuses_and_then_goes_on(store: SqliteStore) -> None:
    await append(store, "AAAAAA", 0, created())
    pages = await store._call(lambda file: file.database.execute("PRAGMA page_count").fetchone()[0])
    await store._call(lambda file: file.database.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    with pytest.raises(NotSaved, match="has no room left"):
        for number in range(1, 1000):
            await append(store, "AAAAAA", number, move(number))
    kept = await store.read("AAAAAA")
    await store._call(lambda file: file.database.execute("PRAGMA max_page_count = 1000000").fetchone())
    await append(store, "AAAAAA", len(kept), move(0))
    assert await store.read("AAAAAA") == [*kept, move(0)]


async def test_commits_are_counted_and_so_are_those_that_failed(tmp_path: Path) -> None:
    counters = Counters()
    store = await SqliteStore.open(tmp_path / "rooms.db", counters)
    await append(store, "AAAAAA", 0, created(), move(1))
    await store._call(lambda file: file.database.execute("PRAGMA query_only = 1").fetchone())
    with pytest.raises(NotSaved):
        await store.check()
    with pytest.raises(NotSaved):
        await append(store, "AAAAAA", 2, move(2))
    await store._call(lambda file: file.database.execute("PRAGMA query_only = 0").fetchone())
    await store.check()
    await store.close()
    assert (sum(counters.commit_times.counts), counters.commits_failed) == (1, 1)
    assert counters.commit_sizes.total == 2


@pytest.mark.parametrize(
    "damage",
    ['UPDATE events SET event = \'{"kind":"dealt"}\'', "DELETE FROM events"],
    ids=["of a later version", "missing"],
)
async def test_a_record_that_can_not_be_read_is_refused_and_nothing_else_waits(
    store: SqliteStore, damage: str
) -> None:
    for room in ("AAAAAA", "BBBBBB"):
        await append(store, room, 0, created(), move(1))
    await store._call(lambda file: file.database.execute(f"{damage} WHERE room = 'AAAAAA' AND version = 1"))
    with pytest.raises(LogDamaged):
        await store.read("AAAAAA")
    await append(store, "BBBBBB", 2, move(2))
    assert await store.read("BBBBBB") == [created(), move(1), move(2)]


async def test_a_file_damaged_inside_is_unusable_rather_than_waited_for(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    for number in range(40):
        await append(store, f"ROOM{number:02}", 0, created())
    await store.close()
    data = bytearray((tmp_path / "rooms.db").read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    (tmp_path / "rooms.db").write_bytes(data)
    with pytest.raises(StoreUnusable):
        async with asyncio.timeout(30):
            await SqliteStore.open(tmp_path / "rooms.db")


async def test_one_answer_that_is_taken_badly_keeps_no_other_waiting(store: SqliteStore) -> None:

    def fails(error: object) -> None:
        raise RuntimeError("a fault of ours")

    store.append("AAAAAA", 0, [created()], fails)
    await begin(store, "BBBBBB", 0, [created()])
    assert await store.open_rooms() == ["AAAAAA", "BBBBBB"]


# ---------------------------------------------------------------- what is kept, and for how long


async def test_it_is_noted_when_the_server_was_last_up(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    assert await store.last_alive() == 0
    store.note_alive(4_000)
    store.note_alive(5_000)
    await store.close()
    store = await SqliteStore.open(tmp_path / "rooms.db")
    assert await store.last_alive() == 5_000
    await store.close()


async def test_many_rooms_are_pruned_a_few_at_a_time(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "PRUNED_AT_ONCE", 3)
    for number in range(10):
        await append(store, f"ROOM{number:02}", 0, created(), move(1))
    at_work = asyncio.create_task(store.prune(5_000))
    # One that is used again in the meantime stays.
    await append(store, "ROOM09", 2, move(9_000))
    assert len(await at_work) == 9
    assert await store.open_rooms() == ["ROOM09"]
    (left,) = await store._call(lambda file: file.database.execute("SELECT count(*) FROM events").fetchone())
    assert left == 3


async def test_no_number_below_the_notes_is_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start looks for what is new above the notes alone: an event numbered below them would be lost."""
    monkeypatch.setattr(heads, "NOTE_HEADS_EVERY", 4)
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "AAAAAA", 0, created(), move(1), move(2), move(3))
    assert await store.prune(5_000) == ["AAAAAA"]
    await store.close()
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await append(store, "BBBBBB", 0, created(), move(9_000))
    await store.close()
    store = await SqliteStore.open(tmp_path / "rooms.db")
    assert await store.read("BBBBBB") == [created(), move(9_000)]
    assert await store.read("AAAAAA") == []
    await store.close()


async def test_what_cannot_be_pruned_stays_whole(store: SqliteStore) -> None:
    await append(store, "AAAAAA", 0, created(), move(1))
    await store._call(lambda file: file.database.execute("PRAGMA query_only = 1").fetchone())
    with pytest.raises(NotSaved):
        await store.prune(5_000)
    with pytest.raises(NotSaved, match="can't be written"):
        await append(store, "AAAAAA", 2, move(2))
    await store._call(lambda file: file.database.execute("PRAGMA query_only = 0").fetchone())
    assert await store.read("AAAAAA") == [created(), move(1)]
    # And goes on as soon as it can be written again.
    await append(store, "AAAAAA", 2, move(2))
    assert await store.prune(5_000) == ["AAAAAA"]


async def test_a_file_that_cannot_be_written_is_reported_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await SqliteStore.open(tmp_path / "rooms.db")
    await store.close()

    def refuses(path: object, flags: int, mode: int = 0o777) -> int:
        raise PermissionError(13, "Permission denied")

    # A file's own bits would hold back nobody who runs this as root.
    monkeypatch.setattr(os, "open", refuses)
    with pytest.raises(StoreUnusable, match=r"rooms\.db can't be written\. Mend its permissions"):
        await SqliteStore.open(tmp_path / "rooms.db")


# ---------------------------------------------------------------- players


async def test_new_players_share_the_commit_of_what_gathers_with_them(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    commit = committing.commit

    def counted(open_file: OpenFile, batch: list[Gathered]) -> list[committing.Outcome]:
        batches.append(len(batch))
        return commit(open_file, batch)

    monkeypatch.setattr(store_module, "commit", counted)
    players = [Player(f"p-{number}", "Ada") for number in range(30)]
    await asyncio.gather(
        begin(store, "AAAAAA", 0, [created()]), *(store.add_player(one.id, one, 1) for one in players)
    )
    assert sum(batches) == 31
    assert len(batches) <= 2
    assert await store.find_player("p-29") == players[29]


async def test_a_commit_takes_few_statements_however_much_has_gathered(tmp_path: Path) -> None:
    """With each the thread gives the interpreter's lock away, and waits for it where the loop is busy."""
    file = await SqliteStore.open(tmp_path / "rooms.db")
    rooms = [f"AAAA{a}{b}" for a in "ABCDEFGH" for b in "ABCDEFGH"]
    await asyncio.gather(*(begin(file, room, 0, [created()]) for room in rooms))
    run: list[str] = []
    await file._call(lambda open_file: open_file.database.set_trace_callback(run.append))
    moves = [begin(file, room, 1, [move(1)]) for room in rooms]
    await asyncio.gather(*moves)
    assert len(run) == 1
    run.clear()
    players = [Player(f"p-{number}", "Ada") for number in range(150)]
    moves = [begin(file, room, 2, [move(2)]) for room in rooms]
    await asyncio.gather(*moves, *(file.add_player(one.id, one, 1) for one in players))
    # The beginning, three each for players and visitors, one for the moves, the end.
    assert len(run) <= 9
    await file.close()
    file = await SqliteStore.open(tmp_path / "rooms.db")
    assert [len(await file.read(room)) for room in rooms] == [3] * len(rooms)
    assert [await file.find_player(one.id) for one in players] == players
    await file.close()


async def test_nothing_of_a_forgotten_person_is_in_the_file(tmp_path: Path) -> None:
    file = await SqliteStore.open(tmp_path / "rooms.db")
    await file.add_player("hash-canary", Player("p-ada", "Name-canary"), 1)
    said = LogRecord(ChatPosted("players", "Name-canary", "Word-canary"), 2, "p-ada", "c1")
    await append(file, "AAAAAA", 0, created(), *[said] * 40)
    await file.forget_player("p-ada")
    for path in tmp_path.iterdir():
        assert b"canary" not in path.read_bytes()
    await file.close()
    assert check(tmp_path / "rooms.db", lambda done, of: None).faults == []


# ---------------------------------------------------------------- the limit


async def test_at_its_limit_running_games_go_on_until_the_reserve_is_used(tmp_path: Path) -> None:
    file = await SqliteStore.open(tmp_path / "rooms.db", limit=500_000)
    with capture_logs() as logs:
        number = 0
        with pytest.raises(StoreFull, match=r"limit of 500,000 bytes\. Raise --data-limit"):
            for number in range(10_000):
                await append(file, f"R{number:05}", 0, created(), *[move(one) for one in range(20)])
    assert [entry["event"] for entry in logs].count("the data file is nearly full") == 1
    with pytest.raises(StoreFull):
        await file.add_player("hash", Player("p-ada", "Ada"), 1)
    await append(file, "R00000", 21, move(21))
    with pytest.raises(NotSaved, match="has no room left") as refusal:
        for version in range(22, 10_000):
            await append(file, "R00000", version, *[move(version)])
    assert not isinstance(refusal.value, StoreFull)
    # What is forgotten makes room again.
    await file.prune(2_000, {"R00000"})
    await append(file, "AAAAAA", 0, created())
    await file.close()
    assert (tmp_path / "rooms.db").stat().st_size <= 550_000


async def test_the_limit_is_for_the_wal_too(tmp_path: Path) -> None:
    file = await SqliteStore.open(tmp_path / "rooms.db", limit=1_000_000)
    with pytest.raises(StoreFull):
        for number in range(10_000):
            await append(file, f"R{number:05}", 0, created(), *[move(one) for one in range(20)])
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert sum(sizes) <= 1_100_000
    # Nothing has been freed, so that all of the file is in use.
    assert await file.used() >= 1_000_000
    await file.close()


# ---------------------------------------------------------------- copies


async def test_a_copy_is_made_while_moves_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "PAGES_AT_ONCE", 1)
    file = await SqliteStore.open(tmp_path / "rooms.db")
    for number in range(60):
        await append(file, f"ROOM{number:02}", 0, created(), *[move(one) for one in range(20)])
    steps: list[tuple[int, int]] = []
    entered, asked, answered = threading.Event(), threading.Event(), threading.Event()

    def progress(done: int, of: int) -> None:
        steps.append((done, of))
        if len(steps) == 1:
            entered.set()
            assert asked.wait(PATIENCE)
        elif len(steps) == 2:
            assert answered.wait(PATIENCE)

    copying = asyncio.create_task(file.backup(tmp_path / "copy.db", progress))
    assert await asyncio.to_thread(entered.wait, PATIENCE)
    played = begin(file, "ROOM00", 21, [move(21)])
    others = [asyncio.create_task(file.find_player("hash")) for _ in range(3)]
    reading = asyncio.create_task(file.read("ROOM00", 21))
    await asyncio.sleep(0)
    asked.set()
    # Answered after the first step, while the second has yet to end.
    await played
    assert await asyncio.gather(*others) == [None] * 3
    answered.set()
    assert await reading == [move(21)]
    await copying
    assert steps[-1][0] == steps[-1][1] > 20
    await file.close()
    found = check(tmp_path / "copy.db", lambda done, of: None)
    assert (found.rooms, found.records) == (60, 60 * 21 + 1)
    copy = await SqliteStore.open(tmp_path / "copy.db")
    copied = await copy.read("ROOM00")
    assert copied == [created(), *[move(one) for one in range(20)], move(21)]
    await copy.close()


async def test_a_copy_does_not_keep_a_store_from_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "PAGES_AT_ONCE", 1)
    file = await SqliteStore.open(tmp_path / "rooms.db")
    await append(file, "AAAAAA", 0, created(), *[move(one) for one in range(500)])
    entered, asked = threading.Event(), threading.Event()

    def progress(done: int, of: int) -> None:
        entered.set()
        assert asked.wait(PATIENCE)

    copying = asyncio.create_task(file.backup(tmp_path / "copy.db", progress))
    assert await asyncio.to_thread(entered.wait, PATIENCE)
    closing = asyncio.create_task(file.close())
    await asyncio.sleep(0)
    asked.set()
    await closing
    with pytest.raises(NotSaved, match="stopping"):
        await copying
    assert list(tmp_path.glob("copy*")) == []


async def test_no_file_is_copied_over(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(NotSaved, match="already"):
        await store.backup(tmp_path / "copy.db", lambda done, of: None)
    with pytest.raises(NotSaved, match="No copy can be written"):
        await store.backup(tmp_path / "no" / "copy.db", lambda done, of: None)
    assert (tmp_path / "copy.db").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.db"]
    await append(store, "AAAAAA", 0, created())


async def test_an_append_is_served_while_many_rooms_are_looked_at(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [f"ROOM{number:02}" for number in range(40)]
    monkeypatch.setattr(pruning, "LOOKED_AT_ONCE", 4)
    for room in rooms:
        await append(store, room, 0, created(), move(1))
    looked_at: list[str] = []
    served_after: list[int] = []
    handed_over = threading.Event()

    def ask() -> None:
        store.append("LATEST", 0, [created()], lambda error: served_after.append(committed_after[0]))
        asyncio.get_running_loop().call_soon(handed_over.set)

    def look(file: OpenFile, room: str) -> int:
        if not looked_at:
            # While the first room is looked at.
            loop.call_soon_threadsafe(ask)
            handed_over.wait()
        looked_at.append(room)
        return last_at(file, room)

    committed_after: list[int] = []

    def note_commit(*args: Any) -> Any:
        committed_after.append(len(looked_at))
        return committing.commit(*args)

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(pruning, "last_at", look)
    monkeypatch.setattr(store_module, "commit", note_commit)
    # None of them is old.
    assert await store.prune(0) == []
    assert served_after == [4]
    assert set(looked_at) >= set(rooms)


async def test_a_visitor_who_comes_back_while_visitors_are_forgotten_stays(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "VISITORS_AT_ONCE", 1)
    for number, name in enumerate(("ada", "ben", "cyd", "dan")):
        await store.add_player(f"hash-of-{name}", Player(f"p-{name}", name), number)
    forgetting = asyncio.create_task(store.forget_visitors(1_000))
    await asyncio.sleep(0)
    # Between two batches.
    assert await store.find_player("hash-of-dan") is not None
    assert await forgetting == 3
    assert await store.find_player("hash-of-dan") == Player("p-dan", "dan")
    assert await store.forget_visitors(1_000) == 1
