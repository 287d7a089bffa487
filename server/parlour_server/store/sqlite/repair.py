"""Saving what can be saved of a damaged file into a new one; the damaged one stays as it is.

A room is saved whole, or up to its last record before the damage. Of a room that was cut the last command
goes as well: it may have brought about several records, and half of them are no state that a room may be in.
"""

import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count, filterfalse
from pathlib import Path

from parlour_protocol.words import Sentence
from parlour_server.log import is_room
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.entries import Entries
from parlour_server.store.port import NotSaved, Progress
from parlour_server.store.sqlite.heads import write_notes
from parlour_server.store.sqlite.opening import explain, open_for_writing
from parlour_server.store.sqlite.pruning import delete_records
from parlour_server.store.sqlite.records import NOTHING, Head, Row, find_row
from parlour_server.store.sqlite.salvage import all_rows, counted, open_copy, refuse_if_in_use, rows_of
from parlour_server.store.sqlite.side_tables import enter, is_whole, write_game_row


@dataclass(slots=True)
class Cut:
    """A room of which something is lost."""

    room: str
    kept: int
    """Records; 0: the room is lost."""
    known: int
    """Records that are known to have been there."""


@dataclass(slots=True)
class Repaired:
    """What was saved, and what was not."""

    into: str
    whole: int = 0
    """Rooms."""
    cut: list[Cut] = field(default_factory=list)
    records: int = 0
    players: int = 0
    damaged_players: int = 0


def repair(path: Path, into: Path, progress: Progress) -> Repaired:
    """Save what can be saved into a new file.

    Raises `StoreUnusable` (`StoreLocked` where a server has the file), `NotSaved` and `OSError`.
    """
    refuse_if_in_use(path)
    if into.exists():
        raise NotSaved(Sentence("store.file_exists", file=str(into)))
    with tempfile.TemporaryDirectory(prefix=f"{into.name}.", dir=into.parent) as folder:
        draft = Path(folder) / into.name
        try:
            copied = open_copy(path, Path(folder))
            with closing(copied) as old, closing(open_for_writing(draft)) as new:
                repaired = _Repair(old, new, str(into)).run(progress)
                # All in one file, so that it can be moved.
                new.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise NotSaved(explain(into, error)) from error
        draft.rename(into)
    return repaired


class _Repair:
    def __init__(self, old: sqlite3.Connection, new: sqlite3.Connection, into: str) -> None:
        self._old, self._new = old, new
        self._heads: dict[str, Head] = {}
        self._ends: dict[int, str] = {}
        """The rooms by the numbers of their heads."""
        self._known: dict[str, int] = {}
        """Of damaged rooms: how many records there were, as far as is known."""
        self._result = Repaired(into)

    def run(self, progress: Progress) -> Repaired:
        """Save everything, as one commit."""
        self._new.execute("BEGIN IMMEDIATE")
        for row in counted(all_rows(self._old), self._old, progress):
            self._save(row)
        self._look_at_notes()
        for room in sorted(self._known):
            self._cut(room)
        # What is lost of the finished games follows from the log.
        self._save_rows("finished_games", "number")
        self._save_rows("checkpoints", "name")
        self._save_rows("more_tokens", "number")
        self._enter_in_indexes()
        self._result.players, self._result.damaged_players = self._save_rows("players", "token_hash")
        heads = {room: head for room, head in self._heads.items() if head.version}
        write_notes(self._new, heads, max((head.number or 0 for head in heads.values()), default=0))
        self._result.whole = len(heads) - sum(1 for cut in self._result.cut if cut.kept)
        self._result.records = sum(head.version for head in heads.values())
        self._new.execute("COMMIT")
        return self._result

    def _save(self, row: Row) -> None:
        head = self._heads.get(row.room, NOTHING)
        # The way back is not in the checksum, and is mended.
        row = row._replace(previous=head.number) if row.version == head.version + 1 else row
        if row.room not in self._known and row.follows(head, row.room):
            self._new.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._ends.pop(head.number or 0, None)
            self._heads[row.room] = row.head()
            self._ends[row.number] = row.room
            return
        room = row.whose(head, self._ends.get(row.previous or 0))
        if isinstance(room, str):
            next_one = self._heads.get(room, NOTHING).version + 1
            self._know(room, row.version if room == row.room and isinstance(row.version, int) else next_one)

    def _know(self, room: str, version: int) -> None:
        if version > self._heads.get(room, NOTHING).version:
            self._known[room] = max(version, self._known.get(room, 0))

    def _look_at_notes(self) -> None:
        """The notes know of records that are gone without a trace."""
        for room, version, number in rows_of(self._old, "heads", "room"):
            whole = isinstance(room, str) and isinstance(version, int) and isinstance(number, int)
            if whole and number > (self._heads.get(room, NOTHING).number or 0):
                self._know(room, version)

    def _cut(self, room: str) -> None:
        """Take away the last command of a damaged room."""
        head = self._heads.get(room, NOTHING)
        last = None if head.number is None else find_row(self._new, head.number)
        row = last
        while row is not None and last is not None:
            if (row.at, row.author, row.command) != (last.at, last.author, last.command):
                break
            row = None if row.previous is None else find_row(self._new, row.previous)
        kept = NOTHING if row is None else row.head()
        delete_records(self._new, room, head.number, after=kept.version)
        self._heads[room] = kept
        self._result.cut.append(Cut(room, kept.version, self._known[room]))

    def _save_rows(self, table: str, key: str) -> tuple[int, int]:
        """Save the rows of a table beside the log that are whole; how many these are, and how many others."""
        rows = rows_of(self._old, table, key)
        whole = list(filter(is_whole, rows))
        for row in whole:
            values = ", ".join("?" * len(row))
            self._new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({values})", row)  # noqa: S608 - our own names
        return len(whole), len(rows) - len(whole)

    def _enter_in_indexes(self) -> None:
        """In the order in which the rooms were made, and the games ended."""
        saved = set(self._new.execute("SELECT room, version FROM finished_games"))
        taken = {number for (number,) in self._new.execute("SELECT number FROM finished_games")}
        # Under the numbers that are lost: what was made of the games up to a number stays right.
        free = filterfalse(taken.__contains__, count(1))
        for row in all_rows(self._new):
            entries = Entries()
            # A kind of event that is of a later version stays, and is read by that one.
            with suppress(ValueError):
                records = [row.record(ROOMS_ONLY, row.json())] if is_room(row.room) else []
                entries.add(row.room, row.version - 1, records)
            games, entries.games = entries.games, []
            enter(self._new, entries)
            for game in games:
                if (game.room, game.version) not in saved:
                    write_game_row(self._new, next(free), game)
