"""The application: the one connection, what every screen shows of it, and how tables are opened.

It connects without blocking: the lobby is there at once, and says so. While the connection is lost every
screen says that, and commands wait until it is back.
"""

import asyncio
import importlib
import math
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerError

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.sanitize import clean
from parlour_client.tui.app_port import OpenRoom
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.launch_request import LaunchRequest
from parlour_client.tui.room_openers import seat_or_watch, watch
from parlour_client.tui.screen_app import ScreenApp
from parlour_client.tui.screens.lobby import LobbyScreen
from parlour_client.tui.widgets.banner import Banner
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.local_server import ServerTarget
    from parlour_client.sdk.messages import Disconnected, Notice
    from parlour_client.sdk.room import Room
    from parlour_client.sdk.seek import Seek
    from parlour_client.tui.screens.table import TableScreen
    from parlour_client.tui.screens.tournament import TournamentScreen
    from parlour_client.tui.screens.wall import WallScreen
    from parlour_protocol.answers import Closing
    from parlour_protocol.views.ratings import RatedGame, RatingLine
    from parlour_protocol.views.records import PastGame, RoomHistory

ANNOUNCEMENT_SECONDS = 30.0
"""So long the host's words stay."""
TICK = 0.25
"""Seconds between two looks at how long it is until the next try."""


