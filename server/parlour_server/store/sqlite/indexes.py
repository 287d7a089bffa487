"""What is looked up otherwise than by a log's key: open rooms, who sat where, what commands led to, visitors.

All of it follows from the records. Logs of other kinds stand among the open rooms for good, and nowhere else.
"""

import sqlite3
from collections.abc import Sequence

from parlour_protocol.events import ChatPosted, RoomClosed, RoomCreated, SeatTaken
from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, is_room
from parlour_server.store.anonymise import ends_visit
from parlour_server.store.port import comes_to_a_room

_ENTERED = frozenset({RoomCreated, SeatTaken, ChatPosted})
"""What is to be entered of; moves, of which there are most, are not."""


def enter(database: sqlite3.Connection, room: str, expected: Version, records: Sequence[AnyRecord]) -> None:
    """Enter what the new records of a log say, which stood at version `expected`."""
    if not is_room(room):
        if expected == 0:
            enter_log(database, room)
        return
    if isinstance(records[0].event, RoomCreated):
        enter_log(database, room)
    for record in records:
        event = record.event
        if type(event) not in _ENTERED:
            continue
        if isinstance(event, SeatTaken) and event.bot is None:
            database.execute("INSERT OR IGNORE INTO seats VALUES (?, ?)", (event.player, room))
        if comes_to_a_room(record):
            came = (record.by, record.command, room)
            database.execute("INSERT OR REPLACE INTO came VALUES (?, ?, ?)", came)
        if ends_visit(record):
            database.execute("DELETE FROM visitors WHERE player = ?", (record.by,))
    if isinstance(records[-1].event, RoomClosed):
        database.execute("DELETE FROM open_rooms WHERE room = ?", (room,))


def enter_log(database: sqlite3.Connection, key: str) -> None:
    """Enter a log that is open."""
    database.execute("INSERT OR IGNORE INTO open_rooms (room) VALUES (?)", (key,))


def forget_rooms(database: sqlite3.Connection, rooms: Sequence[str]) -> None:
    """Forget that these rooms were ever there."""
    for table in ("heads", "open_rooms", "seats", "came"):
        # One walk through each for all of them, since two have no index by room.
        all_gone = f"DELETE FROM {table} WHERE room IN ({','.join('?' * len(rooms))})"  # noqa: S608 - our own names
        database.execute(all_gone, rooms)
