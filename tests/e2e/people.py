"""People who play through whatever happens, with a diary of all that they said and received."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from typing import Any, Literal, Self

from parlour_client.sdk.connection import Connection
from parlour_client.sdk.errors import ConnectionFailed, Refused
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_protocol import commands
from parlour_protocol.events import Event, Snapshot
from parlour_protocol.fold import fold
from parlour_protocol.notices import Presence
from tests.support.history import Client

AGAIN_SECONDS = 60.0
"""No server's wish to wait is longer."""
EXPECTED = frozenset({"not_finished", "game_over", "stale", "not_your_turn", "not_saved", "internal", "busy"})
"""The other side was quicker, or an earlier word of one's own counted, or the room could not be saved:
what it shows next decides."""


class Spectator:
    """Has a room in view, and comes back whenever the connection is lost."""

    def __init__(self, name: str, url: str, seed: int) -> None:
        self._dice = random.Random(seed)
        self._connections = 0
        # Each may lead to another server, which knows nothing of what this one refused.
        self.diary = Client(name, life=lambda: str(self._connections))
        self.connection = Connection(
            url,
            GuestIdentity(name),
            journal=self._journal,
            # Faults come quicker than people's patience would grow: try again soon.
            pause=lambda longest: min(longest, 0.2) * self._dice.random(),
        )
        self.view: dict[str, Any] = {}
        self.on_event: Callable[[Event], None] = lambda event: None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Self]:
        """Connect, however often that has to be tried."""
        while True:
            try:
                await self.connection.__aenter__()
                break
            except ConnectionFailed:
                await asyncio.sleep(0.1)
            except Refused as refused:
                await asyncio.sleep(_wait(refused))
        try:
            yield self
        finally:
            await self.connection.close()

    async def watch(self, room: str, games: int) -> None:
        """Look on until so many games are over."""
        await with_retries(
            lambda: self.connection.request(commands.Subscribe(id=new_id(), room=room)), AGAIN_SECONDS
        )
        await self._follow(room, games)

    async def _follow(self, room: str, games: int) -> None:
        async for received in self.connection:
            self.diary.saw(received)
            if isinstance(received, Snapshot):
                self.view = deepcopy(received.view)
            elif isinstance(received, Event | Presence) and self.view:
                fold(self.view, deepcopy(received))
                if isinstance(received, Event):
                    self.on_event(received)
            if self.view and self._act(room, games):
                break

    def _act(self, room: str, games: int) -> bool:
        """Do what is due; true when all games are over."""
        played = sum(self.view["wins"]) + self.view["draws"]
        return bool(self.view["phase"] == "finished" and played >= games)

    def standing(self) -> str:
        """How it stands with them, for whoever looks into a room that is stuck."""
        sent, answered = self.diary.sent.items(), self.diary.answers
        unanswered = [said for name, said in sent if name not in answered and said["type"] != "hello"]
        return f"{self.diary.name} has {self.view.get('version')}, and waits for {unanswered}"

    def _journal(self, at: float, way: Literal["sent", "received"], text: str) -> None:
        if way == "received" and text.endswith('"type":"welcome"}'):
            self._connections += 1
        self.diary.journal(at, way, text)


class Person(Spectator):
    """Plays a room's games to their end by random legal moves."""

    def __init__(self, name: str, url: str, seed: int, thinks: tuple[float, float] = (0, 0.08)) -> None:
        super().__init__(name, url, seed)
        self._thinks = thinks
        """Seconds before each command, at least and at most."""
        self._asked: set[tuple[str, int]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.moves: list[tuple[float, float]] = []
        """When each move was accepted, by the loop's clock, and how many seconds that took."""

    async def play(self, room: str, games: int) -> None:
        """Sit down, and play so many games."""
        await with_retries(
            lambda: self.connection.request(commands.TakeSeat(id=new_id(), room=room)), AGAIN_SECONDS
        )
        try:
            await self._follow(room, games)
            await asyncio.gather(*self._tasks)
        finally:
            for task in self._tasks:
                task.cancel()

    def _act(self, room: str, games: int) -> bool:
        view = self.view
        if super()._act(room, games):
            return True
        if view["phase"] == "finished":
            played = sum(view["wins"]) + view["draws"]
            self._ask_once(
                "rematch", played, commands.PlayerAction(type="rematch", id=new_id(), room=room), games
            )
        elif "turn" in view and view["turn"]["seat"] == view["you"]:
            move = self._dice.choice(view["position"]["legal"])
            command = commands.PlayMove(id=new_id(), room=room, version=view["version"], move=move)
            self._ask_once("play", view["version"], command, games)
        return False

    def _ask_once(
        self, kind: str, number: int, command: commands.PlayMove | commands.PlayerAction, games: int
    ) -> None:
        if (kind, number) not in self._asked:
            self._asked.add((kind, number))
            self._tasks.add(asyncio.create_task(self._ask(kind, number, command, games)))

    async def _ask(
        self, kind: str, number: int, command: commands.PlayMove | commands.PlayerAction, games: int
    ) -> None:
        await asyncio.sleep(self._dice.uniform(*self._thinks))
        begun = asyncio.get_running_loop().time()
        try:
            await self.connection.request(command)
        except Refused as refused:
            assert refused.code in EXPECTED, refused
            if refused.refusal.retry_after is not None:
                await asyncio.sleep(_wait(refused))
                self._asked.discard((kind, number))
                self._act(command.room, games)
        else:
            if kind == "play":
                now = asyncio.get_running_loop().time()
                self.moves.append((now, now - begun))


def _wait(refused: Refused) -> float:
    return refused.refusal.retry_after or 0.1
