"""One phase of load on one server: all rooms as fast as they go, or moves at a set rate."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from bench import BenchError
from bench.rooms import Room, Tally
from bench.servers import CORES, Server

_OPEN_AT_ONCE = 20
_OPEN_SECONDS = 60
_CLOSE_SECONDS = 5
_STANDSTILL_SECONDS = 5
_IDLE_FIRST, _IDLE_MEASURED = 100, 500
_SETTLE_SECONDS = 1.0
_MOST_MOVES = 2_000_000
"""A bound for each phase, far above what its seconds allow today."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a stretch of a phase took."""

    moves: int
    seconds: float
    server_cpu: float
    generator_cpu: float
    store_cpu: float

    @property
    def moves_per_second(self) -> float:
        """The rate at which moves were heard."""
        return self.moves / self.seconds

    @property
    def cpu_us_per_move(self) -> float:
        """The server's CPU time for each move."""
        return self.server_cpu / self.moves * 1e6

    @property
    def store_us_per_move(self) -> float:
        """The same of the server that keeps its data, if there is one."""
        return self.store_cpu / self.moves * 1e6

    @property
    def server_busy(self) -> float:
        """How much of one core the server had, from 0 to 1."""
        return self.server_cpu / self.seconds

    @property
    def generator_busy(self) -> float:
        """How much of one core the generator had."""
        return self.generator_cpu / self.seconds


@dataclass(frozen=True, slots=True)
class Paced:
    """What the opponents waited, in seconds from the moment when a move was due."""

    usage: Usage
    p50: float
    p99: float
    late: float
    """99% of the moves were sent at most so late: the generator's own part in the latencies."""


class _Meter:
    def __init__(self, server: Server, tally: Tally) -> None:
        self._server, self._tally = server, tally
        self._start = self._now()

    def _now(self) -> tuple[int, float, float, float, float]:
        server = self._server
        spent = server.cpu_seconds(), time.process_time(), server.store_seconds()
        return self._tally.moves, perf_counter(), *spent

    def read(self) -> Usage:
        """What was used since the meter was made."""
        moves, *used = (now - start for now, start in zip(self._now(), self._start, strict=True))
        if not moves:
            raise BenchError(f"The server ({self._server.kind.name}) let no move through.")
        return Usage(int(moves), *used)


async def saturate(
    server: Server, rooms: int, seconds: float, kind: Callable[[Tally], Room] | None = None
) -> Usage:
    """Let so many rooms play as fast as they can, and measure after a warm-up of a quarter.

    `kind` makes them, where they are not the server's usual ones.
    """
    tally = Tally()

    async def phase() -> Usage:
        async with _opened(server, rooms, tally, kind or server.kind.room) as opened:
            for room in opened:
                room.run()
            await _watch(tally, seconds / 4)
            meter = _Meter(server, tally)
            await _watch(tally, seconds)
            usage = meter.read()
            for room in opened:
                room.halt()
            await _rest(opened, tally)
            return usage

    return await tally.guard(phase())


async def pace(server: Server, rooms: int, rate: float, seconds: float) -> Paced:
    """Make `rate` moves a second, in turn over so many rooms, whatever the server does (open loop)."""
    tally = Tally()

    async def phase() -> Paced:
        async with _opened(server, rooms, tally, server.kind.room) as opened:
            await _schedule(opened, rate, seconds / 4)
            await _rest(opened, tally)
            tally.since = perf_counter()
            meter = _Meter(server, tally)
            late = await _schedule(opened, rate, seconds)
            usage = meter.read()
            # The slowest answers are still under way, and belong to the figures.
            await _rest(opened, tally)
            return Paced(
                usage,
                p50=percentile(tally.latencies, 50),
                p99=percentile(tally.latencies, 99),
                late=percentile(late, 99),
            )

    return await tally.guard(phase())


