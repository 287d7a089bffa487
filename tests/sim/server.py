"""A whole server in a simulated process: directory, sessions, rooms, bots, over the simulated store."""

import asyncio
import random
from collections.abc import Callable

from parlour_protocol.codec import encode_to_client
from parlour_protocol.notices import Goodbye
from parlour_server.hosting.context import Context, SteadyClock
from parlour_server.sessions.outbox import Outbox
from parlour_server.sessions.session import Session
from parlour_server.settings import ServerLimits
from tests.sim.database import Database, SimulatedCluster
from tests.sim.loop import SimulatedLoop
from tests.sim.network import GOING_AWAY, Network
from tests.sim.scheduler import SimulatedScheduler
from tests.sim.store import Disk, SimulatedStore
from tests.sim.trace import Trace
from tests.sim.weather import Weather
from tests.support.world import Parts

STOP_SECONDS = 3.5
"""How long the connections of a server that stops are given to close calmly."""
COME_BACK_SECONDS = 2.0


class SimulatedServer:
    """One life of the server, from `start` to `stop` or `kill`."""

    surroundings: Context
    parts: Parts

    def __init__(
        self,
        name: str,
        disk: Disk,
        network: Network,
        dice: random.Random,
        weather: Weather,
        now: Callable[[], int],
        trace: Trace,
        database: Database | None = None,
    ) -> None:
        self.name, self.network, self.trace = name, network, trace
        self._loop: SimulatedLoop = network.loop
        self._dice, self._weather, self._now = dice, weather, now
        self.context = self._loop.new_process(name)
        self.sockets = self._loop.new_process(f"{name}'s sockets")
        self.cluster = None
        if database is not None:
            self.cluster = SimulatedCluster(
                database, name, self._loop, self.context, self.sockets, dice, weather, trace
            )
        self.store = SimulatedStore(disk, self._loop, dice, weather, trace, self.cluster)
        self.stopping = False

    async def start(self) -> None:
        """Take up the rooms, and listen then."""
        self.trace.note(self.name, "starts")
        await self._loop.create_task(self._start(), context=self.context)

    async def _start(self) -> None:
        dice = self._dice
        clock = self._clock() if self.cluster is not None else None
        scheduler = SimulatedScheduler(self._loop, dice, self._weather, self.trace)
        self.surroundings = Context(
            self.store,
            scheduler,
            ServerLimits(
                idle_room_seconds=self._weather.idle_seconds, away_room_seconds=self._weather.idle_seconds
            ),
            now=clock or self._now,
            set_clock=clock.set if clock is not None else lambda now, error: None,
            monotonic=self._loop.time,
            chance=dice.randrange,
            new_token=lambda: f"token-{dice.getrandbits(64):x}",
            new_player_id=lambda: f"p{dice.getrandbits(32):x}",
        )
        self.parts = Parts(self.surroundings, self.cluster)
        await self.parts.load()
        self.network.hosts.append(self)

    def _clock(self) -> SteadyClock:
        """A clock that is off by seconds, and goes too fast or too slowly."""
        off, drift = (self._dice.uniform(-most, most) for most in self._weather.clocks)
        return SteadyClock(
            lambda: round(1e9 * self._loop.time() * (1 + drift)),
            lambda: 1_000_000 * self._now() + round(1e9 * off),
        )

    def new_session(self, outbox: Outbox) -> Session:
        """See `Host.new_session`."""
        return Session(self.surroundings, self.parts.directory, self.parts.tournaments, outbox)

    async def stop(self) -> None:
        """End as by a signal: tell everyone, let go of everything, in the order of the real one."""
        self.trace.note(self.name, "stops")
        self.stopping = True
        await self._loop.create_task(self._stop(), context=self.context)
        self.trace.note(self.name, "has stopped")

    async def _stop(self) -> None:
        message = "The server has stopped. It may come back."
        goodbye = encode_to_client(Goodbye("stopping", message, COME_BACK_SECONDS))
        self.network.hosts.remove(self)
        links = self.network.lines_of(self)
        for link in links:
            link.server.send(goodbye)
            link.server.close(GOING_AWAY, "the server is stopping")
        until = self._loop.time() + STOP_SECONDS
        while self._loop.time() < until and not all(link.server.gone for link in links):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        for link in links:
            link.server.lose()
        await self.parts.leave()
        await self.store.close()
        if self.cluster is not None:
            await self.cluster.close()

    def pause(self) -> None:
        """Be stopped, as by SIGSTOP: connections stay open, and nobody answers."""
        self.trace.note(self.name, "is paused")
        for process in self._processes:
            self._loop.pause(process)
        self.network.paused(self)

    def resume(self) -> None:
        """Go on."""
        self.trace.note(self.name, "goes on")
        for process in self._processes:
            self._loop.resume(process)

    @property
    def _processes(self) -> tuple[str, str]:
        return self.name, f"{self.name}'s sockets"

    @property
    def serves(self) -> bool:
        """Does it live, go on, and reach its database?"""
        cut = self.cluster is not None and self.cluster.unreachable
        return not cut and not self._loop.is_paused(self.name)

    def kill(self) -> None:
        """End as by `kill -9`."""
        self.trace.note(self.name, "is killed")
        if self in self.network.hosts:
            self.network.hosts.remove(self)
        if self.cluster is not None:
            self.cluster.die()
        self.store.kill()
        for link in self.network.lines_of(self):
            link.server_died()
        self._loop.kill(self.name)
        self._loop.resume(f"{self.name}'s sockets")
