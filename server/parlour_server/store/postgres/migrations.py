"""The tables, and how those of an older version become those of this one."""

from operator import attrgetter
from typing import Any

import asyncpg

from parlour_protocol.words import Sentence
from parlour_server.log import LogRecord
from parlour_server.store.earlier_games import ENDS, SUMMED_UP, earlier_games
from parlour_server.store.encoding import ROOMS_ONLY, event_json
from parlour_server.store.finished_games import FinishedGame, write_game
from parlour_server.store.port import StoreUnusable

SCHEMA = "parlour"
"""All tables are in this schema: whatever else is in the database is none of ours."""

_LOCK = 0x5061726C
"""The advisory lock under which tables are made and changed: of servers that start together one does it."""

MIGRATION_SECONDS = 1800.0
"""How long a step may take with large tables, and how long another server is awaited that is at it."""

FIRST_PLAYER, SECOND_PLAYER = (f"(game::jsonb #>> '{{summary,players,{seat},player}}')" for seat in (0, 1))
"""Of a finished game: by these two it is found."""

MIGRATIONS = (
    """
    CREATE TABLE events (
        room text NOT NULL,
        version integer NOT NULL,
        at bigint NOT NULL,
        author text NOT NULL,
        command text,
        event bytea NOT NULL,
        PRIMARY KEY (room, version)
    );
    CREATE TABLE rooms (
        room text PRIMARY KEY,
        number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
        open boolean NOT NULL
    );
    CREATE INDEX open_rooms ON rooms (number) WHERE open;
    CREATE TABLE seats (player text NOT NULL, room text NOT NULL, PRIMARY KEY (player, room));
    CREATE INDEX seats_of_room ON seats (room);
    CREATE TABLE came (
        player text NOT NULL, command text NOT NULL, room text NOT NULL, PRIMARY KEY (player, command)
    );
    CREATE INDEX came_to_room ON came (room);
    CREATE TABLE players (token_hash text PRIMARY KEY, player text NOT NULL, name text NOT NULL);
    CREATE INDEX players_by_id ON players (player);
    CREATE INDEX players_by_name ON players (name);
    CREATE TABLE visitors (player text PRIMARY KEY, token_hash text NOT NULL, at bigint NOT NULL);
    CREATE INDEX visitors_by_time ON visitors (at);
    CREATE TABLE alive (at bigint NOT NULL);
    INSERT INTO alive VALUES (0);
    """,
    # Several nodes: see `cluster`. What nodes say of rooms is worth nothing after a crash of the database.
    """
    ALTER TABLE rooms ADD COLUMN holder text;
    CREATE INDEX held_rooms ON rooms (holder, number) WHERE holder IS NOT NULL;
    CREATE TABLE nodes (
        node text PRIMARY KEY, until timestamptz NOT NULL, renewed bigint NOT NULL, players integer NOT NULL
    );
    CREATE TABLE outage (since bigint NOT NULL, until bigint NOT NULL);
    INSERT INTO outage VALUES (0, 0);
    CREATE UNLOGGED TABLE posts (
        node text NOT NULL,
        room text NOT NULL,
        text text,
        changed xid8 NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (node, room)
    );
    CREATE INDEX posts_by_change ON posts (changed);
    CREATE TABLE notes (key text PRIMARY KEY, text text NOT NULL, until timestamptz);
    """,
    # Finished games: see `finished_games`.
    """
    CREATE TABLE finished_games (
        id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, number bigint UNIQUE, game text NOT NULL
    );
    CREATE INDEX games_without_number ON finished_games (id) WHERE number IS NULL;
    CREATE TABLE checkpoints (name text PRIMARY KEY, after bigint NOT NULL, state text NOT NULL);
    """,
    # The order in which a player's tokens were added, 0 being the first.
    """
    ALTER TABLE players ADD COLUMN added bigint NOT NULL DEFAULT 0;
    """,
    # Which node claims what a note is to name.
    """
    ALTER TABLE notes ADD COLUMN holder text;
    """,
    # Finished games by their players: see `finished_games`.
    f"""
    CREATE INDEX games_by_first ON finished_games ({FIRST_PLAYER});
    CREATE INDEX games_by_second ON finished_games ({SECOND_PLAYER});
    """,
)
"""The first makes the tables, each other one changes those before it. They are only ever added to."""
GAMES_LISTED = 4
"""How many of them a database had from which every game was listed as it ended."""

_UNLISTED = """
SELECT DISTINCT room FROM events
WHERE position($1::bytea in event) > 0 AND position($2::bytea in event) = 0 AND position(':' in room) = 0
ORDER BY room
"""


async def migrate(connection: Any, shown: str) -> None:
    """Make the tables, or bring them to this version. Raises `StoreUnusable`: not ours, or newer."""
    if await _version(connection, shown) == len(MIGRATIONS):
        return
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK, timeout=MIGRATION_SECONDS)
        # Another server may have done it meanwhile.
        version = await _version(connection, shown)
        if version == 0:
            await connection.execute(f"CREATE SCHEMA {SCHEMA}")
            await connection.execute("CREATE TABLE migrations (version integer PRIMARY KEY)")
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            await connection.execute(script, timeout=MIGRATION_SECONDS)
            await connection.execute("INSERT INTO migrations VALUES ($1)", number)
        if 0 < version < GAMES_LISTED:
            await _list_earlier_games(connection)


async def _list_earlier_games(connection: Any) -> None:
    """See `earlier_games`."""
    await connection.execute("SET LOCAL enable_seqscan = on")
    await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    found: list[FinishedGame] = []
    for (room,) in await connection.fetch(_UNLISTED, ENDS, SUMMED_UP, timeout=MIGRATION_SECONDS):
        query = "SELECT at, author, command, event FROM events WHERE room = $1 ORDER BY version"
        rows = await connection.fetch(query, room)
        records = (
            LogRecord(ROOMS_ONLY.read(room, event_json(event)), at, author, command)
            for at, author, command, event in rows
        )
        found += earlier_games(room, records)
    games = [write_game(game) for game in sorted(found, key=attrgetter("at"))]
    await connection.execute("INSERT INTO finished_games (game) SELECT unnest($1::text[])", games)


async def _version(connection: Any, shown: str) -> int:
    """The version of the tables that are there; 0: there are none."""
    there = await connection.fetchval("SELECT 1 FROM pg_namespace WHERE nspname = $1", SCHEMA)
    if there is None:
        return 0
    try:
        version = await connection.fetchval(f"SELECT max(version) FROM {SCHEMA}.migrations")  # noqa: S608 - ours
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
        version = None
    if not isinstance(version, int) or version < 1:
        raise StoreUnusable(Sentence("store.postgres.foreign", schema=SCHEMA, data=shown))
    if version > len(MIGRATIONS):
        raise StoreUnusable(Sentence("store.postgres.newer", data=shown))
    return version
