"""The application of `parlour top`: looks at a server every few seconds, and has done what is asked for."""

import asyncio
import os
import time
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from parlour_client.sdk.admin import AdminConnection, connected
from parlour_client.sdk.errors import AdminFailed
from parlour_client.sdk.identity import state_folder
from parlour_client.text.sanitize import clean
from parlour_client.tui import themes
from parlour_client.tui.top.history import Look
from parlour_client.tui.top.screen import TopScreen
from parlour_protocol.local.admin import AdminRequest, AskAddresses, AskPlayers, AskRooms, AskStatus, Done

MOST = 200
"""So many rows of each table are asked for."""


class TopApp(App[None]):
    """Shows a server until it is left; where there is none at first, `fault` says why."""

    TITLE = "Parlour"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = themes.STYLESHEET

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", "Leave", show=False, priority=True),
        Binding("ctrl+t", "other_theme", "Light or dark", show=False, priority=True),
    ]

    def __init__(self, data: str | None, port: int | None, every: float) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in themes.THEMES:
            self.register_theme(theme)
        self._choice = themes.ThemeChoice(state_folder())
        self.theme = self._choice.read()
        self.fault: AdminFailed | None = None
        self.top = TopScreen(self._do)
        self._data, self._port, self._every = data, port, every
        self._looked = False
        self._look_now = asyncio.Event()

    def get_default_screen(self) -> Screen[Any]:
        """There is one screen."""
        return self.top

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, also under a theme that is not ours."""
        return {name: themes.THEMES[0].variables[name] for name in themes.TABLE_VARIABLES}

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
                self.top.lost(f"{failed} Looking for it again …")
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
            self.notify(clean(str(failed)), severity="error", markup=False)
        else:
            self.notify(clean(done.message), markup=False)
            self._look_now.set()

    def action_leave(self) -> None:
        """Leave; the server runs on. What looks at it must not find the screen half gone."""
        self.workers.cancel_all()
        self.exit()

    def action_other_theme(self) -> None:
        """From dark to light, or back; it is kept."""
        self.theme = themes.other(self.theme)
        self._choice.keep(self.theme)


async def look(server: AdminConnection) -> Look:
    """Look at all there is. Raises `AdminFailed`."""
    status = await server.ask(AskStatus())
    rooms = await server.ask(AskRooms(most=MOST))
    players = await server.ask(AskPlayers(most=MOST))
    addresses = await server.ask(AskAddresses(most=MOST))
    return Look(time.monotonic(), status, rooms.rooms, players.players, addresses.addresses)
