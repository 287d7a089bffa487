"""The rows of the tables beside the log, each with a checksum: players, finished games, checkpoints.

Visitors are checked against the players.
"""

import sqlite3
from collections.abc import Iterator, Sequence

from parlour_server.store.finished_games import FinishedGame, read_game, write_game
from parlour_server.store.port import Checkpoint, NotReadable
from parlour_server.store.sqlite.records import checksum_of


def with_checksum(*row: object) -> tuple[object, ...]:
    """A row as it is written: its checksum comes last."""
    return (*row, checksum_of(*row))


def is_whole(row: Sequence[object]) -> bool:
    """Is a row as it was written?"""
    return row[-1] == checksum_of(*row[:-1])


def look_at_players(database: sqlite3.Connection) -> tuple[int, list[str]]:
    """How many players are undamaged, and what is wrong with the others: 0.2 s for 100,000."""
    whole, damaged, faults = set(), set(), []
    try:
        for row in database.execute("SELECT * FROM players"):
            if is_whole(row):
                whole.add(row[1])
            else:
                damaged.add(row[0])
    except sqlite3.DatabaseError as error:
        faults.append(f"not all of them can be read: {error}")
    if damaged:
        faults.append(f"{len(damaged)} {'is' if len(damaged) == 1 else 'are'} damaged")
    try:
        lost = {key for (key,) in database.execute(_LOST_VISITORS)} - damaged
        if lost:
            faults.append(f"{len(lost)} of the notes on visitors {'is' if len(lost) == 1 else 'are'} damaged")
    except sqlite3.DatabaseError as error:
        faults.append(f"not all notes on visitors can be read: {error}")
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


def write_game_row(database: sqlite3.Connection, number: int | None, game: FinishedGame) -> None:
    """Write a game under its number; None: under the next one."""
    if number is None:
        (last,) = database.execute("SELECT max(number) FROM finished_games").fetchone()
        number = (last or 0) + 1
    row = with_checksum(number, game.room, game.version, write_game(game))
    database.execute("INSERT OR REPLACE INTO finished_games VALUES (?, ?, ?, ?, ?)", row)


def damaged_rows(database: sqlite3.Connection) -> list[str]:
    """What is wrong with the finished games, the checkpoints and the notes on tokens."""
    faults = []
    for table, key in (("finished_games", "number"), ("checkpoints", "name"), ("more_tokens", "number")):
        try:
            rows = database.execute(f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608 - our own names
            damaged = [row[0] for row in rows if not is_whole(row)]
        except sqlite3.DatabaseError as error:
            faults.append(f"not all of {table} can be read: {error}")
        else:
            faults += [f"the row {one} of {table} is damaged" for one in damaged]
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
