"""A place to show a table or a part of it: an application with our themes."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from textual.app import App, ComposeResult
from textual.widget import Widget

from parlour_client.sdk.client import Client
from parlour_client.sdk.connection import Connection
from parlour_client.sdk.identity import GuestIdentity
from parlour_client.sdk.messages import RoomUpdate
from parlour_client.sdk.room import Room
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.themes import INK, STYLESHEET, THEMES
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.function_widget import FunctionWidget
from parlour_protocol.answers import Welcome
from parlour_protocol.views.rooms import Limits, RoomView
from tests.client.rooms import snapshot
from tests.support.waiting import within

NOWHERE = "ws://127.0.0.1:9"
VERSION = 17


class Stage(App[None]):
    """Shows a widget."""

    CSS_PATH = STYLESHEET

    def __init__(self, widget: Widget | None = None, theme: str = INK) -> None:
        super().__init__()
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme
        self.animation_level = "none"
        self._widget = widget

    def compose(self) -> ComposeResult:
        if self._widget is not None:
            yield self._widget


class RoomStage(Stage):
    """Shows the table of a room on a real server; notices reach it where it has the room's own client."""

    def __init__(self, room: Room, theme: str = INK, parlour: Client | None = None) -> None:
        super().__init__(theme=theme)
        self.room = room
        self.table = TableScreen(room, parlour or Client(cast(Connection, room._connection)))

    async def on_mount(self) -> None:
        await self.push_screen(self.table)

    def has_shown(self, *others: Room) -> bool:
        """Does the table show all that its room knows, and what these others of the same code know?

        A room and its table are told by themselves: either may be behind.
        """
        return self.table.model.version >= max(room.version for room in (self.room, *others))

    @property
    def board(self) -> Board:
        return self.table.query_one(Board)

    @property
    def said(self) -> str:
        """What stands below the board."""
        return self.table.query_one("#status", FunctionWidget).text.strip()

    @property
    def keys(self) -> set[str]:
        """The keys that the footer shows."""
        return {binding.key for _, binding, enabled, _ in self.table.active_bindings.values() if enabled}

    def seen(self) -> str:
        """All that is on the screen, as text."""
        return "\n".join(strip.text for strip in self.screen._compositor.render_strips())


class Silent(Connection):
    """Whatever is asked for stays unanswered."""

    @property
    def welcome(self) -> Welcome:
        return Welcome("1", 1, "silent", "p1", "Ada", Limits(16384, 20, 40, 6))

    async def request(self, command: Any) -> Any:
        await asyncio.Event().wait()


class FixedStage(RoomStage):
    """Shows a table as it is told, and nothing moves: there is no server, and nobody is asked."""

    def __init__(self, view: RoomView, theme: str = INK, reported: Sequence[RoomUpdate] = ()) -> None:
        Stage.__init__(self, theme=theme)
        self._view = view
        self._reported = reported

    async def seat(self, view: RoomView) -> None:
        """Show another table."""
        line = Silent(NOWHERE, GuestIdentity("Ada"))
        self.room = Room(line, snapshot(VERSION, view, view.at), lambda code: None)
        self.table = TableScreen(self.room, Client(line))
        await self.push_screen(self.table)

    async def on_mount(self) -> None:
        await self.seat(self._view)
        for received in self._reported:
            self.room.take(received)
        if self._view.phase == "closed":
            self.room.end()
        await within(10, self._was_reported)

    def _was_reported(self) -> bool:
        shown, known = self.table.model, self.room.state
        reported = (shown.version, shown.thinking) == (known.version, known.thinking)
        return reported and bool(self.table.model.ended) == self.room.ended
