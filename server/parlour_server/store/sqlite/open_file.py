"""An open data file, as all work on the store's thread needs it."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import structlog

from parlour_server.counters import Counters
from parlour_server.store.encoding import EventCodecs
from parlour_server.store.port import NotSaved
from parlour_server.store.sqlite.checked_rows import look_at_players
from parlour_server.store.sqlite.heads import Heads
from parlour_server.store.sqlite.opening import advice, explain, open_for_writing
from parlour_server.store.sqlite.quota import Quota

log = structlog.get_logger()


class OpenFile:
    """Opens the file, or makes it. Raises `StoreUnusable`, and `sqlite3.Error` where it is damaged."""

    def __init__(self, path: Path, counters: Counters, limit: int, codecs: EventCodecs) -> None:
        self.path, self.codecs = path, codecs
        self.counters = counters
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
