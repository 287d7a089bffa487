"""A server without sockets: a clock and searches that move by hand, a store that keeps back its answers."""

import asyncio
import heapq
import itertools
import json
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from types import SimpleNamespace
from typing import Any

from pydantic_core import to_json

from parlour_protocol.fold import fold
from parlour_protocol.ids import Version
from parlour_protocol.views.reports import Report
from parlour_server.analysis.fair_queue import Requester
from parlour_server.analysis.plan import make_plan
from parlour_server.analysis.scheduler import QueueFull, Search, SearchScheduler, State
from parlour_server.analysis.worker import Job
from parlour_server.games import find_game
from parlour_server.hosting.actors.log_actor import LogActor
from parlour_server.hosting.context import Context, Timer
from parlour_server.hosting.limits.turn_queue import TurnQueue
from parlour_server.hosting.rooms.live_room import LiveRoom
from parlour_server.log import LogRecord
from parlour_server.room.view import room_view
from parlour_server.search.control import Control
from parlour_server.search.thinking import analyse, think
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerLimits
from parlour_server.store.cluster import Cluster
from parlour_server.store.port import Done, NotSaved, StoreError, StoreFull
from tests.support.counter.state import CounterState
from tests.support.world import LastingStore, Parts

Message = dict[str, Any]
TURNS = 50


async def settle() -> None:
    """Let everything that can run without waiting run."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


def fails(*_: Any, **__: Any) -> Any:
    """Be a bug of the server's."""
    raise RuntimeError("a fault of ours")


def fails_once(works: Callable[..., Any]) -> Callable[..., Any]:
    """Be one the first time, and then do what it should."""
    crashes = iter([fails])
    return lambda *given, **named: next(crashes, works)(*given, **named)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self._due: list[tuple[float, int, HandTimer]] = []
        self._numbers = itertools.count()

    def later(self, seconds: float, callback: Callable[[], None]) -> "HandTimer":
        timer = HandTimer(callback)
        heapq.heappush(self._due, (self.seconds + seconds, next(self._numbers), timer))
        return timer

    @property
    def waiting(self) -> list[str]:
        """What is left to call."""
        return [repr(timer) for _, _, timer in self._due if timer.pending]

    def advance(self, seconds: float) -> None:
        """Let time pass, and call what falls due on the way at its moment."""
        end = self.seconds + seconds
        while self._due and self._due[0][0] <= end:
            self.seconds, _, timer = heapq.heappop(self._due)
            timer.call()
        self.seconds = end


class HandTimer:
    """A callback that waits for the hand-moved clock."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def __repr__(self) -> str:
        return repr(self._callback)

    def cancel(self) -> None:
        self._callback = None

    @property
    def pending(self) -> bool:
        return self._callback is not None

    def call(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class GatedStore(LastingStore):
    """Does what it is asked to at once, and tells of it when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.at_limit = False
        """New rooms have no place."""
        self.unreadable = False
        self.reads = 0
        """How often a whole log was read, and in vain."""
        self._held: deque[Callable[[], None]] = deque()

    def append(self, room: str, expected: Version, records: Sequence[LogRecord], done: Done) -> None:
        if self.full:
            self._tell(done, NotSaved("The disk is full."))
        elif self.at_limit and expected == 0:
            self._tell(done, StoreFull("The data file has reached its limit."))
        else:
            super().append(room, expected, records, partial(self._tell, done))

    async def read(self, room: str, after: Version = 0) -> list[LogRecord]:
        self.reads += self.unreadable or after == 0
        if self.unreadable:
            raise OSError("the disk is gone")
        return await super().read(room, after)

    def _tell(self, done: Done, error: StoreError | None) -> None:
        if self.holds:
            self._held.append(partial(done, error))
        else:
            done(error)

    def release(self, number: int | None = None) -> None:
        """Let so many answers out, all that there are if none is named."""
        for _ in range(len(self._held) if number is None else number):
            self._held.popleft()()

    @property
    def held(self) -> int:
        return len(self._held)


