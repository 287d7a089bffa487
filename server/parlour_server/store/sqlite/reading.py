"""Reading a room's log: back along the chain to where it is wanted from, then forward, checked."""

import sqlite3
from collections.abc import Generator
from typing import TypeVar, cast

import structlog

from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.log import AnyRecord
from parlour_server.store.port import LogDamaged
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import advice, explain
from parlour_server.store.sqlite.records import BROKEN, NOTHING, Row, find_row

log = structlog.get_logger()

T = TypeVar("T")

Turns = Generator[None, None, T]
"""Work that may be long, in pieces: at each `yield` all else that waits for the file has its turn."""

READ_AT_ONCE, READ_BYTES = 200, 40_000
"""How many events, or bytes of them, are read in one piece: a millisecond or two."""


class _Piece:
    """How much was read in this piece."""

    def __init__(self) -> None:
        self._rows = self._bytes = 0

    def is_full(self, size: int) -> bool:
        """Count a row of this size; true: it was the last of the piece, and the next one begins."""
        self._rows += 1
        self._bytes += size
        full = self._rows >= READ_AT_ONCE or self._bytes >= READ_BYTES
        if full:
            self._rows = self._bytes = 0
        return full


def read_log(file: OpenFile, key: str, after: Version = 0) -> Turns[tuple[list[Row], list[AnyRecord]]]:
    """A log's rows and records after a version; raises `LogDamaged`.

    Read back along the chain, which is the only way, and then forward, checked.
    """
    head = file.heads.find(key)
    if head == BROKEN:
        raise damaged(file, key)
    rows: list[Row] = []
    piece = _Piece()
    number = head.number
    # Down to the version itself, which the next one's checksum is chained with.
    for version in range(head.version, max(0, after - 1), -1):
        row = None if number is None else find_row(file.database, number)
        if row is None and file.heads.find(key) == NOTHING:
            # It was pruned meanwhile.
            return [], []
        if row is None or row.room != key or row.version != version:
            raise damaged(file, key)
        rows.append(row)
        number = row.previous
        if piece.is_full(len(row.event) if isinstance(row.event, bytes) else 0):
            yield
    rows.reverse()
    before = rows.pop(0).head() if after > 0 and rows else NOTHING
    records: list[AnyRecord] = []
    for row in rows:
        if not row.follows(before, key):
            raise damaged(file, key)
        # As it is unpacked: that is what takes the time.
        try:
            json = row.json()
            records.append(row.record(file.codecs, json))
        except ValueError as error:
            raise LogDamaged(explain(file.path, error)) from error
        before = row.head()
        if piece.is_full(len(json)):
            yield
    return rows, records


def at_once(turns: Turns[T]) -> T:
    """Do a work without a pause."""
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return cast(T, end.value)


def open_logs(file: OpenFile) -> list[str]:
    """The keys of all logs that are not closed, the oldest first."""
    try:
        return [key for (key,) in file.database.execute("SELECT room FROM open_rooms ORDER BY number")]
    except sqlite3.DatabaseError as error:
        # Some of them are closed: that is seen when they are read.
        log.error("the list of open rooms is damaged", reason=str(error), todo=advice(file.path))
        return sorted(file.heads.rooms(), key=lambda key: file.heads.find(key).number or 0)


def last_at(file: OpenFile, room: str) -> int:
    """When something last happened in a room; long ago, where nothing of it is found."""
    number = file.heads.find(room).number
    row = file.database.execute("SELECT at FROM events WHERE number = ?", (number,)).fetchone()
    return int(row[0]) if row else 0


def damaged(file: OpenFile, room: str) -> LogDamaged:
    """What is said of a room whose log is damaged."""
    return LogDamaged(
        Sentence("store.damaged_room", room=room, file=str(file.path), advice=advice(file.path))
    )
