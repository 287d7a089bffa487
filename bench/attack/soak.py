"""A mixed population at a steady rate, for long, and what the server's memory makes of it.

Rooms play and are closed, others take their place; bots, spectators, broken connections, chat, analyses and
games that are read again. The memory should rise while the first rooms fill it, and then be flat.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.attack.people import own_address
from bench.attack.processes import Server, serving
from parlour_client.load.plan import Outcome
from parlour_client.load.player import CommandRefused, Player
from parlour_client.load.room import Room
from parlour_client.sdk.requests import new_id
from parlour_protocol.commands import (
    Analyse,
    AskRecord,
    AskThoughts,
    Command,
    CreateRoom,
    ListRooms,
    PlayerAction,
    Say,
    Subscribe,
)

GROUPS = 8
STAY_SECONDS = 20.0
PAUSE_SECONDS = 0.2
SAMPLE_SECONDS = 5.0
OPEN_SECONDS = 30.0
FLAT = 1.0
"""Megabytes an hour in the second half, in parts of a hundred megabytes held."""

_numbers = itertools.count(1)


async def soak(minutes: float, *, as_json: bool) -> int:
    """Soak a server for so long; 0: its memory is flat and nothing was wrong."""
    os.nice(10)
    folder = Path(tempfile.mkdtemp(prefix="parlour-soak-"))
    samples: list[tuple[float, float]] = []
    outcome = Outcome()
    try:
        limits = {"idle_room_seconds": 30, "away_room_seconds": 30}
        async with serving(str(folder / "rooms.db"), folder / "log", **limits) as server:
            begun = time.monotonic()
            groups = [asyncio.create_task(_group(server.url, outcome)) for _ in range(GROUPS)]
            while (gone := time.monotonic() - begun) < minutes * 60:
                await asyncio.sleep(min(SAMPLE_SECONDS, minutes * 60 - gone))
                samples.append(((time.monotonic() - begun) / 60, server.memory() / 2**20))
                if len(samples) % 12 == 0:
                    _tell(samples, outcome)
                if broken := [group for group in groups if group.done()]:
                    broken[0].result()
            for group in groups:
                group.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await group
            return _report(server, samples, outcome, as_json=as_json)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _group(url: str, outcome: Outcome) -> None:
    """Three rooms, one with a bot, that play for a while and go; then others come."""
    while True:
        number = next(_numbers)
        rooms = [
            Room(
                url,
                number * 10 + one,
                outcome,
                game="connect4" if one == 1 else "tictactoe",
                bot="easy" if one == 2 else None,
                spectators=2,
                headers=own_address(),
                pause=PAUSE_SECONDS,
            )
            for one in range(3)
        ]
        for room in rooms:
            room.measured = True
        try:
            await asyncio.gather(*(room.open(OPEN_SECONDS) for room in rooms))
            await asyncio.gather(*(room.open_spectators(OPEN_SECONDS) for room in rooms))
            for room in rooms:
                room.run()
            end = time.monotonic() + STAY_SECONDS * random.uniform(0.5, 1.5)
            while time.monotonic() < end:
                await asyncio.sleep(random.uniform(0.5, 1.5))
                await _something(random.choice(rooms))
            for room in rooms:
                room.halt()
            await asyncio.gather(*(room.rest() for room in rooms))
            await asyncio.gather(*(room.check() for room in rooms))
            # Half of them are closed, the others are left behind as people do.
            if random.random() < 0.5:
                for room in rooms:
                    with contextlib.suppress(CommandRefused, TimeoutError):
                        command = PlayerAction(id=new_id(), room=room.code, type="close")
                        await room.players[0].ask(command)
        except (TimeoutError, CommandRefused):
            outcome.missing += 1
        finally:
            for room in rooms:
                room.close()


async def _something(room: Room) -> None:
    """What people do beside playing."""
    player = random.choice(room.players)
    choice = random.randrange(8)
    if choice == 0:
        player.drop()
        return
    if choice == 1:
        visitor = Player(
            room.players[0].url, f"Visitor {next(_numbers)}", room.outcome, headers=own_address()
        )
        await visitor.open(OPEN_SECONDS)
        with contextlib.suppress(CommandRefused, TimeoutError):
            await visitor.ask(CreateRoom(id=new_id(), game="reversi"))
        visitor.abort()
        return
    commands: list[Command[Any]] = [
        Say(id=new_id(), room=room.code, text="Good move."),
        ListRooms(id=new_id()),
        AskRecord(id=new_id(), room=room.code),
        AskThoughts(id=new_id(), room=room.code),
        Analyse(id=new_id(), game="tictactoe", moves="b2 a1", bot="easy"),
        Subscribe(id=new_id(), room=room.code),
    ]
    with contextlib.suppress(CommandRefused, TimeoutError):
        await player.ask(commands[choice - 2])


def slope(samples: list[tuple[float, float]]) -> float:
    """Megabytes an hour over the second half, by least squares: `samples` are minutes and megabytes."""
    half = samples[len(samples) // 2 :]
    if len(half) < 2:
        return 0.0
    mean_x = sum(x for x, _ in half) / len(half)
    mean_y = sum(y for _, y in half) / len(half)
    spread = sum((x - mean_x) ** 2 for x, _ in half)
    return sum((x - mean_x) * (y - mean_y) for x, y in half) / spread * 60 if spread else 0.0


def _tell(samples: list[tuple[float, float]], outcome: Outcome) -> None:
    minutes, megabytes = samples[-1]
    print(
        f"{minutes:6.1f} min  {megabytes:7.1f} MB  {slope(samples):+7.1f} MB/h  {outcome.moves:9,} moves  "
        f"{outcome.rooms:6,} rooms  {len(outcome.faults)} faults",
        file=sys.stderr,
        flush=True,
    )


def _report(server: Server, samples: list[tuple[float, float]], outcome: Outcome, *, as_json: bool) -> int:
    rise = slope(samples)
    flat = rise <= FLAT * samples[-1][1] / 100
    found = {
        "minutes": round(samples[-1][0], 2),
        "megabytes": [[round(x, 2), round(y, 1)] for x, y in samples],
        "slope_mb_an_hour": round(rise, 2),
        "flat": flat,
        "moves": outcome.moves,
        "rooms": outcome.rooms,
        "games_checked": outcome.checked_games,
        "refused": dict(outcome.refused),
        "lost": dict(outcome.lost),
        "unanswered": outcome.missing,
        "faults": outcome.faults,
        "tracebacks": server.tracebacks(),
    }
    if as_json:
        print(json.dumps(found))
    else:
        _tell(samples, outcome)
        for name in ("slope_mb_an_hour", "flat", "refused", "lost", "unanswered", "faults", "tracebacks"):
            print(f"{name.replace('_', ' ')}: {found[name]}")
    return 0 if flat and not outcome.faults and not found["tracebacks"] else 1
