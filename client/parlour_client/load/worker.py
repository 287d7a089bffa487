"""A process with a share of the rooms: reads its plan and `go`, and writes what it does, as lines."""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from parlour_client.load.plan import OUTCOME, Outcome, Plan
from parlour_client.load.player import CommandRefused
from parlour_client.load.room import BOT, Room
from parlour_protocol.words import say

OPEN_SECONDS = 60.0
OPEN_AT_ONCE = 20
REPORT_SECONDS = 0.25
LAG_SECONDS = 0.01

Report = Callable[[dict[str, Any]], None]


def share(plan: Plan, outcome: Outcome) -> list[Room]:
    """The rooms of this process: in every second one of all a bot sits, where there are to be bots."""
    numbers = range(plan.first_room, plan.first_room + plan.rooms)
    return [
        Room(
            plan.server,
            number,
            outcome,
            game=plan.game,
            bot=BOT if plan.bots and number % 2 == 0 else None,
            spectators=plan.spectators,
        )
        for number in numbers
    ]


async def open_rooms(rooms: list[Room], report: Report) -> tuple[list[Room], str]:
    """Open them, some at a time; gives those in which a game has begun, and why others have none."""
    doors = asyncio.Semaphore(OPEN_AT_ONCE)
    end = time.monotonic() + OPEN_SECONDS
    opened: list[Room] = []
    why = ""

    async def enter(room: Room) -> None:
        nonlocal why
        async with doors:
            try:
                await room.open(max(0.0, end - time.monotonic()))
                await room.open_spectators(max(0.0, end - time.monotonic()))
            except (TimeoutError, CommandRefused) as error:
                why = str(error) or say("error.load.too_long")
                room.close()
                return
        opened.append(room)
        report({"opened": len(opened)})

    await asyncio.gather(*map(enter, rooms))
    return opened, why


async def measure(rooms: list[Room], plan: Plan, outcome: Outcome, report: Report) -> None:
    """Let the rooms play for the plan's seconds, after a warm-up of a quarter of them, 2 s at most."""
    warm = min(2.0, plan.seconds / 4)
    probe = asyncio.create_task(_lag(outcome))
    pace = None
    if plan.moves_per_second is None:
        for room in rooms:
            room.run()
    else:
        pace = asyncio.create_task(_pace(rooms, plan.moves_per_second))
    await asyncio.sleep(warm)
    for room in rooms:
        room.measured = True
    begun, cpu = time.monotonic(), time.process_time()
    while (gone := time.monotonic() - begun) < plan.seconds:
        await asyncio.sleep(min(REPORT_SECONDS, plan.seconds - gone))
        report({"moves": outcome.moves, "seconds": time.monotonic() - begun})
    outcome.seconds = time.monotonic() - begun
    outcome.cpu_seconds = time.process_time() - cpu
    outcome.busiest = outcome.cpu_seconds / outcome.seconds
    for task in (probe, pace):
        if task is not None:
            task.cancel()
    # Moves that are overdue by now would have taken at least so long: they count, or a standstill would not.
    for room in rooms:
        room.cut()
        room.halt()


async def settle(rooms: list[Room]) -> None:
    """Let the last moves arrive, then hold what the players saw against the server."""
    await asyncio.gather(*(room.rest() for room in rooms))
    await asyncio.gather(*(room.check() for room in rooms))
    for room in rooms:
        room.close()


async def _pace(rooms: list[Room], rate: float) -> None:
    """Have moves made at set times, in turn over the rooms, whatever the server does (open loop)."""
    begun, count = time.monotonic(), 0
    while True:
        now = time.monotonic()
        while (due := begun + count / rate) <= now:
            rooms[count % len(rooms)].schedule(due)
            count += 1
        await asyncio.sleep(due - time.monotonic())


async def _lag(outcome: Outcome) -> None:
    while True:
        asleep = time.monotonic()
        await asyncio.sleep(LAG_SECONDS)
        outcome.loop_lag.add(max(0.0, time.monotonic() - asleep - LAG_SECONDS))


async def work(plan: Plan, report: Report) -> None:
    """Do a plan: open, wait for `go`, measure, settle."""
    outcome = Outcome()
    rooms, why = await open_rooms(share(plan, outcome), report)
    report({"ready": len(rooms), "most": sum(room.most_moves for room in rooms), "why": why})
    word = await asyncio.to_thread(sys.stdin.readline)
    if word.strip() != "go":
        return
    work_task = asyncio.current_task()
    assert work_task is not None
    parent = asyncio.create_task(_end_with_parent(work_task))
    # What was made by now stays, and need not be looked at again in the middle of a measurement.
    gc.collect()
    gc.freeze()
    if rooms:
        await measure(rooms, plan, outcome, report)
        await settle(rooms)
    report({"outcome": OUTCOME.dump_python(outcome, mode="json")})
    await parent


async def _end_with_parent(work_task: asyncio.Task[None]) -> None:
    """Standard input ends with the process that started this one: then nobody wants to know any more."""
    await asyncio.to_thread(sys.stdin.read)
    work_task.cancel()


def main() -> None:
    """Do what standard input says, which closes with the process that started this one."""

    def report(what: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()

    with suppress(KeyboardInterrupt, BrokenPipeError, asyncio.CancelledError):
        try:
            asyncio.run(work(Plan(**json.loads(sys.stdin.readline())), report))
        except Exception as error:
            # Its reader shows it to a person.
            report({"broken": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
