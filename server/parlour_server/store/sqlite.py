"""The store in one SQLite file: WAL, synchronous=FULL, one thread, group commit.

All work on the file happens on one thread of its own, in the order in which it was asked for. The
thread takes whatever has gathered while the last commit was under way and commits it as one: under
load the price of FULL is shared by many moves, and alone a move waits for one fsync.

The log is written only at its end. An index by room would have every move dirty a page of its own, and
pages are what a commit costs; so each event names the one before it in its room, and where each room's
last event stands (its head) is known in memory and noted in the file once in a while. A start reads
the notes, and the log from there on.

One process holds the file (`locking_mode=EXCLUSIVE`): that is what makes its memory the truth, and two
servers on one file would each run the bots.
"""

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import structlog
from pydantic import Field, TypeAdapter

from parlour_protocol.events import EVENTS, KnownEvent, RoomClosed, RoomCreated, SeatTaken
from parlour_protocol.ids import Version
from parlour_server.room.log import LogRecord
from parlour_server.store.port import (
    Done,
    Found,
    NotReadable,
    NotSaved,
    Player,
    StoreError,
    StoreLocked,
    StoreUnusable,
    VersionConflict,
    comes_to_a_room,
)

log = structlog.get_logger()

APPLICATION_ID = 0x5061726C
"""`Parl`, in the file's header: by which a foreign database is known."""
SCHEMA_VERSION = 4

_MAGIC = b"SQLite format 3\0"
_ANOTHER = "or name another file with --data or in PARLOUR_DATA."
NOTE_HEADS_EVERY = 10_000
"""Events between two notes of the heads: a start reads at most about as many."""
READ_AT_ONCE, READ_CHARACTERS = 1_000, 200_000
"""Events that are read while nothing else is done, and of how many characters: reports may be long."""
PRUNED_AT_ONCE = 50
"""Rooms that are forgotten in one commit."""

_SCHEMA = """
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    previous INTEGER,
    room TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    author TEXT NOT NULL,
    command TEXT,
    event TEXT NOT NULL
);
CREATE TABLE heads (room TEXT PRIMARY KEY, version INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE noted (up_to INTEGER NOT NULL);
INSERT INTO noted VALUES (0);
CREATE TABLE open_rooms (number INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE);
CREATE TABLE players (token_hash TEXT PRIMARY KEY, player TEXT NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE seats (player TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (player, room)) WITHOUT ROWID;
CREATE TABLE came (
    player TEXT NOT NULL, command TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (player, command)
) WITHOUT ROWID;
CREATE TABLE alive (at INTEGER NOT NULL);
INSERT INTO alive VALUES (0);
"""

_READ = "SELECT previous, version, at, author, command, event FROM events WHERE number = ?"

_StoredEvent = Annotated[KnownEvent, Field(discriminator="kind")]
_read_event = TypeAdapter[KnownEvent](_StoredEvent).validate_json
_write_event = {kind: TypeAdapter(kind).serializer.to_json for kind in EVENTS}

T = TypeVar("T")


class _Head(NamedTuple):
    """How far a room's log reaches, and where its last event stands."""

    version: Version
    number: int | None


_NOTHING = _Head(0, None)


