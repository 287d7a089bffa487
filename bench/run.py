"""The run: rounds of short phases, in which the servers take turns.

What else the machine does comes and goes, and meets neighbouring phases alike. So every load is put
on one server right after the other, and the whole is done several times.
"""

import contextlib
import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.load import pace, saturate
from bench.results import Samples
from bench.searches import BOTS, search
from bench.servers import KINDS, pin_generator, running

ROOMS = (50, 200)
PACED_ROOMS = 200
PACED_RATE = 2000.0

Progress = Callable[[str], None]
"""Told what is measured next."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure."""

    rounds: int
    seconds: float
    """For each phase, without its warm-up."""

    @property
    def phases(self) -> int:
        """How often a run tells its progress."""
        return self.rounds * ((len(ROOMS) + 1) * len(KINDS) + len(BOTS))


async def measure(plan: Plan, folder: Path, progress: Progress) -> Samples:
    """Do all rounds. `folder` takes the servers' data. Raises `BenchError`."""
    pin_generator()
    samples = Samples()
    for number in range(plan.rounds):
        # Nothing here makes cycles by the thousand, and a collection would show among the latencies.
        gc.collect()
        gc.disable()
        await _round(plan, folder / str(number), f"round {number + 1}", samples, progress)
        gc.enable()
    return samples


async def _round(plan: Plan, folder: Path, name: str, samples: Samples, progress: Progress) -> None:
    async with contextlib.AsyncExitStack() as stack:
        # Fresh servers in each round, so that no round finds longer logs than the one before.
        servers = [await stack.enter_async_context(running(kind, folder / kind.name)) for kind in KINDS]
        for rooms in ROOMS:
            for server in servers:
                progress(f"{name}: {server.kind.name}, {rooms} rooms")
                usage = await saturate(server, rooms, plan.seconds)
                samples.saturated.setdefault((server.kind.name, rooms), []).append(usage)
        for server in servers:
            progress(f"{name}: {server.kind.name}, {PACED_RATE:,.0f} moves/s")
            paced = await pace(server, PACED_ROOMS, PACED_RATE, plan.seconds)
            samples.paced.setdefault(server.kind.name, []).append(paced)
    for bot in BOTS:
        progress(f"{name}: {bot}, first move")
        samples.searches.setdefault(bot, []).append(search(bot))
