"""A disk that outlives its server, and the server's own way to it: slow, at times full, and lost in a crash.

What is asked for is committed a little later, in batches, and told later still. So a crash finds some of it
not begun, some half told, and some durable of which nobody ever heard. While a node of a cluster is cut off,
what was under way stays unknown, and what had not begun is not saved.
"""

import asyncio
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlour_protocol.ids import Version
from parlour_server.log import LogRecord
from parlour_server.store.finished_games import FinishedGame
from parlour_server.store.memory import MemoryStore
from parlour_server.store.port import (
    Checkpoint,
    Done,
    Found,
    NotReadable,
    NotSaved,
    Player,
    Progress,
    StoreError,
)
from tests.sim.database import UNREACHABLE, SimulatedCluster
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather

LOOK_SECONDS = 0.25
"""How often a node that was cut off tries to find out what became of its appends."""
CLOSED = "The simulated server is stopping."
FULL = "There is no room left on the simulated disk."


class Disk(MemoryStore):
    """What stands, whoever runs."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self._alive = 0

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`."""
        self._alive = at

    async def last_alive(self) -> int:
        """See `Store.last_alive`."""
        return self._alive

    def write(self, room: str, expected: Version, records: Sequence[LogRecord]) -> StoreError | None:
        """Append, and say at once how it went."""
        outcome: list[StoreError | None] = []
        super().append(room, expected, list(records), outcome.append)
        return outcome[0]

    def logs(self) -> dict[str, list[LogRecord]]:
        """Everything."""
        return self._rooms


@dataclass(slots=True)
class _Append:
    room: str
    expected: Version
    records: Sequence[LogRecord]
    done: Done


