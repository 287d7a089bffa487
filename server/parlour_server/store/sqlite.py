"""The store in one SQLite file: WAL, synchronous=FULL, one thread, group commit.

All work on the file happens on one thread of its own, in the order in which it was asked for. The
thread takes whatever has gathered while the last commit was under way and commits it as one: under
load the price of FULL is shared by many moves, and alone a move waits for one fsync.

One process holds the file (`locking_mode=EXCLUSIVE`): two servers on one file would each run the bots.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from parlour_protocol.ids import Version
from parlour_server.room.events import Record, RoomClosed, RoomCreated
from parlour_server.store.port import Done, NotSaved, Player, StoreError, StoreUnusable, VersionConflict

APPLICATION_ID = 0x5061726C
"""`Parl`, in the file's header: how a foreign database is told from ours."""
SCHEMA_VERSION = 1
_MAGIC = b"SQLite format 3\0"
_ANOTHER = "or name another file with --data."

_SCHEMA = f"""
CREATE TABLE events (
    room TEXT NOT NULL,
    version INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (room, version)
) WITHOUT ROWID;
CREATE TABLE open_rooms (number INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE);
CREATE TABLE players (token_hash TEXT PRIMARY KEY, player TEXT NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_record: TypeAdapter[Record] = TypeAdapter(Record)
_write_record = _record.serializer.to_json

T = TypeVar("T")


@dataclass(slots=True)
class _Append:
    room: str
    expected: Version
    records: Sequence[Record]
    done: Done


@dataclass(slots=True)
class _Call:
    """Any other work: run between commits, its result handed to a future."""

    work: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any]


class SqliteStore:
    """Opened with `await SqliteStore.open(path)`, which raises `StoreUnusable`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loop = asyncio.get_running_loop()
        self._work: queue.SimpleQueue[_Append | _Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="parlour-store", daemon=True)
        # How far each room's log reaches, as far as this process knows: at most the truth, since logs
        # only grow. An append up to there can't leave a gap, so it needs no look-up.
        self._heads: dict[str, Version] = {}
        self._opened: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(cls, path: Path) -> "SqliteStore":
        """Open the file, or make it. Raises `StoreUnusable` with a sentence that says why."""
        store = cls(path)
        store._thread.start()
        await store._opened
        return store

    # ------------------------------------------------------------ the loop's side

    def append(self, room: str, expected: Version, records: Sequence[Record], done: Done) -> None:
        """See `Store.append`."""
        self._work.put(_Append(room, expected, records, done))

    async def read(self, room: str, after: Version = 0) -> list[Record]:
        """See `Store.read`."""

        def work(database: sqlite3.Connection) -> list[str]:
            rows = database.execute(
                "SELECT record FROM events WHERE room = ? AND version > ? ORDER BY version", (room, after)
            )
            return [text for (text,) in rows]

        return [_record.validate_json(text) for text in await self._call(work)]

    async def open_rooms(self) -> list[str]:
        """See `Store.open_rooms`."""

        def work(database: sqlite3.Connection) -> list[str]:
            return [room for (room,) in database.execute("SELECT room FROM open_rooms ORDER BY number")]

        return await self._call(work)

    async def add_player(self, token_hash: str, player: Player) -> None:
        """See `Store.add_player`."""

        def work(database: sqlite3.Connection) -> None:
            try:
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    database.execute(
                        "INSERT INTO players VALUES (?, ?, ?)", (token_hash, player.id, player.name)
                    )
            except sqlite3.Error as error:
                raise NotSaved(_explain(self.path, error)) from error

        await self._call(work)

    async def find_player(self, token_hash: str) -> Player | None:
        """See `Store.find_player`."""

        def work(database: sqlite3.Connection) -> Player | None:
            row = database.execute(
                "SELECT player, name FROM players WHERE token_hash = ?", (token_hash,)
            ).fetchone()
            return Player(*row) if row else None

        return await self._call(work)

    async def close(self) -> None:
        """See `Store.close`. What was asked for before is still done."""
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _call(self, work: Callable[[sqlite3.Connection], T]) -> T:
        future: asyncio.Future[T] = self._loop.create_future()
        self._work.put(_Call(work, future))
        return await future

    # ------------------------------------------------------------ the thread's side

    def _run(self) -> None:
        try:
            database = _open(self.path)
        except StoreError as error:
            self._loop.call_soon_threadsafe(self._opened.set_exception, error)
            return
        self._loop.call_soon_threadsafe(self._opened.set_result, None)
        try:
            while self._serve(database):
                pass
        finally:
            database.close()

    def _serve(self, database: sqlite3.Connection) -> bool:
        """Do all the work that has gathered; false once the store was closed."""
        batch: list[_Append] = []
        calls: list[_Call] = []
        item = self._work.get()
        while True:
            if item is None:
                break
            # A read asked for after an append sees it, since the batch is committed first.
            if isinstance(item, _Append):
                batch.append(item)
            else:
                calls.append(item)
            try:
                item = self._work.get_nowait()
            except queue.Empty:
                break
        if batch:
            outcomes = self._commit(database, batch)
            self._loop.call_soon_threadsafe(_answer, batch, outcomes)
        for call in calls:
            self._answer_call(database, call)
        return item is not None

    def _answer_call(self, database: sqlite3.Connection, call: _Call) -> None:
        try:
            result = call.work(database)
        except sqlite3.Error as error:
            self._settle(call.future, None, NotSaved(_explain(self.path, error)))
        except StoreError as error:
            self._settle(call.future, None, error)
        else:
            self._settle(call.future, result, None)

    def _settle(self, future: asyncio.Future[Any], result: Any, error: StoreError | None) -> None:
        def settle() -> None:
            if future.cancelled():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        self._loop.call_soon_threadsafe(settle)

    def _commit(self, database: sqlite3.Connection, batch: list[_Append]) -> list[StoreError | None]:
        """Commit a batch as one. A conflict within it costs a second try, append by append."""
        try:
            database.execute("BEGIN IMMEDIATE")
            for append in batch:
                self._insert(database, append)
            database.execute("COMMIT")
        except (sqlite3.Error, VersionConflict) as error:
            self._roll_back(database, batch)
            if isinstance(error, VersionConflict | sqlite3.IntegrityError) and len(batch) > 1:
                return [outcome for append in batch for outcome in self._commit(database, [append])]
            return [self._translate(error)] * len(batch)
        return [None] * len(batch)

    def _insert(self, database: sqlite3.Connection, append: _Append) -> None:
        room, expected = append.room, append.expected
        if expected > self._heads.get(room, 0):
            (head,) = database.execute(
                "SELECT coalesce(max(version), 0) FROM events WHERE room = ?", (room,)
            ).fetchone()
            if head != expected:
                raise VersionConflict(f"room {room} stands at {head}, not at {expected}")
        database.executemany(
            "INSERT INTO events VALUES (?, ?, ?)",
            [
                (room, version, _write_record(record).decode())
                for version, record in enumerate(append.records, start=expected + 1)
            ],
        )
        self._heads[room] = expected + len(append.records)
        first, last = append.records[0].event, append.records[-1].event
        if isinstance(first, RoomCreated):
            database.execute("INSERT INTO open_rooms (room) VALUES (?)", (room,))
        if isinstance(last, RoomClosed):
            database.execute("DELETE FROM open_rooms WHERE room = ?", (room,))
            del self._heads[room]

    def _roll_back(self, database: sqlite3.Connection, batch: list[_Append]) -> None:
        if database.in_transaction:
            database.execute("ROLLBACK")
        # What they were thought to have reached is no longer so; the next append looks it up.
        for append in batch:
            self._heads.pop(append.room, None)

    def _translate(self, error: sqlite3.Error | VersionConflict) -> StoreError:
        if isinstance(error, VersionConflict):
            return error
        if isinstance(error, sqlite3.IntegrityError):
            return VersionConflict("somebody else appended to the room")
        return NotSaved(_explain(self.path, error))


