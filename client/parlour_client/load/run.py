"""Start a load test's processes, watch them, and add up what they found."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from parlour_client.load.plan import OUTCOME, Outcome, Plan
from parlour_client.load.worker import OPEN_SECONDS
from parlour_client.sdk.dial import HEARTBEAT, open_socket
from parlour_client.sdk.errors import ParlourError, UsageError
from parlour_protocol.words import say

BUSY = 0.9
"""From here on a core counts as busy: what is missing goes to interrupts and to the machine's owner."""
LATE = 0.25
"""From this part of the waiting times on, the load's own lateness makes up much of them."""
LEAST_LATE = 0.002
"""Seconds. Timers are a millisecond late at any rate."""
GRACE_SECONDS = 30.0
END_SECONDS = 5.0
LONGEST_LINE = 2**24

Progress = Callable[[str, float, float], None]
"""Called with what is under way (`rooms` or `seconds`), how much of it is done, and of how much."""

Bottleneck = Literal["load", "lateness", "machine"]


@dataclass(slots=True)
class LoadResult:
    """What a load test found, and what keeps its figures from being the server's."""

    plan: Plan
    processes: int
    outcome: Outcome
    server_busy: float | None
    """How much of a core the server had, where it was started for this; it may have more than one."""

    @property
    def bottleneck(self) -> Bottleneck | None:
        """What else than the server made the figures.

        `load`: its processes were busy. `lateness`: they sent moves late. `machine`: it was full.
        """
        cores = os.cpu_count() or 1
        outcome = self.outcome
        late, waited = outcome.late.percentile(99), outcome.latency.percentile(99)
        if outcome.busiest >= BUSY:
            return "load"
        if late and waited and late > LEAST_LATE and late >= LATE * waited:
            return "lateness"
        used = outcome.cpu_seconds / outcome.seconds if outcome.seconds else 0.0
        return "machine" if used + (self.server_busy or 0.0) >= BUSY * cores else None

    @property
    def sound(self) -> bool:
        """Was everything as it must be, for as many as came in?"""
        return not self.outcome.faults and not self.outcome.missing and self.outcome.rooms > 0

    def as_json(self) -> dict[str, Any]:
        """What `parlour loadtest --json` prints; times are in milliseconds."""
        outcome, plan = self.outcome, self.plan

        def milliseconds(name: str) -> dict[str, float | None]:
            times = getattr(outcome, name)
            found = {f"p{percent:g}": times.percentile(percent) for percent in (50, 90, 99, 99.9)}
            found["max"] = times.greatest if times.count else None
            return {key: None if one is None else round(one * 1000, 3) for key, one in found.items()}

        wanted = asdict(plan)
        del wanted["first_room"]
        return {
            **wanted,
            "processes": self.processes,
            "rooms_opened": outcome.rooms,
            "spectators_opened": outcome.spectators,
            "moves": outcome.moves,
            "games": outcome.games,
            "measured_seconds": round(outcome.seconds, 3),
            "moves_made_per_second": round(outcome.moves / outcome.seconds, 1) if outcome.seconds else 0.0,
            "latency_ms": milliseconds("latency"),
            "bot_answer_ms": milliseconds("bot_answers"),
            "sent_late_ms": milliseconds("late"),
            "loop_lag_ms": milliseconds("loop_lag"),
            "load_busy": round(outcome.busiest, 3),
            "server_busy": None if self.server_busy is None else round(self.server_busy, 3),
            "bottleneck": self.bottleneck,
            "refused": dict(outcome.refused),
            "connections_lost": dict(outcome.lost),
            "lost_on_time": outcome.lost_on_time,
            "unanswered": outcome.missing,
            "games_checked": outcome.checked_games,
            "faults": outcome.faults,
        }


class LoadFailed(ParlourError):
    """The load test could not be done, or what it found is wrong."""


