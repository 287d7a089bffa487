"""What rooms and sessions need from outside: time, chance, secrets, the store and the searches.

All of it comes in through this one object, so that a whole server can run under a simulated clock.
"""

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

import structlog

from parlour_protocol.ids import CODE_ALPHABET, CODE_LENGTH
from parlour_server.analysis.scheduler import SearchScheduler
from parlour_server.counters import Counters
from parlour_server.hosting.connections import Connections
from parlour_server.hosting.cooperative_replay import CooperativeReplay
from parlour_server.hosting.finished_games import FinishedGames
from parlour_server.hosting.limits.bans import Bans
from parlour_server.hosting.limits.rate_limits import RateLimits
from parlour_server.hosting.limits.turn_queue import QUERIES_AT_ONCE, TurnQueue
from parlour_server.hosting.node import SoleNode
from parlour_server.hosting.refusing import Refuse, refusing
from parlour_server.settings import ServerLimits
from parlour_server.store.port import Store

log = structlog.get_logger()


DRIFT = 0.01
"""A clock goes wrong by less than this part of the time."""
STANDSTILL_NS = 5_000_000_000
"""A clock that was not looked at for this long stood still: the directory looks at it every two seconds."""


class Timer(Protocol):
    """A callback that will be called."""

    def cancel(self) -> None:
        """No longer call it."""


class SteadyClock:
    """Tells the time of day, but never jumps once it runs: players' clocks go by it.

    It stands still while the whole process does (a machine that sleeps, a stopped server), so that no one
    loses on time by that. For this it has to be looked at every now and then. Set to the time of several
    nodes it goes on: others have played meanwhile.
    """

    def __init__(
        self, monotonic_ns: Callable[[], int] = time.monotonic_ns, time_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._monotonic_ns = monotonic_ns
        self._looked_at = monotonic_ns()
        self._offset = time_ns() - self._looked_at
        self._error = inf
        """By how many milliseconds it was wrong at most when it was set."""
        self._set_at = self._looked_at

    def set(self, now: int, error: float) -> None:
        """It is this time, in milliseconds since 1970, give or take `error`: what all nodes go by.

        Not where this clock itself is known more exactly, since what was on its way for long says little; but
        where both can't be right.
        """
        off = now - self()
        known = self._error + DRIFT * (self._looked_at - self._set_at) / 1_000_000
        if error <= known or abs(off) > known + error:
            self._offset += 1_000_000 * off
            self._error, self._set_at = error, self._looked_at

    def __call__(self) -> int:
        """Milliseconds since 1970."""
        now = self._monotonic_ns()
        gap = now - self._looked_at
        if gap > STANDSTILL_NS and self._error == inf:
            self._offset -= gap
        self._looked_at = now
        return (now + self._offset) // 1_000_000


@dataclass(slots=True)
class Context:
    """The surroundings of all rooms and sessions of one server."""

    store: Store
    scheduler: SearchScheduler
    limits: ServerLimits = field(default_factory=ServerLimits)
    counters: Counters = field(default_factory=Counters)
    now: Callable[[], int] = field(default_factory=SteadyClock)
    """Milliseconds since 1970: for what is written down, and for the players' clocks."""
    set_clock: Callable[[int, float], None] = lambda now, error: None
    """Sets that clock to the cluster's: see `SteadyClock.set`."""
    node: SoleNode = field(init=False)
    """This server's place among others; alone, until a node of a cluster takes its place."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that never jump: for deadlines."""
    replay: CooperativeReplay = field(default_factory=CooperativeReplay)
    chance: Callable[[int], int] = field(default_factory=lambda: random.SystemRandom().randrange)
    new_token: Callable[[], str] = lambda: secrets.token_urlsafe(24)
    """A player's secret: 192 bits."""
    new_player_id: Callable[[], str] = lambda: "p" + secrets.token_hex(8)
    saved: bool = True
    """Are games kept when the server ends?"""
    address: str | None = None
    """Where others on the network reach the server, if they do so otherwise than those on its machine."""
    finished_games: FinishedGames = field(default_factory=FinishedGames)
    connections: Connections = field(default_factory=Connections)
    arrivals: TurnQueue = field(default_factory=TurnQueue)
    """Those who have said hello."""
    queries: TurnQueue = field(default_factory=lambda: TurnQueue(QUERIES_AT_ONCE))
    bans: Bans = field(init=False)
    rate_limits: RateLimits = field(init=False)
    free_memory: Callable[[], object] = lambda: None
    """Called when many rooms have left memory, each of which holds its own parts, and they it."""
    drain_until: float | None = None
    """Until when running games may go on before the server stops, by `monotonic`; None: it goes on."""
    leaving: bool = False
    """Does it end in a moment, while other nodes go on?"""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.bans = Bans(self.now)
        self.rate_limits = RateLimits(self.limits, self.counters.budgets_refused, self.monotonic)
        self.node = SoleNode(self.store, self.monotonic)

    def new_code(self, length: int = CODE_LENGTH) -> str:
        """A code, drawn at random: a room's, unless it has another length."""
        return "".join(CODE_ALPHABET[self.chance(len(CODE_ALPHABET))] for _ in range(length))

    def later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back after a while."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def pause(self, seconds: float) -> None:
        """Wait for a while."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self.later(seconds, lambda: None if over.done() else over.set_result(None))
        try:
            await over
        finally:
            timer.cancel()

    def spawn(
        self, work: Coroutine[Any, Any, None], refuse: Refuse | None = None, **facts: str
    ) -> asyncio.Task[None]:
        """Run something to its end beside everything else; what it raises is logged.

        With `refuse` it answers a command, which is refused then: see `refusing`.
        """
        if refuse is not None:
            work = _answering(work, refuse, facts)
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task failed", exc_info=error)


async def _answering(work: Coroutine[Any, Any, None], refuse: Refuse, facts: dict[str, str]) -> None:
    with refusing(refuse, **facts):
        await work
