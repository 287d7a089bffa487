"""The store's face: see `Store` for what each method does."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import structlog

from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.counters import Counters
from parlour_server.log import AnyRecord, kind_of
from parlour_server.store.encoding import ROOMS_ONLY, EventCodecs
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.gathered import Append, added
from parlour_server.store.port import (
    MORE_TOKENS,
    Checkpoint,
    Done,
    Found,
    NotSaved,
    Player,
    Progress,
    Store,
    StoreError,
    StoreUnusable,
)
from parlour_server.store.postgres import finished_games, forgetting
from parlour_server.store.postgres.connections import Connections
from parlour_server.store.postgres.errors import FAILURES
from parlour_server.store.postgres.migrations import SCHEMA, migrate
from parlour_server.store.postgres.reading import Reader
from parlour_server.store.postgres.writer import Writer

log = structlog.get_logger()

# The first row, which stays, is locked, so that a player who is being forgotten keeps no token by this.
_ANOTHER_ROW = f"""
WITH known AS (
    SELECT player, name FROM players WHERE player = $2 ORDER BY added LIMIT 1 FOR UPDATE
), visited AS (
    DELETE FROM visitors WHERE player = $2
), gone AS (
    DELETE FROM players WHERE token_hash IN (
        SELECT token_hash FROM players WHERE player = $2 AND added > 0 AND token_hash <> $1
        ORDER BY added DESC OFFSET {MORE_TOKENS - 1}
    )
)
INSERT INTO players
SELECT $1, player, name, (SELECT max(added) + 1 FROM players WHERE player = $2) FROM known
ON CONFLICT (token_hash) DO UPDATE SET player = excluded.player, added = excluded.added
RETURNING player
"""  # noqa: S608 - our own names

_MOVE = """
INSERT INTO checkpoints SELECT $1::text, $3::bigint, $4::text
WHERE $2::bigint = 0 OR EXISTS (SELECT 1 FROM checkpoints WHERE name = $1)
ON CONFLICT (name) DO UPDATE SET after = excluded.after, state = excluded.state WHERE checkpoints.after = $2
RETURNING name
"""

_PROBE = """
INSERT INTO events
SELECT '', 1, 0, '', NULL, string_agg(sha512(n::text::bytea), '') FROM generate_series(1, 120) n;
DELETE FROM events WHERE room = ''
"""
"""An event that fills a page, and is gone in the same transaction: no reader ever sees it."""


class PostgresStore(Store):
    """Opened with `await PostgresStore.open(url)`, which raises `StoreUnusable`."""

    def __init__(self, connections: Connections, counters: Counters, node: str, codecs: EventCodecs) -> None:
        self.codecs = codecs
        self.connections = connections
        self.node = node
        self._reader = Reader(connections, codecs)
        self.followed: Callable[[str], bool] = lambda room: False
        """Do other nodes follow a room, so that they are to be sent what is appended?"""
        self._writer = Writer(connections, counters, node, codecs, lambda room: self.followed(room))
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(
        cls,
        url: str,
        counters: Counters | None = None,
        node: str = "",
        codecs: EventCodecs = ROOMS_ONLY,
    ) -> "PostgresStore":
        """Connect, and make the tables or bring them to this version.

        `node` names this server in the hints that it sends to others. Raises `StoreUnusable` with a sentence
        that says why.
        """
        connections = Connections(url)
        store = cls(connections, counters or Counters(), node, codecs)
        try:
            await connections.open()
            await connections.run(lambda connection: migrate(connection, connections.shown), StoreUnusable)
            await store._writer.open()
        except FAILURES as error:
            await store.close()
            raise StoreUnusable(connections.explain(error)) from error
        except BaseException:
            await store.close()
            raise
        return store

    def append(self, key: str, expected: Version, records: Sequence[AnyRecord], done: Done) -> None:
        if not self.codecs.knows(key):
            raise KeyError(kind_of(key))
        self._writer.add(Append(key, expected, records, done))

    async def read(self, key: str, after: Version = 0) -> list[AnyRecord]:
        return await self._reader.read(key, after)

    async def open_rooms(self, since: int = 0) -> list[str]:
        rows = await self.connections.fetch(
            """
            SELECT room FROM rooms WHERE open AND position(':' in room) = 0 AND $1 <= (
                SELECT at FROM events WHERE events.room = rooms.room ORDER BY version DESC LIMIT 1
            ) ORDER BY number
            """,
            since,
        )
        return [room for (room,) in rows]

    async def open_others(self) -> list[str]:
        query = "SELECT room FROM rooms WHERE open AND position(':' in room) > 0 ORDER BY number"
        return [key for (key,) in await self.connections.fetch(query)]

    def room_by(self, player: str, command: str, found: Found) -> None:
        async def look() -> None:
            query = "SELECT room FROM came WHERE player = $1 AND command = $2"
            try:
                rows = await self.connections.fetch(query, player, command)
            except StoreError as error:
                found(None, error)
            else:
                found(rows[0][0] if rows else None, None)

        self._spawn(look())

    async def rooms_of(self, player: str, most: int) -> list[str]:
        rows = await self.connections.fetch(
            """
            SELECT room FROM seats JOIN rooms USING (room), LATERAL (
                SELECT at FROM events WHERE events.room = rooms.room ORDER BY version DESC LIMIT 1
            ) last
            WHERE player = $1 ORDER BY last.at DESC, number DESC LIMIT $2
            """,
            player,
            most,
        )
        return [room for (room,) in rows]

    async def finished_games(self, after: int, most: int) -> list[tuple[int, FinishedGame]]:
        return await finished_games.read_games(self.connections, after, most)

    async def games_between(self, player: str, other: str | None, most: int) -> list[FinishedGame]:
        return await finished_games.read_games_between(self.connections, player, other, most)

    async def checkpoint(self, name: str) -> Checkpoint:
        rows = await self.connections.fetch("SELECT after, state FROM checkpoints WHERE name = $1", name)
        return Checkpoint(*rows[0]) if rows else Checkpoint()

    async def move_checkpoint(self, name: str, before: int, new: Checkpoint) -> bool:
        # Done twice it would say that it was not done.
        return bool(
            await self.connections.change(_MOVE, name, before, new.after, new.state, idempotent=False)
        )

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        return await forgetting.prune(self.connections, before, spared)

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`. Where it can't be noted clocks lose a little time, no more."""

        async def note() -> None:
            try:
                await self.connections.fetch("UPDATE alive SET at = $1 WHERE at < $1", at)
            except StoreError as error:
                log.warning("that the server is up could not be noted", reason=str(error))

        self._spawn(note())

    async def last_alive(self) -> int:
        rows = await self.connections.fetch("SELECT max(at) FROM alive")
        return rows[0][0] or 0

    async def add_player(self, token_hash: str, player: Player, at: int) -> None:
        """See `Store.add_player`. They join the commit of the moves that gather meanwhile."""
        await added(self._writer.add, token_hash, player, at)

    async def add_token(self, token_hash: str, player: str) -> bool:
        return bool(await self.connections.change(_ANOTHER_ROW, token_hash, player))

    async def find_player(self, token_hash: str) -> Player | None:
        query = "SELECT player, name FROM players WHERE token_hash = $1"
        rows = await self.connections.fetch(query, token_hash)
        return Player(*rows[0]) if rows else None

    async def forget_visitors(self, before: int, spared: Collection[str] = ()) -> int:
        return await forgetting.forget_visitors(self.connections, before, spared)

    async def players_named(self, name: str) -> list[Player]:
        rows = await self.connections.fetch("SELECT DISTINCT player, name FROM players WHERE name = $1", name)
        return [Player(*row) for row in rows]

    async def forget_player(self, player: str) -> list[str]:
        return await forgetting.forget_player(self.connections, player, self.node)

    async def backup(self, to: Path, progress: Progress) -> None:
        raise NotSaved(Sentence("store.postgres.copy", data=self.connections.shown))

    async def used(self) -> int:
        rows = await self.connections.fetch(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = $1::regnamespace",
            SCHEMA,
        )
        return int(rows[0][0])

    async def check(self) -> None:
        # A full disk may have room for the one, which takes next to none, and none for a record.
        refused = self._writer.refused
        query = _PROBE if refused else "UPDATE alive SET at = at"
        await self.connections.run(lambda connection: connection.execute(query), NotSaved)
        if refused:
            self._writer.refused = False

    async def close(self) -> None:
        """See `Store.close`. What was asked for before is still done."""
        await self._writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.connections.close()

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
