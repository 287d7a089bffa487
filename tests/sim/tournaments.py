"""An organiser in the same storm: bots' tournaments, whose games are played and count once.

Asked through the actors of any server, and of another where no answer comes. In the end its log is held
against those of its rooms.
"""

import asyncio
import random
from typing import TYPE_CHECKING

from parlour_protocol.ids import Version
from parlour_protocol.tournaments import TournamentSettings
from parlour_server.hosting.actors.requests import Request
from parlour_server.refusals import Refusal
from parlour_server.tournament import TOURNAMENT
from parlour_server.tournament.commands import Create, Enter, Start, TournamentCommand
from parlour_server.tournament.state import TournamentState
from tests.sim.server import SimulatedServer

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

HOST = "organiser"
PATIENCE = 2.0
"""Seconds until another server is asked."""

Answer = tuple[str, Refusal | None]


class Organising:
    """The organiser, and the tournament."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._dice = random.Random(f"{simulation.seed}/organiser")
        self._work: asyncio.Task[None] | None = None
        self.code = ""

    def begin(self) -> None:
        self._work = self._simulation.loop.create_task(self._organise())

    @property
    def done(self) -> bool:
        """Is it over, as far as its log tells?"""
        return self._work is not None and self._work.done() and self._state().phase == "over"

    async def _organise(self) -> None:
        style = self._dice.choice(("round_robin", "swiss", "knockout"))
        settings = TournamentSettings(game="tictactoe", format=style, pause=1, rounds=2)
        self.code = await self._ask(Create("Cup", settings, "Olga"), "create")
        for number in range(self._dice.randrange(2, 5)):
            await self._ask(Enter("random"), f"enter-{number}")
        await self._ask(Start(), "start")

    async def _ask(self, command: TournamentCommand, name: str) -> str:
        while True:
            servers = [server for server in self._simulation.running if not server.stopping]
            answer = await self._try(self._dice.choice(servers), command, name) if servers else None
            if answer is not None and answer[1] is None:
                return answer[0]
            # What was accepted is never refused when it is asked again.
            assert answer is None or answer[1] is None or answer[1].retry_after is not None, answer
            await asyncio.sleep(0.2)

    async def _try(self, server: SimulatedServer, command: TournamentCommand, name: str) -> Answer | None:
        answered: asyncio.Future[Answer] = self._simulation.loop.create_future()

        def reply(command_id: str, code: str, version: Version, refusal: Refusal | None) -> None:
            if not answered.done():
                answered.set_result((code, refusal))

        async def submit() -> None:
            tournaments = server.parts.tournaments
            try:
                if isinstance(command, Create):
                    await tournaments.create(command, HOST, name, reply)
                else:
                    actor = await tournaments.find(self.code)
                    actor.submit(Request(command, HOST, name, reply))
            except Refusal as refusal:
                reply(name, "", 0, refusal)

        self._simulation.loop.create_task(submit(), context=server.context)
        try:
            return await asyncio.wait_for(answered, PATIENCE)
        except TimeoutError:
            return None

    # ------------------------------------------------------------ at rest

    def _state(self) -> TournamentState:
        key = f"{TOURNAMENT.kind}:{self.code}"
        state = TOURNAMENT.initial(key)
        for record in self._simulation.disk._others.get(key, []):
            TOURNAMENT.evolve(state, record)
        return state

    def check(self) -> None:
        """Each game has one room, and counts as that says; and every server has what the log says."""
        state, rooms = self._state(), self._simulation.disk.logs()
        own = [code for code, log in rooms.items() if log[0].by == state.key]
        games = [game for pair in state.pairs() for game in pair.games]
        assert sorted(own) == sorted(game.room for game in games), "a game has two rooms, or none"
        for pair in state.pairs():
            for game in pair.games:
                (over,) = [one.event for one in rooms[game.room] if one.event.kind == "game_finished"]
                points = (0.5, 0.5) if over.winner is None else ((1.0, 0.0), (0.0, 1.0))[over.winner]
                assert game.points == (points if game.first == pair.first else points[::-1]), pair
        for server in self._simulation.running:
            actor = server.parts.tournaments.get(state.key)
            assert actor is None or actor.state == state, f"{server.name} has another tournament"
