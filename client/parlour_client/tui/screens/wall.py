"""All running games of a server, one after the other, as large as the screen allows; or its tournament."""

import asyncio
from contextlib import suppress
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from parlour_client.sdk import tournaments
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.game_rotation import GameRotation
from parlour_client.sdk.room import Room
from parlour_client.text import wording
from parlour_client.text.names import localised
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.screens.headline import connection
from parlour_client.tui.screens.tournament import TournamentScreen
from parlour_client.tui.widgets import players
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.events import Event
from parlour_protocol.ids import SEATS
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class WallScreen(Screen[None]):
    """A board, who plays, and how it stands. Nobody plays here, so nothing is asked.

    While a tournament is under way that lies above it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("Q,q,escape", "app.leave", "screen.key.quit", key_display="Q"),
    ]

    def __init__(self, port: AppPort, parlour: Client, seconds: float) -> None:
        super().__init__()
        self._port, self._parlour = port, parlour
        self._rotation = GameRotation(parlour, seconds, self._follow, self._wait)
        self._room: Room | None = None
        self._board = Board(id="board")
        self._board.can_focus = False
        self._top, self._players, self._status = (
            Static("", id=name, markup=False) for name in ("top", "players", "status")
        )

    def compose(self) -> ComposeResult:
        """From top to bottom; the board has what the others leave."""
        yield self._top
        yield self._players
        yield self._board
        yield self._status
        yield Footer()

    def on_mount(self) -> None:
        """Look for tournaments, too."""
        self._draw()
        self.set_interval(1.0, self._draw)
        self.run_worker(self._show_tournaments(), group="tournaments")

    def on_screen_resume(self) -> None:
        """Begin with the first game."""
        self.run_worker(self._go_round(), group="tour", exclusive=True)

    def on_screen_suspend(self) -> None:
        """What lies above may watch the same rooms."""
        self.workers.cancel_group(self, "tour")

    async def _go_round(self) -> None:
        # What ends the connection is shown by the application.
        with suppress(ParlourError):
            await self._rotation.run()

    async def _show_tournaments(self) -> None:
        """Show the one that is under way, until there is none."""
        above: TournamentScreen | None = None
        while True:
            # What ends the connection is shown by the application.
            with suppress(ParlourError):
                async for view in self._parlour.tournaments_under_way():
                    if view is None:
                        break
                    if above is None:
                        above = TournamentScreen(self._port, self._parlour, view, wall=True)
                        await self.app.push_screen(above)
                    else:
                        above.take(view)
            if above is not None:
                above.put_away()
                above = None
            await asyncio.sleep(tournaments.LOOK_SECONDS)

    async def _follow(self, room: Room) -> None:
        self._room, animate = room, False
        async for change in room.changes():
            self._board.show(
                change.after.view.position, animate=animate and isinstance(change.message, Event)
            )
            animate = True
            self._draw()

    def _wait(self) -> None:
        self._room = None
        self._board.show(None)
        self._draw()

    def on_resize(self) -> None:
        """Another width has other lines."""
        self._draw()

    def reword(self) -> None:
        """All but the board."""
        self._draw()

    def _draw(self) -> None:
        """Show all but the board as it is now."""
        view = None if self._room is None else self._room.now
        self._top.update(self._headline(view))
        if view is None:
            self._players.update("")
            self._status.update(Content.styled(say("table.nothing_runs"), "bold"))
            return
        width = max(self.size.width - 2, 10)
        self._players.update(Content("\n").join(players.line(view, seat, width) for seat in SEATS))
        said = wording.result(view) if view.phase == "finished" else wording.turn(view)
        more = " ".join(filter(None, (wording.score(view), wording.series(view))))
        self._status.update(Content.styled(said, "bold") + "\n" + Content.styled(more, "$past"))

    def _headline(self, view: RoomView | None) -> Content:
        left = Content.styled("Parlour", "$first-seat bold")
        if view is not None:
            left += Content.styled(f"  {localised(view.title, view.title_said)}", "bold")
            left += Content.styled(f"  {say('screen.table.room', room=view.room)}", "$past")
        right = connection(up=self._parlour.connected)
        width = max(self.size.width - 2, 10)
        left = left.truncate(max(width - right.cell_length - 1, 0), ellipsis=True)
        return left + " " * max(width - left.cell_length - right.cell_length, 0) + right
