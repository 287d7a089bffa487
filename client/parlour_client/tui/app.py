"""The application: the one connection, what is told on every screen, and the ways from the lobby to tables.

It connects without blocking: the lobby is there at once, and says so. While the line is lost every screen
says that, and what is asked waits until it is back.
"""

import asyncio
import importlib
import math
import os
import time
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerError

from parlour_client.clean import clean
from parlour_client.faults import Fault
from parlour_client.identity import state_folder
from parlour_client.tui import themes
from parlour_client.tui.banner import Banner
from parlour_client.tui.host import Getting, Then
from parlour_client.tui.lobby.screen import LobbyScreen
from parlour_client.tui.opening import Opening
from parlour_client.tui.told import told
from parlour_client.tui.ways import look, seat_or_look

if TYPE_CHECKING:
    from parlour_client.dialogue import Lost
    from parlour_client.localserver import Place
    from parlour_client.parlour import Notice, Parlour
    from parlour_client.room import Room
    from parlour_client.tui.table.screen import TableScreen

TICK = 0.25
"""Seconds between two looks at how long it is until the next try."""


class ParlourApp(App[None]):
    """The full screen. It begins as `opening` says; `stack` holds its server for as long as it is open.

    Afterwards `fault` is what ended it, if anything did, and `farewell` the lines to leave with.
    """

    TITLE = "Parlour"
    ENABLE_COMMAND_PALETTE = False

    CSS = """
    ToastRack { dock: top; align: right top; margin: 0; }
    Toast { background: $panel; color: $foreground; padding: 0 1; width: 40; max-width: 90%; }
    Toast.-information { border-left: thick $second-seat; }
    Toast.-warning { border-left: thick $notice; }
    Toast.-error { border-left: thick $refusal; color: $refusal; }
    Input > .input--placeholder { color: $past; }
    .buttons Button {
        margin-left: 2;
        min-width: 12;
        height: 1;
        border: none;
        background: $panel;
        color: $foreground;
        text-style: none;
    }
    .buttons Button.-main { color: $first-seat; text-style: bold; }
    .buttons Button:hover { background: $board-line; color: $background; }
    .buttons Button:focus { background: $first-seat; color: $background; text-style: bold; }
    .buttons Button:nocolor:focus { text-style: bold reverse; }
    .buttons Button:disabled { color: $past; text-opacity: 1; opacity: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", "Leave", show=False, priority=True, key_display="ctrl+c"),
        Binding("ctrl+t", "other_theme", "Light or dark", show=False, priority=True),
        Binding("ctrl+g", "go_to", "Go to a room", show=False, priority=True),
        Binding("f1", "help", "All keys", show=False, priority=True, key_display="F1"),
    ]

    def __init__(self, opening: Opening, stack: ExitStack) -> None:
        # Without colours Textual would still paint in greys; in the terminal's own there is nothing to paint.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        if os.environ.get("PARLOUR_ANIMATION") == "0":
            self.animation_level = "none"
        for theme in themes.THEMES:
            self.register_theme(theme)
        self._choice = themes.Choice(state_folder())
        self.theme = self._choice.read()
        self.parlour: Parlour | None = None
        self.place: Place | None = None
        self.room: Room | None = None
        """The last table that was opened."""
        self.fault: BaseException | None = None
        self.farewell: list[str] = []
        self.lobby = LobbyScreen(self)
        self._table: TableScreen | None = None
        self._under_way: tuple[str, Getting] | None = None
        """The table that was asked for last, in words, until it is there."""
        self._letting_go = asyncio.Lock()
        """Held while a room is let go of: only then it can be asked for anew."""
        self._opening = opening
        self._now = opening
        """What was asked for last: another server, by a link."""
        self._stack = stack
        self._line: Worker[None] | None = None
        self._going: tuple[Opening, Worker[None]] | None = None
        """Another server, which is gone to once it answers."""
        self._retry_at = 0.0
        self._reason = ""
        self._ticking: Timer | None = None

    def get_default_screen(self) -> Screen[Any]:
        """The lobby lies under everything."""
        return self.lobby

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, also under a theme that is not ours."""
        return {name: themes.THEMES[0].variables[name] for name in themes.TABLE_VARIABLES}

    def on_mount(self) -> None:
        """First the paint, then everything that takes its time."""
        self._ticking = self.set_interval(TICK, self._tell_line, pause=True)
        self.call_after_refresh(self._begin, self._opening)

    # ------------------------------------------------------------ the line

    def _begin(self, opening: Opening) -> None:
        self._now = opening
        self._forget()
        self._line = self.run_worker(self._live(opening), group="line", exclusive=True)

    def _forget(self) -> None:
        """Nothing of a server before is meant any more."""
        self.parlour = self.room = None
        for group in ("table", "then", "let go"):
            self.workers.cancel_group(self, group)
        self._under_way = None
        self.lobby.doing("")
        self._line_is_up()
        self.lobby.wait("Connecting …")

    def _arrive(self, opening: Opening) -> None:
        """Another server has answered: now the one before can be left."""
        assert self._line is not None
        assert self._going is not None
        self._to_lobby()
        self._line.cancel()
        self._now, self._line, self._going = opening, self._going[1], None
        self._forget()

    async def _live(self, opening: Opening) -> None:
        """Be connected, and hear what belongs to no room, until that is over for good."""
        parlour: Parlour | None = None
        try:
            place = await asyncio.to_thread(self._enter, opening.place())
            if opening is self._now:
                self.place = place
            from parlour_client.parlour import connect
            from parlour_client.session import identify

            identity = identify(place, opening.name, self.say)
            async with connect(place.server, identity=identity) as parlour:
                if opening is not self._now:
                    self._arrive(opening)
                self.place, self.parlour = place, parlour
                notices = parlour.notices()
                self.lobby.live(parlour)
                if opening.first is not None:
                    self.open_table(opening.taken, opening.first)
                async for notice in notices:
                    self._hear(notice)
        except Fault as fault:
            if opening is self._now:
                self._ended(fault, opening, connected=parlour is not None)
            elif self._going is not None and self._going[0] is opening:
                self._going = None
                self.refuse(f"{told(fault)} You are still where you were.")
        finally:
            # It may take a while to hang up; by then there may be another server.
            if self.parlour is parlour:
                self.parlour = None

    def _enter(self, place: "AbstractContextManager[Place]") -> "Place":
        """In a thread: find the server, or start one, and import what speaks to it."""
        entered = self._stack.enter_context(place)
        importlib.import_module("parlour_client.session")
        importlib.import_module("parlour_client.parlour")
        return entered

    def _ended(self, fault: Fault, opening: Opening, *, connected: bool) -> None:
        """The line is over for good, or there never was one."""
        if connected or (opening is self._opening and opening.first is not None):
            self._fail(fault)
            return
        self.lobby.wait(f"{told(fault)} Or type another server's address below; r tries again.", failed=True)

    def _fail(self, fault: BaseException) -> None:
        """Leave, and tell it where the terminal is as it was."""
        self.fault = fault
        self.exit()

    def _hear(self, notice: "Notice") -> None:
        from parlour_client import sentences
        from parlour_client.dialogue import Back, Lost
        from parlour_protocol.to_client import Lobby, Refused

        match notice:
            case Lobby():
                self.lobby.hear(notice)
            case Lost():
                self.lost(notice)
            case Back():
                self._back()
            case Refused():
                self.refuse(sentences.refusal(notice))
            case _:
                pass  # a room's own affair, or a search's

    def lost(self, lost: "Lost") -> None:
        """Tell that the line is lost, until it is back."""
        self._retry_at, self._reason = time.monotonic() + lost.retry_in, lost.reason
        self._tell_line()
        if self._ticking is not None:
            self._ticking.resume()

    def _line_is_up(self) -> None:
        """Nothing is lost, or not any more."""
        if self._ticking is not None:
            self._ticking.pause()
        for screen in self.screen_stack:
            screen.query(Banner).remove()

    def _back(self) -> None:
        self._line_is_up()
        self.say("Connected again.")
        if self.parlour is not None:
            self.lobby.look_again(self.parlour)

    def _tell_line(self) -> None:
        """On every screen that there is by now: that the line is lost, and when it is tried again."""
        left = math.ceil(self._retry_at - time.monotonic())
        when = f"in {left} s" if left > 0 else "now"
        said = f"Connection lost. Trying again {when} (your seat is kept)."
        if self._reason:
            said = f"{clean(self._reason)} {said}"
        for screen in self.screen_stack:
            banner = screen.query(Banner)
            if screen is self._table and not self._table.room.ended:
                continue  # it says so itself, beside its board
            if banner:
                banner.first().tell(said)
            else:
                screen.mount(Banner(said, markup=False))

    # ------------------------------------------------------------ what screens ask for

    def say(self, sentence: str) -> None:
        """Tell something, on whatever screen is shown."""
        self.notify(clean(sentence), markup=False)

    def refuse(self, sentence: str) -> None:
        """Tell what was refused."""
        self.notify(clean(sentence), severity="error", markup=False)

    def open_table(self, taken: str, getting: Getting) -> None:
        """Say that it was taken up, get the room, and show its table; tell why where that can't be.

        What is under way is not asked for twice; something else takes its place.
        """
        if self.parlour is None:
            self.refuse("We are not connected yet. Try again in a moment.")
            return
        if self._under_way is not None and self._under_way[0] == taken:
            return
        self._under_way = under_way = taken, getting
        self.lobby.doing(taken)
        self.run_worker(self._open(under_way), group="table", exclusive=True)

    async def _open(self, under_way: tuple[str, Getting]) -> None:
        _, getting = under_way
        must = getting is self._opening.first
        try:
            room = await self.get(getting)
        except Fault as fault:
            if must:
                self._fail(fault)
            else:
                self.refuse(told(fault))
        else:
            self.show(room)
            if must and self._opening.then is not None:
                self.run_worker(self._do(self._opening.then, room), group="then")
        finally:
            if self._under_way is under_way:
                self._under_way = None
                self.lobby.doing("")

    async def _do(self, then: Then, room: "Room") -> None:
        try:
            await then(room)
        except Fault as fault:
            self.refuse(told(fault))

    async def get(self, getting: Getting) -> "Room":
        """Get a room, however long that takes. Raises `Fault`."""
        if self.parlour is None:
            raise Fault("We are not connected yet. Try again in a moment.")
        async with self._letting_go:
            pass
        return await getting(self.parlour)

    def show(self, room: "Room | None") -> None:
        """Show a room's table; nothing for None."""
        if room is None or self.parlour is None:
            return
        from parlour_client.tui.table.screen import TableScreen

        if self._table in self.screen_stack and self._table.room is room:
            self._back_to(self._table)
            return
        self._to_lobby()
        self.room = room
        self._table = table = TableScreen(room, self.parlour)
        self.push_screen(table, lambda _: self._let_go(table))

    def _let_go(self, table: "TableScreen") -> None:
        """It was left: no more is to be heard of its room. A seat stays taken."""
        if table is not self._table:
            return  # as it was when another one was shown
        self._table = None
        if self.parlour is not None and not table.room.ended:
            self.run_worker(self._do(self._unwatch, table.room), group="let go")

    async def _unwatch(self, room: "Room") -> None:
        async with self._letting_go:
            await room.unwatch()

    def _to_lobby(self) -> None:
        self._back_to(self.lobby)
        if self._table is not None:
            self._let_go(self._table)

    def _back_to(self, screen: Screen[Any]) -> None:
        """Put away all that lies on a screen."""
        while self.screen is not screen:
            self.pop_screen()

    def again(self) -> None:
        """Try to connect once more, where that failed."""
        if self._has_failed():
            self._begin(self._now)

    def _has_failed(self) -> bool:
        return self._line is not None and self._line.is_finished

    def meant(self, text: str, *, sit: bool = True) -> str:
        """Go where a code, a link or a server's address leads. Gives a sentence where it leads nowhere."""
        from parlour_client import localserver
        from parlour_protocol.ids import parse_link, server_address

        text = clean(text).strip()
        link = parse_link(text)
        if link is None:
            server = server_address(text) if ":" in text or "." in text else None
            if server is None:
                return f"{text[:24]!r} is no room's code (six letters, like KMRTQA), nor a link to one."
            place = partial(localserver.place, server, own=False)
            self._move(Opening(place, self._opening.name))
            return ""
        code, there = link.code, link.server
        getting = seat_or_look(code) if sit else look(code)
        taken = f"To room {code} …"
        here = self.place.server if self.place is not None else None
        if there is not None and there != here:
            place = partial(localserver.place, there, own=False)
            self._move(Opening(place, self._opening.name, getting, taken))
        elif self._has_failed():
            self._move(Opening(self._now.place, self._opening.name, getting, taken))
        elif self.parlour is None:
            return "We are not connected yet. Try again in a moment."
        else:
            self.open_table(taken, getting)
        return ""

    def _move(self, opening: Opening) -> None:
        """To another server, once it answers; our own, if there is one, stays open until we leave."""
        if self._going is not None:
            self._going[1].cancel()
            self._going = None
        if self.parlour is None:
            self._to_lobby()
            self._begin(opening)
        else:
            self.say("Connecting …")
            self._going = opening, self.run_worker(self._live(opening), group="line")

    # ------------------------------------------------------------ keys

    def action_other_theme(self) -> None:
        """From light to dark and back, and keep it."""
        self.theme = themes.other(self.theme)
        self._choice.keep(self.theme)

    def action_go_to(self) -> None:
        """Ask for a code or a link."""
        from parlour_client.tui.dialogs.join import JoinDialog

        if not isinstance(self.screen, JoinDialog):
            self.push_screen(JoinDialog(self))

    def action_help(self) -> None:
        """Show all keys."""
        from parlour_client.tui.help import HelpScreen
        from parlour_client.tui.keys import groups

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(groups()))

    async def action_leave(self) -> None:
        """Hang up, and leave with the line about how to come back."""
        self.farewell = self._take_leave()
        for line in (self._line, self._going and self._going[1]):
            if line is not None:
                line.cancel()
                with suppress(WorkerError):
                    await line.wait()
        self.exit()

    def _take_leave(self) -> list[str]:
        from parlour_client.session import farewell

        view = self.room.view if self.room is not None else None
        lost = self.parlour is not None and not self.parlour.connected
        unsent = lost and any(worker.group == "commands" for worker in self.workers if worker.is_running)
        said = ["What you did last was not sent: the connection is lost."] if unsent else []
        return [*said, *farewell(self.place, view, self._now.name)]

    # ------------------------------------------------------------ our own bugs

    def _fatal_error(self) -> None:
        # Textual would print a traceback across the terminal; whoever opened us keeps it in a file.
        self.fault = self._exception
        self._close_messages_no_wait()
