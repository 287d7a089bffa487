"""Connections to one database: opened alike, some kept for queries."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg

from parlour_protocol.words import Sentence
from parlour_server.store import database_url
from parlour_server.store.port import NotReadable, NotSaved, StoreError, StoreUnusable
from parlour_server.store.postgres.errors import FAILURES, explain, is_definite, is_read_only
from parlour_server.store.postgres.migrations import SCHEMA

T = TypeVar("T")

CONNECT_SECONDS = 3.0
STATEMENT_SECONDS = 3.0
"""How long a statement may take before its connection counts as lost: a network that swallows packets says
nothing."""
HOUSEKEEPING_SECONDS = 300.0
"""The same for what reads whole tables: see `Connections.housekeep`."""
QUERIES_AT_ONCE = 3

_SETTINGS = {
    "application_name": "parlour",
    "search_path": SCHEMA,
    # A plan made once, while a table is still empty, has to fit it when it is large: always by its index.
    "plan_cache_mode": "force_generic_plan",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
    # So that PostgreSQL finds out, too, that we are cut off, and what we held is free again.
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5000",
    "idle_in_transaction_session_timeout": "10000",
}


class Connections:
    """To the database of a URL, which holds a password and is shown nowhere: `shown` is."""

    def __init__(self, url: str) -> None:
        self.shown = database_url.shown(url)
        self._url = url
        self._pool: Any = None
        self._housekeeping = asyncio.Lock()

    async def open(self) -> None:
        """Get ready for `fetch` and `run`. Raises `StoreUnusable` with a sentence that says why."""
        if (wrong := database_url.fault(self._url)) is not None:
            raise StoreUnusable(Sentence("store.postgres.no_url", data=self.shown, why=wrong))
        try:
            self._pool = await asyncpg.create_pool(
                self._url, min_size=0, max_size=QUERIES_AT_ONCE, reset=_as_it_is, **self._options()
            )
            async with self._pool.acquire():
                pass
        except (*FAILURES, ValueError) as error:
            raise StoreUnusable(self.explain(error)) from error

    def explain(self, error: BaseException) -> Sentence:
        """A sentence or two on what an error that a connection raised means, and what to do."""
        return explain(self._url, error)

    async def connect(self) -> Any:
        """A connection of one's own. Raises `errors.FAILURES`."""
        return await asyncpg.connect(self._url, **self._options())

    def _options(self) -> dict[str, Any]:
        return {
            "timeout": CONNECT_SECONDS,
            "command_timeout": STATEMENT_SECONDS,
            "server_settings": _SETTINGS,
            # They are few; and one that is forgotten has to be planned again.
            "max_cached_statement_lifetime": 0,
        }

    async def fetch(self, query: str, *values: object) -> list[Any]:
        """The rows of a query. Raises `NotReadable`."""
        rows: list[Any] = await self.run(lambda connection: connection.fetch(query, *values))
        return rows

    async def change(self, query: str, *values: object, idempotent: bool = True) -> list[Any]:
        """The rows of a statement that changes something: see `run`. Raises `NotSaved`."""
        rows: list[Any] = await self.run(
            lambda connection: connection.fetch(query, *values), NotSaved, idempotent=idempotent
        )
        return rows

    async def housekeep(self, work: Callable[[Any], Awaitable[T]]) -> T:
        """Run something that may take minutes, one at a time: it must not take all kept connections.

        Raises `NotSaved`: see `run`.
        """
        async with self._housekeeping:
            return await self.run(work, NotSaved)

    async def run(
        self,
        work: Callable[[Any], Awaitable[T]],
        error: type[StoreError] = NotReadable,
        *,
        idempotent: bool = True,
    ) -> T:
        """Do something with one of the kept connections; again where that was lost, if it is idempotent.

        Raises `error` with a sentence; what is not idempotent may have been done then.
        """
        # All of them may be lost, as by a restart.
        for attempt in range(QUERIES_AT_ONCE + 1):
            try:
                async with self._pool.acquire(timeout=2 * CONNECT_SECONDS) as connection:
                    try:
                        return await work(connection)
                    except BaseException as failure:
                        # Where the caller waits no more, the connection is not kept busy until the server
                        # says what became of it: it may not answer.
                        if not is_definite(failure) or is_read_only(failure):
                            connection.terminate()
                        raise
            except FAILURES as failure:
                again = idempotent and attempt < QUERIES_AT_ONCE and not is_definite(failure)
                if again and not isinstance(failure, TimeoutError):
                    continue
                raise error(self.explain(failure)) from failure
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Close the kept connections; those that are in use when they are done, or after a while."""
        if self._pool is not None:
            self._pool.terminate()


async def _as_it_is(connection: Any) -> None:
    """Nothing that we do has to be undone before a connection is used again: that would take a round trip."""
