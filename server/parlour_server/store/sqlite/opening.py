"""The file itself: its schema, how it is opened, and what its trouble means."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import structlog

from parlour_protocol.local.server_info import IN_MEMORY
from parlour_protocol.words import Sentence, system_fault
from parlour_server.log import LogRecord
from parlour_server.store.earlier_games import ENDS, SUMMED_UP, earlier_games
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.port import NotReadable, StoreLocked, StoreUnusable
from parlour_server.store.sqlite.records import COLUMNS, NOTHING, Row
from parlour_server.store.sqlite.side_tables import FIRST_PLAYER, SECOND_PLAYER, write_game_row

log = structlog.get_logger()

APPLICATION_ID = 0x5061726C
"""`Parl`, in the file's header: by which a foreign database is known."""
SCHEMA_VERSION = 8
_OLDEST = 5
"""The first version whose files are brought to this one."""

_MAGIC = b"SQLite format 3\0"

# `repair` relies on it that every file has these tables in this order, and nothing else before them.
_SCHEMA = """
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    previous INTEGER,
    room TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    author TEXT NOT NULL,
    command TEXT,
    event BLOB NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE heads (room TEXT PRIMARY KEY, version INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE noted (up_to INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE open_rooms (number INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE);
CREATE TABLE players (
    token_hash TEXT PRIMARY KEY, player TEXT NOT NULL, name TEXT NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE visitors (player TEXT PRIMARY KEY, token_hash TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE seats (player TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (player, room)) WITHOUT ROWID;
CREATE TABLE came (
    player TEXT NOT NULL, command TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (player, command)
) WITHOUT ROWID;
CREATE TABLE alive (at INTEGER NOT NULL);
INSERT INTO alive VALUES (0);
"""
# In a file that an earlier version has made they may begin anywhere: with its first page they are lost, too,
# but for what follows from the log.
_LATER = {
    6: """
CREATE TABLE finished_games (
    number INTEGER PRIMARY KEY,
    room TEXT NOT NULL,
    version INTEGER NOT NULL,
    game TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY, after INTEGER NOT NULL, state TEXT NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
""",
    # The tokens that a player has beside the first one, in the order in which they were added.
    7: """
CREATE TABLE more_tokens (
    number INTEGER PRIMARY KEY, player TEXT NOT NULL, token_hash TEXT NOT NULL, checksum INTEGER NOT NULL
);
CREATE INDEX more_tokens_by_player ON more_tokens (player);
CREATE INDEX players_by_id ON players (player);
""",
    8: f"""
CREATE INDEX games_by_first ON finished_games ({FIRST_PLAYER});
CREATE INDEX games_by_second ON finished_games ({SECOND_PLAYER});
""",
}
"""What each version has added."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the file and hold it, or make it. Raises `StoreUnusable` (`StoreLocked` where another has it)."""
    if not path.parent.is_dir():
        raise StoreUnusable(Sentence("store.no_folder", folder=str(path.parent), file=path.name))
    try:
        _refuse_foreign_bytes(path)
        # Made here, since SQLite would let everyone read it; its WAL takes after it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return _connected(path, str(path), _prepare)
    except (sqlite3.Error, OSError) as error:
        unusable = StoreLocked if "locked" in str(error) else StoreUnusable
        raise unusable(explain(path, error)) from error


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a file that no server has open; nothing is written to it.

    Raises `StoreUnusable` (`StoreLocked` where another has it).
    """
    try:
        if not path.is_file():
            raise StoreUnusable(Sentence("store.no_file", file=str(path)))
        _refuse_foreign_bytes(path)
        # A server that has it open has a WAL beside it. Without one, no lock and nothing left behind.
        how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
        return _connected(path, f"{path.absolute().as_uri()}?{how}", _refuse_others_and_empty)
    except (sqlite3.Error, OSError) as error:
        unusable = StoreLocked if "locked" in str(error) else StoreUnusable
        raise unusable(explain(path, error)) from error


def _connected(
    path: Path, name: str, prepare: Callable[[Path, sqlite3.Connection], object]
) -> sqlite3.Connection:
    # Autocommit: transactions are begun and ended by statements of our own.
    database = sqlite3.connect(
        name, isolation_level=None, timeout=1.0, check_same_thread=False, uri=name.startswith("file:")
    )
    try:
        # A damaged text is read as something else, which its checksum shows, rather than not at all.
        database.text_factory = partial(str, encoding="utf-8", errors="replace")
        prepare(path, database)
    except UnicodeDecodeError as error:
        # What SQLite says of a damaged schema quotes it.
        database.close()
        raise sqlite3.DatabaseError("malformed database schema") from error
    except BaseException:
        database.close()
        raise
    return database


def _refuse_foreign_bytes(path: Path) -> None:
    """SQLite takes a file too short for its header as an empty one, and would write over it."""
    if path.exists() and path.stat().st_size > 0:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise StoreUnusable(Sentence("store.no_database", file=str(path)))


def _refuse_other_files(path: Path, database: sqlite3.Connection) -> int:
    """Refuse what is not ours, or of a version that we don't read. The file's version; 0: it is empty."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (tables or application or version):
        raise StoreUnusable(Sentence("store.foreign", file=str(path)))
    if version > SCHEMA_VERSION:
        raise StoreUnusable(Sentence("store.newer", file=str(path)))
    if tables and version < _OLDEST:
        raise StoreUnusable(Sentence("store.older", file=str(path)))
    if not tables:
        return 0
    found, ours = _tables(database), _our_tables(_SCHEMA)
    expected = _our_tables(_SCHEMA + _added(_OLDEST, version))[len(ours) :]
    later = found[len(ours) :]
    if found[: len(ours)] != ours or list(map(_anywhere, later)) != list(map(_anywhere, expected)):
        raise sqlite3.DatabaseError("malformed database schema")
    return int(version)


