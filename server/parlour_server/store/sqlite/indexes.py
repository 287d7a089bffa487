"""What is looked up otherwise than by a log's key: open rooms, who sat where, what commands led to, visitors.

All of it follows from the records. Logs of other kinds stand among the open rooms for good, and nowhere else.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress

from parlour_protocol.events import ChatPosted, GameFinished, RoomClosed, RoomCreated, SeatTaken, kind_of
from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, is_room
from parlour_server.store.anonymise import ends_visit
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.finished_games import finished_in
from parlour_server.store.port import comes_to_a_room
from parlour_server.store.sqlite.checked_rows import write_game_row
from parlour_server.store.sqlite.records import Row

_ENTERED = frozenset({RoomCreated, SeatTaken, ChatPosted, GameFinished})
"""What is to be entered of; moves, of which there are most, are not."""
_LISTED_KINDS = tuple(f'"kind":"{kind_of(event)}"'.encode() for event in (RoomCreated, SeatTaken))
"""What stands in the JSON of those by which a room is found otherwise."""


def enter(database: sqlite3.Connection, room: str, expected: Version, records: Sequence[AnyRecord]) -> None:
    """Enter what the new records of a log say, which stood at version `expected`."""
    if not is_room(room):
        if expected == 0:
            enter_log(database, room)
        return
    if isinstance(records[0].event, RoomCreated):
        enter_log(database, room)
    for version, record in enumerate(records, expected + 1):
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
        if isinstance(event, GameFinished):
            for game in finished_in(room, version - 1, [record]):
                write_game_row(database, None, game)
    if isinstance(records[-1].event, RoomClosed):
        database.execute("DELETE FROM open_rooms WHERE room = ?", (room,))


def enter_log(database: sqlite3.Connection, key: str) -> None:
    """Enter a log that is open."""
    database.execute("INSERT OR IGNORE INTO open_rooms (room) VALUES (?)", (key,))


def forget_room(database: sqlite3.Connection, room: str, rows: Iterable[Row]) -> None:
    """Forget that a room was ever there, whose records these were."""
    for table in ("heads", "open_rooms"):
        database.execute(f"DELETE FROM {table} WHERE room = ?", (room,))  # noqa: S608 - our own names
    # By what the records say: to look for the room would be a walk through all of these tables.
    for row in rows:
        # What is damaged, or of a later version, leaves its entry behind: that leads to no room.
        with suppress(ValueError, zlib.error):
            json = row.json()
            if not any(kind in json for kind in _LISTED_KINDS):
                continue
            record = row.record(ROOMS_ONLY, json)
            if isinstance(record.event, SeatTaken):
                database.execute(
                    "DELETE FROM seats WHERE player = ? AND room = ?", (record.event.player, room)
                )
            database.execute(
                "DELETE FROM came WHERE player = ? AND command = ? AND room = ?",
                (record.by, record.command, room),
            )
