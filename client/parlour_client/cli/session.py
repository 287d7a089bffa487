"""What a command does once its server is found: connect as somebody, act, and take leave."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from parlour_client.cli import reports
from parlour_client.plain.input import Lines
from parlour_client.plain.interrupts import Interrupts
from parlour_client.plain.lobby import Lobby
from parlour_client.plain.table import Table
from parlour_client.render.console import Screen
from parlour_client.sdk import records
from parlour_client.sdk.client import Client
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.departure import depart
from parlour_client.sdk.local_server import ServerTarget, identify
from parlour_client.sdk.room import Room
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.source import Source
from parlour_client.text import wording
from parlour_protocol.answers import Closing
from parlour_protocol.commands import AskedSettings
from parlour_protocol.words import say

__all__ = ["Session", "reports"]

PATIENCE_SECONDS = 10.0
"""How long a command that waits for an answer looks for a server that is gone."""


class Session:
    """A person's visit to a server, under the name that they chose (None: their usual one)."""

    def __init__(self, place: ServerTarget, name: str | None, screen: Screen) -> None:
        self._place = place
        self._name = name
        self._screen = screen
        self.identity = identify(place, name, screen.note)

    def ask(
        self, query: Callable[[Client, Screen], Awaitable[None]], patience: float = PATIENCE_SECONDS
    ) -> None:
        """Connect, ask, and leave. Raises `ConnectionFailed` where the server is gone for so many seconds."""

        async def run() -> None:
            async with self._connect(patience) as client:
                await query(client, self._screen)

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._screen.note(say("command.stopped"))
            raise

    def sit(
        self,
        enter: Callable[[Client], Awaitable[Room]],
        *,
        seeks: bool = False,
    ) -> None:
        """Stay at a table until it is left; `enter` is the way to its room. For `seeks` see `Table`."""

        async def begin(client: Client, lines: Lines, interrupts: Interrupts) -> Table:
            return Table(client, await enter(client), self._screen, lines, interrupts, seeks=seeks)

        self._stay(begin)

    def lobby(self) -> None:
        """Stay in the lobby, and at the tables that one goes to from there, until it is left."""

        async def begin(client: Client, lines: Lines, interrupts: Interrupts) -> Lobby:
            return Lobby(client, self._screen, lines, interrupts)

        self._stay(begin)

    def _connect(self, patience: float = math.inf) -> Client:
        place = self._place
        return Client(Connection(place.server, self.identity, advice=place.advice, patience=patience))

    def _stay(self, begin: Callable[[Client, Lines, Interrupts], Awaitable[Table | Lobby]]) -> None:
        here: Table | Lobby | None = None
        closing: Closing | None = None
        interrupts = Interrupts(self._screen.interactive)

        async def run() -> None:
            nonlocal here, closing
            async with self._connect() as client:
                lines = Lines()
                here = await begin(client, lines, interrupts)
                with interrupts:
                    while True:
                        await interrupts.end(here.run())
                        leaving = await self._leave(client, lines, interrupts)
                        if leaving != "stay":
                            closing = leaving
                            return

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            self._take_leave(None if here is None else here.room, closing)
            raise
        finally:
            self._screen.clear_prompt()
        self._take_leave(None if here is None else here.room, closing)
        if interrupts.came:
            raise KeyboardInterrupt

    async def _leave(
        self, client: Client, lines: Lines, interrupts: Interrupts
    ) -> Closing | Literal["stay"] | None:
        """End a server that nobody else is on. Who has started it decides, where others are connected."""
        closing = await depart(client)
        if closing is None or not closing.others or not (self._place.host and self._screen.interactive):
            return closing
        answer = await interrupts.end(self._ask_about(closing.others, lines))
        if answer == "stay":
            interrupts.came = False
            return "stay"
        # The others may have left meanwhile.
        return await depart(client, force=answer == "close")

    async def _ask_about(self, others: Sequence[str], lines: Lines) -> Literal["leave", "close", "stay"]:
        """What is to become of the server; to leave it running where nothing more is typed."""
        self._screen.note(say("command.close_server", who=wording.still_connected(others)))
        while True:
            self._screen.prompt(say("command.close_server_prompt"))
            line = await lines.next()
            self._screen.entered()
            if line is None:
                return "leave"
            word = clean(line).strip().casefold()
            for answer in ("leave", "close", "stay"):
                if word and answer.startswith(word):
                    return answer
            self._screen.refuse(say("command.close_server_again"))

    def _take_leave(self, room: Room | None, closing: Closing | None) -> None:
        view = None if room is None else room.view
        for line in wording.farewell(self._place, view, self._name, closing):
            self._screen.note(line)


async def new_room(
    client: Client,
    screen: Screen,
    game: str,
    source: Source | None,
    bots: Sequence[str],
    settings: AskedSettings,
) -> None:
    """Make a room without sitting down, with up to two bots in it; with `source` in the middle of its game.

    Raises `UsageError` and `Refused`.
    """
    game, moves = (game, "") if source is None else await records.beginning(client, source)
    await reports.create(client, screen, game, settings, moves, bots)


async def free_seat(client: Client, screen: Screen, code: str, *, named: bool) -> Room:
    """Take a room's free seat, or come back to one's own. `named`: under a name that was asked for."""
    room = await client.join(code)
    name = client.name
    screen.note(say("command.join.sits", name=name) if named else say("command.join.sits_as", name=name))
    return room
