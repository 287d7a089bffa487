"""Three nodes over one PostgreSQL, and all that may befall them, while people and bots play on.

    python -m bench.faults --faults 200 --picture faults.svg

Faults come one after the other, each once play goes on after the one before it. In the end every diary is
held against the log: see `tests.support.history`. It exits with 1 where anything was lost, doubled or stuck.
"""

import argparse
import asyncio
import gc
import itertools
import random
import signal
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from bench.faults.nodes import Cluster, Node, clustered
from bench.faults.picture import draw
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.events import Event
from parlour_server.room.state import RoomState, evolve
from tests.e2e.people import AGAIN_SECONDS, Person, Spectator
from tests.support import postgres
from tests.support.history import check, read_log
from tests.support.proxy import Proxy

NODES = 3
OPTIONS = ("--search-workers", "1")
STUCK_SECONDS = 60.0
"""A room in which nothing has happened for so long is stuck."""
DATABASE_KILLED = "kill -9 of PostgreSQL"
LEASE_SECONDS = 3.0
"""After so long without a sign of life, a node's rooms are others' to run."""


@dataclass
class Size:
    """How many play, and how fast."""

    people: int = 9
    """Rooms of two people, every third with a clock."""
    bots: int = 3
    """Rooms of two bots, and one who looks on."""
    watched: int = 3
    """Rooms of two people with one who looks on, among the first."""
    mixed: int = 3
    """Rooms of a person and a bot."""
    games: int = 6
    """After so many they make another room."""
    thinks: tuple[float, float] = (0.05, 0.3)


# ---------------------------------------------------------------- when play goes on


@dataclass
class Fault:
    """One thing that befell the cluster."""

    kind: str
    node: str
    begun: float
    """By the loop's clock, as the others."""
    since: float
    """From when on play could go on: later than `begun` only where there was no database at all."""
    over: float = 0.0
    pause: float = 0.0
    """The longest time from then on in which nothing happened in a room."""
    room: str = ""
    """That room, and who plays there."""
    alone: bool = True
    """Did no other fault come at the same time?"""


class Progress:
    """When something last happened in each room, as its people saw it."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._versions: dict[str, int] = {}
        self._players: dict[str, str] = {}
        self.last: dict[str, float] = {}
        """Of those rooms that are in use."""
        self.faults: list[Fault] = []
        self.latest: list[Fault] = []
        """Those that came last, all at once."""

    def begun(self, room: str, players: str) -> None:
        self._players[room] = players
        self.last[room] = self._now()

    def received(self, event: Event) -> None:
        """An event that somebody was shown."""
        if event.version > self._versions.get(event.room, 0) and event.room in self.last:
            self._versions[event.room] = event.version
            self._note(event.room)

    def ended(self, room: str) -> None:
        self._note(room)
        del self.last[room]

    def database_is_back(self) -> None:
        """Nothing could go on before."""
        for fault in self.latest:
            fault.since, fault.pause = self._now(), 0.0

    def _note(self, room: str) -> None:
        last, now = self.last[room], self._now()
        self.last[room] = now
        for fault in self.latest:
            pause = now - max(last, fault.since)
            if pause > fault.pause:
                fault.pause, fault.room = pause, f"{room}, {self._players[room]}"


# ---------------------------------------------------------------- those who play


class Play:
    """All who play, until they are told that it is enough."""

    def __init__(self, url: str, size: Size, dice: random.Random) -> None:
        self._url, self._size, self._dice = url, size, dice
        self.progress = Progress(asyncio.get_running_loop().time)
        self.people: list[Spectator] = []
        self.rooms: list[str] = []
        self.enough = False
        self._names = itertools.count(1)

    async def play(self) -> None:
        """All rooms, one after the other where each stands, until it is enough."""
        size = self._size
        async with asyncio.TaskGroup() as group:
            for number in range(size.people):
                group.create_task(self._again(self._two_people, number))
            for number in range(size.mixed):
                group.create_task(self._again(self._person_and_bot, number))
            for number in range(size.bots):
                group.create_task(self._again(self._two_bots, number))

    async def _again(self, room: Callable[[int], Awaitable[None]], number: int) -> None:
        while not self.enough:
            await room(number)

    async def _two_people(self, number: int) -> None:
        clock = "5+3" if number % 3 == 0 else None
        async with self._host("two people", clock=clock) as (_, room), asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(self._play(room))
            if number < self._size.watched:
                group.create_task(self._look_on(room))

    async def _person_and_bot(self, number: int) -> None:
        async with self._host("a person and a bot") as (host, room):
            await self._add_bot(host, room, ("alphabeta", "random", "minimax")[number % 3])
            await self._play(room)

    async def _two_bots(self, number: int) -> None:
        pace, games = self._size.thinks[1] / 2, self._size.games
        async with self._host("two bots", pace=pace, games=games) as (host, room):
            for bot in ("alphabeta", "random"):
                await self._add_bot(host, room, bot)
            await self._look_on(room)

    @asynccontextmanager
    async def _host(self, players: str, **settings: Any) -> AsyncIterator[tuple[Connection, str]]:
        """A new room, and the connection of whoever made it."""
        asked = commands.AskedSettings(**settings)
        host = Spectator(f"Host{next(self._names)}", self._url, self._dice.randrange(2**32))
        self.people.append(host)
        async with host.connected():
            made = await with_retries(
                lambda: host.connection.request(
                    commands.CreateRoom(id=new_id(), game="tictactoe", settings=asked)
                ),
                AGAIN_SECONDS,
            )
            self.rooms.append(made.room)
            self.progress.begun(made.room, players)
            yield host.connection, made.room
            self.progress.ended(made.room)

    async def _add_bot(self, host: Connection, room: str, bot: str) -> None:
        await with_retries(
            lambda: host.request(commands.AddBot(id=new_id(), room=room, bot=bot)), AGAIN_SECONDS
        )

    async def _play(self, room: str) -> None:
        person = Person(f"P{next(self._names)}", self._url, self._dice.randrange(2**32), self._size.thinks)
        await self._be_there(person, lambda: person.play(room, self._size.games))

    async def _look_on(self, room: str) -> None:
        person = Spectator(f"S{next(self._names)}", self._url, self._dice.randrange(2**32))
        await self._be_there(person, lambda: person.watch(room, self._size.games))

    async def _be_there(self, one: Spectator, work: Callable[[], Awaitable[None]]) -> None:
        one.on_event = self.progress.received
        self.people.append(one)
        async with one.connected():
            await work()

    def moves(self) -> list[tuple[float, float]]:
        """When people's moves were accepted, and how many seconds each took."""
        return sorted(move for one in self.people if isinstance(one, Person) for move in one.moves)