class HandScheduler(SearchScheduler):
    """Keeps the searches that it is asked for until the test has them answered."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(kind="thread", workers=1)
        self._clock = clock
        self.asked: list[Search] = []
        self.full = False
        self._number = itertools.count(1)

    def time(self) -> float:
        return self._clock.seconds

    def search(
        self,
        job: Job,
        requester: Requester,
        on_done: Callable[[Report | None], None],
        on_report: Callable[[Report], None],
        used: float | None = None,
    ) -> Search:
        if self.full and requester.kind == "question" and used is None:
            raise QueueFull("player")
        asked = Search(make_plan(job, 0, 0), requester, on_report, on_done, next(self._number), self)
        self.asked.append(asked)
        return asked

    def cancel(self, search: Search) -> None:
        search.state = State.CANCELLED

    @property
    def wanted(self) -> list[Search]:
        return [search for search in self.asked if search.wanted]

    def take(self) -> Search:
        """The one search that somebody waits for."""
        (search,) = self.wanted
        self.asked.remove(search)
        return search

    def answer(self) -> Any:
        """Do the one search that somebody waits for."""
        search = self.take()
        report = found(search.job)
        search.on_done(report)
        return report

    def fail(self) -> None:
        """Have it fail."""
        self.take().on_done(None)


def found(job: Job) -> Any:
    """What the search comes to."""
    game = find_game(job.game)
    if job.task is not None:
        return job.task(game, job.position, control=Control())
    if job.every_move:
        return analyse(game, job.position, job.bot, control=Control(), also=job.also)
    return think(game, job.position, job.bot, move_number=job.move_number, control=Control())


class HandContext(Context):
    """A context whose timers wait for the clock of the harness."""

    clock: Clock

    def __post_init__(self) -> None:
        super().__post_init__()
        self.queries = TurnQueue(math.inf)

    def later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return self.clock.later(seconds, callback)


class Wire:
    """The way out of a session: what was said, how it was closed, whether it is read."""

    def __init__(self) -> None:
        self.said: list[Message] = []
        self._closed: int | None = None
        self.reading = True
        self.pauses = 0
        self.milliseconds = 0
        """How long a message takes to the person and back."""

    def lag(self) -> int:
        return self.milliseconds

    def send(self, message: bytes) -> None:
        if self._closed is None:
            self.said.append(json.loads(message))

    def close(self, code: int, reason: str) -> None:
        self._closed = code

    def closed(self) -> int | None:
        """The code that it was closed with."""
        return self._closed

    def pause(self) -> None:
        assert self.reading
        self.reading, self.pauses = False, self.pauses + 1

    def resume(self) -> None:
        assert not self.reading
        self.reading = True


class Person:
    """A connection's session with a person at its other end."""

    _ids = itertools.count(1)

    def __init__(self, harness: "HostingHarness", address: str = "") -> None:
        self.wire = Wire()
        self.session = Session(
            harness.context, harness.directory, harness.tournaments, self.wire, address=address
        )
        harness.people.append(self)
        self.token: str | None = None

    def say(self, kind: str, **fields: Any) -> str:
        """Send a command; gives its id."""
        command: Message = {"id": f"c{next(self._ids)}", **fields, "type": kind}
        self.session.receive(json.dumps(command))
        return str(command["id"])

    def signal(self, kind: str, **fields: Any) -> None:
        """Send what wants no answer."""
        self.session.receive(json.dumps({**fields, "type": kind}))

    def answers(self, command_id: str) -> list[Message]:
        return [message for message in self.wire.said if message.get("id") == command_id]

    def ask(self, kind: str, **fields: Any) -> Message:
        """Send a command that is answered at once."""
        received = len(self.wire.said)
        asked = self.say(kind, **fields)
        (answer,) = [message for message in self.wire.said[received:] if message.get("id") == asked]
        return answer

    async def ask_store(self, kind: str, **fields: Any) -> Message:
        """Send a command that is answered when the store has been read."""
        asked = self.say(kind, **fields)
        await settle()
        (answer,) = self.answers(asked)
        return answer

    def events(self) -> list[str]:
        return [message["event"]["kind"] for message in self.of("event")]

    def of(self, kind: str) -> list[Message]:
        return [message for message in self.wire.said if message["type"] == kind]

    def view(self, room: str) -> dict[str, Any]:
        """A room as its messages fold into it."""
        view: dict[str, Any] = {}
        for message in self.wire.said:
            if message.get("room") != room:
                continue
            if message["type"] == "snapshot":
                view = deepcopy(message["view"])
            elif message["type"] in ("event", "presence"):
                change: Any = SimpleNamespace(**{"set": {}, "splice": {}, **deepcopy(message)})
                fold(view, change)
        return view

    def hang_up(self) -> None:
        self.session.lost()