class SimulatedStore:
    """One server's store over the disk: see `store.port.Store`."""

    def __init__(
        self,
        disk: Disk,
        loop: SimulatedLoop,
        dice: random.Random,
        weather: Weather,
        trace: Trace,
        cluster: SimulatedCluster | None = None,
    ) -> None:
        self.disk, self.cluster = disk, cluster
        self._loop, self._dice, self._weather, self._trace = loop, dice, weather, trace
        self._waiting: list[_Append] = []
        self._untold: list[tuple[_Append, StoreError | None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._dead = self._closed = False
        self._looking: set[asyncio.Task[None]] = set()
        self._calls = 0
        """How many reads wait."""

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
        """See `Store.append`."""
        if self._closed:
            done(NotSaved(CLOSED))
            return
        self._waiting.append(_Append(room, expected, list(records), done))
        if self._timer is None:
            self._timer = self._loop.call_later(self._delay(), self._commit)

    @property
    def idle(self) -> bool:
        """Is there nothing on its way?"""
        return self._timer is None

    def kill(self) -> None:
        """The server is gone. Of what waited some was just being written, from the first on."""
        self._dead = True
        standing = self._waiting[: self._dice.randint(0, len(self._waiting))]
        for append in standing:
            self._write(append)
        self._trace.note(
            "store", f"killed: {len(self._untold)} untold, {len(standing)} of {len(self._waiting)} written"
        )

    def _commit(self) -> None:
        batch, self._waiting = self._waiting, []
        fails = self.disk.full or (
            self._weather.not_saved > 0 and self._dice.random() < self._weather.not_saved
        )
        if self._unreachable:
            # Nothing was sent on its way: it waits a little, or it is known that it does not stand.
            if self._dice.random() < 0.5:
                self._waiting = batch
            else:
                for append in batch:
                    append.done(NotSaved(UNREACHABLE))
            later = self._delay() + LOOK_SECONDS
            self._timer = self._loop.call_later(later, self._commit) if self._waiting else None
            return
        for append in batch:
            self._untold.append((append, NotSaved(FULL) if fails else self._write(append)))
        self._timer = self._loop.call_later(self._delay(), self._tell)

    def _write(self, append: _Append) -> StoreError | None:
        error = self.disk.write(append.room, append.expected, append.records)
        if error is None and self.cluster is not None:
            self.cluster.appended(append.room, append.expected, append.records)
        self._trace.note("disk", f"{append.room} {append.expected}+{len(append.records)} {error or ''}")
        return error

    @property
    def _unreachable(self) -> bool:
        return self.cluster is not None and self.cluster.unreachable

    def _tell(self) -> None:
        if self._unreachable:
            # Nobody knows here what has become of it: that has to be looked up.
            self._timer = self._loop.call_later(self._delay() + LOOK_SECONDS, self._tell)
            return
        told, self._untold = self._untold, []
        self._timer = None
        if self._waiting:
            self._timer = self._loop.call_later(self._delay(), self._commit)
        for append, error in told:
            append.done(error)

    def _delay(self) -> float:
        return self._dice.uniform(*self._weather.commit)

    async def _turn(self) -> None:
        """Wait as long as a read does: behind all that was to be written before it."""
        self._calls += 1
        try:
            await asyncio.sleep(self._delay())
            while not self.idle and not self._unreachable:  # noqa: ASYNC110
                await asyncio.sleep(self._delay())
            if self.cluster is not None and self.cluster.unreachable:
                await asyncio.sleep(self.cluster.give_up())
                raise NotReadable(UNREACHABLE)
        finally:
            self._calls -= 1

    async def read(self, room: str, after: Version = 0) -> list[LogRecord]:
        """See `Store.read`."""
        await self._turn()
        return await self.disk.read(room, after)

    async def open_rooms(self, since: int = 0) -> list[str]:
        """See `Store.open_rooms`."""
        await self._turn()
        return await self.disk.open_rooms(since)

    def room_by(self, player: str, command: str, found: Found) -> None:
        """See `Store.room_by`."""

        async def look() -> None:
            try:
                await self._turn()
            except NotReadable as error:
                found(None, error)
            else:
                self.disk.room_by(player, command, found)

        self._looking.add(task := self._loop.create_task(look()))
        task.add_done_callback(self._looking.discard)

    async def rooms_of(self, player: str, most: int) -> list[str]:
        """See `Store.rooms_of`."""
        await self._turn()
        return await self.disk.rooms_of(player, most)

    async def finished_games(self, after: int, most: int) -> list[tuple[int, FinishedGame]]:
        """See `Store.finished_games`."""
        await self._turn()
        return await self.disk.finished_games(after, most)

    async def checkpoint(self, name: str) -> Checkpoint:
        """See `Store.checkpoint`."""
        await self._turn()
        return await self.disk.checkpoint(name)

    async def move_checkpoint(self, name: str, before: int, new: Checkpoint) -> bool:
        """See `Store.move_checkpoint`."""
        try:
            await self._turn()
        except NotReadable as error:
            raise NotSaved(UNREACHABLE) from error
        return await self.disk.move_checkpoint(name, before, new)

    async def prune(self, before: int, spared: Collection[str] = ()) -> list[str]:
        """See `Store.prune`."""
        await self._turn()
        return await self.disk.prune(before, spared)

    def note_alive(self, at: int) -> None:
        """See `Store.note_alive`."""
        if not self._dead:
            self.disk.note_alive(at)

    async def last_alive(self) -> int:
        """See `Store.last_alive`."""
        await self._turn()
        return await self.disk.last_alive()

    async def add_player(self, token_hash: str, player: Player, at: int) -> None:
        """See `Store.add_player`."""
        try:
            await self._turn()
        except NotReadable as error:
            raise NotSaved(UNREACHABLE) from error
        if self.disk.full:
            raise NotSaved(FULL)
        await self.disk.add_player(token_hash, player, at)

    async def add_token(self, token_hash: str, player: str) -> bool:
        """See `Store.add_token`."""
        try:
            await self._turn()
        except NotReadable as error:
            raise NotSaved(UNREACHABLE) from error
        if self.disk.full:
            raise NotSaved(FULL)
        return await self.disk.add_token(token_hash, player)

    async def find_player(self, token_hash: str) -> Player | None:
        """See `Store.find_player`."""
        await self._turn()
        return await self.disk.find_player(token_hash)

    async def forget_visitors(self, before: int, spared: Collection[str] = ()) -> int:
        """See `Store.forget_visitors`."""
        await self._turn()
        return await self.disk.forget_visitors(before, spared)

    async def players_named(self, name: str) -> list[Player]:
        """See `Store.players_named`."""
        await self._turn()
        return await self.disk.players_named(name)

    async def forget_player(self, player: str) -> list[str]:
        """See `Store.forget_player`."""
        await self._turn()
        return await self.disk.forget_player(player)

    async def backup(self, to: Path, progress: Progress) -> None:
        """See `Store.backup`."""
        await self._turn()
        await self.disk.backup(to, progress)

    async def used(self) -> int:
        """See `Store.used`."""
        return await self.disk.used()

    async def check(self) -> None:
        """See `Store.check`. Nobody asks for it here."""

    async def close(self) -> None:
        """See `Store.close`."""
        self._closed = True
        while not self.idle and not self._unreachable:  # noqa: ASYNC110
            await asyncio.sleep(self._delay())
        if self._timer is not None:
            # What has become of the last appends is never known.
            self._timer.cancel()
        while self._calls:  # noqa: ASYNC110
            await asyncio.sleep(self._delay())