class ParlourApp(ScreenApp):
    """The full screen. It begins as `opening` says; `stack` holds its server for as long as it is open.

    Afterwards `fault` is what ended it, if anything did, and `farewell` the lines to leave with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g", "ask_room", "screen.key.room", show=False, priority=True),
        Binding("f1", "help", "screen.key.all", show=False, priority=True, key_display="F1"),
    ]

    def __init__(self, opening: LaunchRequest, stack: ExitStack) -> None:
        super().__init__()
        if os.environ.get("PARLOUR_ANIMATION") == "0":
            self.animation_level = "none"
        self.parlour: Client | None = None
        self.place: ServerTarget | None = None
        self.room: Room | None = None
        """The last table that was opened."""
        self.fault: BaseException | None = None
        self.farewell: list[str] = []
        self.lobby = LobbyScreen(self)
        self._base: Screen[Any] = self.lobby
        """The screen that is shown, below its dialogs."""
        self._table: TableScreen | None = None
        self._wall: WallScreen | None = None
        self._tournament: TournamentScreen | None = None
        self._pending: tuple[str, OpenRoom] | None = None
        """The table that is being opened: what is shown meanwhile, and how it is opened."""
        self._typed: Callable[[], None] | None = None
        """What was asked for by a code before there was a connection."""
        self._unwatching = asyncio.Lock()
        """Held while a room is unsubscribed from: it can be subscribed to again only after that."""
        self._opening = opening
        self._now = opening
        """The latest opening: another server, by a link."""
        self._stack = stack
        self._connecting: Worker[None] | None = None
        self._going: tuple[LaunchRequest, Worker[None]] | None = None
        """Another server, which is gone to once it answers."""
        self._leaving = False
        """What ends now is ended by ourselves."""
        self._retry_at = 0.0
        self._reason = ""
        self._ticking: Timer | None = None

    def get_default_screen(self) -> Screen[Any]:
        """The lobby lies under everything."""
        return self.lobby

    def on_mount(self) -> None:
        """First the paint, then everything that takes its time."""
        self._ticking = self.set_interval(TICK, self._show_lost, pause=True)
        self.call_after_refresh(self._begin, self._opening)

    def on_ready(self) -> None:
        """Signals can be subscribed to from here on."""
        self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)

    # ------------------------------------------------------------ the connection

    def _begin(self, opening: LaunchRequest) -> None:
        self._now = opening
        self._reset()
        self._connecting = self.run_worker(
            partial(self._stay_connected, opening), group="connection", exclusive=True
        )

    def _reset(self) -> None:
        """Drop everything that belongs to the server before."""
        self.parlour = self.room = None
        for group in ("table", "unwatch"):
            self.workers.cancel_group(self, group)
        self._pending = self._typed = None
        self.lobby.doing("")
        self._remove_banners()
        self.lobby.wait(say("connection.connecting"))

    def _arrive(self, opening: LaunchRequest) -> None:
        """Another server has answered: now the one before can be left."""
        assert self._connecting is not None
        assert self._going is not None
        self._to_lobby()
        self._connecting.cancel()
        self._now, self._connecting, self._going = opening, self._going[1], None
        self._reset()

    async def _stay_connected(self, opening: LaunchRequest) -> None:
        """Stay connected, and pass on notices that belong to no room, until the connection ends for good."""
        parlour: Client | None = None
        try:
            place = await asyncio.to_thread(self._enter, opening.place())
            if opening is self._now:
                self.place = place
            from parlour_client.sdk import client
            from parlour_client.sdk.connection import Connection
            from parlour_client.sdk.local_server import identify

            identity = identify(place, opening.name, self.say)
            async with client.Client(Connection(place.server, identity, advice=place.advice)) as parlour:
                if opening is not self._now:
                    self._arrive(opening)
                self.place, self.parlour = place, parlour
                notices = parlour.notices()
                self.lobby.arrived()
                self.lobby.live(parlour)
                if opening.wall is not None:
                    self._show_wall(parlour, opening.wall)
                if opening.first is not None:
                    self.open_table(opening.taken, opening.first)
                if opening.tournament is not None:
                    self.open_tournament(opening.tournament, joins=opening.joins)
                if opening.seek is not None:
                    self._show_seek(opening.seek)
                if self._typed is not None:
                    self._typed()
                async for notice in notices:
                    self._take_notice(notice)
        except ParlourError as fault:
            if opening is self._now:
                self._ended(fault, opening, connected=parlour is not None)
            elif self._going is not None and self._going[0] is opening:
                self._going = None
                self._not_reached(f"{error_sentence(fault)} {say('screen.still_there')}")
        finally:
            # It may take a while to hang up; by then there may be another server.
            if self.parlour is parlour:
                self.parlour = None

    def _show_wall(self, parlour: "Client", seconds: float) -> None:
        """Show all running games, one after the other."""
        from parlour_client.tui.screens.wall import WallScreen

        self._wall = WallScreen(self, parlour, seconds)
        self.push_screen(self._wall)

    def _enter(self, place: "AbstractContextManager[ServerTarget]") -> "ServerTarget":
        """In a thread: find the server, or start one, and import what speaks to it."""
        entered = self._stack.enter_context(place)
        importlib.import_module("parlour_client.sdk.client")
        return entered

    def _ended(self, fault: ParlourError, opening: LaunchRequest, *, connected: bool) -> None:
        """The connection has ended for good, or there never was one."""
        if self._leaving:
            return
        if connected or (opening is self._opening and opening.asks):
            self._fail(fault)
            return
        self.lobby.wait(f"{error_sentence(fault)} {say('screen.or_another_server')}", failed=True)

    def _fail(self, fault: BaseException) -> None:
        """Leave; the error is printed once the terminal is as it was."""
        if self.fault is None:
            self.fault = fault
        self.exit()

    def _take_notice(self, notice: "Notice") -> None:
        from parlour_client.sdk.messages import Disconnected, Reconnected
        from parlour_client.text import wording
        from parlour_protocol.answers import Refused
        from parlour_protocol.notices import Announcement, Lobby

        match notice:
            case Lobby():
                self.lobby.take_notice(notice)
            case Disconnected():
                self.lost(notice)
            case Reconnected():
                self._reconnected()
            case Refused():
                self.refuse(wording.refusal(notice))
            case Announcement():
                self.notify(wording.announced(notice), timeout=ANNOUNCEMENT_SECONDS, markup=False)
            case _:
                pass  # a room's own affair, or a search's

    def lost(self, lost: "Disconnected") -> None:
        """Show that the connection is lost, until it is back."""
        self._retry_at, self._reason = time.monotonic() + lost.retry_in, lost.reason
        self._show_lost()
        if self._ticking is not None:
            self._ticking.resume()

    def _remove_banners(self) -> None:
        """We are connected, or try another server."""
        if self._ticking is not None:
            self._ticking.pause()
        for screen in self.screen_stack:
            screen.query(Banner).remove()

    def _reconnected(self) -> None:
        self._remove_banners()
        self.say(say("connection.again"))
        if self.parlour is not None:
            self.lobby.reload(self.parlour)

    def _show_lost(self) -> None:
        """Show on every screen that the connection is lost, and when the next attempt is."""
        from parlour_client.text.events import connection_lost

        left = math.ceil(self._retry_at - time.monotonic())
        sentence = connection_lost(max(left, 0), self._reason)
        for screen in self.screen_stack:
            if screen is self._wall or (screen is self._table and not self._table.room.ended):
                continue  # it says so itself, beside its board
            Banner.show(screen, sentence)

    # ------------------------------------------------------------ what screens ask for

    def say(self, sentence: str) -> None:
        """Show a sentence for a while, on any screen."""
        self.notify(sentence, markup=False)

    def _screen_changed(self, _: Screen[Any]) -> None:
        """Drop the notifications of the screen before: they would lie over what they don't mean."""
        base = next(screen for screen in reversed(self.screen_stack) if not isinstance(screen, ModalScreen))
        if base is not self._base:
            self._base = base
            self.clear_notifications()

    def refuse(self, sentence: str) -> None:
        """Show for a while what was refused."""
        self.notify(sentence, severity="error", markup=False)

    def open_table(self, sentence: str, open_room: OpenRoom) -> None:
        """Show `sentence`, open the room, and show its table; or say why that can't be.

        The same request is not sent twice; another one takes its place.
        """
        if self.parlour is None:
            self.refuse(say("screen.not_connected_yet"))
            return
        if self._pending is not None and self._pending[0] == sentence:
            return
        self._pending = pending = sentence, open_room
        self.lobby.doing(sentence)
        self.run_worker(self._open(pending), group="table", exclusive=True)

    async def _open(self, pending: tuple[str, OpenRoom]) -> None:
        _, open_room = pending
        must = open_room is self._opening.first
        try:
            room = await self.get(open_room)
        except ParlourError as fault:
            if must:
                self._fail(fault)
            else:
                self._not_reached(error_sentence(fault))
        else:
            self.show(room)
        finally:
            if self._pending is pending:
                self._pending = None
                self.lobby.doing("")

    def _not_reached(self, sentence: str) -> None:
        """Show why there is no way to a room: beside the field where its code was typed, if it was."""
        if not self.lobby.not_reached(sentence):
            self.refuse(sentence)

    def _show_seek(self, seek: "Seek") -> None:
        """Seek the game that the command line asks for: where that can't be, it ends with an error."""
        from parlour_client.tui.dialogs.wait import WaitDialog

        def answered(answer: "Room | ParlourError | None") -> None:
            if isinstance(answer, ParlourError):
                self._fail(answer)
            else:
                self.show(answer)

        self.push_screen(WaitDialog(self, seek), answered)

    async def get(self, open_room: OpenRoom) -> "Room":
        """Get a room, however long that takes. Raises `ParlourError`."""
        if self.parlour is None:
            raise ParlourError(say("screen.not_connected_yet"))
        async with self._unwatching:
            pass
        return await open_room(self.parlour)

    def show(self, room: "Room | None") -> None:
        """Show a room's table; nothing for None."""
        if room is None or self.parlour is None:
            return
        from parlour_client.tui.screens.table import TableScreen

        if self._table in self.screen_stack and self._table.room is room:
            self._back_to(self._table)
            return
        self._put_away_table()
        cup = self._tournament
        if cup is not None and cup in self.screen_stack and cup.view.tournament == room.view.tournament:
            self._back_to(cup)
        else:
            self._back_to(self.lobby)
        self.lobby.arrived()
        self.room = room
        self._table = table = TableScreen(room, self.parlour)
        self.push_screen(table, lambda _: self._left(table))

    def _left(self, table: "TableScreen") -> None:
        """It was left: unsubscribe from its room. A seat stays taken."""
        if table is not self._table:
            return  # as it was when another one was shown
        self._table = None
        if self.parlour is not None and not table.room.ended:
            self.run_worker(self._unwatch(table.room), group="unwatch")

    async def _unwatch(self, room: "Room") -> None:
        try:
            async with self._unwatching:
                await room.unwatch()
        except ParlourError as fault:
            self.refuse(error_sentence(fault))

    def _to_lobby(self) -> None:
        self._put_away_table()
        self._back_to(self.lobby)

    def _put_away_table(self) -> None:
        if self._table is not None:
            if self._table in self.screen_stack:
                self._back_to(self._table)
                self.pop_screen()
            self._left(self._table)

    def _back_to(self, screen: Screen[Any]) -> None:
        """Put away all that lies on a screen."""
        while self.screen is not screen:
            self.pop_screen()

    def open_tournament(self, code: str, *, joins: bool = False) -> None:
        """Show a tournament, and take part in it where one `joins`; or say why that can't be."""
        self.run_worker(self._open_tournament(code, joins=joins), group="tournament", exclusive=True)

    async def _open_tournament(self, code: str, *, joins: bool) -> None:
        from parlour_client.tui.screens.tournament import TournamentScreen

        if self.parlour is None:
            self.refuse(say("screen.not_connected_yet"))
            return
        try:
            view = await self.parlour.tournament(code)
            if joins and ("join" in view.may or (view.you is None and view.phase != "over")):
                # It is refused with why, where it is too late.
                await self.parlour.join_tournament(code)
        except ParlourError as fault:
            if code == self._opening.tournament:
                self._fail(fault)
            else:
                self._not_reached(error_sentence(fault))
            return
        self._to_lobby()
        self.lobby.arrived()
        self._tournament = TournamentScreen(self, self.parlour, view)
        self.push_screen(self._tournament)

    def list_games(self, code: str) -> None:
        """Show the list of a room's games."""
        self.run_worker(self._list_games(code), group="games", exclusive=True)

    async def _list_games(self, code: str) -> None:
        from parlour_client.tui.dialogs.games import GamesDialog

        if self.parlour is None or isinstance(self.screen, GamesDialog):
            return
        try:
            history = await self.parlour.room_history(code)
        except ParlourError as fault:
            self.refuse(error_sentence(fault))
        else:
            self.push_screen(GamesDialog(history, partial(self._see_game, history)))

    def _see_game(self, history: "RoomHistory", game: "PastGame") -> None:
        """One of a room's games, from their list: the one that is being played at its table."""
        if game.result is None and game is history.games[-1] and history.phase == "playing":
            self.open_table(say("screen.to_room", room=history.room), seat_or_watch(history.room))
        else:
            self.run_worker(self._show_record(history.room, game), group="games", exclusive=True)

    async def _show_record(self, code: str, game: "PastGame") -> None:
        from parlour_client.sdk import records
        from parlour_client.tui.screens.table import TableScreen

        if self.parlour is None:
            return
        try:
            room = await records.as_room(self.parlour, code, game.number, game.you)
        except ParlourError as fault:
            self.refuse(error_sentence(fault))
        else:
            self.push_screen(TableScreen(room, self.parlour, earlier=True))

    def reconnect(self) -> None:
        """Try to connect once more, where that failed."""
        if self._has_failed():
            self._begin(self._now)

    def _has_failed(self) -> bool:
        return self._connecting is not None and self._connecting.is_finished

    def go_to(self, text: str, *, sit: bool = True) -> str:
        """Go where a code, a link or a server's address leads. Gives a sentence where it leads nowhere."""
        from parlour_client.sdk import local_server
        from parlour_client.sdk.source import linked_position
        from parlour_protocol.ids import parse_link, parse_tournament_link, server_address

        text = clean(text).strip()
        cup = parse_tournament_link(text)
        link = parse_link(text) or cup
        if link is None and linked_position(text) is not None:
            return say("screen.position_link")
        if link is None:
            server = server_address(text) if ":" in text or "." in text else None
            if server is None:
                return say("screen.no_code", text=repr(text[:24]))
            place = partial(local_server.shared_server, server)
            self._move(LaunchRequest(place, self._opening.name))
            return ""
        if link.carry is not None:
            return say("plain.lobby.carries")
        code, there, name = link.code, link.server, self._opening.name
        open_room = seat_or_watch(code) if sit else watch(code)
        taken = say("screen.to_room", room=code)
        here = self.place.server if self.place is not None else None
        elsewhere = there is not None and there != here
        if elsewhere or self._has_failed():
            place = partial(local_server.shared_server, there)
            opening = LaunchRequest(place if elsewhere else self._now.place, name)
            self._move(
                replace(opening, tournament=code)
                if cup is not None
                else replace(opening, first=open_room, taken=taken)
            )
        else:
            go = partial(self.open_tournament, code) if cup else partial(self.open_table, taken, open_room)
            if self.parlour is None:
                self._typed = go
                self.lobby.doing(taken)
            else:
                go()
        return ""

    def _move(self, opening: LaunchRequest) -> None:
        """To another server, once it answers; our own, if there is one, stays open until we leave."""
        if self._going is not None:
            self._going[1].cancel()
            self._going = None
        if self.parlour is None:
            self._to_lobby()
            self._begin(opening)
        else:
            self.say(say("connection.connecting"))
            self._going = opening, self.run_worker(partial(self._stay_connected, opening), group="connection")

    # ------------------------------------------------------------ keys

    def action_ask_room(self) -> None:
        """Ask for a code or a link."""
        from parlour_client.tui.dialogs.join import JoinDialog

        if not isinstance(self.screen, JoinDialog):
            self.push_screen(JoinDialog(self))

    def action_room_games(self, code: str) -> None:
        """List the games of a table's room."""
        self.list_games(code)

    def action_rules(self, game: str) -> None:
        """Tell how a game is played."""
        self.run_worker(self._show_rules(game), group="rules", exclusive=True)

    async def _show_rules(self, game: str) -> None:
        from parlour_client.tui.screens.rules import RulesScreen

        if self.parlour is None or isinstance(self.screen, RulesScreen):
            return
        try:
            self.push_screen(RulesScreen(await self.parlour.rules(game)))
        except ParlourError as fault:
            self.refuse(error_sentence(fault))

    def action_puzzle(self) -> None:
        """Show the puzzle of the day."""
        self.run_worker(self._show_puzzle(), group="puzzle", exclusive=True)

    async def _show_puzzle(self) -> None:
        from parlour_client.tui.screens.puzzle import PuzzleScreen

        if self.parlour is None or isinstance(self.screen, PuzzleScreen):
            return
        try:
            self.push_screen(PuzzleScreen(self.parlour, await self.parlour.puzzle()))
        except ParlourError as fault:
            self.refuse(error_sentence(fault))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A server that rates nobody has no ratings to show."""
        return action != "ratings" or (self.parlour is not None and self.parlour.welcome.rated is True)

    def action_ratings(self) -> None:
        """Show who is rated: first in which games, then in the one that is chosen."""
        self.run_worker(self._show_ratings(), group="ratings", exclusive=True)

    async def _show_ratings(self, game: str | None = None, player: str | None = None) -> None:
        from parlour_client.tui.screens.ratings import PlayerRatingScreen, RatingsScreen

        if self.parlour is None:
            return
        try:
            if game is not None and player is not None:
                self.push_screen(PlayerRatingScreen(await self.parlour.rating(game, player)))
                return
            found = await self.parlour.ratings(game)
        except ParlourError as fault:
            self.refuse(error_sentence(fault))
            return

        def choose(row: "RatedGame | RatingLine") -> None:
            from parlour_protocol.views.ratings import RatedGame

            chosen = (row.game, None) if isinstance(row, RatedGame) else (game, row.key)
            self.run_worker(self._show_ratings(*chosen), group="ratings", exclusive=True)

        self.push_screen(RatingsScreen(found, choose))

    def action_help(self) -> None:
        """Show all keys."""
        from parlour_client.tui.screens.all_keys import groups
        from parlour_client.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(groups(type(self))))

    async def action_leave(self) -> None:
        """Leave; but where others are on a server that we have started, ask first what is to become of it."""
        from parlour_client.tui.dialogs.confirm import CloseServerDialog

        if self._leaving:
            return
        asked = isinstance(self.screen, CloseServerDialog)
        closing = await self._depart()
        if closing is not None and closing.others and not asked and self.place and self.place.host:
            self._leaving = False
            self.push_screen(CloseServerDialog(closing.others), self._leave_as_answered)
        else:
            await self._leave(closing)

    async def _leave_as_answered(self, answer: str | None) -> None:
        if answer is not None:
            # The others may have left meanwhile.
            await self._leave(await self._depart(force=answer == "close"))

    async def _depart(self, *, force: bool = False) -> "Closing | None":
        self._leaving = True
        if self.parlour is None:
            return None
        from parlour_client.sdk.departure import depart

        return await depart(self.parlour, force=force)

    async def _leave(self, closing: "Closing | None") -> None:
        """Disconnect, and leave with a line about how to come back."""
        self._leaving = True
        self.farewell = self._take_leave(closing)
        for line in (self._connecting, self._going and self._going[1]):
            if line is not None:
                line.cancel()
                with suppress(WorkerError):
                    await line.wait()
        self.exit()

    def _take_leave(self, closing: "Closing | None") -> list[str]:
        from parlour_client.text.wording import farewell

        view = self.room.view if self.room is not None else None
        lost = self.parlour is not None and not self.parlour.connected
        unsent = lost and any(worker.group == "commands" for worker in self.workers if worker.is_running)
        unsaid = [say("screen.unsent")] if unsent else []
        return [*unsaid, *farewell(self.place, view, self._now.name, closing)]

    # ------------------------------------------------------------ our own bugs

    def _fatal_error(self) -> None:
        # Textual would print a traceback across the terminal; our caller keeps it in a file.
        if self.fault is None:  # what fails while we leave is not why we leave
            self.fault = self._exception
        self._close_messages_no_wait()