# ---------------------------------------------------------------- what befalls them


class Storm:
    """Faults, one after the other, all drawn from a seed."""

    def __init__(self, cluster: Cluster, play: Play, dice: random.Random, span: float) -> None:
        self._cluster, self._town, self._dice = cluster, play, dice
        self._progress = play.progress
        self._span = span
        """How long faults last: 1.0 is as long as in a whole run."""
        self._now = asyncio.get_running_loop().time

    async def strike(self, kinds: Sequence[str]) -> list[Fault]:
        """Faults of these kinds at once, each of another node, and on until play goes on everywhere.

        Raises `AssertionError`.
        """
        begun, nodes = self._now(), self._dice.sample(self._cluster.nodes, len(kinds))
        faults = [
            Fault(kind, "" if kind == DATABASE_KILLED else node.name, begun, begun, alone=len(kinds) == 1)
            for kind, node in zip(kinds, nodes, strict=True)
        ]
        self._progress.faults += faults
        self._progress.latest = faults
        await asyncio.gather(*map(self._strike, faults, nodes))
        over = self._now()
        while stuck := [room for room, last in self._progress.last.items() if last <= over]:
            assert self._now() < over + STUCK_SECONDS, (
                f"after {' and '.join(kinds)} of {[node.name for node in nodes]} these are stuck: "
                + "; ".join([await self._what_is_known(room) for room in stuck])
            )
            await asyncio.sleep(0.02)
        return faults

    async def _what_is_known(self, room: str) -> str:
        """How a room stands in the log, who is to run it, and how its people see it."""
        connection = await asyncpg.connect(self._cluster.data)
        try:
            lease = await connection.fetchrow(
                "SELECT holder, until > clock_timestamp() AS lives FROM parlour.rooms "
                "LEFT JOIN parlour.nodes ON node = holder WHERE room = $1",
                room,
            )
        finally:
            await connection.close()
        records = (await read_log(self._cluster.data)).get(room, [])
        seen = [one.standing() for one in self._town.people if one.view.get("room") == room]
        return f"{room}, at {len(records)}, {lease}, {records[-2:]}, {seen}"

    async def _strike(self, fault: Fault, node: Node) -> None:
        await KINDS[fault.kind](self, node)
        fault.over = self._now()

    async def _some(self, least: float, most: float) -> None:
        await asyncio.sleep(self._span * self._dice.uniform(least, most))

    async def _kill(self, node: Node) -> None:
        await node.process.kill()
        await self._some(0, 2 * LEASE_SECONDS)
        await node.process.start()

    async def _pause(self, node: Node) -> None:
        node.pause()
        await asyncio.sleep(1.05 * LEASE_SECONDS)
        await self._some(0, 1.5 * LEASE_SECONDS)
        node.resume()

    async def _swallow_back(self, node: Node) -> None:
        await self._swallow(node.back)

    async def _swallow_front(self, node: Node) -> None:
        await self._swallow(node.front)

    async def _swallow(self, proxy: Proxy) -> None:
        proxy.swallow()
        await self._some(0.5, 3 * LEASE_SECONDS)
        proxy.go_on()

    async def _reset_back(self, node: Node) -> None:
        await self._reset(node.back)

    async def _reset_front(self, node: Node) -> None:
        await self._reset(node.front)

    async def _reset(self, proxy: Proxy) -> None:
        proxy.refuse = True
        proxy.cut()
        await self._some(0, 2 * LEASE_SECONDS)
        proxy.refuse = False

    async def _slow_back(self, node: Node) -> None:
        node.back.late = self._dice.uniform(0.05, 0.4)
        await self._some(1, 4)
        node.back.late = 0.0

    async def _kill_database(self, node: Node) -> None:
        await self._cluster.database.kill()
        await self._some(0, 2)
        await self._cluster.database.start_again()
        self._progress.database_is_back()

    async def _drain(self, node: Node) -> None:
        await node.end_by_drain()
        await node.process.start()

    async def _stop(self, node: Node) -> None:
        assert await node.process.stop() == 0
        await self._some(0, 2)
        await node.process.start()


