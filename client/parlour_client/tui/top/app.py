"""The application of `parlour top`: looks at a server every few seconds, and has done what is asked for."""

import asyncio
import time
from typing import Any

from textual.screen import Screen

from parlour_client.sdk.admin import AdminConnection, connected
from parlour_client.sdk.errors import AdminFailed
from parlour_client.text.names import localised
from parlour_client.tui.screen_app import ScreenApp
from parlour_client.tui.top.history import Look
from parlour_client.tui.top.screen import TopScreen
from parlour_protocol.local.admin import AdminRequest, AskAddresses, AskPlayers, AskRooms, AskStatus, Done
from parlour_protocol.words import say

MOST = 200
"""So many rows of each table are asked for."""


class TopApp(ScreenApp):
    """Shows a server until it is left; where there is none at first, `fault` says why."""

    def __init__(self, data: str | None, port: int | None, every: float) -> None:
        super().__init__()
        self.fault: AdminFailed | None = None
        self.top = TopScreen(self._do)
        self._data, self._port, self._every = data, port, every
        self._looked = False
        self._look_now = asyncio.Event()

    def get_default_screen(self) -> Screen[Any]:
        """There is one screen."""
        return self.top

    def on_ready(self) -> None:
        """Begin to look."""
        self.run_worker(self._watch())

    async def _watch(self) -> None:
        """Look at the server again and again; where it is gone, until it is back."""
        while True:
            try:
                async with connected(self._data, self._port) as server:
                    while True:
                        self.top.show(await look(server))
                        self._looked = True
                        await self._pause()
            except AdminFailed as failed:
                if not self._looked:
                    self.fault = failed
                    self.exit()
                    return
                self.top.lost(f"{failed} {say('screen.top.looking_again')}")
            await self._pause()

    async def _pause(self) -> None:
        """Wait until it is time for another look, or something was done."""
        try:
            async with asyncio.timeout(self._every):
                await self._look_now.wait()
        except TimeoutError:
            pass
        self._look_now.clear()

    def _do(self, request: AdminRequest[Done]) -> None:
        self.run_worker(self._ask(request))

    async def _ask(self, request: AdminRequest[Done]) -> None:
        try:
            async with connected(self._data, self._port) as server:
                done = await server.ask(request)
        except AdminFailed as failed:
            self.notify(str(failed), severity="error", markup=False)
        else:
            self.notify(localised(done.message, done.said), markup=False)
            self._look_now.set()

    def action_leave(self) -> None:
        """Leave; the server runs on. What looks at it must not find the screen half gone."""
        self.workers.cancel_all()
        self.exit()


async def look(server: AdminConnection) -> Look:
    """Look at all there is. Raises `AdminFailed`."""
    status = await server.ask(AskStatus())
    rooms = await server.ask(AskRooms(most=MOST))
    players = await server.ask(AskPlayers(most=MOST))
    addresses = await server.ask(AskAddresses(most=MOST))
    return Look(time.monotonic(), status, rooms.rooms, players.players, addresses.addresses)
