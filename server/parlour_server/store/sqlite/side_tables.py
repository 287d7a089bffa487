"""The tables beside the log: players, finished games and checkpoints, each row with a checksum, and entries.

Visitors are checked against the players; entries (see `Entries`) can be made anew from the log.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from parlour_protocol.events import BotAwaited, RoomCreated, SeatTaken, kind_of
from parlour_protocol.words import Sentence
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.entries import Entries
from parlour_server.store.finished_games import FinishedGame, read_game, write_game
from parlour_server.store.port import REMOVED_ROOMS, Checkpoint, NotReadable
from parlour_server.store.sqlite.records import Row, checksum_of, insert

_LISTED_KINDS = tuple(f'"kind":"{kind_of(event)}"'.encode() for event in (RoomCreated, SeatTaken, BotAwaited))
"""What stands in the JSON of those records by which a room is found otherwise."""


def with_checksum(*row: object) -> tuple[object, ...]:
    """A row as it is written: its checksum comes last."""
    return (*row, checksum_of(*row))


def is_whole(row: Sequence[object]) -> bool:
    """Is a row as it was written?"""
    return row[-1] == checksum_of(*row[:-1])


def look_at_players(database: sqlite3.Connection) -> tuple[int, list[Sentence]]:
    """How many players are undamaged, and what is wrong with the others: 0.2 s for 100,000."""
    whole, damaged, faults = set(), set(), []
    try:
        for row in database.execute("SELECT * FROM players"):
            if is_whole(row):
                whole.add(row[1])
            else:
                damaged.add(row[0])
    except sqlite3.DatabaseError as error:
        faults.append(Sentence("data.fault.table", table="players", why=str(error)))
    if damaged:
        faults.append(Sentence("data.fault.players", count=len(damaged)))
    try:
        lost = {key for (key,) in database.execute(_LOST_VISITORS)} - damaged
        if lost:
            faults.append(Sentence("data.fault.visitors", count=len(lost)))
    except sqlite3.DatabaseError as error:
        faults.append(Sentence("data.fault.table", table="visitors", why=str(error)))
    return len(whole), faults


_LOST_VISITORS = """
SELECT visitors.token_hash FROM visitors LEFT JOIN players ON players.token_hash = visitors.token_hash
WHERE players.player IS NOT visitors.player
"""


def read_games(
    database: sqlite3.Connection, after: int, most: int
) -> Iterator[tuple[int, FinishedGame | None]]:
    """The next games after a number, None for a damaged one. Raises `sqlite3.Error`."""
    query = "SELECT * FROM finished_games WHERE number > ? ORDER BY number LIMIT ?"
    for row in database.execute(query, (after, most)):
        yield row[0], read_game(row[3]) if is_whole(row) else None


FIRST_PLAYER, SECOND_PLAYER = (
    f"CASE WHEN json_valid(game) THEN json_extract(game, '$.summary.players[{seat}].player') END"
    for seat in (0, 1)
)
"""Of a finished game: by these they are found. What is damaged has none."""
_BETWEEN = f"""
SELECT * FROM finished_games
WHERE ({FIRST_PLAYER} = ? AND {SECOND_PLAYER} = ?) OR ({FIRST_PLAYER} = ? AND {SECOND_PLAYER} = ?)
ORDER BY number DESC LIMIT ?
"""  # noqa: S608 - our own names


_WITH_ANYBODY = f"""
SELECT * FROM finished_games
WHERE ({FIRST_PLAYER} = ? AND {SECOND_PLAYER} NOT LIKE 'bot:%' AND {SECOND_PLAYER} != {FIRST_PLAYER})
OR ({SECOND_PLAYER} = ? AND {FIRST_PLAYER} NOT LIKE 'bot:%' AND {SECOND_PLAYER} != {FIRST_PLAYER})
ORDER BY number DESC LIMIT ?
"""  # noqa: S608 - our own names


def read_games_between(
    database: sqlite3.Connection, player: str, other: str | None, most: int
) -> list[FinishedGame]:
    """The games of two players, the last one first, without those that are damaged."""
    if other is None:
        rows = database.execute(_WITH_ANYBODY, (player, player, most))
    else:
        rows = database.execute(_BETWEEN, (player, other, other, player, most))
    return [read_game(row[3]) for row in rows if is_whole(row)]


def write_game_row(database: sqlite3.Connection, number: int | None, game: FinishedGame) -> None:
    """Write a game under its number; None: under the next one."""
    if number is None:
        (last,) = database.execute("SELECT max(number) FROM finished_games").fetchone()
        number = (last or 0) + 1
    row = with_checksum(number, game.room, game.version, write_game(game))
    database.execute("INSERT OR REPLACE INTO finished_games VALUES (?, ?, ?, ?, ?)", row)


def damaged_rows(database: sqlite3.Connection) -> list[Sentence]:
    """What is wrong with the finished games, the checkpoints and the notes on tokens."""
    faults = []
    for table, key in (("finished_games", "number"), ("checkpoints", "name"), ("more_tokens", "number")):
        try:
            rows = database.execute(f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608 - our own names
            damaged = [row[0] for row in rows if not is_whole(row)]
        except sqlite3.DatabaseError as error:
            faults.append(Sentence("data.fault.table", table=table, why=str(error)))
        else:
            faults += [Sentence("data.fault.row", row=str(one), table=table) for one in damaged]
    return faults


def read_checkpoint(database: sqlite3.Connection, name: str) -> Checkpoint:
    """How far a projection has come. Raises `NotReadable`."""
    row = database.execute("SELECT * FROM checkpoints WHERE name = ?", (name,)).fetchone()
    if row is None:
        return Checkpoint()
    if not is_whole(row):
        raise NotReadable(f"The checkpoint of {name} is damaged.")
    return Checkpoint(row[1], row[2])


def write_checkpoint(database: sqlite3.Connection, name: str, new: Checkpoint) -> None:
    """Write down how far a projection has come."""
    row = with_checksum(name, new.after, new.state)
    database.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)", row)


def forget_removed_rooms(database: sqlite3.Connection, players: Sequence[str]) -> None:
    """Forget which rooms these players have removed."""
    names = [(REMOVED_ROOMS + player,) for player in players]
    database.executemany("DELETE FROM checkpoints WHERE name = ?", names)


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
