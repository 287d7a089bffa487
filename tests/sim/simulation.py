"""One run: a server or the nodes of a cluster, its people, and the weather between them, drawn from one seed.

After a time in which everything goes wrong comes the evening: the storm ends, nobody begins anything new,
and all must come to rest. Then everybody's word is held against the log.
"""

import asyncio
import gc
import json
import random
import traceback
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json
from structlog.testing import capture_logs

from parlour_protocol import commands
from parlour_protocol.events import ChatPosted, RoomClosed, RoomCreated
from parlour_protocol.ids import Version
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.log import LogRecord
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import room_view
from parlour_server.store.port import StoreError
from tests.sim.counting import Counting
from tests.sim.database import UNREACHABLE, Database
from tests.sim.loop import SimulatedLoop
from tests.sim.network import Network
from tests.sim.people import Person, Terminal
from tests.sim.server import SimulatedServer
from tests.sim.store import Disk
from tests.sim.tournaments import Organising
from tests.sim.trace import Trace
from tests.sim.weather import calm, draw
from tests.support.history import Client, Downtime, check

STRANGER = "Zed"
"""Who talks on another server."""
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
EPOCH = 1_700_000_000_000
"""When the simulated clock stands at nought: milliseconds since 1970."""
FAULT_SECONDS = (0.5, 2.0, 3.5, 8.0, 15.0)
"""How long something lasts that happens to a node, or to the database: a lease lasts three."""
UNNOTICED_MS = 3_800
"""For a lease and a beat the nodes of a cluster may be without their database while clocks run."""
CLOSE_SECONDS = 20.0
"""How long a terminal that is closed may have something to do."""
REST_SECONDS = 150.0
"""How long it may take in the evening until everyone is up to date."""
EXPECTED = ("a command was not saved", "a player was not saved")
TOO_SLOW = ("a command failed in the store",)
"""What a node may also log that stood still."""
"""Errors that a log may tell of: the disk is full at times."""


class Failed(Exception):
    """A run that showed a fault; `seed` shows it again."""

    def __init__(self, seed: int, why: str, trace: list[str]) -> None:
        super().__init__(f"seed {seed}: {why}")
        self.seed, self.why, self.trace = seed, why, trace


@dataclass(slots=True)
class Run:
    """What came of a run without a fault."""

    seed: int
    digest: str
    lines: int
    events: int
    commands: int
    resent: int
    lives: int
    nodes: int
    """How many share a database; 0: one server has a disk to itself."""


