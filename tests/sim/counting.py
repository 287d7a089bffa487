"""Clerks who count together: a second aggregate in the same storm, asked through its actors.

A clerk asks any server, and another where no answer comes. In the end each answer is held against the log.
"""

import asyncio
import random
from typing import TYPE_CHECKING

from parlour_protocol.ids import Version
from parlour_server.hosting.actors.requests import Request
from parlour_server.refusals import Refusal
from tests.sim.server import SimulatedServer
from tests.support.counter import COUNTER
from tests.support.counter.commands import Add, CounterCommand, Reset

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

KEYS = ("counter:one", "counter:two")
CLERKS = 2
PATIENCE = 2.0
"""Seconds until a clerk asks another server."""

Answer = tuple[Version, Refusal | None]


class Counting:
    """All clerks, and what they were answered."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._accepted: dict[str, tuple[str, Version, CounterCommand]] = {}
        self._refused: set[str] = set()
        """Those that were asked once."""
        self._clerks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        self._clerks = [self._simulation.loop.create_task(self._clerk(number)) for number in range(CLERKS)]

    @property
    def done(self) -> bool:
        return all(clerk.done() for clerk in self._clerks)

    async def _clerk(self, number: int) -> None:
        dice = random.Random(f"{self._simulation.seed}/clerk {number}")
        asked = 0
        while not self._simulation.evening:
            await asyncio.sleep(dice.expovariate(1 / self._simulation.pace))
            asked += 1
            command: CounterCommand = Add(dice.choice((1, 2, 3, 400))) if dice.random() < 0.9 else Reset()
            await self._ask(dice, dice.choice(KEYS), f"clerk-{number}-{asked}", command)

    async def _ask(self, dice: random.Random, key: str, name: str, command: CounterCommand) -> None:
        for tries in range(1, 1000):
            servers = [server for server in self._simulation.running if not server.stopping]
            answer = await self._try(dice.choice(servers), key, name, command) if servers else None
            if answer is not None and answer[1] is None:
                self._accepted[name] = key, answer[0], command
                return
            if answer is not None and answer[1] is not None and answer[1].retry_after is None:
                if tries == 1:
                    self._refused.add(name)
                return
            await asyncio.sleep(0.2)

    async def _try(
        self, server: SimulatedServer, key: str, name: str, command: CounterCommand
    ) -> Answer | None:
        answered: asyncio.Future[Answer] = self._simulation.loop.create_future()

        def reply(command_id: str, key: str, version: Version, refusal: Refusal | None) -> None:
            if not answered.done():
                answered.set_result((version, refusal))

        async def submit() -> None:
            try:
                actor = server.parts.counters.get(key) or await server.parts.counters.fetch(key)
            except Refusal as refusal:
                reply(name, key, 0, refusal)
            else:
                if actor is not None:
                    actor.submit(Request(command, name.rpartition("-")[0], name, reply))

        self._simulation.loop.create_task(submit(), context=server.context)
        try:
            return await asyncio.wait_for(answered, PATIENCE)
        except TimeoutError:
            return None

    # ------------------------------------------------------------ at rest

    def check(self) -> None:
        """Nothing is lost or doubled, and every server has what the log says."""
        stands = {key: self._simulation.disk._others.get(key, []) for key in KEYS}
        names = [record.command for log in stands.values() for record in log]
        assert len(names) == len(set(names)), "a clerk's command stands twice"
        for name, (key, version, command) in self._accepted.items():
            here = len(stands[key]) >= version > 0 and stands[key][version - 1].command == name
            # What changes nothing stands nowhere.
            assert here or isinstance(command, Reset), f"{name} is not at version {version} of {key}"
        assert not self._refused.intersection(names), "a command stands that was refused"
        for key, log in stands.items():
            state = COUNTER.initial(key)
            for record in log:
                COUNTER.evolve(state, record)
            actors = [
                actor for server in self._simulation.running if (actor := server.parts.counters.get(key))
            ]
            for actor in actors:
                assert actor.state == state, f"{key} is {actor.state} at a server, and not {state}"
            holders = sum(actor.leased for actor in actors)
            assert not log or not actors or holders == 1, f"{holders} servers hold the lease of {key}"
