"""The wait for somebody to play with: how long it is until a bot comes, and how a friend can."""

import asyncio
import math
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Button, Static

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.seek import Seek
from parlour_client.sdk.state import as_of
from parlour_client.text.names import bot_name, localised
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.dialogs.dialog import Buttons, Dialog, DialogButton
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.letter_key import letter
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.room import Room

TICK = 0.2
"""Seconds between two looks at how long it is until the bot comes."""


class WaitDialog(Dialog["Room | ParlourError"]):
    """Seeks a game. Its answer: the room once somebody plays there, why there is none, or None: cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "screen.key.cancel", tooltip="screen.key.back"),
        letter("B", "bot_now", "screen.key.bot_now", tooltip="screen.does.bot_now"),
    ]

    def __init__(self, port: AppPort, seek: Seek) -> None:
        super().__init__()
        self._port = port
        self._seek = seek
        self._room: Room | None = None
        """Where we wait; None until the server has answered."""

    @property
    def heading(self) -> str:
        """Its title."""
        return say("screen.match.title")

    def content(self) -> ComposeResult:
        """What is sought, what comes of it, and the ways out."""
        yield Static("", id="sought", markup=False)
        yield Static("", id="bot", markup=False)
        yield Static("", id="code", markup=False)
        with Buttons(classes="buttons"):
            if self._seek.bot is not None:
                label = say("screen.match.play_now", name=self._seek.bot)
                yield DialogButton(label, id="now", disabled=True)
            yield DialogButton(say("screen.key.cancel"), id="cancel", main=True)

    def on_mount(self) -> None:
        """Begin."""
        self._show_sought(self._seek.game)
        self.query_one("#cancel").focus()
        self.set_interval(TICK, self._count_down)
        # Textual cancels a screen's worker when the screen goes, however that happens.
        self.run_worker(self._wait(), group="seek")

    def _show_sought(self, game: str) -> None:
        clock = self._seek.settings.clock if self._seek.settings is not None else None
        what = ", ".join([game, *([clock] if clock else [])])
        self.query_one("#sought", Static).update(Content(say("screen.match.looking", game=what)))

    async def _wait(self) -> None:
        room: Room | None = None
        try:
            room = await self._port.get(self._seek.start)
            self._found(room)
            await room.until(lambda state: state.view.phase != "waiting")
        except ParlourError as fault:
            self.leave(fault)
        except asyncio.CancelledError:
            if room is not None:
                self.app.run_worker(self._seek.withdraw(room), group="ask")
            raise
        else:
            self.leave(room)

    def _found(self, room: "Room") -> None:
        """We have a seat, and wait in it."""
        self._room = room
        if room.view.phase != "waiting":
            return
        self._show_sought(localised(room.view.title, room.view.title_said))
        friend = say("screen.match.friend", room=room.code)
        self.query_one("#code", Static).update(Content(friend))
        if self._seek.bot is not None:
            self.query_one("#now", Button).disabled = False
        self._count_down()
        self.refresh_bindings()

    async def _call_bot(self, room: "Room") -> None:
        try:
            await self._seek.call_bot(room)
        except ParlourError as fault:
            self.query_one("#bot", Static).update(Content(f"✗ {error_sentence(fault)}"))

    def _count_down(self) -> None:
        if self._room is None:
            return
        view = as_of(self._room.state, asyncio.get_running_loop().time())
        if view.awaited is None:
            return
        left, bot = math.ceil(view.bot_comes_in() or 0), bot_name(view.awaited.bot)
        when = say("span.seconds", number=left)
        said = (
            say("screen.match.bot_in", name=bot, span=when)
            if left > 0
            else say("screen.match.bot_now", name=bot)
        )
        self.query_one("#bot", Static).update(Content(said))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A bot can be called where one was chosen, once there is a seat for it."""
        return self._seek.bot is not None and self._room is not None if action == "bot_now" else True

    @on(Button.Pressed, "#now")
    def action_bot_now(self) -> None:
        """Wait no longer."""
        if self._room is not None:
            self.run_worker(self._call_bot(self._room), group="bot", exclusive=True)

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.leave(None)
