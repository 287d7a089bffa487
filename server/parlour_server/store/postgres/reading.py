"""Reading logs: all that is asked for while a query is under way is one query."""

import asyncio
from collections.abc import Sequence
from typing import Any

from parlour_protocol.ids import Version
from parlour_server.log import AnyRecord, LogRecord
from parlour_server.store.encoding import EventCodecs, event_json
from parlour_server.store.gathered import settle
from parlour_server.store.port import LogDamaged
from parlour_server.store.postgres.connections import Connections

ROOMS_AT_ONCE = 200
"""In one query."""
RECORDS_AT_ONCE = 1_000
"""Of one room, in one query: of a longer log the rest is asked for afterwards."""
DECODED_AT_ONCE = 100
"""Within a millisecond. Then others have their turn."""

# The rooms are numbered, since one may be asked for twice.
_READ = f"""
SELECT wanted.number, found.*
FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS wanted (room, after, number),
LATERAL (
    SELECT at, author, command, event FROM events
    WHERE room = wanted.room AND version > wanted.after ORDER BY version LIMIT {RECORDS_AT_ONCE}
) found
"""  # noqa: S608 - our own names


class Reader:
    """Reads rooms' logs, those of one turn of the event loop with one query."""

    def __init__(self, connections: Connections, codecs: EventCodecs) -> None:
        self._connections, self._codecs = connections, codecs
        self._loop = asyncio.get_running_loop()
        self._wanted: list[tuple[str, Version, asyncio.Future[list[Any]]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, room: str, after: Version) -> list[AnyRecord]:
        """See `Store.read`."""
        records: list[AnyRecord] = []
        while True:
            rows = await self._ask(room, after + len(records))
            records += await decode(self._codecs, room, rows)
            if len(rows) < RECORDS_AT_ONCE:
                return records

    def _ask(self, room: str, after: Version) -> asyncio.Future[list[Any]]:
        if not self._wanted:
            self._loop.call_soon(self._hand_over)
        future: asyncio.Future[list[Any]] = self._loop.create_future()
        self._wanted.append((room, after, future))
        return future

    def _hand_over(self) -> None:
        wanted, self._wanted = self._wanted, []
        for start in range(0, len(wanted), ROOMS_AT_ONCE):
            task = asyncio.create_task(self._fetch(wanted[start : start + ROOMS_AT_ONCE]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _fetch(self, wanted: Sequence[tuple[str, Version, asyncio.Future[list[Any]]]]) -> None:
        found: list[list[Any]] = [[] for _ in wanted]
        fault: Exception | None = None
        try:
            rows = await self._connections.fetch(
                _READ, [one[0] for one in wanted], [one[1] for one in wanted]
            )
            for row in rows:
                found[row[0] - 1].append(row)
        except Exception as error:
            # Whatever it is, each caller must get an answer.
            fault = error
        for (_, _, future), its in zip(wanted, found, strict=True):
            settle(future, its, fault)


async def decode(codecs: EventCodecs, room: str, rows: Sequence[Any]) -> list[AnyRecord]:
    """The records of rows, a few at a time. Raises `LogDamaged`."""
    records: list[AnyRecord] = []
    try:
        for number, (_, at, author, command, event) in enumerate(rows):
            if number and number % DECODED_AT_ONCE == 0:
                await asyncio.sleep(0)
            records.append(LogRecord(codecs.read(room, event_json(event)), at, author, command))
    except Exception as error:
        raise LogDamaged(f"Room {room} holds a record that this version of Parlour can't read.") from error
    return records
