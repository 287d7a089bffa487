"""Is all of a file as it was written? Records, their chains, what follows from them, SQLite's own pages."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlour_protocol.words import Sentence
from parlour_server.aggregate import Aggregate
from parlour_server.games import UnknownGame
from parlour_server.kinds import find_kind
from parlour_server.log import AnyRecord, kind_of
from parlour_server.store.encoding import ROOMS_ONLY, EventCodecs
from parlour_server.store.entries import Entries
from parlour_server.store.port import Progress
from parlour_server.store.sqlite.opening import open_for_reading
from parlour_server.store.sqlite.records import NOTHING, Head, Row, checksum_of, find_row
from parlour_server.store.sqlite.salvage import all_rows, counted
from parlour_server.store.sqlite.side_tables import damaged_rows, look_at_players

LISTS = Sentence("data.where.lists")
MOST_PAGE_FAULTS = 20
"""Of what SQLite says about its own pages."""


@dataclass(slots=True)
class Fault:
    """One thing that is wrong."""

    where: str
    """`room KMRTQA`, `file`, `players`, `lists`, `results`."""
    what: str


@dataclass(slots=True)
class Findings:
    """What a check has found."""

    file: str
    bytes: int
    records: int = 0
    """Undamaged ones."""
    rooms: int = 0
    players: int = 0
    faults: list[Fault] = field(default_factory=list)
    not_installed: dict[str, int] = field(default_factory=dict)
    """Rooms whose game is not installed here, and logs of unknown kinds, by what is said of them: their rules
    were not tried."""

    def fault(self, where: str, what: str) -> None:
        """Note what is wrong."""
        self.faults.append(Fault(where, what))

    def not_tried(self, why: str) -> None:
        """Note that the rules of a log were not tried."""
        self.not_installed[why] = self.not_installed.get(why, 0) + 1


def check(path: Path, progress: Progress, codecs: EventCodecs = ROOMS_ONLY) -> Findings:
    """Check a file that no server has open; nothing is written to it. Raises `StoreUnusable`."""
    with closing(open_for_reading(path)) as database:
        found = Findings(str(path), path.stat().st_size)
        _check_pages(database, found)
        heads = _check_chains(database, found, progress)
        found.rooms = len(heads)
        _check_notes(database, found, heads)
        damaged = {fault.where for fault in found.faults}
        finished: set[tuple[str, int]] = set()
        with suppress(sqlite3.DatabaseError):
            finished.update(database.execute("SELECT room, version FROM finished_games"))
        for done, (room, head) in enumerate(heads.items()):
            progress(done, len(heads))
            if _room(room) in damaged:
                continue
            if not codecs.knows(room):
                found.not_tried(Sentence("data.unknown_kind", kind=kind_of(room)))
                continue
            try:
                records = [row.record(codecs, row.json()) for row in _log(database, head)]
            except Exception as error:
                found.fault(_room(room), Sentence("data.fault.unreadable_record", why=_first_line(error)))
                continue
            if (kind := find_kind(room)) is not None:
                _check_rules(found, kind, room, records)
            for missing in _missing(database, finished, room, records):
                found.fault(LISTS, missing)
        for one in damaged_rows(database):
            found.fault(Sentence("data.where.results"), one)
        found.players, said = look_at_players(database)
        for one in said:
            found.fault(Sentence("data.where.players"), one)
        return found


def _check_pages(database: sqlite3.Connection, found: Findings) -> None:
    try:
        said = [row[0] for row in database.execute(f"PRAGMA integrity_check({MOST_PAGE_FAULTS})")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    for one in said:
        if one != "ok":
            # Several lines come as one, under a heading of its own.
            for line in str(one).splitlines():
                if not line.startswith("***"):
                    found.fault(Sentence("data.where.file"), line)


def _check_chains(database: sqlite3.Connection, found: Findings, progress: Progress) -> dict[str, Head]:
    """Check all records in the order in which they were written; how far each room's are undamaged."""
    heads: dict[str, Head] = {}
    ends: dict[int, str] = {}
    """The rooms by the numbers of their heads."""
    broken: set[str] = set()
    for row in counted(all_rows(database), database, progress):
        head = heads.get(row.room, NOTHING)
        if row.follows(head, row.room):
            ends.pop(head.number or 0, None)
            heads[row.room] = row.head()
            ends[row.number] = row.room
            found.records += 1
            continue
        room = row.whose(head, ends.get(row.previous or 0))
        if room not in broken:
            broken.add(room)
            whole = heads.get(room, NOTHING).version
            found.fault(_room(room), Sentence("data.fault.record", number=whole + 1, whole=whole))
    return heads