KINDS: dict[str, Callable[[Storm, Node], Awaitable[None]]] = {
    "kill -9 of a node": Storm._kill,
    "SIGSTOP past the lease": Storm._pause,
    "database cut off silently": Storm._swallow_back,
    "database cut off with a reset": Storm._reset_back,
    "database slow": Storm._slow_back,
    "people cut off silently": Storm._swallow_front,
    "people cut off with a reset": Storm._reset_front,
    DATABASE_KILLED: Storm._kill_database,
    "drain": Storm._drain,
    "SIGTERM": Storm._stop,
}
"""Each way to make a node's life harder."""
TOGETHER = "two at once"


# ---------------------------------------------------------------- a whole run


@dataclass
class Outcome:
    """What a run has come to."""

    faults: list[Fault]
    moves: list[tuple[float, float]]
    begun: float
    seconds: float
    rooms: int
    games: int
    events: int
    resent: int
    latest: float
    """How many seconds late this process was at most, which all that people and proxies do waits for."""


async def run(
    server: postgres.Server,
    folder: Path,
    *,
    seed: int,
    blows: Sequence[Sequence[str]],
    size: Size,
    span: float = 1.0,
    options: Sequence[str] = OPTIONS,
    reported: Callable[[list[Fault]], None] = lambda faults: None,
) -> Outcome:
    """Have faults of these kinds befall a cluster, those of a blow at once, and check what is left.

    Raises `AssertionError`.
    """
    dice = random.Random(seed)
    now = asyncio.get_running_loop().time
    async with clustered(server, folder, NODES, *options) as cluster:
        play = Play(cluster.balancer.url, size, dice)
        storm = Storm(cluster, play, dice, span)
        begun = now()
        lateness = [0.0]
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(_watch_itself(lateness))
            playing = group.create_task(play.play())
            await asyncio.sleep(span)
            for kinds in blows:
                reported(await storm.strike(kinds))
                await asyncio.sleep(span * dice.uniform(0, 1))
            play.enough = True
            async with asyncio.timeout(STUCK_SECONDS + 60):
                await playing
            watch.cancel()
        seconds = now() - begun
        for node in cluster.nodes:
            assert await node.process.stop() == 0, f"{node.name} did not end well"
        log = await read_log(cluster.data)
    check([one.diary for one in play.people], log)
    games = 0
    for code in play.rooms:
        state = RoomState(code)
        for record in log[code]:
            evolve(state, record)
        assert state.phase == "finished", f"{code} is {state.phase}"
        played = sum(state.wins) + state.draws
        assert played == size.games, f"{code}: {played} games were played, not {size.games}"
        games += played
    return Outcome(
        play.progress.faults,
        play.moves(),
        begun,
        seconds,
        len(play.rooms),
        games,
        sum(map(len, log.values())),
        sum(one.diary.resent for one in play.people),
        lateness[0],
    )


