"""Reading a room's log: back along the chain to where it is wanted from, then forward, checked."""

from collections.abc import Sequence

from parlour_protocol.ids import Version
from parlour_server.room.log import LogRecord
from parlour_server.store.port import NotReadable
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import advice
from parlour_server.store.sqlite.records import BROKEN, NOTHING, Head, Row, find_row

READ_AT_ONCE = 1_000
"""Events that are read while nothing else is done."""


def read_back(file: OpenFile, room: str, head: Head, rows: list[Row], after: Version) -> Head | None:
    """Append a room's rows to a list, from `head` backwards to the version `after`, that included.

    Gives the head to go on from, None at the end. Raises `NotReadable`.
    """
    if head == BROKEN:
        raise damaged(file, room)
    for _ in range(READ_AT_ONCE):
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
        head = Head(head.version - 1, row.previous, 0)
    return head


def checked(file: OpenFile, room: str, head: Head, rows: Sequence[Row]) -> tuple[Head, list[LogRecord]]:
    """The records of rows that follow a head, and the head that they lead to. Raises `NotReadable`."""
    records = []
    for row in rows:
        if not row.follows(head, room):
            raise damaged(file, room)
        records.append(row.record())
        head = row.head()
    return head, records


def read_room(file: OpenFile, room: str) -> tuple[list[Row], list[LogRecord]]:
    """All of a room at once. Raises `NotReadable`."""
    rows: list[Row] = []
    head: Head | None = file.heads.find(room)
    while head is not None:
        head = read_back(file, room, head, rows, 0)
    rows.reverse()
    return rows, checked(file, room, NOTHING, rows)[1]


def last_at(file: OpenFile, room: str) -> int:
    """When something last happened in a room; long ago, where nothing of it is found."""
    number = file.heads.find(room).number
    row = file.database.execute("SELECT at FROM events WHERE number = ?", (number,)).fetchone()
    return int(row[0]) if row else 0


def damaged(file: OpenFile, room: str) -> NotReadable:
    """What is said of a room whose log is damaged."""
    return NotReadable(f"The log of room {room} is damaged in {file.path}. {advice(file.path)}")
