"""The store's two sides: what the event loop calls, and the thread that does it."""

import asyncio
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog

from parlour_protocol.ids import Version
from parlour_protocol.words import Sentence
from parlour_server.counters import Counters
from parlour_server.log import AnyRecord, is_room, kind_of
from parlour_server.store.encoding import ROOMS_ONLY, EventCodecs
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.gathered import Append, Gathered, added, settle
from parlour_server.store.port import (
    MORE_TOKENS,
    Checkpoint,
    Done,
    Found,
    NotReadable,
    NotSaved,
    Player,
    Progress,
    Store,
    StoreError,
    StoreUnusable,
)
from parlour_server.store.sqlite import backup, pruning
from parlour_server.store.sqlite.committing import answer, commit
from parlour_server.store.sqlite.open_file import OpenFile
from parlour_server.store.sqlite.opening import advice, explain, is_damage
from parlour_server.store.sqlite.reading import Turns, last_at, open_logs, read_log
from parlour_server.store.sqlite.side_tables import (
    is_whole,
    read_checkpoint,
    read_games,
    read_games_between,
    with_checksum,
    write_checkpoint,
)

log = structlog.get_logger()

T = TypeVar("T")

CLOSED = Sentence("store.stopping")


@dataclass(slots=True)
class _Call:
    """Any other work: run between commits, its result handed to a future."""

    work: Callable[[OpenFile], Any]
    future: asyncio.Future[Any]


