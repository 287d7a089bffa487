"""Finished games in PostgreSQL.

A sequence would not do for their numbers: it is drawn from before the commit, and of two transactions the one
that drew the lower number may commit later, when a reader is past it already. So games are committed without
a number, and each reader numbers those that stand by then, one reader after the other, under a lock that ends
with the commit. Where a number is seen, all lower ones were committed before it.
"""

from typing import Any

from parlour_server.store.finished_games import FinishedGame, read_game, without_player, write_game
from parlour_server.store.port import NotReadable
from parlour_server.store.postgres.connections import HOUSEKEEPING_SECONDS, Connections
from parlour_server.store.postgres.migrations import FIRST_PLAYER, SECOND_PLAYER

_LOCK = 0x5061726D
"""The advisory lock under which games are numbered."""
NUMBERED_AT_ONCE = 1_000

_NUMBER = f"""
WITH highest AS (
    SELECT coalesce(max(number), 0) AS last FROM finished_games
), waiting AS (
    SELECT id, last + row_number() OVER (ORDER BY id) AS number FROM highest, finished_games
    WHERE finished_games.number IS NULL ORDER BY id LIMIT {NUMBERED_AT_ONCE}
)
UPDATE finished_games SET number = waiting.number FROM waiting WHERE finished_games.id = waiting.id
"""  # noqa: S608 - our own names


_BETWEEN = f"""
SELECT game FROM finished_games
WHERE ({FIRST_PLAYER} = $1 AND {SECOND_PLAYER} = $2) OR ({FIRST_PLAYER} = $2 AND {SECOND_PLAYER} = $1)
ORDER BY id DESC LIMIT $3
"""  # noqa: S608 - our own names


_WITH_ANYBODY = f"""
SELECT game FROM finished_games
WHERE ({FIRST_PLAYER} = $1 AND {SECOND_PLAYER} NOT LIKE 'bot:%' AND {SECOND_PLAYER} != {FIRST_PLAYER})
OR ({SECOND_PLAYER} = $1 AND {FIRST_PLAYER} NOT LIKE 'bot:%' AND {SECOND_PLAYER} != {FIRST_PLAYER})
ORDER BY id DESC LIMIT $2
"""  # noqa: S608 - our own names


async def read_games_between(
    connections: Connections, player: str, other: str | None, most: int
) -> list[FinishedGame]:
    """See `Store.games_between`."""
    asked = (_WITH_ANYBODY, player, most) if other is None else (_BETWEEN, player, other, most)
    try:
        return [read_game(game) for (game,) in await connections.fetch(*asked)]
    except ValueError as error:
        raise NotReadable("A finished game is of a later version of Parlour.") from error


async def read_games(connections: Connections, after: int, most: int) -> list[tuple[int, FinishedGame]]:
    """See `Store.finished_games`."""
    query = "SELECT 1 FROM finished_games WHERE number IS NULL LIMIT 1"
    if await connections.fetch(query):
        await connections.run(_number)
    query = "SELECT number, game FROM finished_games WHERE number > $1 ORDER BY number LIMIT $2"
    try:
        return [(number, read_game(game)) for number, game in await connections.fetch(query, after, most)]
    except ValueError as error:
        raise NotReadable("A finished game is of a later version of Parlour.") from error


async def _number(connection: Any) -> None:
    async with connection.transaction():
        # A statement of its own: the next one has to see what stands once the lock is held.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        await connection.execute(_NUMBER)


async def forget_in_games(player: str, connection: Any) -> None:
    """Take a player's name out of all finished games."""
    async with connection.transaction():
        await connection.execute("SET LOCAL enable_seqscan = on")
        rows = await connection.fetch(
            "SELECT id, game FROM finished_games WHERE position($1 in game) > 0",
            player,
            timeout=HOUSEKEEPING_SECONDS,
        )
        for key, text in rows:
            game = write_game(without_player(read_game(text), player))
            await connection.execute("UPDATE finished_games SET game = $2 WHERE id = $1", key, game)
