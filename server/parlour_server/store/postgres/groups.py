"""What is committed together, and the one statement that does it.

A room's records of one group form a run, if it gathered several appends. Its first record is inserted where
the version before it is there and its own key is free; the others only where the first was. So each run
stands or falls as one, whatever other servers do, without a lock held between round trips.

Runs are sorted by room, so that two servers that write to the same rooms don't wait for each other in a
circle.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from parlour_server.store.encoding import EventCodecs
from parlour_server.store.entries import Entries
from parlour_server.store.finished_games import write_game
from parlour_server.store.gathered import Append, Gathered, NewPlayer
from parlour_server.store.postgres import hints

RECORDS_AT_ONCE = 500
"""In one group: what gathers beyond waits for the next one."""


class Run:
    """One room's records in a group, one after the other."""

    __slots__ = ("appends", "end")

    def __init__(self, append: Append) -> None:
        self.appends = [append]
        self.end = append.expected + len(append.records)

    def takes(self, append: Append) -> bool:
        """Add an append that continues it; False: this one does not."""
        if append.expected != self.end:
            return False
        self.appends.append(append)
        self.end += len(append.records)
        return True

    def line(self, room: str, *, whole: bool) -> str:
        """Its line in the hint to other servers: see `hints`."""
        if not whole:
            return hints.line(room, self.end)
        records = [record for append in self.appends for record in append.records]
        return hints.line(
            room, self.end, records, [event for append in self.appends for event in append.events]
        )