def _refuse_others_and_empty(path: Path, database: sqlite3.Connection) -> None:
    version = _refuse_other_files(path, database)
    if not version:
        raise StoreUnusable(Sentence("store.empty", file=str(path)))
    # Beside the file, which is only read.
    for statement in _added(version).split(";"):
        if "CREATE TABLE" in statement:
            database.execute(statement.replace("CREATE", "CREATE TEMP"))


def _added(since: int, up_to: int = SCHEMA_VERSION) -> str:
    """What was added since a version."""
    return "".join(script for version, script in _LATER.items() if since < version <= up_to)


def _anywhere(table: tuple[object, ...]) -> tuple[object, ...]:
    """A table, wherever in the file it begins."""
    return table[:3] + table[4:]


def _tables(database: sqlite3.Connection) -> list[tuple[object, ...]]:
    return database.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master").fetchall()


@cache
def _our_tables(schema: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(IN_MEMORY, isolation_level=None)) as database:
        _run_all(database, schema)
        return _tables(database)


def _prepare(path: Path, database: sqlite3.Connection) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    version = _refuse_other_files(path, database)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    # Takes the exclusive lock now, so that a second server hears of it at its start.
    database.execute("BEGIN IMMEDIATE")
    if version < SCHEMA_VERSION:
        if not version:
            _run_all(database, _SCHEMA)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _run_all(database, _added(version))
        if version:
            _list_earlier_games(database)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    database.execute("COMMIT")


_UNLISTED = f"""
SELECT {COLUMNS} FROM events WHERE room IN (
    SELECT room FROM events WHERE instr(event, ?) AND NOT instr(event, ?) AND NOT instr(room, ':')
) ORDER BY room, version
"""  # noqa: S608 - our own names


def _list_earlier_games(database: sqlite3.Connection) -> None:
    """See `earlier_games`. What is damaged keeps no other room's games from the list."""
    found: list[FinishedGame] = []
    try:
        rows = map(Row._make, database.execute(_UNLISTED, (ENDS, SUMMED_UP)))
        for room, its in groupby(rows, attrgetter("room")):
            found += earlier_games(room, _records(room, its))
    except sqlite3.DatabaseError as error:
        log.error("not all earlier games are listed", reason=str(error))
    for game in sorted(found, key=attrgetter("at")):
        write_game_row(database, None, game)


def _records(room: str, rows: Iterator[Row]) -> Iterator[LogRecord]:
    """A log's records. Raises `NotReadable` at the first that is damaged."""
    head = NOTHING
    for row in rows:
        if not row.follows(head, room):
            raise NotReadable("its log is damaged")
        head = row.head()
        yield row.record(ROOMS_ONLY, row.json())


def _run_all(database: sqlite3.Connection, script: str) -> None:
    """One statement after the other, within the transaction: `executescript` would commit it first."""
    for statement in filter(str.strip, script.split(";")):
        database.execute(statement)


def is_damage(error: BaseException) -> bool:
    """Does SQLite say that the file's own structure is damaged?"""
    said = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        or "not a database" in said
        or "malformed" in said
    )


def explain(path: Path, error: BaseException) -> Sentence:
    """One sentence on what a file's trouble means and what to do."""
    said, file = system_fault(error) if isinstance(error, OSError) else str(error), str(path)
    if "locked" in said:
        return Sentence("store.in_use", file=file)
    if "readonly" in said or isinstance(error, PermissionError):
        return Sentence("store.unwritable", file=file)
    if is_damage(error):
        return Sentence("store.damaged", file=file, advice=advice(path))
    if "full" in said:
        return Sentence("store.no_room_left", file=file)
    if "disk I/O" in said:
        return Sentence("store.not_just_now", file=file)
    return Sentence("store.unusable_data", file=file, why=said)


def advice(path: Path) -> Sentence:
    """What to do about a damaged file."""
    return Sentence("store.advice", file=str(path))