class SqliteStore(Store):
    """Opened with `await SqliteStore.open(path)`, which raises `StoreUnusable`."""

    def __init__(self, path: Path, counters: Counters, limit: int, codecs: EventCodecs) -> None:
        self.path = path
        self._codecs = codecs
        self._counters = counters
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._work: queue.SimpleQueue[list[Gathered] | _Call | None] = queue.SimpleQueue()
        self._gathered: list[Gathered] = []
        self._thread = threading.Thread(target=self._run, name="parlour-store", daemon=True)
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._calls: deque[_Call] = deque()
        """The thread's own: what is to be done after the commit."""
        self._closed = False
        """Does the thread take nothing more?"""

    @classmethod
    async def open(
        cls,
        path: Path,
        counters: Counters | None = None,
        limit: int = 0,
        codecs: EventCodecs = ROOMS_ONLY,
    ) -> "SqliteStore":
        """Open the file, or make it, and hold it to `limit` bytes; 0: no limit.

        Raises `StoreUnusable` with a sentence that says why.
        """
        store = cls(path, counters or Counters(), limit, codecs)
        store._thread.start()
        await store._opened
        return store

    # ------------------------------------------------------------ the loop's side

    def append(self, key: str, expected: Version, records: Sequence[AnyRecord], done: Done) -> None:
        if not self._codecs.knows(key):
            # Not on the thread, where it would fail what is committed with it.
            raise KeyError(kind_of(key))
        self._gather(Append(key, expected, records, done))

    def _gather(self, wanted: Gathered) -> None:
        if self._closed:
            wanted.done(NotSaved(CLOSED))
            return
        # Handed over once a turn of the loop: a wake-up and a commit for all that the turn brought.
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append(wanted)

    def _hand_over(self) -> None:
        if self._gathered:
            self._work.put(self._gathered)
            self._gathered = []

    async def read(self, key: str, after: Version = 0) -> list[AnyRecord]:
        _, records = await self._call_in_turns(partial(read_log, key=key, after=after))
        return records

    async def open_rooms(self, since: int = 0) -> list[str]:
        def work(file: OpenFile) -> list[str]:
            rooms = filter(is_room, open_logs(file))
            return [room for room in rooms if since <= 0 or last_at(file, room) >= since]

        return await self._call(work)

    async def open_others(self) -> list[str]:
        return await self._call(lambda file: [key for key in open_logs(file) if not is_room(key)])

    def room_by(self, player: str, command: str, found: Found) -> None:
        def work(file: OpenFile) -> str | None:
            query = "SELECT room FROM came WHERE player = ? AND command = ?"
            row = file.database.execute(query, (player, command)).fetchone()
            return row[0] if row else None

        def tell(done: asyncio.Future[str | None]) -> None:
            error = done.exception()
            if isinstance(error, StoreError):
                found(None, error)
            else:
                found(done.result(), None)

        self._call(work).add_done_callback(tell)

    async def rooms_of(self, player: str, most: int) -> list[str]:
        def work(file: OpenFile) -> list[str]:
            rooms = file.database.execute("SELECT room FROM seats WHERE player = ?", (player,)).fetchall()
            heads = [(file.heads.find(room).number or 0, room) for (room,) in rooms]
            return [room for _, room in sorted(heads, reverse=True)[:most]]

        return await self._call(work)

    async def finished_games(self, after: int, most: int) -> list[tuple[int, FinishedGame]]:
        def work(file: OpenFile) -> list[tuple[int, FinishedGame]]:
            found = []
            for number, game in read_games(file.database, after, most):
                if game is None:
                    raise NotReadable(
                        Sentence("store.damaged_result", file=str(file.path), advice=advice(file.path))
                    )
                found.append((number, game))
            return found

        return await self._call(work)

    async def games_between(self, player: str, other: str | None, most: int) -> list[FinishedGame]:
        return await self._call(lambda file: read_games_between(file.database, player, other, most))

    async def checkpoint(self, name: str) -> Checkpoint:
        return await self._call(lambda file: read_checkpoint(file.database, name))

    async def move_checkpoint(self, name: str, before: int, new: Checkpoint) -> bool:
        def work(file: OpenFile) -> bool:
            with file.transaction():
                stands = read_checkpoint(file.database, name).after == before
                if stands:
                    write_checkpoint(file.database, name, new)
            return stands

        return await self._call(work)

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        spared = frozenset(spared)
        return await self._call_in_turns(partial(pruning.prune, before=before, spared=spared))

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`. Where it can't be noted clocks lose a little time, no more."""

        def work(file: OpenFile) -> None:
            try:
                file.database.execute("UPDATE alive SET at = ?", (at,))
            except sqlite3.Error as error:
                log.warning("that the server is up could not be noted", reason=str(error))

        self._call(work)

    async def last_alive(self) -> int:
        def work(file: OpenFile) -> int:
            try:
                (at,) = file.database.execute("SELECT at FROM alive").fetchone()
                return int(at)
            except (sqlite3.DatabaseError, TypeError, ValueError) as error:
                log.error(
                    "when the server was last up is not known", reason=str(error), todo=advice(file.path)
                )
                return 0

        return await self._call(work)

    async def add_player(self, token_hash: str, player: Player, at: int) -> None:
        """See `Store.add_player`. They join the commit of the moves that gather meanwhile."""
        await added(self._gather, token_hash, player, at)

    async def add_token(self, token_hash: str, player: str) -> bool:
        def work(file: OpenFile) -> bool:
            rows = file.database.execute("SELECT * FROM players WHERE player = ?", (player,)).fetchall()
            known = next(filter(is_whole, rows), None)
            if known is None:
                return False
            row = with_checksum(token_hash, *known[1:-1])
            query = "SELECT * FROM more_tokens WHERE player = ? ORDER BY number DESC"
            more = filter(is_whole, file.database.execute(query, (player,)).fetchall())
            gone = [(key,) for _, _, key, _ in more if key != token_hash][MORE_TOKENS - 1 :]
            (last,) = file.database.execute("SELECT coalesce(max(number), 0) FROM more_tokens").fetchone()
            with file.transaction():
                file.database.executemany("DELETE FROM players WHERE token_hash = ?", gone)
                file.database.executemany(
                    "DELETE FROM more_tokens WHERE player = ? AND token_hash = ?",
                    [(player, key) for (key,) in [*gone, (token_hash,)]],
                )
                file.database.execute("INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)", row)
                new = with_checksum(last + 1, player, token_hash)
                file.database.execute("INSERT INTO more_tokens VALUES (?, ?, ?, ?)", new)
                file.database.execute("DELETE FROM visitors WHERE player = ?", (player,))
            return True

        return await self._call(work)

    async def find_player(self, token_hash: str) -> Player | None:
        def work(file: OpenFile) -> Player | None:
            query = "SELECT * FROM players WHERE token_hash = ?"
            row = file.database.execute(query, (token_hash,)).fetchone()
            if row is None:
                return None
            if not is_whole(row):
                raise NotReadable(
                    Sentence("store.damaged_player", file=str(file.path), advice=advice(file.path))
                )
            if file.came_back is not None:
                file.came_back.add(row[1])
            return Player(row[1], row[2])

        return await self._call(work)

    async def forget_visitors(self, before: int, spared: Collection[str] = ()) -> int:
        return await self._call_in_turns(partial(pruning.forget_visitors, before=before, spared=spared))

    async def players_named(self, name: str) -> list[Player]:
        def work(file: OpenFile) -> list[Player]:
            query = "SELECT DISTINCT player, name FROM players WHERE name = ?"
            return [Player(*row) for row in file.database.execute(query, (name,))]

        return await self._call(work)

    async def forget_player(self, player: str) -> list[str]:
        return await self._call_in_turns(partial(pruning.forget_player, player=player))

    async def backup(self, to: Path, progress: Progress) -> None:
        await self._call(lambda file: backup.copy(file.database, to, progress, partial(self._go_on, file)))
        await asyncio.to_thread(backup.publish, to)

    async def used(self) -> int:
        return await self._call(lambda file: file.quota.used())

    async def check(self) -> None:
        def work(file: OpenFile) -> None:
            with file.transaction():
                file.database.execute("UPDATE alive SET at = at")

        await self._call(work)

    async def close(self) -> None:
        """See `Store.close`. What was asked for before is still done."""
        self._hand_over()
        self._closed = True
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    def _call(self, work: Callable[[OpenFile], T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        if self._closed:
            future.set_exception(NotReadable(CLOSED))
            # Marked as seen: some ask for what they don't wait for.
            future.exception()
            return future
        self._hand_over()
        self._work.put(_Call(work, future))
        return future

    async def _call_in_turns(self, work: Callable[[OpenFile], Turns[T]]) -> T:
        turns: Turns[T] | None = None
        ended: list[T] = []

        def next_turn(file: OpenFile) -> None:
            nonlocal turns
            turns = work(file) if turns is None else turns
            try:
                next(turns)
            except StopIteration as end:
                ended.append(end.value)

        while not ended:
            # Asked for each time, so that no move waits for long behind it.
            await self._call(next_turn)
        return ended[0]

    # ------------------------------------------------------------ the thread's side

    def _run(self) -> None:
        try:
            file = OpenFile(self.path, self._counters, self._limit, self._codecs)
        except Exception as error:
            unusable = error if isinstance(error, StoreError) else StoreUnusable(explain(self.path, error))
            self._loop.call_soon_threadsafe(self._opened.set_exception, unusable)
            return
        self._loop.call_soon_threadsafe(self._opened.set_result, None)
        try:
            while self._serve(file):
                pass
        finally:
            file.database.close()

    def _go_on(self, file: OpenFile) -> None:
        """Do within a long work what has gathered meanwhile. Raises `NotSaved` if the store is to close."""
        self._answer_calls(file)
        if not self._work.empty() and not self._serve(file):
            self._work.put(None)
            raise NotSaved(Sentence("store.copy_unfinished"))

    def _serve(self, file: OpenFile) -> bool:
        """Do all the work that has gathered; false once the store was closed."""
        batch: list[Gathered] = []
        item = self._work.get()
        while True:
            if item is None:
                break
            # A read asked for after an append sees it, since the batch is committed first.
            if isinstance(item, _Call):
                self._calls.append(item)
            else:
                batch.extend(item)
            try:
                item = self._work.get_nowait()
            except queue.Empty:
                break
        if batch:
            outcomes = commit(file, batch)
            self._loop.call_soon_threadsafe(answer, batch, outcomes)
        self._answer_calls(file)
        return item is not None

    def _answer_calls(self, file: OpenFile) -> None:
        while self._calls:
            self._answer_call(file, self._calls.popleft())

    def _answer_call(self, file: OpenFile, call: _Call) -> None:
        result, fault = None, None
        try:
            result = call.work(file)
        except StoreError as error:
            fault = error
        except Exception as error:
            # Whatever it is, the one who asked must hear of it, and the thread goes on for all others.
            said = explain(self.path, error)
            log.error("the store failed", reason=said, exc_info=None if is_damage(error) else error)
            fault = NotReadable(said)
        self._loop.call_soon_threadsafe(settle, call.future, result, fault)
