"""A tournament on the full screen: standings, boards with the games that run, and what its host does.

Whoever takes part is led to each of their games as it begins, and comes back here when they leave its table.
"""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from parlour_client.render import tournament as render
from parlour_client.sdk import records
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.room import Room
from parlour_client.tui.app_port import AppPort, OpenRoom
from parlour_client.tui.dialogs.chooser import BotDialog
from parlour_client.tui.dialogs.confirm import ConfirmDialog
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.letter_key import letter
from parlour_client.tui.room_openers import seat_or_watch
from parlour_client.tui.screens.headline import connection
from parlour_client.tui.screens.table import TableScreen
from parlour_client.tui.widgets.footer import Footer
from parlour_client.tui.widgets.rows import Rows
from parlour_client.tui.widgets.running_boards import RunningBoards
from parlour_protocol.ids import room_link
from parlour_protocol.views.tournaments import BoardLine, EntrantLine, TournamentView
from parlour_protocol.words import say

TICK = 1.0
"""Seconds between looks at how long it is until the next round."""
WIDE = 116
"""From so many columns on boards stand beside the standings."""


class TournamentScreen(Screen[None]):
    """One tournament, followed until it is left.

    On a wall (`wall`) nobody plays, so nothing is asked, and `take` is called with what is to be seen.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-usual"), (WIDE, "-wide")]  # noqa: RUF012 - as Textual has it

    BINDINGS: ClassVar[list[BindingType]] = [
        letter("T", "table", "page.tournament.to_table"),
        letter("J", "join", "page.tournament.join"),
        letter("B", "start", "page.tournament.start"),
        letter("A", "enter", "page.tournament.add_bot"),
        letter("D", "decide", "page.tournament.decide"),
        letter("P", "replay", "page.tournament.replay"),
        letter("X", "remove", "screen.key.remove"),
        letter("W", "withdraw", "screen.key.withdraw"),
        letter("E", "end", "screen.key.end", tooltip="page.tournament.end"),
        Binding("question_mark", "app.help", "screen.key.keys", key_display="?"),
        Binding("Q,q,escape", "leave", "screen.key.back", key_display="Q"),
    ]

    def __init__(self, port: AppPort, parlour: Client, view: TournamentView, *, wall: bool = False) -> None:
        super().__init__()
        self._port, self._parlour, self.view = port, parlour, view
        self._wall = wall
        self._taken = time.monotonic()
        self._been: set[str] = set()
        """The rooms of our games that were opened by themselves."""
        self._games = RunningBoards(parlour, id="running")

    def compose(self) -> ComposeResult:
        """From top to bottom, or side by side."""
        for name in ("top", "about", "status"):
            yield Static("", id=name, markup=False)
        with Container(id="body"):
            yield Rows(render.ENTRANTS, [], self._chosen, key=lambda one: str(one.number), id="standings")
            yield Static("", id="invite", markup=False)
            with Container(id="games"):
                yield Rows(
                    render.BOARDS_ON_SCREEN,
                    [],
                    self._chosen,
                    key=lambda one: f"{one.round}.{one.board}",
                    id="boards",
                )
                yield self._games
        yield Static("", id="byes", markup=False)
        yield Footer(makes_way=["A", "P", "X", "W", "E"])

    def on_mount(self) -> None:
        """Follow it from here on."""
        self.query_one("#standings").focus()
        self.take(self.view)
        self.set_interval(TICK, self._tick)
        if not self._wall:
            self._follow()

    @work(group="follow")
    async def _follow(self) -> None:
        # What ends the connection is shown by the application.
        try:
            async for view in self._parlour.follow_tournament(self.view.tournament):
                self.take(view)
        except Refused as refused:
            self._port.refuse(error_sentence(refused))
        except ParlourError:
            pass

    # ------------------------------------------------------------ what is shown

    def take(self, view: TournamentView) -> None:
        """Show how it stands now."""
        ended = view.phase == "over" and self.view.phase != "over"
        self.view, self._taken = view, time.monotonic()
        if ended and self.app.screen is not self:
            self._port.say(render.status(view, view.at))
        self._draw()
        self._go_on()
        self.refresh_bindings()

    def _draw(self) -> None:
        view = self.view
        self.query_one("#standings", Rows).put(view.entrants)
        self.query_one("#boards", Rows).put(view.boards)
        self.query_one("#games").display = bool(view.boards)
        link = room_link(self._parlour.public_url, view.tournament)
        invite = self.query_one("#invite", Static)
        invite.display = view.phase == "joining"
        invite.update(Content(f"{say('page.tournament.invite')}\n{link}"))
        byes = self.query_one("#byes", Static)
        byes.display = bool(view.byes)
        byes.update(Content(render.byes(view)))
        self._games.show(
            line.rooms[-1] for line in view.boards if line.state == "playing" and view.room not in line.rooms
        )
        self._games.display = any(line.state == "playing" for line in view.boards)
        self._tick()

    def _tick(self) -> None:
        """The lines on top, of which one counts down."""
        view = self.view
        title, about, state = render.headline(view, view.at + 1000 * (time.monotonic() - self._taken))
        left = Content.assemble(
            ("Parlour", "$first-seat bold"), (f"  {title}", "bold"), (f"  {view.tournament}", "$past")
        )
        right = connection(up=self._parlour.connected)
        width = max(self.size.width - 2, 10)
        left = left.truncate(max(width - right.cell_length - 1, 0), ellipsis=True)
        gap = " " * max(width - left.cell_length - right.cell_length, 0)
        for name, words in (
            ("top", left + gap + right),
            ("about", Content.styled(about, "$past")),
            ("status", Content.styled(state, "bold")),
        ):
            self.query_one(f"#{name}", Static).update(words)

    def on_resize(self) -> None:
        """Another width has another headline."""
        self._tick()

    def reword(self) -> None:
        """All of it."""
        self._draw()

    # ------------------------------------------------------------ to a table

    def on_screen_resume(self) -> None:
        """Back from a table, or from a dialog."""
        self._games.go_on()
        self._go_on()

    def _go_on(self) -> None:
        """To our next game, once: from here, or from the table of one that is over."""
        room, there = self.view.room, self.app.screen
        at_old = isinstance(there, TableScreen) and there.room.view.phase != "playing"
        if self._wall or room is None or room in self._been or not (there is self or at_old):
            return
        self._been.add(room)
        self.action_table()

    def action_table(self) -> None:
        """To our game."""
        if self.view.room is not None:
            self._open(self.view.room, seat_or_watch(self.view.room))

    def _chosen(self, line: EntrantLine | BoardLine) -> None:
        """A board leads to its game, a name to the game that they play, or played last."""
        boards = self.view.boards
        if isinstance(line, EntrantLine):
            number = line.number
            found = next((one for one in boards if number in (one.first, one.second) and one.rooms), None)
        else:
            found = line if line.rooms else None
        if found is not None and not self._wall:
            room = found.rooms[-1]
            self._open(room, seat_or_watch(room) if room == self.view.room else _seen(room))

    def _open(self, room: str, way: OpenRoom) -> None:
        async def open_room(parlour: Client) -> Room:
            # A room is watched once on a connection: what is shown here is let go before.
            await self._games.pause()
            try:
                return await way(parlour)
            except ParlourError:
                self._games.go_on()
                raise

        self._port.open_table(say("screen.to_room", room=room), open_room)

    # ------------------------------------------------------------ what is done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What the server says is open to us; of a board or a name what fits the one that is chosen."""
        if action not in _WANTS:
            return True
        if self._wall:
            return False
        may, board = self.view.may, self._board
        match action:
            case "table":
                return self.view.room is not None
            case "decide":
                return "forfeit" in may and board is not None and board.state == "playing"
            case "replay":
                return "replay" in may and board is not None and board.state == "done"
            case "remove":
                return "remove" in may and self._entrant is not None
            case _:
                return action in may

    def on_data_table_row_highlighted(self) -> None:
        """Something else may be done with that one."""
        self.refresh_bindings()

    def on_descendant_focus(self) -> None:
        """Likewise."""
        self.refresh_bindings()

    @property
    def _board(self) -> BoardLine | None:
        rows = self.query_one("#boards", Rows)
        return rows.chosen if rows.has_focus else None

    @property
    def _entrant(self) -> EntrantLine | None:
        rows = self.query_one("#standings", Rows)
        one = rows.chosen if rows.has_focus else None
        return None if one is None or one.withdrawn else one

    def action_join(self) -> None:
        """Take part."""
        self._do(self._parlour.join_tournament(self.view.tournament))

    def action_start(self) -> None:
        """Begin the first round."""
        self._do(self._parlour.start_tournament(self.view.tournament))

    def action_withdraw(self) -> None:
        """Leave it, if that is meant."""
        self._sure(
            say("page.tournament.sure_leave"),
            say("page.tournament.leave"),
            lambda: self._parlour.withdraw(self.view.tournament),
        )

    def action_end(self) -> None:
        """End it, if that is meant."""
        self._sure(
            say("page.tournament.sure_end"),
            say("page.tournament.end"),
            lambda: self._parlour.end_tournament(self.view.tournament),
        )

    def action_remove(self) -> None:
        """Take somebody out, if that is meant."""
        if (one := self._entrant) is not None:
            self._sure(
                say("page.tournament.sure_remove", name=one.name),
                say("page.tournament.remove", name=one.name),
                lambda: self._parlour.withdraw(self.view.tournament, one.number),
            )

    def action_decide(self) -> None:
        """Decide a game: who has lost it?"""
        if (board := self._board) is None:
            return
        losers = {"first": board.first, "second": board.second, "both": None}
        ways = {
            "first": say("page.tournament.lost_by", name=board.names[0]),
            "second": say("page.tournament.lost_by", name=board.names[1]),
            "both": say("page.tournament.lost_by_both"),
        }

        def decided(way: str | None) -> None:
            if way is not None:
                code = self.view.tournament
                self._do(self._parlour.forfeit_game(code, board.round, board.board, losers[way]))

        title = say("page.tournament.board", round=board.round, board=board.board)
        self.app.push_screen(ConfirmDialog(title, " – ".join(board.names), ways), decided)

    def action_replay(self) -> None:
        """Have a game played again."""
        if (board := self._board) is not None:
            self._do(self._parlour.replay_game(self.view.tournament, board.round, board.board))

    @work(group="bots", exclusive=True)
    async def action_enter(self) -> None:
        """Have one of the server's bots take part."""
        try:
            bots = await self._parlour.bots()
            bot = await self.app.push_screen_wait(BotDialog(bots))
        except ParlourError as fault:
            self._port.refuse(error_sentence(fault))
        else:
            if bot is not None:
                self._do(self._parlour.enter_bot(self.view.tournament, bot))

    def _sure(self, sentence: str, label: str, act: Callable[[], Awaitable[None]]) -> None:
        def answered(way: str | None) -> None:
            if way is not None:
                self._do(act())

        self.app.push_screen(ConfirmDialog(self.view.title, sentence, {"yes": label}), answered)

    @work(group="act")
    async def _do(self, act: Awaitable[None]) -> None:
        try:
            await act
        except ParlourError as fault:
            self._port.refuse(error_sentence(fault))

    async def action_leave(self) -> None:
        """Back to where one came from. Who takes part goes on taking part."""
        if self._wall:
            await self.run_action("app.leave")
        else:
            self.put_away()

    def put_away(self) -> None:
        """Unsubscribe from it, and show what lies below."""
        if self in self.app.screen_stack:  # a key may come twice
            self.app.run_worker(self._unfollow(), group="unwatch")
            self.dismiss(None)

    async def _unfollow(self) -> None:
        # Why it can't be, the application shows.
        with suppress(ParlourError):
            await self._parlour.tournament(self.view.tournament)


_WANTS = frozenset(("table", "join", "start", "enter", "decide", "replay", "remove", "withdraw", "end"))


def _seen(room: str) -> OpenRoom:
    """Watch a game, or see its record where its room is gone."""

    async def open_room(parlour: Client) -> Any:
        try:
            return await parlour.watch(room)
        except Refused:
            return await records.as_room(parlour, room, None, None, "closed")

    return open_room
