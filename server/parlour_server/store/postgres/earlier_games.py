"""Lists the games that were finished before games were listed: see `store.earlier_games`.

One node does it at a time, the one that holds the row of the progress. Its number counts how often a player
was forgotten: what was read before that may hold their name.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import structlog
from pydantic_core import from_json, to_json

from parlour_server.store.earlier_games import ENDS, PROGRESS, SUMMED_UP, Replay
from parlour_server.store.encoding import ROOMS_ONLY
from parlour_server.store.finished_games import write_game
from parlour_server.store.port import NotReadable, StoreError
from parlour_server.store.postgres.connections import HOUSEKEEPING_SECONDS, Connections
from parlour_server.store.postgres.reading import decode

log = structlog.get_logger()

FOUND_AT_ONCE = 10_000
"""Ends of games that are found with one walk through all events."""
BATCH_SECONDS = 0.2
"""About how long one transaction takes, and may keep a player from being forgotten."""
PAUSE_SECONDS = 0.2
RETRY_SECONDS = 5.0

_PROGRESS = "SELECT after, state FROM checkpoints WHERE name = $1 FOR UPDATE SKIP LOCKED"
_ENDS = f"""
SELECT at, room, version FROM events
WHERE (at, room, version) > ($1::bigint, $2::text, $3::int)
    AND position($4::bytea in event) > 0 AND position($5::bytea in event) = 0 AND position(':' in room) = 0
ORDER BY at, room, version LIMIT {FOUND_AT_ONCE}
"""  # noqa: S608 - our own names
_RECORDS = """
SELECT version, at, author, command, event FROM events
WHERE room = $1 AND version > $2 AND version <= $3 ORDER BY version
"""

_End = tuple[int, str, int]
"""When and where a game ended, and at which version its room stood then."""


class EarlierGames:
    """The work of one node."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._replay, self._forgotten = Replay(), 0
        self._ends: list[_End] = []
        """Those that were found and not listed yet."""
        self._last: _End = (0, "", 0)
        """Up to which all are listed."""

    async def list_all(self) -> None:
        """Do it, however long it takes."""
        query = "SELECT 1 FROM checkpoints WHERE name = $1"
        while True:
            try:
                if not await self._connections.fetch(query, PROGRESS):
                    return
                if await self._connections.housekeep(self._list_some):
                    await asyncio.sleep(PAUSE_SECONDS)
                    continue
            except StoreError as error:
                log.warning("earlier games are listed later", reason=str(error))
                # It may be ahead of what is listed.
                self._replay = Replay()
            # Another node is at it, or there is no database.
            await asyncio.sleep(RETRY_SECONDS)

    async def _list_some(self, connection: Any) -> bool:
        """List the next ones in one transaction; False: another node does."""
        async with connection.transaction():
            # A long room is replayed within it.
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            row = await connection.fetchrow(_PROGRESS, PROGRESS)
            if row is None:
                return False
            if row["after"] != self._forgotten:
                self._replay, self._forgotten = Replay(), row["after"]
            last = tuple(from_json(row["state"]))
            if last != self._last:
                self._last, self._ends, self._replay = last, [], Replay()
            if not self._ends:
                await connection.execute("SET LOCAL enable_seqscan = on")
                rows = await connection.fetch(
                    _ENDS, *self._last, ENDS, SUMMED_UP, timeout=HOUSEKEEPING_SECONDS
                )
                self._ends = [tuple(row) for row in reversed(rows)]
            if not self._ends:
                await connection.execute("DELETE FROM checkpoints WHERE name = $1", PROGRESS)
                log.info("all earlier games are listed")
                return True
            begun = time.monotonic()
            games: list[str] = []
            left = [*self._ends]
            while left:
                last = left.pop()
                games += await self._read(connection, last)
                if time.monotonic() > begun + BATCH_SECONDS:
                    break
            await connection.execute("INSERT INTO finished_games (game) SELECT unnest($1::text[])", games)
            query = "UPDATE checkpoints SET state = $2 WHERE name = $1"
            await connection.execute(query, PROGRESS, to_json(last).decode())
        self._ends, self._last = left, last
        return True

    async def _read(self, connection: Any, end: _End) -> Sequence[str]:
        """The game of an end; nothing where it can't be read."""
        _, room, version = end
        after = self._replay.version(room)
        rows = await connection.fetch(_RECORDS, room, after, version, timeout=HOUSEKEEPING_SECONDS)
        if not rows:
            return ()
        try:
            records = await decode(ROOMS_ONLY, room, rows)
        except NotReadable as error:
            log.warning("an earlier game is not listed", room=room, reason=str(error))
            return ()
        turns = self._replay.game(room, records)
        while True:
            try:
                next(turns)
            except StopIteration as ended:
                return () if ended.value is None else [write_game(ended.value)]
            await asyncio.sleep(0)
