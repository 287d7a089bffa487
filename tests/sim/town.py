"""One run: a server, its people, and the weather between them, all drawn from one seed.

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

from parlour_protocol.events import ChatPosted, RoomClosed, RoomCreated
from parlour_protocol.ids import Version
from parlour_server.hosting.live_room import LiveRoom
from parlour_server.room.log import LogRecord
from parlour_server.room.refusals import Refusal
from parlour_server.room.state import RoomState, evolve
from parlour_server.room.view import room_view
from tests.sim.house import House
from tests.sim.loop import SimulatedLoop
from tests.sim.network import Network
from tests.sim.people import Person, Terminal
from tests.sim.store import Disk
from tests.sim.trace import Trace
from tests.sim.weather import calm, draw
from tests.support.history import Client, Downtime, check

STRANGER = "Zed"
"""Who talks on another server."""
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
EPOCH = 1_700_000_000_000
"""When the simulated clock stands at nought: milliseconds since 1970."""
REST_SECONDS = 150.0
"""How long it may take in the evening until everyone is up to date."""
EXPECTED = ("a command was not saved", "a player was not saved")
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


class Town:
    """The world of one run."""

    def __init__(self, seed: int, loop: SimulatedLoop, trace: Trace) -> None:
        self.seed, self.loop, self.trace = seed, loop, trace
        self.dice = random.Random(f"{seed}/town")
        self.weather = draw(random.Random(f"{seed}/weather"))
        self.pace = self.dice.choice((0.3, 0.6, 1.2))
        """Seconds between two things that somebody does, on average."""
        self.disk = Disk()
        self.network = Network(loop, random.Random(f"{seed}/network"), self.weather, trace)
        self.rooms: list[str] = []
        """The codes that people tell each other."""
        self.people = [Person(self, name) for name in NAMES[: self.weather.people]]
        self.evening = False
        self.downtimes: list[Downtime] = []
        self._lives = 0
        self.house: House | None = None

    def now(self) -> int:
        """Milliseconds since 1970."""
        return EPOCH + round(1000 * self.loop.time())

    def life(self) -> int:
        """Which of the server's lives this is."""
        return self._lives

    def version(self, room: str) -> Version | None:
        """How far a room has come; None where no server has it."""
        if self.house is None:
            return None
        with suppress(Refusal):
            return self.house.directory.find(room).state.version
        return None

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
        self.trace.note("town", self.weather)
        await self._open_house()
        for person in self.people:
            person.sit_down([])
        await self._storm()
        self.evening = True
        self.trace.note("town", "evening")
        calm(self.weather)
        self.disk.full = False
        if self.house is None:
            await self._open_house()
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
        if weather.cut_bytes is not None:
            plan(dice.randint(0, 4), self._break_one)
            plan(dice.choice((0, 0, 1, 2)), self._new_terminal)
        plan(dice.choice((0, 1, 2)), self._second_terminal)
        plan(weather.strangers, self._write_elsewhere)
        if weather.full_disk:
            plan(1, self._fill_disk)
        start = end - weather.seconds
        for at, what in sorted(happenings, key=lambda planned: planned[0]):
            await asyncio.sleep(max(0.0, start + at - self.loop.time()))
            await what()
        await asyncio.sleep(max(0.0, end - self.loop.time()))

    async def _open_house(self) -> None:
        if self.downtimes:
            self.downtimes[-1].until = self.now()
        self._lives += 1
        name = f"server {self._lives}"
        dice = random.Random(f"{self.seed}/{name}")
        house = House(name, self.disk, self.network, dice, self.weather, self.now, self.trace)
        starting = self.loop.create_task(house.start())
        if not self.evening and self.weather.crashes and self.dice.random() < 0.15:
            # Killed while it reads its rooms.
            done, _ = await asyncio.wait([starting], timeout=self.dice.uniform(0, 0.1))
            if not done:
                house.kill()
                with suppress(asyncio.CancelledError):
                    await starting
                await self._stay_down()
                return
        await starting
        self.house = house

    async def _crash(self) -> None:
        if self.house is not None:
            self.house.kill()
            await self._stay_down()

    async def _restart(self) -> None:
        if self.house is not None:
            await self.house.stop()
            assert not self.loop.left_of(self.house.name), self.loop.left_of(self.house.name)
            await self._stay_down()

    async def _stay_down(self) -> None:
        self.house = None
        self.downtimes.append(Downtime(self.now(), self.now()))
        await asyncio.sleep(self.dice.choice((0.05, 1.0, 5.0, 20.0)))
        await self._open_house()

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
        awake = [code for code in logs if self.house is not None and code in self.house.directory._rooms]
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
            assert self.house is not None
            rooms = self.house.directory._rooms.values()
            resting = (
                self.network.on_the_way() == 0
                and all(one.at_rest for one in self.terminals)
                and all(room.audience._timer is None for room in rooms)
            )
            calm_for = calm_for + 1 if resting and self.house.store.idle else 0
            if calm_for == 3:
                return

    def _check_rest(self) -> None:
        for terminal in self.terminals:
            if terminal.alive:
                self._check_terminal(terminal)
        for code, log in self.disk.logs().items():
            assert self.house is not None
            room = self.house.directory._rooms.get(code)
            if room is not None:
                # Of what was written elsewhere last, a room hears when it writes itself.
                unheard = log[room.state.version :]
                assert all(record.by == f"p-{STRANGER}" for record in unheard), f"{code} misses {unheard}"
                state = RoomState(code)
                for record in log[: room.state.version]:
                    evolve(state, record)
                self._check_members(room)
                assert room.state == state, f"{code}: the room is not what its log tells"
                # A closed room sends nothing, also to those who are shown it once more.
                for terminal in self.terminals if state.phase != "closed" else ():
                    if terminal.alive and terminal.follows(code):
                        self._check_view(terminal, room)

    def _check_members(self, room: LiveRoom) -> None:
        """Whoever follows is still connected, and a player follows from one place."""
        seated = [
            one.player for one in room.audience.subscribers if room.state.seat_of(one.player) is not None
        ]
        assert len(seated) == len(set(seated)), f"{room.code}: somebody sits there twice"
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
            said = f"{terminal.name} shows {room} at {at}, has heard of {version}, of {self.version(room)}"
            assert terminal.is_up_to_date(room, version), said

    def _check_view(self, terminal: Terminal, room: LiveRoom) -> None:
        """What it has folded is what the server would send it now, and that is all of the room's state."""
        shown, audience = terminal.shown[room.code], room.audience
        player = terminal.diaries[-1].player
        view = from_json(to_json(room_view(room.state, player, audience.presence())))
        for name in sorted(shown.keys() | view.keys()):
            here, there = shown.get(name), view.get(name)
            assert here == there, f"{terminal.name} sees another {name} in {room.code}: {here}, not {there}"

    async def _close(self) -> None:
        for terminal in self.terminals:
            if terminal.alive:
                await terminal.close()
        await asyncio.sleep(20.0)
        for terminal in self.terminals:
            left = self.loop.left_of(terminal.name)
            assert not left, f"left of {terminal.name}: {left}"
        assert self.house is not None
        await self.house.stop()
        left = self.loop.left_of(self.house.name)
        assert not left, f"left of {self.house.name}: {left}"


