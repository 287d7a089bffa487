"""A disk that outlives its server, and the server's own way to it: slow, at times full, and lost in a crash.

What is asked for is committed a little later, in batches, and answered later still. So a crash finds some of
it not begun, some half answered, and some durable of which no one was notified. While a node of a cluster is
cut off, what was under way stays unknown, and what had not begun is not saved.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parlour_protocol.ids import Version
from parlour_server.log import LogRecord
from parlour_server.store.port import (
    Done,
    Found,
    NotReadable,
    NotSaved,
    StoreError,
)
from tests.sim.database import UNREACHABLE, SimulatedCluster
from tests.sim.loop import SimulatedLoop
from tests.sim.trace import Trace
from tests.sim.weather import Weather
from tests.support.world import LastingStore

LOOK_SECONDS = 0.25
"""How often a node that was cut off tries to find out what became of its appends."""
CLOSED = "The simulated server is stopping."
FULL = "There is no room left on the simulated disk."


class Disk(LastingStore):
    """What stands, whoever runs."""

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


def _read(name: str) -> Any:
    """A method of `Store` that reads: the disk answers once its turn has come."""

    async def read(self: "SimulatedStore", *given: Any, **named: Any) -> Any:
        await self._turn()
        return await getattr(self.disk, name)(*given, **named)

    return read


def _write(name: str) -> Any:
    """A method of `Store` that writes beside the logs."""

    async def write(self: "SimulatedStore", *given: Any) -> Any:
        try:
            await self._turn()
        except NotReadable as error:
            raise NotSaved(UNREACHABLE) from error
        if self.disk.full:
            raise NotSaved(FULL)
        return await getattr(self.disk, name)(*given)

    return write


class SimulatedStore:
    """One server's store over the disk. What has no docstring is as `store.port.Store` says."""

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
        self._unreported: list[tuple[_Append, StoreError | None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._dead = self._closed = False
        self._looking: set[asyncio.Task[None]] = set()
        self._calls = 0
        """How many reads wait."""

    read = _read("read")
    open_rooms = _read("open_rooms")
    open_others = _read("open_others")
    rooms_of = _read("rooms_of")
    finished_games = _read("finished_games")
    games_between = _read("games_between")
    checkpoint = _read("checkpoint")
    last_alive = _read("last_alive")
    find_player = _read("find_player")
    players_named = _read("players_named")
    forget_player = _read("forget_player")
    forget_visitors = _read("forget_visitors")
    prune = _read("prune")
    backup = _read("backup")
    move_checkpoint = _write("move_checkpoint")
    add_player = _write("add_player")
    add_token = _write("add_token")

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
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
            "store",
            f"killed: {len(self._unreported)} untold, {len(standing)} of {len(self._waiting)} written",
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
            self._unreported.append((append, NotSaved(FULL) if fails else self._write(append)))
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
            # It is not known here what has become of it: that has to be looked up.
            self._timer = self._loop.call_later(self._delay() + LOOK_SECONDS, self._tell)
            return
        reported, self._unreported = self._unreported, []
        self._timer = None
        if self._waiting:
            self._timer = self._loop.call_later(self._delay(), self._commit)
        for append, error in reported:
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

    def room_by(self, player: str, command: str, found: Found) -> None:

        async def look() -> None:
            try:
                await self._turn()
            except NotReadable as error:
                found(None, error)
            else:
                self.disk.room_by(player, command, found)

        self._looking.add(task := self._loop.create_task(look()))
        task.add_done_callback(self._looking.discard)

    def note_alive(self, at: int) -> None:
        if not self._dead:
            self.disk.note_alive(at)

    async def used(self) -> int:
        return await self.disk.used()

    async def check(self) -> None:
        """It is not asked for here."""

    async def close(self) -> None:
        self._closed = True
        while not self.idle and not self._unreachable:  # noqa: ASYNC110
            await asyncio.sleep(self._delay())
        if self._timer is not None:
            # What has become of the last appends is never known.
            self._timer.cancel()
        while self._calls:  # noqa: ASYNC110
            await asyncio.sleep(self._delay())