class Simulation:
    """The world of one run."""

    def __init__(self, seed: int, loop: SimulatedLoop, trace: Trace) -> None:
        self.seed, self.loop, self.trace = seed, loop, trace
        self.dice = random.Random(f"{seed}/simulation")
        self.weather = draw(random.Random(f"{seed}/weather"))
        self.pace = self.dice.choice((0.3, 0.6, 1.2))
        """Seconds between two things that somebody does, on average."""
        self.disk = Disk()
        self.database = Database(self.now, self.disk) if self.weather.nodes else None
        """What the nodes of a cluster share; None: there is one server, with a disk to itself."""
        self.network = Network(loop, random.Random(f"{seed}/network"), self.weather, trace)
        self.rooms: list[str] = []
        """The codes that people tell each other."""
        self.people = [Person(self, name) for name in NAMES[: self.weather.people]]
        self.evening = False
        self._starting: list[SimulatedServer] = []
        self.downtimes: list[Downtime] = []
        self._unserved_since: int | None = self.now()
        """Since when no server can save anything; None: one can."""
        self.lives = 0
        self.counting = Counting(self)
        self.organising = Organising(self)
        self.servers: list[SimulatedServer | None] = [None] * max(1, self.weather.nodes)
        """Who runs on each machine."""

    def now(self) -> int:
        """Milliseconds since 1970."""
        return EPOCH + round(1000 * self.loop.time())

    @property
    def running(self) -> list[SimulatedServer]:
        """All servers that run."""
        return [server for server in self.servers if server is not None]

    def awake(self, room: str) -> list[LiveRoom]:
        """A room on all servers that have it."""
        found = [server.parts.directory.get(room) for server in self.running]
        return [room for room in found if room is not None]

    def version(self, room: str) -> Version | None:
        """How far a room has come; None where no server has it."""
        return max((one.state.version for one in self.awake(room)), default=None)

    @property
    def terminals(self) -> list[Terminal]:
        """All that there ever were."""
        return [terminal for person in self.people for terminal in person.terminals]

    def diaries(self) -> list[Client]:
        """What everybody wrote down, and what the network knows besides."""
        for terminal in self.terminals:
            for diary in terminal.diaries:
                said = [text for who, text in self.network.repeated if who == terminal.name]
                diary.asked_again |= {json.loads(text)["id"] for text in said}
        return [diary for terminal in self.terminals for diary in terminal.diaries]

    # ------------------------------------------------------------ the day

    async def run(self) -> None:
        """The storm, the evening, and the end."""
        self.trace.note("simulation", self.weather)
        for machine in range(len(self.servers)):
            await self._start_server(machine)
        for person in self.people:
            person.sit_down([])
        self.counting.begin()
        self.organising.begin()
        await self._storm()
        self.evening = True
        self.trace.note("simulation", "evening")
        calm(self.weather)
        self.disk.full = False
        for machine, server in enumerate(self.servers):
            if server is None:
                await self._start_server(machine)
        await self._come_to_rest()
        self._check_rest()
        if self.database is not None:
            await self._meet()
            await self._come_to_rest()
            self._check_rest()
        await self._close()

    async def _storm(self) -> None:
        weather, dice = self.weather, self.dice
        end = self.loop.time() + weather.seconds
        happenings: list[tuple[float, Callable[[], Any]]] = []

        def plan(number: int, what: Callable[[], Any]) -> None:
            for _ in range(number):
                happenings.append((dice.uniform(0.1, 0.95) * weather.seconds, what))

        plan(weather.crashes, self._crash)
        plan(weather.restarts, self._restart)
        plan(weather.cuts, self._cut_off)
        plan(weather.outages, self._lose_database)
        plan(weather.pauses, self._pause)
        plan(weather.early, self._end_leases)
        if weather.cut_bytes is not None:
            plan(dice.randint(0, 4), self._break_one)
            plan(dice.choice((0, 0, 1, 2)), self._new_terminal)
        plan(dice.choice((0, 1, 2)), self._second_terminal)
        plan(weather.strangers, self._write_elsewhere)
        if weather.full_disk:
            plan(1, self._fill_disk)
        start = end - weather.seconds
        under_way = []
        for at, what in sorted(happenings, key=lambda planned: planned[0]):
            await asyncio.sleep(max(0.0, start + at - self.loop.time()))
            if self.database is None:
                await what()
            else:
                # Several things happen to several nodes at a time.
                under_way.append(self.loop.create_task(what()))
        for one in under_way:
            await one
        await asyncio.sleep(max(0.0, end - self.loop.time()))

    async def _start_server(self, machine: int) -> None:
        self.lives += 1
        name = f"server {self.lives}"
        dice = random.Random(f"{self.seed}/{name}")
        server = SimulatedServer(
            name, self.disk, self.network, dice, self.weather, self.now, self.trace, self.database
        )
        self._starting.append(server)
        self._service_changed()
        starting = self.loop.create_task(server.start())
        starting.add_done_callback(lambda _: self._starting.remove(server))
        if not self.evening and self.weather.crashes and self.dice.random() < 0.15:
            # Killed while it reads its rooms.
            done, _ = await asyncio.wait([starting], timeout=self.dice.uniform(0, 0.1))
            if not done:
                server.kill()
                with suppress(asyncio.CancelledError):
                    await starting
                await self._stay_down(machine)
                return
        try:
            await starting
        except StoreError as error:
            self.trace.note(name, f"can't start: {error}")
            server.kill()
            await self._stay_down(machine)
            return
        self.servers[machine] = server
        self._service_changed()

    def _some_machine(self) -> int | None:
        """Where something can happen now."""
        able = [
            number
            for number, server in enumerate(self.servers)
            if server is not None and not server.stopping and not self.loop.is_paused(server.name)
        ]
        return self.dice.choice(able) if able else None

    async def _crash(self) -> None:
        machine = self._some_machine()
        if machine is not None:
            server = self.servers[machine]
            assert server is not None
            server.kill()
            await self._stay_down(machine)

    async def _restart(self) -> None:
        machine = self._some_machine()
        if machine is not None:
            server = self.servers[machine]
            assert server is not None
            await server.stop()
            assert not self.loop.left_of(server.name), self.loop.left_of(server.name)
            await self._stay_down(machine)

    async def _stay_down(self, machine: int) -> None:
        self.servers[machine] = None
        self._service_changed()
        await asyncio.sleep(self.dice.choice((0.05, 1.0, 5.0, 20.0)))
        await self._start_server(machine)

    def _service_changed(self) -> None:
        """Note since when nobody serves, or that somebody does again."""
        served = any(server.serves for server in self.running + self._starting)
        if served and self._unserved_since is not None:
            unnoticed = 0 if self.database is None else UNNOTICED_MS
            if self.now() - self._unserved_since >= unnoticed:
                self.downtimes.append(Downtime(self._unserved_since + unnoticed, self.now()))
            self._unserved_since = None
        elif not served and self._unserved_since is None:
            self._unserved_since = self.now()

    # ------------------------------------------------------------ what happens to the nodes of a cluster

    async def _cut_off(self) -> None:
        """A node reaches its clients, and not the database."""
        machine = self._some_machine()
        server = None if machine is None else self.servers[machine]
        if server is not None and server.cluster is not None and not server.cluster.cut:
            self.trace.note(server.name, "is cut off")
            server.cluster.cut = True
            self._service_changed()
            await asyncio.sleep(self.dice.choice(FAULT_SECONDS))
            self.trace.note(server.name, "is cut off no longer")
            server.cluster.cut = False
            self._service_changed()

    async def _lose_database(self) -> None:
        """The database is down; when it is back it may know its log alone."""
        assert self.database is not None
        self.trace.note("database", "is down")
        self.database.unavailable = True
        self._service_changed()
        await asyncio.sleep(self.dice.choice(FAULT_SECONDS))
        if self.dice.random() < 0.5:
            self.trace.note("database", "has forgotten all but the log")
            self.database.crash()
        self.trace.note("database", "is back")
        self.database.unavailable = False
        self._service_changed()

    async def _pause(self) -> None:
        """A node stands still, for shorter or longer than its lease."""
        machine = self._some_machine()
        server = None if machine is None else self.servers[machine]
        if server is not None:
            server.pause()
            self._service_changed()
            await asyncio.sleep(self.dice.choice(FAULT_SECONDS))
            server.resume()
            self._service_changed()

    async def _end_leases(self) -> None:
        """The database takes all nodes for dead, though they live."""
        assert self.database is not None
        self.trace.note("database", "takes all nodes for dead")
        self.database.forget_nodes()

    # ------------------------------------------------------------ what happens to people

    async def _break_one(self) -> None:
        self.network.break_one()

    async def _new_terminal(self) -> None:
        """Somebody's terminal is killed; they come back with another one."""
        person = self.dice.choice(self.people)
        terminal = person.terminals[-1]
        if terminal.alive and person.identity.token() is not None:
            terminal.kill()
            await asyncio.sleep(self.dice.uniform(0, 3))
            person.sit_down(list(terminal.shown))

    async def _second_terminal(self) -> None:
        """Somebody opens a second terminal in the same rooms."""
        person = self.dice.choice(self.people)
        if person.identity.token() is not None:
            person.sit_down(list(person.terminals[-1].shown))

    async def _fill_disk(self) -> None:
        self.disk.full = True
        await asyncio.sleep(self.dice.uniform(0.5, 5))
        self.disk.full = False

    async def _write_elsewhere(self) -> None:
        """Another server over the same disk lets somebody speak, and tells nobody here of it."""
        logs = self.disk.logs()
        # It would have woken the clocks of one that sleeps first.
        awake = [code for code in logs if self.awake(code)]
        if not awake:
            return
        room = self.dice.choice(awake)
        log = logs[room]
        created = log[0].event
        assert isinstance(created, RoomCreated)
        if created.settings.chat and not isinstance(log[-1].event, RoomClosed):
            said = ChatPosted("spectators", STRANGER, f"word {self.dice.randrange(1000)}")
            record = LogRecord(said, self.now(), f"p-{STRANGER}", f"{STRANGER}-{room}-{len(log)}")
            self.disk.write(room, len(log), [record])
            self.trace.note("elsewhere", f"{room} {len(log)}")

    # ------------------------------------------------------------ the evening

    async def _come_to_rest(self) -> None:
        until = self.loop.time() + REST_SECONDS
        calm_for = 0
        while self.loop.time() < until:
            await asyncio.sleep(0.5)
            resting = (
                self.network.on_the_way() == 0
                and all(one.at_rest for one in self.terminals)
                and all(
                    server.store.idle
                    and all(room.audience._timer is None for room in server.parts.directory.awake())
                    for server in self.running
                )
                and self.counting.done
                and self.organising.done
                and self._cluster_at_rest()
            )
            calm_for = calm_for + 1 if resting else 0
            if calm_for == 3:
                return

    def _cluster_at_rest(self) -> bool:
        if self.database is None:
            return True
        try:
            self.counting.check()
            for code in self.disk.logs():
                self._check_nodes(code)
                self._check_subscribers(code)
        except AssertionError:
            return False
        return True

    def _check_rest(self) -> None:
        assert self.counting.done, "a clerk was never answered"
        self.counting.check()
        assert self.organising.done, "a tournament did not go on"
        self.organising.check()
        for terminal in self.terminals:
            if terminal.alive:
                self._check_terminal(terminal)
        for code, log in self.disk.logs().items():
            for server in self.running:
                room = server.parts.directory.get(code)
                if room is not None:
                    self._check_room(server, room, log)
            if self.database is not None:
                self._check_nodes(code)

    def _check_room(self, server: SimulatedServer, room: LiveRoom, log: list[LogRecord]) -> None:
        code = room.code
        # Of what was written elsewhere last, a room is notified when it writes itself; of several nodes soon.
        unreceived = log[room.state.version :]
        unknown = self.database is None and all(record.by == f"p-{STRANGER}" for record in unreceived)
        assert unknown or not unreceived, f"{code} misses {unreceived}"
        state = RoomState(code)
        for record in log[: room.state.version]:
            evolve(state, record)
        self._check_members(room)
        assert room.state == state, f"{code}: the room is not what its log tells"
        # A closed room sends nothing, also to those who are shown it once more.
        for terminal in self.terminals if state.phase != "closed" else ():
            if terminal.alive and terminal.server == server.name and terminal.follows(code):
                self._check_view(terminal, room)

    def _check_nodes(self, code: str) -> None:
        """All nodes agree about a room, and just one runs it where that is needed."""
        assert self.database is not None
        rooms = [room for room in self.awake(code) if room.state.phase != "closed"]
        for room in rooms:
            length = len(self.disk.logs()[code])
            assert room.state.version == length, f"{code} stands at {room.state.version}, not at {length}"
            seats = room.state.seats
            present = [
                {one.player for one, present in other.audience.subscribers.items() if present}
                for other in rooms
            ]
            here = set[str]().union(*present)
            online = [one is not None and (one.bot is not None or one.player in here) for one in seats]
            seated = {one.player for one in seats if one is not None}
            watching = sum(len(players - seated) for players in present)
            shown = room.audience.presence()
            assert shown.online == online, f"{code}: online are {online}, and not {shown.online}"
            assert shown.watching == watching, f"{code}: {watching} watch it, and not {shown.watching}"
        holders = [
            server.name
            for server in self.running
            if (awake := server.parts.directory.get(code)) in rooms and awake.leased
        ]
        holder = self.database.holders.get(code)
        needed = any(room.audience or room.state.bot_to_move for room in rooms)
        assert len(holders) <= 1, f"{code}: {holders} all run it"
        assert holders or not needed, f"{code}: nobody runs it, and {holder} should"
        assert not holders or holders == [holder], f"{code}: {holders} runs it, and {holder} should"
        assert not any(room.state.bot_to_move for room in rooms), f"{code}: a bot does not move"

    def _check_subscribers(self, code: str) -> None:
        """Each terminal is subscribed at its node to what it follows."""
        for server in self.running:
            room = server.parts.directory.get(code)
            if room is None or room.state.phase == "closed":
                continue
            for terminal in self.terminals:
                if terminal.alive and terminal.server == server.name and terminal.follows(code):
                    links = [one for one in self.network.links.values() if one.context is terminal.context]
                    assert any(one.session in room.audience.subscribers for one in links), (
                        f"{code}: {terminal.name}"
                    )

    async def _meet(self) -> None:
        """Two who seek the same game, wherever they are connected, meet."""
        there = {one.person.name: one for one in self.terminals if one.alive and one.connection is not None}
        seekers = list(there.values())[:2]
        if len(seekers) < 2:
            return
        self.trace.note("simulation", f"{' and '.join(one.name for one in seekers)} seek a game")
        settings = commands.AskedSettings(pace=0.7)
        seeking = [
            self.loop.create_task(
                one.seek(commands.QuickMatch(id=one.person.new_id(), game="connect4", settings=settings))
            )
            for one in seekers
        ]
        rooms = [await one for one in seeking]
        assert rooms[0] == rooms[1], f"they wait for each other in {rooms}"

    def _check_members(self, room: LiveRoom) -> None:
        """Whoever follows is still connected."""
        here = {link.session for link in self.network.links.values()}
        ghosts = [member.player for member in room.audience.subscribers if member not in here]
        assert not ghosts, f"{room.code}: {ghosts} are gone, and still there"

    def _check_terminal(self, terminal: Terminal) -> None:
        connection = terminal.connection
        assert connection is not None, f"{terminal.name} never got in"
        unanswered = list(terminal.asking.values())
        assert not unanswered, f"{terminal.name} was never answered: {unanswered}"
        for room, version in connection.subscriptions.items():
            shown = terminal.shown.get(room)
            at = None if shown is None else shown["version"]
            said = f"{terminal.name} shows {room} at {at}, has received {version}, of {self.version(room)}"
            assert terminal.is_up_to_date(room, version), said

    def _check_view(self, terminal: Terminal, room: LiveRoom) -> None:
        """What it has folded is what the server would send it now, and that is all of the room's state."""
        shown, audience = terminal.shown[room.code], room.audience
        player = terminal.diaries[-1].player
        came = audience.came(player)
        assert came is not None, f"{terminal.name} shows {room.code}, and has not come"
        view = from_json(to_json(room_view(room.state, player, audience.presence(), came)))
        for name in sorted(shown.keys() | view.keys()):
            here, there = shown.get(name), view.get(name)
            assert here == there, f"{terminal.name} sees another {name} in {room.code}: {here}, not {there}"

    async def _close(self) -> None:
        for terminal in self.terminals:
            if terminal.alive:
                await terminal.close()
        until = self.loop.time() + CLOSE_SECONDS
        while self.loop.time() < until and any(self.loop.left_of(one.name) for one in self.terminals):  # noqa: ASYNC110
            await asyncio.sleep(1.0)
        for terminal in self.terminals:
            left = self.loop.left_of(terminal.name)
            assert not left, f"left of {terminal.name}: {left}"
        for server in self.running:
            await server.stop()
            left = self.loop.left_of(server.name)
            assert not left, f"left of {server.name}: {left}"


