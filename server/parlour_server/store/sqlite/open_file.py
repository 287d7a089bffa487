"""An open data file, as all work on the store's thread needs it, and how large it may grow.

At its limit there is no place for new rooms, a tenth later for nothing. What counts is what is in use in the
file, and its WAL.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import structlog

from parlour_protocol.words import Sentence
from parlour_server.counters import Counters
from parlour_server.store.encoding import EventCodecs
from parlour_server.store.port import NotSaved, StoreFull
from parlour_server.store.sqlite.heads import Heads
from parlour_server.store.sqlite.opening import advice, explain, open_for_writing
from parlour_server.store.sqlite.side_tables import look_at_players

log = structlog.get_logger()

RESERVE = 0.1
"""Of the limit: so much more is for the games that run already."""
WARN_AT, CLEAR_AT = 0.9, 0.8
"""Of the limit: from the first on the log says so, and not again before it was below the second."""
WAL = 0.05
"""Of the limit: about as large the WAL becomes at most, before it is merged into the file."""
_USUAL_WAL = 1000
"""Pages, after which SQLite merges it."""


class OpenFile:
    """Opens the file, or makes it. Raises `StoreUnusable`, and `sqlite3.Error` where it is damaged."""

    def __init__(self, path: Path, counters: Counters, limit: int, codecs: EventCodecs) -> None:
        self.path, self.codecs = path, codecs
        self.counters = counters
        self.came_back: set[str] | None = None
        """The players who said hello since it was begun to forget visitors; None: that is not done now."""
        self.database = open_for_writing(path)
        try:
            self.heads = Heads(self.database)
            self.quota = Quota(self.database, path, limit)
        except BaseException:
            self.database.close()
            raise
        if not self.heads.notes_usable:
            log.error("the data file is damaged", file=str(path), todo=advice(path))
        # A damaged player can't come back: the server's keeper should learn of it before they try.
        for said in look_at_players(self.database)[1]:
            log.error("players are damaged", reason=said, file=str(path), todo=advice(path))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is done within is committed as one, or nothing of it. Raises `NotSaved`."""
        try:
            self.database.execute("BEGIN IMMEDIATE")
            yield
            self.database.execute("COMMIT")
        except BaseException as error:
            self.roll_back()
            if isinstance(error, sqlite3.Error):
                raise NotSaved(explain(self.path, error)) from error
            raise

    def roll_back(self) -> None:
        """Leave the file as it was before the transaction, if one is open."""
        with contextlib.suppress(sqlite3.Error):
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")


class Quota:
    """The limit of one file in bytes; 0: none."""

    def __init__(self, database: sqlite3.Connection, path: Path, limit: int) -> None:
        self._database = database
        self._wal = path.with_name(f"{path.name}-wal")
        self._limit = limit
        self._warned = False
        (self._page,) = database.execute("PRAGMA page_size").fetchone()
        if limit:
            # SQLite itself holds to this one: beyond the reserve the file is as full as a full disk.
            wal = max(1, min(_USUAL_WAL, int(limit * WAL) // self._page))
            pages = max(1, int(limit * (1 + RESERVE)) // self._page - wal)
            database.execute(f"PRAGMA max_page_count = {pages}")
            database.execute(f"PRAGMA wal_autocheckpoint = {wal}").fetchone()
            # What one large commit has made of it is given back with the next.
            database.execute(f"PRAGMA journal_size_limit = {wal * self._page}").fetchone()

    def used(self) -> int:
        """Bytes in use: what was pruned is free again, though the file does not shrink."""
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        (free,) = self._database.execute("PRAGMA freelist_count").fetchone()
        try:
            wal = self._wal.stat().st_size
        except OSError:
            wal = 0
        return int((pages - free) * self._page) + wal

    def refusal(self) -> StoreFull | None:
        """Why there is no place for a new room or player, if there is none."""
        if not self._limit:
            return None
        used = self.used()
        if used < CLEAR_AT * self._limit:
            self._warned = False
        elif used >= WARN_AT * self._limit and not self._warned:
            self._warned = True
            log.warning("the data file is nearly full", bytes=used, limit=self._limit)
        if used < self._limit:
            return None
        return StoreFull(Sentence("store.full", limit=self._limit))
