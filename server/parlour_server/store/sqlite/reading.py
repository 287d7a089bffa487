"""Reading a room's log: back along the chain to where it is wanted from, then forward, checked."""

import sqlite3
from collections.abc import Sequence

import structlog

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord
from parlour_server.store.port import NotReadable
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import advice
from parlour_server.store.sqlite.records import BROKEN, NOTHING, Head, Row, find_row

log = structlog.get_logger()

READ_AT_ONCE, READ_BYTES = 200, 40_000
"""How many events, or bytes of them, are read while nothing else is done: a millisecond or two."""


def read_back(file: OpenFile, room: str, head: Head, rows: list[Row], after: Version) -> Head | None:
    """Append a room's rows to a list, from `head` backwards to the version `after`, that included.

    Gives the head to go on from, None at the end. Raises `NotReadable`.
    """
    if head == BROKEN:
        raise damaged(file, room)
    enough = len(rows) + READ_AT_ONCE
    size = 0
    while len(rows) < enough and size < READ_BYTES:
        if head.number is None or head.version < max(1, after):
            return None
        row = find_row(file.database, head.number)
        if row is None and file.heads.find(room) == NOTHING:
            # It was pruned meanwhile.
            rows.clear()
            return None
        if row is None or row.room != room or row.version != head.version:
            raise damaged(file, room)
        rows.append(row)
        size += len(row.event) if isinstance(row.event, bytes) else 0
        head = Head(head.version - 1, row.previous, 0)
    return head


def checked(
    file: OpenFile, room: str, head: Head, rows: Sequence[Row], done: int
) -> tuple[Head, list[AnyRecord]]:
    """The records of the next rows, which follow a head, and the head that they lead to.

    `done` rows are left out. Of the others one is read at least. Raises `NotReadable`.
    """
    records: list[AnyRecord] = []
    size = 0
    for row in rows[done : done + READ_AT_ONCE]:
        if size >= READ_BYTES:
            break
        if not row.follows(head, room):
            raise damaged(file, room)
        # As it is unpacked: that is what takes the time.
        json = row.json()
        size += len(json)
        records.append(row.record(file.codecs, json))
        head = row.head()
    return head, records


def read_room(file: OpenFile, room: str) -> tuple[list[Row], list[AnyRecord]]:
    """All of a room at once. Raises `NotReadable`."""
    rows: list[Row] = []
    head: Head | None = file.heads.find(room)
    while head is not None:
        head = read_back(file, room, head, rows, 0)
    rows.reverse()
    records: list[AnyRecord] = []
    start = NOTHING
    while len(records) < len(rows):
        start, more = checked(file, room, start, rows, len(records))
        records += more
    return rows, records


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


def damaged(file: OpenFile, room: str) -> NotReadable:
    """What is said of a room whose log is damaged."""
    return NotReadable(f"The log of room {room} is damaged in {file.path}. {advice(file.path)}")