def split(plan: Plan, processes: int) -> list[Plan]:
    """Share the rooms, and the moves with them, among so many processes."""
    plans, first = [], 0
    for one in range(processes):
        rooms = (plan.rooms - first) // (processes - one)
        rate = plan.moves_per_second
        share = None if rate is None else rate * rooms / plan.rooms
        plans.append(replace(plan, rooms=rooms, moves_per_second=share, first_room=plan.first_room + first))
        first += rooms
    return plans


async def load(plan: Plan, processes: int, server_pid: int | None, progress: Progress) -> LoadResult:
    """Carry out a plan.

    Raises `LoadFailed`, `ConnectionFailed`, and `UsageError` where the server's limits don't allow the rate.
    """
    if getattr(sys, "frozen", False):
        raise UsageError(say("error.load.one_file"))
    # Where no server is this says so, and better than any of the processes.
    await (await open_socket(plan.server, HEARTBEAT)).close()
    workers = [_Worker(one, progress) for one in split(plan, processes)]
    try:
        await asyncio.gather(*(worker.open(workers) for worker in workers))
        if not any(worker.rooms for worker in workers):
            raise LoadFailed(say("error.load.no_room", why=workers[0].why))
        most = sum(worker.most for worker in workers)
        if plan.moves_per_second is not None and plan.moves_per_second > most:
            rooms = sum(worker.rooms for worker in workers)
            raise UsageError(say("error.load.too_fast", rooms=rooms, most=round(most)))
        cpu, begun = _cpu_seconds(server_pid), time.monotonic()
        await asyncio.gather(*(worker.measure(workers) for worker in workers))
        whole = Outcome()
        for worker in workers:
            whole.merge(worker.outcome)
        used = None
        if cpu is not None and (now := _cpu_seconds(server_pid)) is not None:
            used = (now - cpu) / (time.monotonic() - begun)
        return LoadResult(plan, processes, whole, used)
    except TimeoutError:
        raise LoadFailed(say("error.load.silent")) from None
    finally:
        await asyncio.gather(*(worker.stop() for worker in workers))


def _cpu_seconds(pid: int | None) -> float | None:
    """The CPU time of a process and its threads; None where that isn't known (it is on Linux)."""
    if pid is None or not sys.platform.startswith("linux"):
        return None
    try:
        # The kernel's clock of another process, as clock_getcpuclockid(3) names it.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None


class _Worker:
    """One of the processes, from outside."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self._plan, self._progress = plan, progress
        self._process: asyncio.subprocess.Process | None = None
        self.rooms = 0
        self.most = 0.0
        self.why = ""
        self.seconds = 0.0
        self.outcome = Outcome()

    async def open(self, workers: list["_Worker"]) -> None:
        """Start it, and wait until its rooms are open."""
        # -P: no file in the folder where we were started stands in for a module of ours.
        command = [sys.executable, "-P", "-m", "parlour_client.load.worker"]
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # A Ctrl-C is for us, who end it.
            start_new_session=os.name != "nt",
            limit=LONGEST_LINE,
        )
        self._write(json.dumps(asdict(self._plan)))
        async with asyncio.timeout(OPEN_SECONDS + GRACE_SECONDS):
            while "ready" not in (said := await self._read()):
                self.rooms = said["opened"]
                of = sum(one._plan.rooms for one in workers)
                self._progress("rooms", sum(one.rooms for one in workers), of)
        self.rooms, self.most, self.why = said["ready"], said["most"], said["why"]

    async def measure(self, workers: list["_Worker"]) -> None:
        """Let it begin, and wait for what it found."""
        self._write("go")
        async with asyncio.timeout(self._plan.seconds + 2 * GRACE_SECONDS):
            while "outcome" not in (said := await self._read()):
                self.seconds = said["seconds"]
                self._progress("seconds", min(one.seconds for one in workers), self._plan.seconds)
        self.outcome = OUTCOME.validate_python(said["outcome"])

    async def stop(self) -> None:
        """End it, where it has not ended."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _write(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")

    async def _read(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        line = await self._process.stdout.readline()
        said: dict[str, Any] = json.loads(line) if line else {"broken": say("error.load.ended")}
        if "broken" in said:
            raise LoadFailed(say("error.load.broke", why=said["broken"]))
        return said
