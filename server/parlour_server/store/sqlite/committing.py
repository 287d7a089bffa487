"""Group commit: whatever has gathered, records and new players, stands all at once or not at all."""

import sqlite3
import time
from collections.abc import Sequence

import structlog

from parlour_server.store.entries import Entries
from parlour_server.store.gathered import Append, Gathered, NewPlayer, call_back
from parlour_server.store.port import NotSaved, StoreError, VersionConflict
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import explain, is_damage
from parlour_server.store.sqlite.records import MOST_AT_ONCE, Head, Row, insert, write_row
from parlour_server.store.sqlite.side_tables import enter, with_checksum

log = structlog.get_logger()


Outcome = StoreError | None


def commit(file: OpenFile, batch: list[Gathered]) -> list[Outcome]:
    """Commit what may stand of a batch as one; the outcome of each."""
    counters, begun = file.counters, time.monotonic()
    try:
        outcomes = _commit(file, batch)
    except Exception as error:
        counters.commits_failed += 1
        file.roll_back()
        if (is_damage(error) or not isinstance(error, sqlite3.Error)) and len(batch) > 1:
            # What one of them says, or needs, can't be written: that is no reason to refuse the others.
            return [outcome for one in batch for outcome in commit(file, [one])]
        said = explain(file.path, error)
        log.error("nothing could be saved", reason=said, appends=len(batch))
        return [NotSaved(said)] * len(batch)
    counters.commit_times.observe(time.monotonic() - begun)
    counters.commit_sizes.observe(sum(len(one.records) if isinstance(one, Append) else 1 for one in batch))
    return outcomes


def _commit(file: OpenFile, batch: list[Gathered]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    rows: list[Row] = []
    heads: dict[str, Head] = {}
    entries = Entries()
    players: list[NewPlayer] = []
    number = file.heads.last_number
    newcomers = any(not isinstance(one, Append) or one.expected == 0 for one in batch)
    refusal = file.quota.refusal() if newcomers else None
    for one in batch:
        if isinstance(one, NewPlayer):
            if refusal is None:
                players.append(one)
            outcomes.append(refusal)
            continue
        room = one.room
        head = heads.get(room) or file.heads.find(room)
        if head.version != one.expected:
            outcomes.append(VersionConflict(f"room {room} stands at {head.version}, not at {one.expected}"))
            continue
        if refusal is not None and one.expected == 0:
            outcomes.append(refusal)
            continue
        for record in one.records:
            number += 1
            row = write_row(file.codecs, room, head, number, record)
            rows.append(row)
            head = row.head()
        heads[room] = head
        entries.add(room, one.expected, one.records)
        outcomes.append(None)
    database, noted = file.database, False
    if not players and not entries and len(rows) <= MOST_AT_ONCE and not file.heads.note_is_due(number):
        # Moves alone, as nearly always: one statement is a transaction by itself, and sooner done.
        insert(database, "INSERT INTO events", rows)
    else:
        # Spelled out, since this stands in the path of every move.
        database.execute("BEGIN IMMEDIATE")
        insert(database, "INSERT INTO events", rows)
        enter(database, entries)
        if players:
            _add_players(database, players)
        noted = file.heads.note(heads, number)
        database.execute("COMMIT")
    file.heads.moved(heads, number, noted=noted)
    file.heads.closed([room for (room,) in entries.closed])
    return outcomes


def _add_players(database: sqlite3.Connection, players: Sequence[NewPlayer]) -> None:
    rows = [with_checksum(one.token_hash, one.player.id, one.player.name) for one in players]
    insert(database, "INSERT OR REPLACE INTO players", rows)
    visits = [(one.player.id, one.token_hash, one.at) for one in players]
    insert(database, "INSERT OR REPLACE INTO visitors", visits)


def answer(batch: list[Gathered], outcomes: list[Outcome]) -> None:
    """Say how each went, on the event loop's thread."""
    for one, outcome in zip(batch, outcomes, strict=True):
        call_back(one, outcome)
