"""Forgetting: old rooms, visitors, and a person who asks for it."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice

import structlog

from parlour_server.log import is_room
from parlour_server.store.anonymise import anonymous
from parlour_server.store.finished_games import without_player
from parlour_server.store.port import NotReadable, NotSaved
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import explain
from parlour_server.store.sqlite.reading import Turns, at_once, last_at, read_log
from parlour_server.store.sqlite.records import BROKEN, COLUMNS, NOTHING, Row, write_row
from parlour_server.store.sqlite.side_tables import (
    forget_removed_rooms,
    forget_room,
    read_games,
    write_game_row,
)

log = structlog.get_logger()

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


def prune(file: OpenFile, before: int, spared: Collection[str]) -> Turns[list[str]]:
    """See `Store.prune`. The rooms are looked at in the order of the alphabet."""
    gone: list[str] = []
    page = file.heads.page("", LOOKED_AT_ONCE)
    while page:
        old = [room for room in page if is_room(room) and room not in spared and _is_old(file, room, before)]
        for start in range(0, len(old), PRUNED_AT_ONCE):
            yield
            gone += _prune(file, old[start : start + PRUNED_AT_ONCE], before)
        yield
        page = file.heads.page(page[-1], LOOKED_AT_ONCE)
    return gone


def _is_old(file: OpenFile, room: str, before: int) -> bool:
    return file.heads.find(room) != BROKEN and last_at(file, room) < before


def _prune(file: OpenFile, rooms: Sequence[str], before: int) -> list[str]:
    """Forget those of these rooms that are still old."""
    gone = [room for room in rooms if _is_old(file, room, before)]
    with file.transaction():
        for room in gone:
            forget_room(
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


def forget_visitors(file: OpenFile, before: int, spared: Collection[str]) -> Turns[int]:
    """See `Store.forget_visitors`."""
    query = "SELECT player, token_hash FROM visitors WHERE at < ?"
    gone = 0
    came_back = file.came_back = set[str]()
    while True:
        found = file.database.execute(query, (before,))
        left = (row for row in found if row[0] not in spared and row[0] not in came_back)
        # No further than these: to walk through all of them each time would take ever longer.
        some = list(islice(left, VISITORS_AT_ONCE))
        found.close()
        if not some:
            file.came_back = None
            return gone
        with file.transaction():
            file.database.executemany("DELETE FROM players WHERE token_hash = ?", [row[1:] for row in some])
            file.database.executemany("DELETE FROM visitors WHERE player = ?", [row[:1] for row in some])
            forget_removed_rooms(file.database, [player for player, _ in some])
        gone += len(some)
        yield


def forget_player(file: OpenFile, player: str) -> Turns[list[str]]:
    """See `Store.forget_player`."""
    file.database.execute("PRAGMA secure_delete = ON").fetchone()
    with file.transaction():
        for table in ("players", "more_tokens", "visitors"):
            file.database.execute(f"DELETE FROM {table} WHERE player = ?", (player,))  # noqa: S608 - our own names
        forget_removed_rooms(file.database, [player])
    query = "SELECT room FROM events WHERE number > ? AND number <= ? AND author = ?"
    rooms: set[str] = set()
    for after in range(0, file.heads.last_number, SCANNED_AT_ONCE):
        yield
        found = file.database.execute(query, (after, after + SCANNED_AT_ONCE, player))
        rooms.update(room for (room,) in found if is_room(room))
    changed = []
    for room in sorted(rooms):
        yield
        try:
            if _forget_in_room(file, room, player):
                changed.append(room)
        except NotReadable as error:
            # It keeps what it has.
            log.error("a player is not forgotten in a damaged room", room=room, reason=str(error))
    yield from _forget_in_games(file, player)
    # Nothing of what was deleted stays in the file or in what is still to be moved into it.
    file.database.execute("PRAGMA secure_delete = OFF").fetchone()
    try:
        file.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        raise NotSaved(explain(file.path, error)) from error
    return changed


def _forget_in_room(file: OpenFile, room: str, player: str) -> bool:
    """Take a player's name and words out of a room's log; was there any?"""
    rows, records = at_once(read_log(file, room))
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


def _forget_in_games(file: OpenFile, player: str) -> Turns[None]:
    """Take a player's name out of the finished games."""
    after = 0
    while games := list(read_games(file.database, after, GAMES_AT_ONCE)):
        with file.transaction():
            for number, game in games:
                without = None if game is None else without_player(game, player)
                if without is not None and without is not game:
                    write_game_row(file.database, number, without)
        after = games[-1][0]
        yield
