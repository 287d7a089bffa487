"""One connection that appends: what gathers while a commit is under way is the next one.

Where its connection is lost, nothing is known of the commit that was under way. What waits for it waits
until there is a new connection, the old one's backend is gone (so that it commits nothing any more), and the
log has been looked at: what stands there is answered as saved, the rest is committed once more, or refused.
What comes meanwhile is refused at once as soon as the outage has lasted for a while.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import asyncpg
import structlog

from parlour_protocol.words import Sentence
from parlour_server.counters import Counters
from parlour_server.store.encoding import EventCodecs
from parlour_server.store.gathered import Append, Gathered, call_back
from parlour_server.store.port import NotSaved, VersionConflict
from parlour_server.store.postgres.connections import Connections
from parlour_server.store.postgres.errors import is_definite, is_read_only, is_unfit
from parlour_server.store.postgres.groups import Group

log = structlog.get_logger()

OUTAGE_SECONDS = 1.0
"""For how long appends wait for a connection; then they are refused until there is one."""
BACKOFF_SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0)
END_SECONDS = 5.0
"""How long a store that is closed waits for what it has begun."""
_BACKEND_END_MILLISECONDS = 500


class Writer:
    """Commits in groups, one after the other, in the order in which they were asked for."""

    def __init__(
        self,
        connections: Connections,
        counters: Counters,
        node: str,
        codecs: EventCodecs,
        followed: Callable[[str], bool],
    ) -> None:
        self._connections = connections
        self._followed = followed
        self._counters = counters
        self._node, self._codecs = node, codecs
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Gathered] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._connection: Any = None
        self._backend: tuple[int, Any] = (0, None)
        """The connection's process in PostgreSQL: its id, and when it began."""
        self._down_because: str | None = None
        """Why there is no connection, in a sentence; None: there is one."""
        self._down_since = 0.0
        self._refuse_timer: asyncio.TimerHandle | None = None
        self._in_doubt = False
        """Is there a group of which it is not known whether it stands?"""
        self.refused = False
        """Did the database refuse the last group, through no fault of what stood in it?"""
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect. Raises `errors.FAILURES`."""
        await self._connect()
        self._task = asyncio.create_task(self._run(), name="parlour-writer")

    def add(self, wanted: Gathered) -> None:
        """Commit this with what else has gathered."""
        if self._closing:
            wanted.done(NotSaved(Sentence("store.stopping")))
        elif self._down_because is not None and self._is_long_down():
            self._refuse([wanted], self._down_because)
        else:
            self._waiting.append(wanted)
            self._wake.set()

    async def close(self) -> None:
        """Finish what was begun, and disconnect."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            done, _ = await asyncio.wait([self._task], timeout=END_SECONDS)
            if not done:
                log.error(
                    "what became of some records is not known: they may stand", reason=self._down_because
                )
                self._task.cancel()
                await asyncio.wait([self._task])
        if self._refuse_timer is not None:
            self._refuse_timer.cancel()
        if self._connection is not None:
            self._connection.terminate()

    # ------------------------------------------------------------ groups

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            if not self._waiting:
                if self._closing:
                    return
                self._wake.clear()
                continue
            if self._connection is None or self._connection.is_closed():
                self._lost(asyncpg.ConnectionDoesNotExistError("the connection was closed"), time.monotonic())
                if await self._reconnect():
                    self._is_back()
                continue
            group = Group()
            self._waiting = group.take(self._waiting)
            await self._commit(group)

    async def _commit(self, group: Group) -> None:
        begun, sent = time.monotonic(), False
        try:
            statement, values = group.statement(self._node, self._codecs, self._followed)
            sent = True
            rows = await self._connection.fetch(statement, *values)
        except Exception as error:
            self._counters.commits_failed += 1
            if not sent or is_definite(error):
                await self._failed(group, error, unfit=not sent or is_unfit(error))
            else:
                self._in_doubt = True
                await self._find_out(group, error, begun)
                self._in_doubt = False
            return
        self._counters.commit_times.observe(time.monotonic() - begun)
        self._counters.commit_sizes.observe(group.records)
        self.refused = False
        self._answer(group, {room for room, _ in rows if room is not None})

    def _answer(self, group: Group, lost: set[str]) -> None:
        for player in group.players.values():
            call_back(player, None)
        for room, run in group.runs.items():
            for append in run.appends:
                call_back(append, _conflict(append) if room in lost else None)

    async def _failed(self, group: Group, error: BaseException, *, unfit: bool) -> None:
        """Nothing of it stands, and it is known why; `unfit`: whatever is done it can't be written."""
        if isinstance(error, asyncpg.DeadlockDetectedError | asyncpg.SerializationError):
            self._again(group)
            return
        wanted = list(group.all())
        if unfit and len(wanted) > 1:
            # What one of them says can't be written: that is no reason to refuse the others.
            for one in wanted:
                alone = Group()
                alone.take([one])
                await self._commit(alone)
            return
        said = self._connections.explain(error)
        log.error("nothing could be saved", reason=said, appends=group.records)
        self.refused = not unfit
        if is_read_only(error):
            self._connection.terminate()
        self._refuse(wanted, said)

    def _again(self, group: Group) -> None:
        self._waiting = [*group.all(), *self._waiting]
        self._wake.set()

    def _refuse(self, wanted: list[Gathered], said: str) -> None:
        for one in wanted:
            call_back(one, NotSaved(said))

    # ------------------------------------------------------------ when the connection is lost

    async def _find_out(self, group: Group, error: BaseException, begun: float) -> None:
        """Answer for a group whose commit, begun then, may have been made; once that is known."""
        old = self._backend
        self._lost(error, begun)
        while True:
            await self._reconnect()
            try:
                await self._end_backend(old)
                query, values = group.standing()
                rows = await self._connection.fetch(query, *values)
                players = {
                    row["token_hash"]
                    for row in await self._connection.fetch(
                        "SELECT token_hash FROM players WHERE token_hash = ANY ($1)", list(group.players)
                    )
                }
            except Exception as again:
                # Whatever it is: all that waits must be answered, and so must all that comes after it.
                self._lost(again, begun)
                await asyncio.sleep(BACKOFF_SECONDS[1])
            else:
                break
        rest = Group()
        for row in rows:
            run = group.runs[row["room"]]
            if row["stands"] or row["taken"]:
                for append in run.appends:
                    call_back(append, None if row["stands"] else _conflict(append))
            else:
                rest.runs[row["room"]] = run
        for token_hash, player in group.players.items():
            if token_hash in players:
                call_back(player, None)
            else:
                rest.players[token_hash] = player
        if self._is_long_down():
            self._refuse(list(rest.all()), self._down_because or "")
        else:
            self._again(rest)
        self._is_back()

    async def _end_backend(self, backend: tuple[int, Any]) -> None:
        """Make sure that a lost connection's process commits nothing any more."""
        query = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"
        while await self._connection.fetchval(query, *backend) is not None:
            await self._connection.fetchval(
                "SELECT pg_terminate_backend($1, $2)", backend[0], _BACKEND_END_MILLISECONDS
            )

    def _lost(self, error: BaseException, since: float) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
        if self._down_because is None:
            self._down_since = since
            left = max(0.0, since + OUTAGE_SECONDS - time.monotonic())
            self._refuse_timer = self._loop.call_later(left, self._refuse_waiting)
        self._down_because = self._connections.explain(error)

    def _is_long_down(self) -> bool:
        return time.monotonic() - self._down_since >= OUTAGE_SECONDS

    def _refuse_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        log.error(
            "nothing can be saved: there is no connection", reason=self._down_because, appends=len(waiting)
        )
        self._refuse(waiting, self._down_because or "")

    async def _reconnect(self) -> bool:
        """Connect, however long it takes. False: no connection is needed any more."""
        attempt = 0
        while self._connection is None:
            if self._closing and not self._waiting and not self._in_doubt:
                return False
            try:
                await self._connect()
            except Exception as error:
                self._down_because = self._connections.explain(error)
                await asyncio.sleep(BACKOFF_SECONDS[min(attempt, len(BACKOFF_SECONDS) - 1)])
                attempt += 1
        return True

    async def _connect(self) -> None:
        connection = await self._connections.connect()
        try:
            query = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
            self._backend = tuple(await connection.fetchrow(query))
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection

    def _is_back(self) -> None:
        if self._is_long_down():
            log.info("it can be saved again", seconds=round(time.monotonic() - self._down_since, 1))
        self._down_because = None
        if self._refuse_timer is not None:
            self._refuse_timer.cancel()
            self._refuse_timer = None


def _conflict(append: Append) -> VersionConflict:
    return VersionConflict(f"room {append.room} does not stand at {append.expected} any more")
