"""A room's records as rows of the file, each with a checksum that is chained with the one before it.

CRC-32 finds every damage within 32 bits in a row and all but one in four thousand million of any other; it is
against accidents, and who can write the file can compute any checksum.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from zlib import crc32

from parlour_server.log import AnyRecord, LogRecord
from parlour_server.store.encoding import EventCodecs, event_json

COLUMNS = "number, previous, room, version, at, author, command, event, checksum"

MOST_AT_ONCE = 64
"""Rows that are inserted by one statement."""

_new = tuple.__new__
"""Makes a named tuple in 0.2 us, where its own constructor takes 0.7: there are two for every move."""


class Head(NamedTuple):
    """A room's last record: how far its log reaches, where that stands, and its checksum."""

    version: int
    number: int | None
    checksum: int


NOTHING = Head(0, None, 0)
"""The head of a room that is not there."""
BROKEN = Head(-1, None, 0)
"""The head of a room whose log is damaged: nothing is read from it, and nothing is added."""


class Row(NamedTuple):
    """A record as it stands in the file, in the order of `COLUMNS`. Damaged, its values are of any type."""

    number: int
    previous: int | None
    room: str
    version: int
    at: int
    author: str
    command: str | None
    event: bytes
    checksum: int

    def follows(self, head: Head, room: str) -> bool:
        """Is this the room's record after `head`, undamaged?"""
        return (
            self.room == room
            and self.version == head.version + 1
            and self.previous == head.number
            and self.is_whole(head.checksum)
        )

    def is_whole(self, before: int) -> bool:
        """Does its checksum fit it, and the checksum of the one before it?"""
        return isinstance(self.event, bytes) and self.checksum == _checksum(
            before, self.room, self.version, self.at, self.author, self.command, self.event
        )

    def whose(self, head: Head, before: str | None) -> str:
        """Of a damaged record: which room lacks it?

        By its name, or by the way back, which leads to the room `before`: either may be what is damaged.
        `head` is that of the room that it names.
        """
        return before if before is not None and self.version != head.version + 1 else self.room

    def head(self) -> Head:
        """Its room's head, if it is the last one."""
        return _new(Head, (self.version, self.number, self.checksum))

    def json(self) -> bytes:
        """Its event as JSON."""
        return event_json(self.event)

    def record(self, codecs: EventCodecs, json: bytes) -> AnyRecord:
        """What it says; `json` is its own. Raises `ValueError` for an event that we don't know."""
        return LogRecord(codecs.read(self.room, json), self.at, self.author, self.command)


def write_row(codecs: EventCodecs, room: str, head: Head, number: int, record: AnyRecord) -> Row:
    """The row of the record that follows a log's head."""
    event = codecs.encode(room, record.event)
    version, at, author, command = head.version + 1, record.at, record.by, record.command
    checksum = _checksum(head.checksum, room, version, at, author, command, event)
    return _new(Row, (number, head.number, room, version, at, author, command, event, checksum))


def _checksum(
    before: int, room: str, version: int, at: int, author: str, command: str | None, event: bytes
) -> int:
    return crc32(event, crc32(f"{room} {version} {at} {author} {command}".encode(), before))


def checksum_of(*values: object) -> int:
    """A checksum over the columns of a row of another table."""
    return crc32(" ".join(map(str, values)).encode())


def find_row(database: sqlite3.Connection, number: int) -> Row | None:
    """The row of this number."""
    query = f"SELECT {COLUMNS} FROM events WHERE number = ?"  # noqa: S608 - our own names
    row = database.execute(query, (number,)).fetchone()
    return None if row is None else Row._make(row)


def rows_after(database: sqlite3.Connection, number: int) -> Iterator[Row]:
    """All rows with higher numbers, in order."""
    query = f"SELECT {COLUMNS} FROM events WHERE number > ? ORDER BY number"  # noqa: S608 - our own names
    return map(Row._make, database.execute(query, (number,)))


def insert(database: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]]) -> None:
    """Run `INTO table VALUES rows`, with what comes before it; the rows may be none.

    sqlite3 gives up the interpreter's lock twice for each statement, and with `executemany` for each row.
    While the event loop is busy it takes a wait and a wake-up each time to have it back: in a flood the
    commit of 57 new players took 85 ms, in which all moves waited for it.
    """
    for at in range(0, len(rows), MOST_AT_ONCE):
        some = rows[at : at + MOST_AT_ONCE]
        database.execute(_statement(into, len(some[0]), len(some)), tuple(chain.from_iterable(some)))


@lru_cache(maxsize=512)
def _statement(into: str, columns: int, count: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"{into} VALUES {', '.join([row] * count)}"