def _check_notes(database: sqlite3.Connection, found: Findings, heads: dict[str, Head]) -> None:
    """The notes lead to records of their rooms, and none is of more than there is."""
    try:
        noted = database.execute("SELECT up_to, checksum FROM noted").fetchone()
        if noted is not None and noted[1] != checksum_of(noted[0]):
            found.fault(LISTS, Sentence("data.fault.noted_number"))
        for room, version, number in database.execute("SELECT room, version, number FROM heads"):
            head, row = heads.get(room), find_row(database, number)
            if head is not None and isinstance(version, int) and version > head.version:
                more = Sentence("data.fault.noted_more", noted=version, whole=head.version)
                found.fault(_room(room), more)
            elif head is None or row is None or row.room != room or row.version != version:
                found.fault(LISTS, Sentence("data.fault.note_nowhere", room=str(room)))
    except sqlite3.DatabaseError as error:
        found.fault(LISTS, Sentence("data.fault.notes", why=str(error)))


def _log(database: sqlite3.Connection, head: Head) -> Sequence[Row]:
    """A room's rows, which were found undamaged."""
    rows = []
    number = head.number
    while number is not None:
        row = find_row(database, number)
        assert row is not None
        rows.append(row)
        number = row.previous
    rows.reverse()
    return rows


def _check_rules(found: Findings, kind: Aggregate[Any], room: str, records: Sequence[AnyRecord]) -> None:
    try:
        for _ in kind.replay(room, records):
            pass
    except UnknownGame as error:
        found.not_tried(_first_line(error))
    except Exception as error:
        found.fault(_room(room), Sentence("data.fault.rules", why=_first_line(error)))


def _missing(
    database: sqlite3.Connection,
    finished: Collection[tuple[str, int]],
    room: str,
    records: Sequence[AnyRecord],
) -> Iterable[Sentence]:
    """What a room's records say and the tables beside the log don't."""
    said = Entries()
    said.add(room, 0, records)
    for game in said.games:
        if (room, game.version) not in finished:
            yield Sentence("data.fault.missing_result", number=game.summary.number, room=room)
    wanted: dict[Sentence, tuple[str, tuple[str, ...]]] = {}
    for seat in said.seats:
        missing = Sentence("data.fault.missing_seat", player=seat[0], room=room)
        wanted[missing] = "SELECT 1 FROM seats WHERE player = ? AND room = ?", seat
    for player, command, _ in said.came:
        missing = Sentence("data.fault.missing_command", player=player, room=room)
        wanted[missing] = "SELECT 1 FROM came WHERE player = ? AND command = ?", (player, command)
    if not said.closed:
        missing = Sentence("data.fault.missing_name", room=room)
        wanted[missing] = "SELECT 1 FROM open_rooms WHERE room = ?", (room,)
    for missing, (query, values) in wanted.items():
        try:
            if database.execute(query, values).fetchone() is None:
                yield missing
        except sqlite3.DatabaseError as error:
            yield Sentence("data.fault.list", room=room, why=str(error))


def _room(room: str) -> Sentence:
    return Sentence("data.where.room", room=room)


def _first_line(error: Exception) -> str:
    said = str(error) or type(error).__name__
    return said if "\n" not in said else said.splitlines()[0]