def _answer(batch: list[_Append], outcomes: list[StoreError | None]) -> None:
    for append, outcome in zip(batch, outcomes, strict=True):
        append.done(outcome)


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_foreign_bytes(path)
        # Autocommit: transactions are begun and ended in so many words.
        database = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            _prepare(path, database)
        except BaseException:
            database.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise StoreUnusable(_explain(path, error)) from error
    return database


def _refuse_foreign_bytes(path: Path) -> None:
    """SQLite takes a file too short for its header as an empty one, and would write over it."""
    if path.exists() and path.stat().st_size > 0:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise StoreUnusable(_explain(path, sqlite3.DatabaseError("not a database")))


def _prepare(path: Path, database: sqlite3.Connection) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (tables or application or version):
        raise StoreUnusable(f"{path} is a database of something else. Name another file with --data.")
    if version > SCHEMA_VERSION:
        raise StoreUnusable(f"{path} was written by a newer Parlour. Install that one, {_ANOTHER}")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    # Takes the exclusive lock now, so that a second server hears of it at its start.
    database.execute("BEGIN IMMEDIATE")
    if not tables:
        for statement in filter(str.strip, _SCHEMA.split(";")):
            database.execute(statement)
    database.execute("COMMIT")


def _explain(path: Path, error: Exception) -> str:
    """One sentence on what a file's trouble means and what to do."""
    said = str(error)
    if "locked" in said:
        return f"{path} is in use by another program, a server of ours perhaps. Stop it, {_ANOTHER}"
    if "readonly" in said or isinstance(error, PermissionError):
        return f"{path} can't be written. Mend its permissions, {_ANOTHER}"
    if "not a database" in said or "malformed" in said:
        return f"{path} is damaged or no SQLite database. Restore it from a copy, {_ANOTHER}"
    if "full" in said:
        return f"There is no room left on the disk of {path}. Free some; play goes on by itself."
    return f"{path} can't be used: {said}."
