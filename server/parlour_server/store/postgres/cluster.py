"""What nodes share, in the database: see `Cluster` for what each method does.

Leases are rows with deadlines by the database's clock, so that no other clock matters. A room's row names
the node that holds its lease; empty: the first who asks may have it; NULL: it sleeps.
"""

import asyncio
import itertools
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import structlog

from parlour_protocol.ids import Version
from parlour_server.store.cluster import ASLEEP, SETTLED_SECONDS, Callbacks, Cluster, Posted, Renewal
from parlour_server.store.port import StoreError
from parlour_server.store.postgres import hints
from parlour_server.store.postgres.store import PostgresStore

log = structlog.get_logger()

LISTEN_AGAIN_SECONDS = 0.5
ALIVE_SECONDS = 1.0
"""How often it is checked that the connection that listens is alive."""
TIDY_BEATS = 60
"""After how many of these checks the tables are tidied."""
LEAST_SHARE = 20
"""How many rooms a node takes over at once at least, if there are as many."""
POSTS, MESSAGES = "parlour_posts", "parlour_words"
"""Channels of NOTIFY: that a node has new posts; and messages to all nodes."""

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
_LIVES = "until > clock_timestamp()"

# A mark among its posts tells a node that those stand: a crash of the database empties their table.
_RENEW = f"""
WITH before AS (
    SELECT coalesce(max(renewed), 0) AS last, coalesce(bool_or({_LIVES}), false) AS served,
        coalesce(bool_or({_LIVES} AND node = $1), false) AS mine
    FROM nodes
), fallen AS (
    UPDATE outage SET
        since = CASE WHEN last - until >= {1000 * SETTLED_SECONDS:.0f} THEN last ELSE least(since, last) END,
        until = {_NOW}
    FROM before WHERE NOT served
    RETURNING outage.since, outage.until
), renewed AS (
    INSERT INTO nodes VALUES ($1, clock_timestamp() + $2 * interval '1 second', {_NOW}, $3)
    ON CONFLICT (node) DO UPDATE
    SET until = excluded.until, renewed = excluded.renewed, players = excluded.players
), marked AS (
    INSERT INTO posts VALUES ($1, '', '', pg_current_xact_id()) ON CONFLICT DO NOTHING RETURNING node
)
SELECT NULL AS node, {_NOW} AS number, NOT mine OR (SELECT node FROM marked) IS NOT NULL AS ended,
    coalesce(fallen.since, outage.since) AS since, coalesce(fallen.until, outage.until) AS until
FROM before CROSS JOIN outage LEFT JOIN fallen ON true
UNION ALL SELECT node, players, NULL, NULL, NULL FROM nodes WHERE node <> $1 AND {_LIVES}
"""  # noqa: S608 - our own names
_TIDY = """
WITH withdrawn AS (
    DELETE FROM posts WHERE text IS NULL AND at < clock_timestamp() - interval '1 minute'
), silent AS (
    DELETE FROM posts USING nodes
    WHERE posts.node = nodes.node AND nodes.until < clock_timestamp() - interval '1 hour'
), over AS (
    DELETE FROM notes WHERE until < clock_timestamp()
)
DELETE FROM nodes WHERE until < clock_timestamp() - interval '1 day'
AND (SELECT 1 FROM rooms WHERE holder = node LIMIT 1) IS NULL
"""
_FREE = f"""
WITH dead AS (
    SELECT node, renewed FROM nodes WHERE NOT {_LIVES} UNION ALL SELECT '', {_NOW}
), free AS (
    SELECT room, renewed FROM dead JOIN rooms ON holder = node WHERE open
    ORDER BY number DESC LIMIT (
        SELECT least($2, greatest({LEAST_SHARE}, ceil(count(*)::float / (
            SELECT greatest(1, count(*)) FROM nodes WHERE {_LIVES}
        )))) FROM dead JOIN rooms ON holder = node WHERE open
    )
    FOR UPDATE OF rooms SKIP LOCKED
), taken AS (
    UPDATE rooms SET holder = $1 FROM free WHERE rooms.room = free.room
    RETURNING rooms.room, renewed, number
)
SELECT room, renewed FROM taken ORDER BY number DESC
"""  # noqa: S608 - our own names
_ACQUIRE = f"""
WITH old AS (
    SELECT room, open, holder, {_LIVES} AS lives, renewed
    FROM rooms LEFT JOIN nodes ON node = holder WHERE room = ANY ($2::text[])
    ORDER BY room FOR UPDATE OF rooms
), taken AS (
    UPDATE rooms SET holder = $1 FROM old
    WHERE rooms.room = old.room AND old.open AND (old.holder = $1 OR old.lives IS NOT TRUE)
    RETURNING rooms.room
)
SELECT room, open AND room NOT IN (SELECT room FROM taken) AS others,
    CASE WHEN NOT open OR holder IS NULL THEN {ASLEEP} WHEN holder = '' THEN {_NOW}
    ELSE coalesce(renewed, {ASLEEP}) END AS since
FROM old
"""  # noqa: S608 - our own names
_POST = f"""
WITH posted AS (
    INSERT INTO posts
    SELECT $1, room, text, pg_current_xact_id() FROM unnest($2::text[], $3::text[]) AS one (room, text)
    ORDER BY room
    ON CONFLICT (node, room) DO UPDATE SET text = excluded.text, changed = excluded.changed, at = excluded.at
)
SELECT pg_notify('{POSTS}', $1)
"""  # noqa: S608 - our own names
# Whatever was being committed when this was last asked has no lower number than the oldest of it had.
_POSTS = """
SELECT node, room, text, pg_snapshot_xmin(pg_current_snapshot())::text AS next
FROM posts WHERE changed >= $1::text::xid8 AND node <> $2 AND room <> ''
"""
_BEHIND = """
SELECT room FROM unnest($1::text[], $2::int[]) AS known (room, version) WHERE (
    SELECT 1 FROM events WHERE events.room = known.room AND events.version = known.version + 1
) IS NOT NULL
"""
_HOLD = """
INSERT INTO notes VALUES ($1, '', clock_timestamp() + $2 * interval '1 second', $4)
ON CONFLICT (key) DO UPDATE SET text = '', until = excluded.until, holder = excluded.holder
WHERE notes.until <= clock_timestamp() OR notes.text = ANY ($3::text[])
RETURNING key
"""
_KEEP = """
INSERT INTO notes VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
ON CONFLICT (key) DO UPDATE SET text = excluded.text, until = excluded.until
"""
_REPLACE = """
INSERT INTO notes SELECT $1, $3 WHERE $2::text IS NULL OR (SELECT true FROM notes WHERE key = $1)
ON CONFLICT (key) DO UPDATE SET text = excluded.text, until = NULL
WHERE CASE WHEN notes.until <= clock_timestamp() THEN $2 IS NULL ELSE notes.text = $2 END
RETURNING key
"""
_STANDS = "key = $1 AND (until IS NULL OR until > clock_timestamp())"