@dataclass(slots=True)
class _Append:
    room: str
    expected: Version
    records: Sequence[LogRecord]
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
        self._work: queue.SimpleQueue[list[_Append] | _Call | None] = queue.SimpleQueue()
        self._gathered: list[_Append] = []
        self._thread = threading.Thread(target=self._run, name="parlour-store", daemon=True)
        # The thread's own from here on.
        self._heads: dict[str, _Head] = {}
        self._not_noted: dict[str, _Head] = {}
        self._last_number = 0
        self._opened: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(cls, path: Path) -> "SqliteStore":
        """Open the file, or make it. Raises `StoreUnusable` with a sentence that says why."""
        store = cls(path)
        store._thread.start()
        await store._opened
        return store

    # ------------------------------------------------------------ the loop's side

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
        """See `Store.append`."""
        # Handed over once a turn of the loop: a wake-up and a commit for all that the turn brought.
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append(_Append(room, expected, records, done))

    def _hand_over(self) -> None:
        if self._gathered:
            self._work.put(self._gathered)
            self._gathered = []

    async def read(self, room: str, after: Version = 0) -> list[LogRecord]:
        """See `Store.read`."""

        number = await self._call(lambda database: self._head(database, room).number)
        records: list[LogRecord] = []
        while number is not None:
            # In pieces, so that no append waits for long behind a long log.
            number = await self._call(partial(self._read_back, room, number, after, records))
        records.reverse()
        return records

    async def open_rooms(self, since: int = 0) -> list[str]:
        """See `Store.open_rooms`."""

        def work(database: sqlite3.Connection) -> list[str]:
            rooms = [room for (room,) in database.execute("SELECT room FROM open_rooms ORDER BY number")]
            return rooms if since <= 0 else [room for room in rooms if self._last_at(database, room) >= since]

        return await self._call(work)

    def room_by(self, player: str, command: str, found: Found) -> None:
        """See `Store.room_by`."""

        def work(database: sqlite3.Connection) -> str | None:
            query = "SELECT room FROM came WHERE player = ? AND command = ?"
            row = database.execute(query, (player, command)).fetchone()
            return row[0] if row else None

        def tell(done: asyncio.Future[str | None]) -> None:
            error = done.exception()
            if isinstance(error, StoreError):
                found(None, error)
            else:
                found(done.result(), None)

        self._ask(work).add_done_callback(tell)

    async def rooms_of(self, player: str, most: int) -> list[str]:
        """See `Store.rooms_of`."""

        def work(database: sqlite3.Connection) -> list[str]:
            rooms = database.execute("SELECT room FROM seats WHERE player = ?", (player,)).fetchall()
            heads = [(self._head(database, room).number or 0, room) for (room,) in rooms]
            return [room for _, room in sorted(heads, reverse=True)[:most]]

        return await self._call(work)

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        """See `Store.prune`."""
        old = await self._call(lambda database: self._old(database, before, spared))
        gone: list[str] = []
        # A few at a time, so that no move waits for long behind them.
        for start in range(0, len(old), PRUNED_AT_ONCE):
            gone += await self._call(partial(self._prune, old[start : start + PRUNED_AT_ONCE], before))
        return gone

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`. Where it can't be noted clocks lose a little time, and nobody complains."""

        def work(database: sqlite3.Connection) -> None:
            with contextlib.suppress(sqlite3.Error):
                database.execute("UPDATE alive SET at = ?", (at,))

        self._ask(work)

    async def last_alive(self) -> int:
        """See `Store.last_alive`."""

        def work(database: sqlite3.Connection) -> int:
            (at,) = database.execute("SELECT at FROM alive").fetchone()
            return int(at)

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
        self._hand_over()
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _call(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._ask(work)

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        self._hand_over()
        self._work.put(_Call(work, future))
        return future

    # ------------------------------------------------------------ the thread's side

    def _run(self) -> None:
        try:
            database = _open(self.path)
            self._find_heads(database)
        except Exception as error:
            unusable = error if isinstance(error, StoreError) else StoreUnusable(_explain(self.path, error))
            self._loop.call_soon_threadsafe(self._opened.set_exception, unusable)
            return
        self._loop.call_soon_threadsafe(self._opened.set_result, None)
        try:
            while self._serve(database):
                pass
        finally:
            database.close()

    def _find_heads(self, database: sqlite3.Connection) -> None:
        """Learn how far the rooms' logs reach: the open ones' from the notes, and all that came after."""
        noted = "SELECT room, version, heads.number FROM heads JOIN open_rooms USING (room)"
        for room, version, number in database.execute(noted):
            self._heads[room] = _Head(version, number)
        (up_to,) = database.execute("SELECT up_to FROM noted").fetchone()
        later = "SELECT room, version, number FROM events WHERE number > ? ORDER BY number"
        for room, version, number in database.execute(later, (up_to,)):
            self._not_noted[room] = _Head(version, number)
            self._heads.pop(room, None)
        (last,) = database.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()
        # The last events may have been pruned, and a number below the notes would never be found again.
        self._last_number = max(last, up_to)

    def _head(self, database: sqlite3.Connection, room: str) -> _Head:
        head = self._heads.get(room) or self._not_noted.get(room)
        if head is None:
            row = database.execute("SELECT version, number FROM heads WHERE room = ?", (room,)).fetchone()
            head = _Head(*row) if row else _NOTHING
        return head

    def _read_back(
        self, room: str, number: int, after: Version, records: list[LogRecord], database: sqlite3.Connection
    ) -> int | None:
        """Read a room's events from one backwards, newest first; where to go on, None at their beginning."""
        characters = 0
        for _ in range(READ_AT_ONCE):
            row = database.execute(_READ, (number,)).fetchone()
            if row is None and self._head(database, room).number is None:
                # It was pruned meanwhile.
                records.clear()
                return None
            previous, version, at, author, command, event = row
            if version <= after:
                return None
            records.append(LogRecord(_read_event(event), at, author, command))
            if previous is None:
                return None
            number = previous
            characters += len(event)
            if characters > READ_CHARACTERS:
                break
        return number

    def _last_at(self, database: sqlite3.Connection, room: str) -> int:
        """When something last happened in a room; long ago, where nothing of it is found."""
        number = self._head(database, room).number
        row = database.execute("SELECT at FROM events WHERE number = ?", (number,)).fetchone()
        return int(row[0]) if row else 0

    def _old(self, database: sqlite3.Connection, before: int, spared: Collection[str]) -> list[str]:
        rooms = {room for (room,) in database.execute("SELECT room FROM heads")} | self._not_noted.keys()
        return sorted(room for room in rooms - set(spared) if self._last_at(database, room) < before)

    def _prune(self, rooms: list[str], before: int, database: sqlite3.Connection) -> list[str]:
        gone = [room for room in rooms if self._last_at(database, room) < before]
        try:
            database.execute("BEGIN IMMEDIATE")
            for room in gone:
                number = self._head(database, room).number
                while number is not None:
                    row = database.execute(
                        "DELETE FROM events WHERE number = ? RETURNING previous", (number,)
                    ).fetchone()
                    number = row[0] if row else None
            for table in ("heads", "open_rooms", "seats", "came"):
                # One walk through each for all of them, since two have no index by room.
                all_gone = f"DELETE FROM {table} WHERE room IN ({','.join('?' * len(gone))})"  # noqa: S608 - our own names
                database.execute(all_gone, gone)
            database.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise NotSaved(_explain(self.path, error)) from error
        for room in gone:
            self._heads.pop(room, None)
            self._not_noted.pop(room, None)
        return gone

    def _serve(self, database: sqlite3.Connection) -> bool:
        """Do all the work that has gathered; false once the store was closed."""
        batch: list[_Append] = []
        calls: list[_Call] = []
        item = self._work.get()
        while True:
            if item is None:
                break
            # A read asked for after an append sees it, since the batch is committed first.
            if isinstance(item, _Call):
                calls.append(item)
            else:
                batch.extend(item)
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
        except StoreError as error:
            self._settle(call.future, None, error)
        except Exception as error:
            # Whatever it is, the one who asked must hear of it, and the thread goes on for all others.
            log.error("the store failed", exc_info=error)
            self._settle(call.future, None, NotReadable(_explain(self.path, error)))
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
        """Commit what may stand of a batch as one; the outcome of each."""
        try:
            return self._commit_or_raise(database, batch)
        except Exception as error:
            with contextlib.suppress(sqlite3.Error):
                if database.in_transaction:
                    database.execute("ROLLBACK")
            said = _explain(self.path, error)
            log.error("nothing could be saved", reason=said, appends=len(batch))
            return [NotSaved(said)] * len(batch)

    def _commit_or_raise(self, database: sqlite3.Connection, batch: list[_Append]) -> list[StoreError | None]:
        outcomes: list[StoreError | None] = []
        rows: list[tuple[object, ...]] = []
        heads: dict[str, _Head] = {}
        standing: list[_Append] = []
        number = self._last_number
        for append in batch:
            room, records = append.room, append.records
            version, previous = heads.get(room) or self._head(database, room)
            if version != append.expected:
                conflict = f"room {room} stands at {version}, not at {append.expected}"
                outcomes.append(VersionConflict(conflict))
                continue
            for record in records:
                number, version, event = number + 1, version + 1, record.event
                text = _write_event[type(event)](event).decode()
                rows.append((number, previous, room, version, record.at, record.by, record.command, text))
                previous = number
            heads[room] = _Head(version, previous)
            standing.append(append)
            outcomes.append(None)
        note = number // NOTE_HEADS_EVERY > self._last_number // NOTE_HEADS_EVERY
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        closed = _open_and_close(database, standing)
        if note:
            _note(database, {**self._not_noted, **heads}, number)
        database.execute("COMMIT")
        # Only now, since a commit that failed must leave our picture of the file as it was.
        if note:
            self._not_noted.clear()
        else:
            self._not_noted.update(heads)
        self._heads.update(heads)
        for room in closed:
            self._heads.pop(room, None)
        self._last_number = number
        return outcomes


def _open_and_close(database: sqlite3.Connection, batch: list[_Append]) -> list[str]:
    """Keep the lists of open rooms and of who sat where; gives the rooms that were closed."""
    closed = []
    for append in batch:
        if isinstance(append.records[0].event, RoomCreated):
            database.execute("INSERT OR IGNORE INTO open_rooms (room) VALUES (?)", (append.room,))
        for record in append.records:
            event = record.event
            if isinstance(event, SeatTaken) and event.bot is None:
                database.execute("INSERT OR IGNORE INTO seats VALUES (?, ?)", (event.player, append.room))
            if comes_to_a_room(record):
                came = (record.by, record.command, append.room)
                database.execute("INSERT OR REPLACE INTO came VALUES (?, ?, ?)", came)
        if isinstance(append.records[-1].event, RoomClosed):
            database.execute("DELETE FROM open_rooms WHERE room = ?", (append.room,))
            closed.append(append.room)
    return closed


def _note(database: sqlite3.Connection, heads: dict[str, _Head], up_to: int) -> None:
    rows = [(room, head.version, head.number) for room, head in heads.items()]
    database.executemany("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)", rows)
    database.execute("UPDATE noted SET up_to = ?", (up_to,))


def _answer(batch: list[_Append], outcomes: list[StoreError | None]) -> None:
    for append, outcome in zip(batch, outcomes, strict=True):
        try:
            append.done(outcome)
        except Exception as error:
            # One room's fault; the others of the batch wait for their answers.
            log.error("a room failed to take its answer", room=append.room, exc_info=error)


def _open(path: Path) -> sqlite3.Connection:
    if not path.parent.is_dir():
        raise StoreUnusable(f"There is no folder {path.parent} for {path.name}. Make it, {_ANOTHER}")
    try:
        _refuse_foreign_bytes(path)
        # Made here, since SQLite would let everyone read it; its WAL takes after it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # Autocommit: transactions are begun and ended in so many words.
        database = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            _prepare(path, database)
        except BaseException:
            database.close()
            raise
    except (sqlite3.Error, OSError) as error:
        unusable = StoreLocked if "locked" in str(error) else StoreUnusable
        raise unusable(_explain(path, error)) from error
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
    if tables and version < SCHEMA_VERSION:
        raise StoreUnusable(f"{path} was written by an older Parlour. Move it away, {_ANOTHER}")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    # Takes the exclusive lock now, so that a second server hears of it at its start.
    database.execute("BEGIN IMMEDIATE")
    if not tables:
        _run_all(database, _SCHEMA)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    database.execute("COMMIT")


def _run_all(database: sqlite3.Connection, script: str) -> None:
    """One statement after the other, within the transaction: `executescript` would commit it first."""
    for statement in filter(str.strip, script.split(";")):
        database.execute(statement)


def _explain(path: Path, error: Exception) -> str:
    """One sentence on what a file's trouble means and what to do."""
    said = str(error)
    if "locked" in said:
        return f"{path} is in use by another program. Stop it, {_ANOTHER}"
    if "readonly" in said or isinstance(error, PermissionError):
        return f"{path} can't be written. Mend its permissions, {_ANOTHER}"
    if "not a database" in said or "malformed" in said:
        return f"{path} is damaged or no SQLite database. Restore it from a copy, {_ANOTHER}"
    if "full" in said:
        return f"The disk of {path} is full. Free some space; play then goes on by itself."
    if "disk I/O" in said:
        return f"{path} can't be written just now: its disk may be full. Play goes on once it can be."
    return f"{path} can't be used: {said}."