def run(seed: int, watch: Callable[[str], None] | None = None) -> Run:
    """Simulate one seed. Raises `Failed`."""
    loop = SimulatedLoop()
    trace = Trace(loop)
    trace.watch = watch
    simulation = Simulation(seed, loop, trace)
    with _no_collecting(), capture_logs() as logs:
        try:
            loop.run_until_complete(simulation.run())
            _check_logs(logs, cluster=simulation.database is not None)
            for fault in loop.faults:
                raise fault.get("exception") or AssertionError(f"nobody caught {fault}")
            diaries = simulation.diaries()
            check(
                diaries,
                simulation.disk.logs(),
                simulation.downtimes,
                rooms_sleep=simulation.weather.idle_seconds < simulation.weather.seconds,
                stood_still=simulation.weather.pauses > 0,
            )
        except Exception as error:
            why = "".join(traceback.format_exception_only(error)).strip()
            where = "".join(traceback.format_tb(error.__traceback__, -3))
            for entry in logs:
                if entry["log_level"] == "error":
                    trace.note("log", _reported(entry))
            raise Failed(seed, f"{why}\n{where}", trace.lines()) from error
        finally:
            _end(loop)
    return Run(
        seed,
        trace.digest(),
        len(trace),
        sum(len(log) for log in simulation.disk.logs().values()),
        sum(len(diary.sent) for diary in diaries),
        sum(diary.resent for diary in diaries),
        simulation.lives,
        simulation.weather.nodes,
    )


@contextmanager
def _no_collecting() -> Iterator[None]:
    """When garbage is collected is not up to the seed, and what is collected may call back."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _end(loop: SimulatedLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        with suppress(Exception):
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.close()


def _check_logs(logs: list[Any], *, cluster: bool) -> None:
    for entry in logs:
        if entry["log_level"] == "error":
            unreachable = UNREACHABLE in str(entry.get("reason", entry.get("exc_info")))
            slow = entry["event"] in TOO_SLOW
            assert entry["event"] in EXPECTED or (cluster and (unreachable or slow)), _reported(entry)


def _reported(entry: MutableMapping[str, Any]) -> str:
    error = entry.get("exc_info")
    reported = {name: value for name, value in entry.items() if name != "exc_info"}
    return f"{reported} " + (
        "".join(traceback.format_exception(error)) if isinstance(error, Exception) else ""
    )
