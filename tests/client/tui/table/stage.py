"""A place to show a table or a part of it: an application with our themes."""

from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.widget import Widget

from parlour_client.connection import Connection
from parlour_client.identity import Guest
from parlour_client.room import Room
from parlour_client.tui.table.screen import TableScreen
from parlour_client.tui.themes import INK, THEMES
from parlour_protocol.to_client import Snapshot
from parlour_protocol.views import RoomView

NOWHERE = "ws://127.0.0.1:9"


class Stage(App[None]):
    """Shows a widget."""

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


class TableStage(Stage):
    """Shows the table of a room as it is told; nobody is asked, since there is no server."""

    def __init__(
        self, view: RoomView, theme: str = INK, version: int = 17, after: Callable[[Room], None] | None = None
    ) -> None:
        super().__init__(theme=theme)
        self._view = view
        self._version = version
        self._after = after
        self.room: Room | None = None

    async def on_mount(self) -> None:
        self.room = Room(
            Connection(NOWHERE, Guest("Ada")),
            Snapshot(self._view.room, self._version, self._view),
            lambda code: None,
        )
        self.table = TableScreen(self.room)
        await self.push_screen(self.table)
        if self._after is not None:
            self._after(self.room)