def run(seed: int, watch: Callable[[str], None] | None = None) -> Run:
    """Simulate one seed. Raises `Failed`."""
    loop = SimulatedLoop()
    trace = Trace(loop)
    trace.watch = watch
    town = Town(seed, loop, trace)
    with _no_collecting(), capture_logs() as logs:
        try:
            loop.run_until_complete(town.run())
            _check_logs(logs)
            for fault in loop.faults:
                raise fault.get("exception") or AssertionError(f"nobody caught {fault}")
            diaries = town.diaries()
            check(
                diaries,
                town.disk.logs(),
                town.downtimes,
                rooms_sleep=town.weather.idle_seconds < town.weather.seconds,
            )
        except Exception as error:
            why = "".join(traceback.format_exception_only(error)).strip()
            where = "".join(traceback.format_tb(error.__traceback__, -3))
            for entry in logs:
                if entry["log_level"] == "error":
                    trace.note("log", _told(entry))
            raise Failed(seed, f"{why}\n{where}", trace.lines()) from error
        finally:
            _end(loop)
    return Run(
        seed,
        trace.digest(),
        len(trace),
        sum(len(log) for log in town.disk.logs().values()),
        sum(len(diary.sent) for diary in diaries),
        sum(diary.resent for diary in diaries),
        town.life(),
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


def _check_logs(logs: list[Any]) -> None:
    for entry in logs:
        if entry["log_level"] == "error":
            assert entry["event"] in EXPECTED, _told(entry)


def _told(entry: MutableMapping[str, Any]) -> str:
    error = entry.get("exc_info")
    told = {name: value for name, value in entry.items() if name != "exc_info"}
    return f"{told} " + ("".join(traceback.format_exception(error)) if isinstance(error, Exception) else "")