async def _watch_itself(lateness: list[float]) -> None:
    now = asyncio.get_running_loop().time
    while True:
        due = now() + 0.05
        await asyncio.sleep(0.05)
        lateness[0] = max(lateness[0], now() - due)


def drawn(count: int, dice: random.Random, kinds: Sequence[str]) -> list[list[str]]:
    """So many faults, of each kind about as many. One in four comes together with another."""
    left = list(itertools.chain.from_iterable(dice.sample(kinds, len(kinds)) for _ in range(count)))[:count]
    blows = []
    while left:
        blows.append([left.pop()])
        # Without a database no node starts.
        if left and DATABASE_KILLED not in (blows[-1][0], left[-1]) and dice.random() < 1 / 7:
            blows[-1].append(left.pop())
    return blows


def nearest_rank(sorted_values: Sequence[float], share: float) -> float:
    """The value below which that share of them is."""
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def table(outcome: Outcome) -> str:
    """What a run has shown, for people."""
    pauses: dict[str, list[float]] = defaultdict(list)
    for fault in outcome.faults:
        pauses[fault.kind if fault.alone else TOGETHER].append(fault.pause)
        pauses["all"].append(fault.pause)
    lines = [f"{'the longest pause of a room, in s':34}{'faults':>8}{'p50':>8}{'p99':>8}{'max':>8}"]
    for kind in (*KINDS, TOGETHER, "all"):
        if found := sorted(pauses[kind]):
            ranks = (nearest_rank(found, 0.5), nearest_rank(found, 0.99), found[-1])
            lines.append(f"{kind:34}{len(found):8}" + "".join(f"{rank:8.1f}" for rank in ranks))
    waits = sorted(seconds for _, seconds in outcome.moves)
    lines.append(
        f"{outcome.rooms} rooms, {outcome.games} games, {outcome.events} events; {len(outcome.moves)} moves "
        f"of people in {outcome.seconds:.0f} s ({len(outcome.moves) / outcome.seconds:.0f} a second, "
        f"p50 {1000 * nearest_rank(waits, 0.5):.0f} ms, p99 {1000 * nearest_rank(waits, 0.99):.0f} ms); "
        f"{outcome.resent} commands were sent again. This process was late by "
        f"{outcome.latest:.2f} s at most."
    )
    return "\n".join(lines)


def main() -> int:
    """The exit code: 0 if all was well."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=200, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="where all is drawn from")
    parser.add_argument("--only", nargs="*", choices=list(KINDS), help="these kinds of faults alone")
    parser.add_argument("--picture", type=Path, help="draw the run into this SVG file")
    parser.add_argument("--keep", type=Path, help="keep the nodes' logs in this folder")
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    blows = drawn(asked.faults, dice, asked.only or list(KINDS))
    numbers = itertools.count(1)

    def reported(faults: list[Fault]) -> None:
        for fault in faults:
            print(
                f"{next(numbers):4}/{asked.faults}  {fault.kind:32} {fault.node:6} lasted "
                f"{fault.over - fault.begun:4.1f} s, longest pause {fault.pause:4.1f} s ({fault.room})"
                + ("" if fault.alone else ", with another"),
                flush=True,
            )

    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="parlour-cluster-") as kept:
        folder = asked.keep or Path(kept)
        folder.mkdir(parents=True, exist_ok=True)
        base = Path(kept) / "postgres"
        base.mkdir()
        Path(kept).chmod(0o755)
        # As after Ctrl-C: no node is left behind.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        # What is noted down lasts to the end. To look for cycles in it would keep everybody waiting.
        gc.disable()
        with postgres.running(base) as server:
            try:
                outcome = uvloop.run(
                    run(server, folder, seed=asked.seed, blows=blows, size=Size(), reported=reported)
                )
            except BaseException as error:
                traceback.print_exception(error)
                return 1
    print(table(outcome))
    if asked.picture is not None:
        moments = [
            (fault.begun - outcome.begun, fault.over - outcome.begun, fault.kind) for fault in outcome.faults
        ]
        moves = [(at - outcome.begun, seconds) for at, seconds in outcome.moves]
        asked.picture.write_text(draw(moves, moments, outcome.seconds))
    return 0