class Group:
    """What is committed together."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.players: dict[str, NewPlayer] = {}
        """By the hash of the token."""
        self.records = 0

    def take(self, waiting: list[Gathered]) -> list[Gathered]:
        """Take what has gathered; gives what has to wait for the next group.

        That is what does not fit, and an append that does not follow the one before it in its room: whether
        its room stands where it expects is known only after this group.
        """
        for number, one in enumerate(waiting):
            if self.records >= RECORDS_AT_ONCE or not self._takes(one):
                return waiting[number:]
        return []

    def _takes(self, one: Gathered) -> bool:
        if isinstance(one, NewPlayer):
            if one.token_hash in self.players:
                return False
            self.players[one.token_hash] = one
            self.records += 1
            return True
        run = self.runs.get(one.room)
        if run is None:
            self.runs[one.room] = Run(one)
        elif not run.takes(one):
            return False
        self.records += len(one.records)
        return True

    def all(self) -> Iterable[Gathered]:
        """Everything in it."""
        yield from self.players.values()
        for run in self.runs.values():
            yield from run.appends

    def statement(
        self, node: str, codecs: EventCodecs, followed: Callable[[str], bool]
    ) -> tuple[str, list[Any]]:
        """The statement that commits it, and its values. It gives the rooms whose runs do not stand.

        Of the rooms that are `followed` by other nodes these are sent the records. What can't be encoded
        raises whatever it does.
        """
        runs = sorted(self.runs.items())
        for room, run in runs:
            for append in run.appends:
                append.events = [codecs.encode(room, record.event) for record in append.records]
        columns = _columns(runs)
        lines = [run.line(room, whole=followed(room)) for room, run in runs]
        values = [*columns, [room for room, _ in runs], lines, hints.parcels(lines, node), node]
        entries = Entries()
        for room, run in runs:
            for append in run.appends:
                entries.add(room, append.expected, append.records)
        tables: tuple[tuple[Sequence[tuple[Any, ...]], int], ...] = (
            (entries.opened, 1),
            (entries.closed, 1),
            (entries.seats, 2),
            (entries.came, 3),
            (entries.visits, 2),
            ([(one.token_hash, one.player.id, one.player.name, one.at) for one in self.players.values()], 4),
            ([(game.room, write_game(game)) for game in entries.games], 2),
        )
        if not any(rows for rows, _ in tables):
            return APPEND, values
        return APPEND_AND_INDEX, [
            *values,
            *(one for rows, width in tables for one in _transposed(rows, width)),
        ]

    def standing(self) -> tuple[str, list[Any]]:
        """A query for what stands of it, and its values.

        It gives a row for each run: the room, whether all of it stands as it was to be, and whether
        anything at all stands in place of its first record.
        """
        return STANDING, _columns(sorted(self.runs.items()))


def _columns(runs: list[tuple[str, Run]]) -> list[list[Any]]:
    rows: list[tuple[Any, ...]] = []
    for room, run in runs:
        version = run.appends[0].expected
        leads = True
        for append in run.appends:
            for record, event in zip(append.records, append.events, strict=True):
                version += 1
                rows.append((room, version, record.at, record.by, record.command, event, leads))
                leads = False
    return _transposed(rows, 7)


def _transposed(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


# Not EXISTS, which may be planned as a walk through the whole table; and not a join with `led`, which would
# compare each with each: `IS TRUE` has it looked up in a hash table.
_APPEND = """
WITH given AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], $7::bool[])
    AS one (room, version, at, author, command, event, leads)
), led AS (
    INSERT INTO events
    SELECT room, version, at, author, command, event FROM given
    WHERE leads AND (version = 1 OR (
        SELECT before.version FROM events before
        WHERE before.room = given.room AND before.version = given.version - 1
    ) IS NOT NULL)
    ON CONFLICT DO NOTHING
    RETURNING room
), followed AS (
    INSERT INTO events
    SELECT room, version, at, author, command, event FROM given
    WHERE NOT leads AND (room IN (SELECT room FROM led)) IS TRUE
)"""

_OUTCOME = f"""
SELECT room, NULL AS hinted FROM given WHERE leads AND room NOT IN (SELECT room FROM led)
UNION ALL SELECT NULL, pg_notify('{hints.CHANNEL}', $11::text || string_agg(line, ''))::text FROM (
    SELECT parcel, CASE WHEN room NOT IN (SELECT room FROM led) THEN '' ELSE E'\\n' || line END AS line
    FROM unnest($8::text[], $9::text[], $10::int[]) AS hint (room, line, parcel)
) hints GROUP BY parcel
"""  # noqa: S608 - our own names

APPEND = _APPEND + _OUTCOME

APPEND_AND_INDEX = f"""{_APPEND}, created AS (
    INSERT INTO rooms (room, open, holder)
    SELECT room, room <> ALL ($13::text[]), nullif($11, '')
    FROM unnest($12::text[]) WITH ORDINALITY AS one (room, number)
    WHERE (room IN (SELECT room FROM led)) IS TRUE ORDER BY number
), closed AS (
    UPDATE rooms SET open = false, holder = NULL FROM led
    WHERE rooms.room = led.room AND led.room = ANY ($13::text[])
), seated AS (
    INSERT INTO seats
    SELECT DISTINCT player, room FROM unnest($14::text[], $15::text[]) AS one (player, room)
    WHERE (room IN (SELECT room FROM led)) IS TRUE
    ON CONFLICT DO NOTHING
), came_by AS (
    INSERT INTO came
    SELECT DISTINCT ON (player, command) player, command, room
    FROM unnest($16::text[], $17::text[], $18::text[]) WITH ORDINALITY AS one (player, command, room, number)
    WHERE (room IN (SELECT room FROM led)) IS TRUE ORDER BY player, command, number DESC
    ON CONFLICT (player, command) DO UPDATE SET room = excluded.room
), visited AS (
    DELETE FROM visitors WHERE player IN (
        SELECT player FROM unnest($19::text[], $20::text[]) AS one (player, room)
        WHERE (room IN (SELECT room FROM led)) IS TRUE
    )
), known AS (
    INSERT INTO players SELECT token_hash, player, name
    FROM unnest($21::text[], $22::text[], $23::text[]) AS one (token_hash, player, name)
    ON CONFLICT (token_hash) DO UPDATE SET player = excluded.player, name = excluded.name
), visiting AS (
    INSERT INTO visitors
    SELECT player, token_hash, at FROM unnest($21::text[], $22::text[], $24::bigint[])
    AS one (token_hash, player, at)
    ON CONFLICT (player) DO UPDATE SET token_hash = excluded.token_hash, at = excluded.at
), finished AS (
    INSERT INTO finished_games (game)
    SELECT game FROM unnest($25::text[], $26::text[]) WITH ORDINALITY AS one (room, game, number)
    WHERE (room IN (SELECT room FROM led)) IS TRUE ORDER BY number
)
{_OUTCOME}"""  # noqa: S608 - our own names

STANDING = """
SELECT given.room,
    bool_and(stored.at = given.at AND stored.author = given.author
        AND stored.command IS NOT DISTINCT FROM given.command AND stored.event = given.event) IS TRUE
        AND count(stored.room) = count(*) AS stands,
    bool_or(given.leads AND stored.room IS NOT NULL) AS taken
FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], $7::bool[])
    AS given (room, version, at, author, command, event, leads)
LEFT JOIN events stored ON stored.room = given.room AND stored.version = given.version
GROUP BY given.room
"""
