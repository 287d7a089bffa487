"""How large the file may grow: at its limit there is no place for new rooms, a tenth later for nothing."""

import sqlite3

import structlog

from parlour_server.store.port import StoreFull

log = structlog.get_logger()

RESERVE = 0.1
"""Of the limit: so much more is for the games that run already."""
WARN_AT = 0.9
"""Of the limit: from there on the log says so, once."""


class Quota:
    """The limit of one file in bytes; 0: none."""

    def __init__(self, database: sqlite3.Connection, limit: int) -> None:
        self._database = database
        self._limit = limit
        self._warned = False
        (self._page,) = database.execute("PRAGMA page_size").fetchone()
        if limit:
            # SQLite itself holds to this one: beyond the reserve the file is as full as a full disk.
            database.execute(f"PRAGMA max_page_count = {max(1, int(limit * (1 + RESERVE)) // self._page)}")

    def used(self) -> int:
        """Bytes in use: what was pruned is free again, though the file does not shrink."""
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        (free,) = self._database.execute("PRAGMA freelist_count").fetchone()
        return int((pages - free) * self._page)

    def refusal(self) -> StoreFull | None:
        """Why there is no place for a new room or player, if there is none."""
        if not self._limit:
            return None
        used = self.used()
        if used < WARN_AT * self._limit:
            self._warned = False
        elif not self._warned:
            self._warned = True
            log.warning("the data file is nearly full", bytes=used, limit=self._limit)
        if used < self._limit:
            return None
        return StoreFull(
            f"The data file has reached its limit of {self._limit:,} bytes. Raise --data-limit, or let old "
            "rooms be forgotten with --keep."
        )
