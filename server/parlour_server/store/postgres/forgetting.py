"""Forgetting: old rooms, visitors, and a person who asks for it."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import structlog

from parlour_server.log import LogRecord, is_room
from parlour_server.store.anonymise import anonymous
from parlour_server.store.cluster import REWRITTEN
from parlour_server.store.encoding import ROOMS_ONLY, event_json
from parlour_server.store.port import REMOVED_ROOMS, NotSaved
from parlour_server.store.postgres import hints
from parlour_server.store.postgres.connections import HOUSEKEEPING_SECONDS, Connections
from parlour_server.store.postgres.finished_games import forget_in_games

log = structlog.get_logger()

PRUNED_AT_ONCE = 50
"""Rooms that are forgotten in one transaction, while no other can append."""
LOCK_MILLISECONDS = 500
"""How long a transaction that keeps others from appending may wait for those before it."""
SPARED_MILLISECONDS = 2 * 3_600_000
"""How long other servers spare the visitors of this one, whom they don't know: it renews that each hour."""

_LAST_AT = "(SELECT at FROM events WHERE events.room = rooms.room ORDER BY version DESC LIMIT 1)"

# Not `<> ALL`, which would compare each room with each that is spared: this is looked up in a hash table.
_OLD = f"""
SELECT room FROM rooms
WHERE position(':' in room) = 0 AND holder IS NULL AND (room IN (SELECT unnest($2::text[]))) IS NOT TRUE
    AND {_LAST_AT} < $1
"""  # noqa: S608 - our own names
_FORGET_OLD = f"""
DELETE FROM rooms WHERE room = ANY ($1) AND holder IS NULL AND {_LAST_AT} < $2 RETURNING room
"""  # noqa: S608 - our own names


async def prune(connections: Connections, before: int, spared: Collection[str]) -> list[str]:
    """See `Store.prune`. A room whose lease a node holds is spared, too."""
    found = await connections.housekeep(
        lambda connection: connection.fetch(_OLD, before, list(spared), timeout=HOUSEKEEPING_SECONDS)
    )
    old = sorted(room for (room,) in found)
    gone: list[str] = []
    for start in range(0, len(old), PRUNED_AT_ONCE):
        some = old[start : start + PRUNED_AT_ONCE]
        gone += await connections.run(partial(_prune, some, before), NotSaved)
    return gone


async def _prune(rooms: Sequence[str], before: int, connection: Any) -> list[str]:
    async with connection.transaction():
        await connection.execute(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}")
        # What is appended after we have looked would be left as the end of a log without its beginning.
        await connection.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")
        gone = await connection.fetch(_FORGET_OLD, rooms, before)
        codes = [room for (room,) in gone]
        for table in ("events", "seats", "came"):
            await connection.execute(f"DELETE FROM {table} WHERE room = ANY ($1)", codes)  # noqa: S608 - our own names
    return codes


async def forget_visitors(connections: Connections, before: int, spared: Collection[str]) -> int:
    """See `Store.forget_visitors`. Those who are spared are spared by other nodes, too, for a while."""

    async def work(connection: Any) -> int:
        return await connection.fetchval(  # type: ignore[no-any-return]
            """
            WITH spared AS (
                UPDATE visitors SET at = $1::bigint + $3::bigint
                WHERE at < $1::bigint + $3::bigint AND player = ANY ($2::text[])
            ), gone AS (
                DELETE FROM visitors
                WHERE at < $1 AND (player IN (SELECT unnest($2::text[]))) IS NOT TRUE
                RETURNING token_hash, player
            ), unknown AS (
                DELETE FROM players WHERE token_hash IN (SELECT token_hash FROM gone)
            ), listed AS (
                DELETE FROM checkpoints WHERE name IN (SELECT $4::text || player FROM gone)
            )
            SELECT count(*) FROM gone
            """,
            before,
            list(spared),
            SPARED_MILLISECONDS,
            REMOVED_ROOMS,
            timeout=HOUSEKEEPING_SECONDS,
        )

    return await connections.housekeep(work)


async def forget_player(connections: Connections, player: str, node: str) -> list[str]:
    """See `Store.forget_player`. The other nodes get a hint that these logs were rewritten."""
    rooms = await connections.housekeep(partial(_forget_token, player))
    changed = [
        room
        for room in rooms
        if await connections.run(partial(_forget_in_room, room, player, node), NotSaved)
    ]
    await connections.housekeep(partial(forget_in_games, player))
    return changed


async def _forget_token(player: str, connection: Any) -> list[str]:
    """Forget a player, whose tokens are worth nothing then; gives the rooms where they did something."""
    async with connection.transaction():
        # A token that is just being added stands before anything is deleted: see `store.add_token`.
        await connection.execute("SELECT FROM players WHERE player = $1 FOR UPDATE", player)
        await connection.execute("DELETE FROM players WHERE player = $1", player)
        await connection.execute("DELETE FROM visitors WHERE player = $1", player)
        await connection.execute("DELETE FROM checkpoints WHERE name = $1", REMOVED_ROOMS + player)
        await connection.execute("SET LOCAL enable_seqscan = on")
        rows = await connection.fetch(
            "SELECT room FROM seats WHERE player = $1 UNION SELECT room FROM events WHERE author = $1",
            player,
            timeout=HOUSEKEEPING_SECONDS,
        )
    return sorted(room for (room,) in rows if is_room(room))


async def _forget_in_room(room: str, player: str, node: str, connection: Any) -> bool:
    """Take a player's name and words out of a room's log; was there any?"""
    changed: list[tuple[int, bytes]] = []
    async with connection.transaction():
        rows = await connection.fetch(
            "SELECT version, at, author, command, event FROM events WHERE room = $1 ORDER BY version", room
        )
        for version, at, author, command, event in rows:
            try:
                record = LogRecord(ROOMS_ONLY.read(room, event_json(event)), at, author, command)
            except ValueError as error:
                log.error("a player is not forgotten in a damaged record", room=room, reason=str(error))
                continue
            without = anonymous(record, player)
            if without is not record:
                changed.append((version, ROOMS_ONLY.encode(room, without.event)))
        if changed:
            await connection.execute(
                """
                UPDATE events SET event = renewed.event
                FROM unnest($2::int[], $3::bytea[]) AS renewed (version, event)
                WHERE events.room = $1 AND events.version = renewed.version
                """,
                room,
                [version for version, _ in changed],
                [event for _, event in changed],
            )
            hint = f"{node}\n{hints.line(room, REWRITTEN)}"
            await connection.execute(f"SELECT pg_notify('{hints.CHANNEL}', $1)", hint)
    return bool(changed)