class PostgresCluster(Cluster):
    """The `Cluster` in a database. Beside the store's connections it has one that listens."""

    def __init__(self, store: PostgresStore) -> None:
        self.node = store.node
        self._store, self._connections = store, store.connections
        self._listening: asyncio.Task[None] | None = None
        self._next = "0"
        """The first transaction whose posts are still to be read."""

    def listen(self, callbacks: Callbacks) -> None:
        self._store.followed = callbacks.followed
        self._listening = asyncio.create_task(self._listen(callbacks), name="parlour-hints")

    async def close(self) -> None:
        """Listen no longer."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])

    # ------------------------------------------------------------ hints

    async def _listen(self, callbacks: Callbacks) -> None:
        notified = partial(self._notified, callbacks)
        while True:
            connection: Any = None
            try:
                connection = await self._connections.connect()
                for channel in (hints.CHANNEL, POSTS, MESSAGES):
                    await connection.add_listener(channel, notified)
                callbacks.missed()
                for beat in itertools.count():
                    if beat % TIDY_BEATS == 0:
                        await self._tidy()
                    await asyncio.sleep(ALIVE_SECONDS)
                    await connection.fetchval("SELECT 1")
            except Exception as error:
                # Whatever it is: without hints all that others do would be seen late from then on.
                log.debug("can't listen for hints", reason=str(error))
                await asyncio.sleep(LISTEN_AGAIN_SECONDS)
            finally:
                if connection is not None:
                    connection.terminate()

    async def _tidy(self) -> None:
        """Delete what no node needs any more. No lease waits for that, and none is lost if it fails."""
        with suppress(StoreError):
            await self._connections.change(_TIDY)

    def _notified(
        self, callbacks: Callbacks, connection: Any, process: int, channel: str, payload: str
    ) -> None:
        node, _, text = payload.partition("\n")
        if node == self.node:
            return
        if channel == hints.CHANNEL:
            try:
                hint = hints.parse(payload, self._store.codecs, callbacks.awake)
            except ValueError as error:
                # Of a newer node, say. What it hints at is found without it.
                log.warning("a hint can't be read", node=node, reason=str(error))
            else:
                callbacks.appended(hint.rooms, hint.records)
        elif channel == MESSAGES:
            callbacks.received(text)
        else:
            callbacks.posted()

    # ------------------------------------------------------------ leases

    async def renew(self, seconds: float, players: int) -> Renewal:
        # Done twice it would hide that the lease had ended before.
        rows = await self._connections.change(_RENEW, self.node, seconds, players, idempotent=False)
        (_, now, ended, *down), *others = rows
        return Renewal(now, {node: count for node, count, *_ in others}, ended, (down[0], down[1]))

    async def leave(self) -> None:
        await self._connections.change(
            # One that has ended has done so when it did.
            f"UPDATE nodes SET until = clock_timestamp(), renewed = {_NOW} WHERE node = $1 AND {_LIVES}",  # noqa: S608
            self.node,
        )

    async def leased(self) -> list[str]:
        query = "SELECT room FROM rooms WHERE holder = $1 ORDER BY number DESC"
        rows = await self._connections.fetch(query, self.node)
        return [room for (room,) in rows]

    async def take_over(self, most: int, wanted: Collection[str] = ()) -> dict[str, int]:
        # Done twice it would give none of the rooms that were taken over the first time.
        taken = dict(await self._connections.change(_FREE, self.node, most, idempotent=False))
        if wanted:
            rows = await self._connections.change(_ACQUIRE, self.node, list(wanted), idempotent=False)
            taken.update((room, since) for room, others, since in rows if not others)
        return taken

    async def acquire(self, room: str) -> int | None:
        # Done twice it would give a time at which this node held it already.
        rows = await self._connections.change(_ACQUIRE, self.node, [room], idempotent=False)
        if not rows:
            return ASLEEP
        _, others, since = rows[0]
        return None if others else int(since)

    async def release(self, rooms: Collection[str], *, asleep: bool) -> None:
        query = "UPDATE rooms SET holder = $3 WHERE room = ANY ($2::text[]) AND holder = $1"
        await self._connections.change(query, self.node, list(rooms), None if asleep else "")

    # ------------------------------------------------------------ posts, messages and notes

    async def post(self, posts: Mapping[str, str | None]) -> None:
        await self._connections.change(_POST, self.node, list(posts), list(posts.values()))

    async def posts(self, *, afresh: bool = False) -> list[Posted]:
        if afresh:
            self._next = "0"
        rows = await self._connections.fetch(_POSTS, self._next, self.node)
        if rows:
            self._next = rows[0]["next"]
        return [Posted(row["node"], row["room"], row["text"]) for row in rows]

    async def behind(self, versions: Mapping[str, Version]) -> list[str]:
        if not versions:
            return []
        rows = await self._connections.fetch(_BEHIND, list(versions), list(versions.values()))
        return [room for (room,) in rows]

    async def broadcast(self, text: str) -> None:
        await self._connections.change(f"SELECT pg_notify('{MESSAGES}', $1)", f"{self.node}\n{text}")

    async def keep(self, key: str, text: str, seconds: float | None = None) -> None:
        await self._connections.change(_KEEP, key, text, seconds)

    async def replace(self, key: str, old: str | None, text: str) -> bool:
        # Done twice it would say that the note is another.
        return bool(await self._connections.change(_REPLACE, key, old, text, idempotent=False))

    async def look_up(self, key: str) -> str | None:
        rows = await self._connections.fetch(f"SELECT text FROM notes WHERE {_STANDS}", key)  # noqa: S608 - our own
        return rows[0][0] if rows else None

    async def take(self, key: str) -> str | None:
        rows = await self._connections.change(f"DELETE FROM notes WHERE {_STANDS} RETURNING text", key)  # noqa: S608 - our own
        return rows[0][0] if rows else None

    async def hold(self, key: str, seconds: float, without: Collection[str] = ()) -> str | None:
        if await self._connections.change(_HOLD, key, seconds, list(without), self.node):
            return None
        return await self.look_up(key) or ""

    async def let_go(self, key: str) -> None:
        query = "DELETE FROM notes WHERE key = $1 AND text = '' AND holder = $2"
        await self._connections.change(query, key, self.node)
