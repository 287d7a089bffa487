"""The entries in the file: see `Entries`, and how a room's are deleted."""

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import suppress

from parlour_protocol.events import RoomCreated, SeatTaken, kind_of
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.entries import Entries
from parlour_server.store.sqlite.checked_rows import write_game_row
from parlour_server.store.sqlite.records import Row, insert

_LISTED_KINDS = tuple(f'"kind":"{kind_of(event)}"'.encode() for event in (RoomCreated, SeatTaken))
"""What stands in the JSON of those by which a room is found otherwise."""


def enter(database: sqlite3.Connection, entries: Entries) -> None:
    """Enter what new records say."""
    insert(database, "INSERT OR IGNORE INTO open_rooms (room)", entries.opened)
    insert(database, "INSERT OR IGNORE INTO seats", entries.seats)
    insert(database, "INSERT OR REPLACE INTO came", entries.came)
    for statement, rows in (
        ("DELETE FROM open_rooms WHERE room = ?", entries.closed),
        ("DELETE FROM visitors WHERE player = ?", [(player,) for player, _ in entries.visits]),
    ):
        if rows:
            database.executemany(statement, rows)
    for game in entries.games:
        write_game_row(database, None, game)


def forget_room(database: sqlite3.Connection, room: str, rows: Iterable[Row]) -> None:
    """Forget that a room was ever there, whose records these were."""
    for table in ("heads", "open_rooms"):
        database.execute(f"DELETE FROM {table} WHERE room = ?", (room,))  # noqa: S608 - our own names
    # By what the records say: to look for the room would be a walk through all of these tables.
    entries = Entries()
    for row in rows:
        # What is damaged, or of a later version, leaves its entry behind: that leads to no room.
        with suppress(ValueError, zlib.error):
            json = row.json()
            if any(kind in json for kind in _LISTED_KINDS):
                entries.add(room, 0, [row.record(ROOMS_ONLY, json)])
    database.executemany("DELETE FROM seats WHERE player = ? AND room = ?", entries.seats)
    database.executemany("DELETE FROM came WHERE player = ? AND command = ? AND room = ?", entries.came)
