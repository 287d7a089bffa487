"""Forgetting: old rooms, visitors, and a person who asks for it."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice

from parlour_server.log import is_room
from parlour_server.store.anonymise import anonymous
from parlour_server.store.finished_games import without_player
from parlour_server.store.port import NotSaved
from parlour_server.store.sqlite import indexes
from parlour_server.store.sqlite.checked_rows import read_games, write_game_row
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import explain
from parlour_server.store.sqlite.reading import last_at, read_room
from parlour_server.store.sqlite.records import BROKEN, COLUMNS, NOTHING, Row, write_row

LOOKED_AT_ONCE = 100
"""Rooms that are looked at while nothing else is done: some 2 ms."""
PRUNED_AT_ONCE = 20
"""Rooms that are forgotten in one commit."""
VISITORS_AT_ONCE = 1_000
"""Players that are forgotten in one commit."""
GAMES_AT_ONCE = 100
"""Finished games that are looked through while nothing else is done."""
SCANNED_AT_ONCE = 5_000
"""Events that are looked through while nothing else is done."""


def old_rooms(
    file: OpenFile, after: str, before: int, spared: Collection[str]
) -> tuple[list[str], str | None]:
    """Of the next rooms after one in the alphabet those in which nothing happened since `before`.

    Those that are to be spared are left out. With them comes the last room that was looked at; None: it was
    the last one of all.
    """
    page = file.heads.page(after, LOOKED_AT_ONCE)
    old = [room for room in page if is_room(room) and room not in spared and _is_old(file, room, before)]
    return old, page[-1] if page else None


def _is_old(file: OpenFile, room: str, before: int) -> bool:
    return file.heads.find(room) != BROKEN and last_at(file, room) < before


def prune(file: OpenFile, rooms: Sequence[str], before: int) -> list[str]:
    """Forget those of these rooms that are still old. Raises `NotSaved`."""
    gone = [room for room in rooms if _is_old(file, room, before)]
    with file.transaction():
        for room in gone:
            indexes.forget_room(
                file.database, room, delete_records(file.database, room, file.heads.find(room).number)
            )
    file.heads.forget(gone)
    return gone


def delete_records(database: sqlite3.Connection, room: str, number: int | None, after: int = 0) -> list[Row]:
    """Delete a room's records from one backwards, to the version `after`, which stays; they are returned."""
    rows: list[Row] = []
    while number is not None:
        # By its room too: a damaged way back may lead into another's log.
        row = database.execute(
            f"DELETE FROM events WHERE number = ? AND room = ? AND version > ? RETURNING {COLUMNS}",  # noqa: S608 - our own names
            (number, room, after),
        ).fetchone()
        if row is None:
            break
        rows.append(Row._make(row))
        number = rows[-1].previous
    return rows


def forget_visitors(file: OpenFile, before: int, spared: Collection[str]) -> int:
    """Forget some of the players who came before then and did nothing; how many, 0 once there are none."""
    query = "SELECT player, token_hash FROM visitors WHERE at < ?"
    found = file.database.execute(query, (before,))
    # No further than these: to walk through all of them each time would take ever longer.
    some = list(islice((row for row in found if row[0] not in spared), VISITORS_AT_ONCE))
    found.close()
    with file.transaction():
        file.database.executemany("DELETE FROM players WHERE token_hash = ?", [(key,) for _, key in some])
        file.database.executemany("DELETE FROM visitors WHERE player = ?", [(player,) for player, _ in some])
    return len(some)


def rooms_with(file: OpenFile, player: str, after: int) -> set[str]:
    """The rooms where a player did something, among the next events after a number."""
    query = "SELECT room FROM events WHERE number > ? AND number <= ? AND author = ?"
    found = file.database.execute(query, (after, after + SCANNED_AT_ONCE, player))
    return {room for (room,) in found if is_room(room)}


def forget_token(file: OpenFile, player: str) -> None:
    """Forget a player, whose tokens are worth nothing then. Raises `NotSaved`."""
    file.database.execute("PRAGMA secure_delete = ON").fetchone()
    with file.transaction():
        for table in ("players", "visitors"):
            file.database.execute(f"DELETE FROM {table} WHERE player = ?", (player,))  # noqa: S608 - our own names


def forget_in_room(file: OpenFile, room: str, player: str) -> bool:
    """Take a player's name and words out of a room's log; was there any? Raises `NotSaved`, `NotReadable`."""
    rows, records = read_room(file, room)
    head = NOTHING
    changed: list[tuple[bytes, int, int]] = []
    for row, record in zip(rows, records, strict=True):
        without = anonymous(record, player)
        if without is record and not changed:
            head = row.head()
            continue
        renewed = write_row(file.codecs, room, head, row.number, replace(without, applied=None))
        changed.append((renewed.event, renewed.checksum, row.number))
        head = renewed.head()
    if not changed:
        return False
    with file.transaction():
        file.database.executemany("UPDATE events SET event = ?, checksum = ? WHERE number = ?", changed)
    file.heads.rewritten(room, head)
    return True


def forget_in_games(file: OpenFile, player: str, after: int) -> int | None:
    """Take a player's name out of the next finished games after a number; up to which, None: there are none.

    Raises `NotSaved`.
    """
    changed = []
    last = None
    for last, game in read_games(file.database, after, GAMES_AT_ONCE):
        without = None if game is None else without_player(game, player)
        if without is not None and without is not game:
            changed.append((last, without))
    with file.transaction():
        for number, game in changed:
            write_game_row(file.database, number, game)
    return last


def forget_old_pages(file: OpenFile) -> None:
    """Let nothing of what was deleted stay in the file or in what is still to be moved into it."""
    file.database.execute("PRAGMA secure_delete = OFF").fetchone()
    try:
        file.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        raise NotSaved(explain(file.path, error)) from error
