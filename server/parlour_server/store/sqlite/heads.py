"""The heads: where each room's log ends. Known in memory, and noted in the file once in a while."""

import sqlite3
from collections.abc import Mapping
from heapq import nsmallest

import structlog

from parlour_server.store.sqlite.opening import is_damage
from parlour_server.store.sqlite.records import (
    BROKEN,
    NOTHING,
    Head,
    checksum_of,
    find_row,
    insert,
    rows_after,
)

log = structlog.get_logger()

NOTE_HEADS_EVERY = 10_000
"""Events between two notes of the heads: a start reads at most about as many."""

_FIND = """
SELECT heads.room, heads.version, heads.number, events.room, events.version, events.checksum
FROM heads LEFT JOIN events ON events.number = heads.number
"""


class Heads:
    """The heads of all rooms. Reads the notes and what was written since; raises `sqlite3.Error`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._known: dict[str, Head] = {}
        self._not_noted: dict[str, Head] = {}
        self.last_number = 0
        self.notes_usable = True
        """False: the tables with the notes are damaged, so that all of them are in memory."""
        try:
            up_to = self._read_notes()
        except (sqlite3.DatabaseError, TypeError, ValueError) as error:
            if isinstance(error, sqlite3.Error) and not is_damage(error):
                raise
            log.error("the notes of the rooms are damaged, so all records are read", reason=str(error))
            self.notes_usable, up_to = False, 0
            self._known.clear()
        self._read_rows(up_to)
        (last,) = database.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()
        # The last events may have been pruned, and a number below the notes would never be found again.
        self.last_number = max(last, up_to)

    def _read_notes(self) -> int:
        """Learn the heads of the open rooms that are noted; up to which number they are."""
        # Meets every page of the table, which the heads of the open rooms alone would not.
        self._database.execute("SELECT count(*), sum(version) FROM heads").fetchone()
        for row in self._database.execute(f"{_FIND} JOIN open_rooms ON open_rooms.room = heads.room"):
            self._known[row[0]] = _noted(row)
        row = self._database.execute("SELECT up_to, checksum FROM noted").fetchone()
        if row is None:
            return 0
        if row[1] != checksum_of(row[0]):
            raise ValueError("the number up to which they are noted is damaged")
        return int(row[0])

    def _read_rows(self, up_to: int) -> None:
        for row in rows_after(self._database, up_to):
            head = self.find(row.room)
            if row.follows(head, row.room):
                self._not_noted[row.room] = row.head()
                self._known.pop(row.room, None)
                continue
            before = None if row.previous is None else find_row(self._database, row.previous)
            room = row.whose(head, None if before is None else before.room)
            if self.find(room) != BROKEN:
                log.error("a room's log is damaged", room=room, number=row.number)
            self._known.pop(room, None)
            self._not_noted[room] = BROKEN

    def find(self, room: str) -> Head:
        """A room's head; `NOTHING` where there is none, `BROKEN` where it is damaged."""
        head = self._known.get(room) or self._not_noted.get(room)
        if head is not None:
            return head
        if not self.notes_usable:
            return NOTHING
        row = self._database.execute(f"{_FIND} WHERE heads.room = ?", (room,)).fetchone()
        return _noted(row) if row else NOTHING

    def rooms(self) -> set[str]:
        """All rooms that there are, but for those whose logs are damaged."""
        rooms = set(self._known) | set(self._not_noted)
        if self.notes_usable:
            rooms.update(room for (room,) in self._database.execute("SELECT room FROM heads"))
        return rooms - {room for room, head in self._not_noted.items() if head == BROKEN}

    def page(self, after: str, most: int) -> list[str]:
        """The next rooms after one in the alphabet, damaged ones too; at most `most`."""
        rooms = nsmallest(most, (room for room in self._not_noted if room > after))
        if self.notes_usable:
            query = "SELECT room FROM heads WHERE room > ? ORDER BY room LIMIT ?"
            rooms += [room for (room,) in self._database.execute(query, (after, most))]
        return sorted(set(rooms))[:most]

    def note_is_due(self, number: int) -> bool:
        """Is it time to write the heads down, where the last event is to be this one?"""
        return self.notes_usable and number // NOTE_HEADS_EVERY > self.last_number // NOTE_HEADS_EVERY

    def note(self, heads: Mapping[str, Head], number: int) -> bool:
        """Write the heads down, within a transaction, where it is time for it; was it?

        `heads` and `number` are as they will be after it.
        """
        if not self.note_is_due(number):
            return False
        all_heads = {**self._not_noted, **heads}
        write_notes(
            self._database, {room: head for room, head in all_heads.items() if head != BROKEN}, number
        )
        return True

    def moved(self, heads: Mapping[str, Head], number: int, *, noted: bool) -> None:
        """Take over what a commit has changed. Only now, since one that fails leaves the file as it was."""
        if noted:
            self._not_noted = {room: head for room, head in self._not_noted.items() if head == BROKEN}
        else:
            self._not_noted.update(heads)
        self._known.update(heads)
        self.last_number = number

    def rewritten(self, room: str, head: Head) -> None:
        """A room's last record has another checksum now."""
        for heads in (self._known, self._not_noted):
            if room in heads:
                heads[room] = head

    def closed(self, rooms: list[str]) -> None:
        """These are closed: their heads are found in the file where they are asked for."""
        for room in rooms:
            self._known.pop(room, None)

    def forget(self, rooms: list[str]) -> None:
        """These are no longer there."""
        for room in rooms:
            self._known.pop(room, None)
            self._not_noted.pop(room, None)


def _noted(row: tuple[str, int, int, str | None, int | None, int | None]) -> Head:
    room, version, number, actual_room, actual_version, checksum = row
    if actual_room != room or actual_version != version or not isinstance(checksum, int):
        return BROKEN
    return Head(version, number, checksum)


def write_notes(database: sqlite3.Connection, heads: Mapping[str, Head], up_to: int) -> None:
    """Note these heads, and that all events up to a number are covered by the notes."""
    rows = [(room, head.version, head.number) for room, head in heads.items()]
    insert(database, "INSERT OR REPLACE INTO heads", rows)
    database.execute("DELETE FROM noted")
    database.execute("INSERT INTO noted VALUES (?, ?)", (up_to, checksum_of(up_to)))