class HostingHarness(Parts):
    """Everything but the sockets."""

    def __init__(
        self,
        limits: ServerLimits | None = None,
        *,
        store: Any = None,
        scheduler: SearchScheduler | None = None,
        clock: Clock | None = None,
        cluster: Cluster | None = None,
        name: str = "",
    ) -> None:
        self.clock = clock or Clock()
        self.store: GatedStore = store or GatedStore()
        self.scheduler = HandScheduler(self.clock)
        self._dice = random.Random(f"7{name}" if name else 7)
        self._secrets = itertools.count(1)
        self.context = HandContext(
            self.store,
            scheduler or self.scheduler,
            limits or ServerLimits(messages_per_second=0, rooms_per_minute=0, player_milliseconds=0),
            now=lambda: int(self.clock.seconds * 1000),
            monotonic=lambda: self.clock.seconds,
            chance=lambda bound: self._dice.randrange(bound),
            new_token=lambda: f"token-{name}{next(self._secrets)}",
            new_player_id=lambda: f"p{name}{next(self._secrets)}",
        )
        self.context.clock = self.clock
        super().__init__(self.context, cluster)
        self.people: list[Person] = []

    async def person(self, name: str = "Ada", token: str | None = None, address: str = "") -> Person:
        """Somebody who has been welcomed."""
        person = Person(self, address)
        asked = person.say("hello", protocols=[1], name=name, **({"token": token} if token else {}))
        await settle()
        (welcome,) = person.answers(asked)
        assert welcome["type"] == "welcome", welcome
        person.token = welcome.get("token", token)
        return person

    async def counter(self, key: str) -> LogActor[CounterState, Any]:
        """A counter, woken if it sleeps."""
        counter: LogActor[CounterState, Any] | None = self.counters.get(key) or await self.counters.fetch(key)
        assert counter is not None
        return counter

    def room(self, code: str) -> LiveRoom:
        return self.directory.find(code)

    def put_all_to_sleep(self) -> None:
        """As rooms fall asleep to which nobody comes for long."""
        for room in list(self.directory.awake()):
            self.directory.put_to_sleep(room)

    def view(self, code: str, person: Person) -> dict[str, Any]:
        """A room as a snapshot for this person would have it now."""
        room = self.room(code)
        player = person.session.player
        came = room.audience.came(player)
        since = room.state.version if came is None else came
        view = room_view(room.state, player, room.audience.presence(), since)
        return dict(json.loads(to_json(view)))


@asynccontextmanager
async def open_harness(limits: ServerLimits | None = None, **parts: Any) -> AsyncIterator[HostingHarness]:
    """A harness with its rooms taken up from the store."""
    harness = HostingHarness(limits, **parts)
    await harness.load()
    try:
        yield harness
    finally:
        harness.stop()
        await harness.scheduler.close()
    for person in harness.people:
        person.hang_up()
    # A timer that is never cancelled keeps what it would call, and calls it after the end.
    assert not harness.clock.waiting


async def table(harness: HostingHarness, ada: Person, ben: Person, **settings: Any) -> str:
    """A room where Ada sits in the first seat and Ben in the second, Ada to move at version 4."""
    room: str = ada.ask("create", game="tictactoe", settings=settings)["room"]
    for person in (ada, ben):
        assert person.answers(person.say("sit", room=room))[0]["type"] == "accepted"
    await settle()
    return room


async def seated(harness: HostingHarness, **settings: Any) -> tuple[Person, Person, str]:
    """Ada and Ben at such a table, and its room."""
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    return ada, ben, await table(harness, ada, ben, **settings)


PROGRAMS_REPORT = {
    "candidates": [
        {"move": f"move-{n}", "score": {"points": 12.25, "kind": "estimate", "chance": 51.5}}
        for n in range(64)
    ],
    "line": [f"a-longer-move-{n}" for n in range(64)],
}
"""As large as a program may send one: some six kilobytes."""


async def programs_game(harness: HostingHarness, moves: int) -> tuple[str, list[str]]:
    """A room where two programs play, and the moves that they have played, each with the largest report."""
    ada, ben = await harness.person("Ada"), await harness.person("Ben")
    room = ada.ask("create", game="gomoku")["room"]
    for person in (ada, ben):
        person.say("sit", room=room, program=True)
    # In four rows and by turns, nobody gets five in a row.
    cells = [f"{column}{row}" for row in range(1, 5) for column in "abcdefghijklmno"][:moves]
    for number, move in enumerate(cells):
        answer = (ada, ben)[number % 2].ask(
            "play", room=room, version=4 + number, move=move, report=PROGRAMS_REPORT
        )
        assert answer["type"] == "accepted"
    return room, cells
