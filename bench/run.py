"""The run: rounds of short phases, in which the servers take turns.

What else the machine does comes and goes, and meets neighbouring phases alike. So every load is put
on one server right after the other, and the whole is done several times.
"""

import contextlib
import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.disk import sync_seconds
from bench.games import GAMES
from bench.kinds import MEMORY
from bench.load import idle_bytes, pace, saturate
from bench.play import ParlourRoom
from bench.results import Samples
from bench.searches import BOTS, search
from bench.servers import Kind, pin_generator, running

PACED_ROOMS = 200
GAME_ROOMS = 100
WARM_UP_ROOMS = 20
PACED_RATE = 2000.0

Progress = Callable[[str], None]
"""Told what is measured next."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and for how long."""

    rounds: int
    seconds: float
    """For each phase, without its warm-up."""
    kinds: tuple[Kind, ...]
    rooms: tuple[int, ...]
    """How many rooms play at once while the servers give all they can."""
    paced: tuple[Kind, ...]
    """Those whose latencies are measured."""
    bots: tuple[str, ...] = BOTS
    """Those whose first move is timed."""
    games: tuple[str, ...] = GAMES
    """Those whose moves are measured by themselves, in memory, each for half of the seconds."""
    idle: tuple[Kind, ...] = ()
    """Those whose memory for each idle connection is measured, in the first round."""

    @property
    def phases(self) -> int:
        """How often a run reports its progress."""
        each = len(self.rooms) * len(self.kinds) + len(self.games) + len(self.paced) + len(self.bots)
        return self.rounds * each + len(self.idle)


async def measure(plan: Plan, folder: Path, progress: Progress) -> Samples:
    """Do all rounds. `folder` takes the servers' data. Raises `BenchError`."""
    pin_generator()
    samples = Samples()
    for number in range(plan.rounds):
        # Nothing here makes cycles by the thousand, and a collection would show among the latencies.
        gc.collect()
        gc.disable()
        await _round(plan, folder / str(number), number, samples, progress)
        gc.enable()
    return samples


async def _round(plan: Plan, folder: Path, number: int, samples: Samples, progress: Progress) -> None:
    name = f"round {number + 1}"
    async with contextlib.AsyncExitStack() as stack:
        # Fresh servers in each round, so that no round finds longer logs than the one before.
        servers = [await stack.enter_async_context(running(kind, folder / kind.name)) for kind in plan.kinds]
        for server in servers:
            # Else the first phase would time what a just-in-time compiler does once.
            await saturate(server, WARM_UP_ROOMS, plan.seconds / 2)
        for rooms in plan.rooms:
            for server in servers:
                progress(f"{name}: {server.kind.name}, {rooms} rooms")
                usage = await saturate(server, rooms, plan.seconds)
                samples.saturated.setdefault((server.kind.name, rooms), []).append(usage)
        up = {server.kind.name: server for server in servers}
        for game in plan.games:
            progress(f"{name}: {game}, {GAME_ROOMS} rooms")
            room = partial(ParlourRoom, game=game)
            usage = await saturate(up[MEMORY.name], GAME_ROOMS, plan.seconds / 2, room)
            samples.games.setdefault(game, []).append(usage)
        for kind in plan.paced:
            progress(f"{name}: {kind.name}, {PACED_RATE:,.0f} moves/s")
            async with contextlib.AsyncExitStack() as alone:
                # What is measured in this alone is measured as it is right after its start.
                fresh = running(kind, folder / f"{kind.name}-paced")
                server = up[kind.name] if kind.name in up else await alone.enter_async_context(fresh)
                paced = await pace(server, PACED_ROOMS, PACED_RATE, plan.seconds)
            samples.paced.setdefault(kind.name, []).append(paced)
            samples.syncs.append(sync_seconds(folder, plan.seconds / 4))
    if number == 0:
        for kind in plan.idle:
            progress(f"{name}: {kind.name}, idle connections")
            async with running(kind, folder / f"{kind.name}-idle") as server:
                samples.idle_bytes[kind.name] = await idle_bytes(server)
    for bot in plan.bots:
        progress(f"{name}: {bot}, first move")
        samples.searches.setdefault(bot, []).append(search(bot))