async def idle_bytes(server: Server) -> float:
    """How much memory of the server's process each of a thousand idle connections takes."""
    tally = Tally()
    rooms = [server.kind.room(tally) for _ in range(_IDLE_FIRST + _IDLE_MEASURED)]

    async def enter(entering: Sequence[Room]) -> int:
        doors = asyncio.Semaphore(_OPEN_AT_ONCE)

        async def one(room: Room) -> int:
            async with doors:
                return await room.connect(server)

        return sum(await asyncio.gather(*map(one, entering)))

    async def phase() -> float:
        # What the first ones have the server load and set aside is no connection's.
        await enter(rooms[:_IDLE_FIRST])
        await asyncio.sleep(_SETTLE_SECONDS)
        before = server.memory_bytes()
        count = await enter(rooms[_IDLE_FIRST:])
        await asyncio.sleep(_SETTLE_SECONDS)
        return (server.memory_bytes() - before) / count

    return await tally.guard(phase())


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of the values do not exceed (nearest rank)."""
    rank = -(-len(values) * percent // 100)
    return sorted(values)[max(0, int(rank) - 1)]


@contextlib.asynccontextmanager
async def _opened(
    server: Server, count: int, tally: Tally, room: Callable[[Tally], Room]
) -> AsyncIterator[list[Room]]:
    """Rooms ready for their first move; closed in the end, so that the next phase meets none of them."""
    rooms = [room(tally) for _ in range(count)]
    doors = asyncio.Semaphore(_OPEN_AT_ONCE)

    async def enter(room: Room) -> None:
        async with doors:
            await room.open(server)

    try:
        async with asyncio.timeout(_OPEN_SECONDS):
            await asyncio.gather(*map(enter, rooms))
    except TimeoutError:
        raise BenchError(f"The server ({server.kind.name}) did not open {count} rooms in time.") from None
    except OSError as error:
        raise BenchError(f"The server ({server.kind.name}) takes no connections: {error}.") from None
    yield rooms
    # Only after a phase that went well: otherwise the server ends next, and hangs up itself.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await asyncio.gather(*(room.close() for room in rooms))


async def _watch(tally: Tally, seconds: float) -> None:
    """Let the rooms play for a while. A server that stops answering breaks the run."""
    end = perf_counter() + seconds
    stalled = _Stalled(tally)
    while (left := end - perf_counter()) > 0 and tally.moves < _MOST_MOVES:
        await asyncio.sleep(min(0.1, left))
        stalled.check()


async def _rest(rooms: Sequence[Room], tally: Tally) -> None:
    """Wait until every move that was made, or is overdue, has been heard."""
    stalled = _Stalled(tally)
    # An event would cost something with every move; asking costs something here alone.
    while not all(room.idle for room in rooms):
        await asyncio.sleep(0.01)
        stalled.check()


class _Stalled:
    """Breaks the run when no move is heard for long."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._moves, self._moved = tally.moves, perf_counter()

    def check(self) -> None:
        now = perf_counter()
        if self._tally.moves != self._moves:
            self._moves, self._moved = self._tally.moves, now
        elif now - self._moved > _STANDSTILL_SECONDS:
            raise BenchError(f"No move was heard for {_STANDSTILL_SECONDS} s.")


async def _schedule(rooms: Sequence[Room], rate: float, seconds: float) -> list[float]:
    """Tell each room its moves when they are due; return how late each was told, in seconds.

    The loop's timers know only milliseconds, far too coarse here, so the generator spins on its core,
    unless it is the server's too.
    """
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    total, start = int(rate * seconds), perf_counter()
    late: list[float] = []

    def tick() -> None:
        now = perf_counter()
        while len(late) < total and (due := start + len(late) / rate) <= now:
            rooms[len(late) % len(rooms)].schedule(due)
            late.append(now - due)
        if len(late) == total:
            done.set_result(None)
        elif len(CORES) > 1:
            handle[0] = loop.call_soon(tick)
        else:
            handle[0] = loop.call_later(0.001, tick)

    handle: list[asyncio.Handle] = [loop.call_soon(tick)]
    try:
        await done
    finally:
        handle[0].cancel()
    return late
