"""The lobby: three columns side by side, or one at a time where there is no room for three."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.sanitize import clean
from parlour_client.sdk.seats import HERE
from parlour_client.text.names import bot_name, localised
from parlour_client.tui.app_port import AppPort
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.game_request import FRIEND, NEXT_PLAYER, GameRequest, opponent_name
from parlour_client.tui.letter_key import letter
from parlour_client.tui.room_openers import closed, remembered, seat_or_watch, watch
from parlour_client.tui.widgets.footer import Footer
from parlour_client.tui.widgets.game_cards import Cards, GameCard
from parlour_client.tui.widgets.own_rooms import OwnRooms
from parlour_client.tui.widgets.room_list import ItemList, RoomList
from parlour_client.tui.widgets.text_field import TextField, too_long
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.sdk.client import Client
    from parlour_client.sdk.room import Room
    from parlour_client.sdk.room_list import Listing
    from parlour_client.tui.dialogs.game_form import GameForm
    from parlour_protocol.notices import Lobby
    from parlour_protocol.views.records import Opponent, PastRoom
    from parlour_protocol.views.rooms import BotLine, GameLine, RoomLine
    from parlour_protocol.views.tournaments import TournamentLine

Column = Literal["play", "rooms", "yours"]
COLUMNS: tuple[Column, ...] = get_args(Column)
USUAL_OPPONENT = "medium"
PEOPLE = (FRIEND, HERE, NEXT_PLAYER)
"""What stands on a card where no bot does."""
LONGEST = 300
"""Characters of a link."""
THREE_COLUMNS = 116
"""Narrower terminals show one column at a time."""
HIGH = 46
"""Lower terminals have lower cards in their three columns, so that six of them show in 40 lines."""


class Who(Widget):
    """As whom one is where, and how many players are there; the number gives way first."""

    who: reactive[str] = reactive("")
    players: reactive[int | None] = reactive(None)

    def render(self) -> Content:
        """The name, and what fits beside it."""

        width = self.size.width
        name = Content.assemble(("Parlour", "bold $first-seat"), f"  {self.who}")
        whole = "" if self.players is None else say("presence.players_here", count=self.players)
        for here in (whole, say("screen.lobby.here", count=self.players or 0)) if whole else ():
            line = name + Content.styled(f"  {here}", "$past")
            if line.cell_length <= width:
                return line
        return name.truncate(width, ellipsis=True)


class Heading(Static):
    """A column's name over it; where columns are shown one at a time, a tab to click."""

    @dataclass
    class Clicked(Message):
        """To that column."""

        column: Column

    def __init__(self, column: Column, number: int) -> None:
        super().__init__(id=f"tab-{column}", classes="tab", markup=False)
        self._column = column
        self._number = number
        self._count = 0

    def count(self, number: int) -> None:
        """How many there are in it."""
        self._count = number
        name = say(f"screen.lobby.{self._column}")
        self.update(Content(f"{self._number} {name}" + (f" ({number})" if number else "")))

    def reword(self) -> None:
        """Its name."""
        self.count(self._count)

    def on_mount(self) -> None:
        """Its name."""
        self.count(0)

    def on_click(self) -> None:
        """Go there."""
        self.post_message(self.Clicked(self._column))


class CodeField(TextField):
    """The field for codes and links, with its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "screen.key.join", key_display="enter"),
        Binding("escape", "screen.play", "screen.key.back"),
    ]

    async def _on_key(self, event: events.Key) -> None:
        """The key that opens the field may come twice; no code or link begins with it."""
        if event.character == "/" and self.cursor_position == 0:
            event.stop()
            event.prevent_default()


class LobbyScreen(Screen[None]):
    """What can be played, what is, and one's own rooms. It talks to the server; its widgets don't."""

    AUTO_FOCUS = ""

    HORIZONTAL_BREAKPOINTS = [(0, "-one"), (THREE_COLUMNS, "-three")]  # noqa: RUF012 - textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]  # noqa: RUF012 - likewise

    BINDINGS: ClassVar[list[BindingType]] = [
        letter("N", "new_room", "screen.key.new_room", tooltip="screen.does.new_room"),
        letter("M", "match", "screen.key.match", tooltip="screen.does.match"),
        letter("C", "tournament", "screen.key.tournament", tooltip="screen.does.tournament"),
        letter("P", "app.puzzle", "screen.key.puzzle", tooltip="screen.does.puzzle", show=False),
        letter("A", "rename", "screen.key.name", tooltip="screen.does.name", show=False),
        letter("S", "app.ratings", "screen.key.ratings", tooltip="screen.does.ratings", show=False),
        Binding("slash", "code", "screen.key.code", key_display="/", tooltip="screen.does.code"),
        Binding("1", "column('play')", show=False),
        Binding("2", "column('rooms')", show=False),
        Binding("3", "column('yours')", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("left", "turn(-1)", show=False),
        letter("R", "again", "screen.key.again"),
        letter("T", "app.other_theme", "screen.key.theme", show=False),
        Binding("question_mark", "app.help", "screen.key.keys", key_display="?"),
        letter("Q", "app.leave", "screen.key.quit"),
        Binding("escape", "play", "screen.key.to_games", show=False),
    ]

    column: reactive[Column] = reactive("play", init=False)
    opponent: reactive[str] = reactive(USUAL_OPPONENT, init=False)

    def __init__(self, port: AppPort) -> None:
        super().__init__()
        self._port = port
        self._games: Sequence[GameLine] = []
        self._bots: Sequence[BotLine] = []
        self._titles: dict[str, str] = {}
        self._game = ""
        self._who = ""
        self._listing: Listing | None = None
        self._past: Sequence[PastRoom] = ()
        self._met: Sequence[Opponent] = ()
        self._tournaments: Sequence[TournamentLine] = ()
        self._failed = False
        self._submitted = False
        """What stands in the field for codes was submitted."""

    def compose(self) -> ComposeResult:
        """The headline, the columns, the field for codes, the footer."""
        with Horizontal(id="top"):
            yield Who(id="who")
            yield Static("", id="doing", markup=False)
        with Horizontal(id="tabs"):
            for number, name in enumerate(COLUMNS, start=1):
                yield Heading(name, number)
        with Horizontal(id="columns"):
            for name, content in (("play", Cards()), ("rooms", RoomList()), ("yours", OwnRooms())):
                with Vertical(id=name, classes="column") as column:
                    column.border_title = say(f"screen.lobby.{name}")
                    yield content
        with Horizontal(id="go"):
            yield Static(f"{say('screen.lobby.code')} ", id="ask", markup=False)
            hint = say("screen.lobby.code_hint")
            yield CodeField(placeholder=hint, id="code", compact=True, max_length=LONGEST)
        yield Static("", id="wrong", markup=False)
        yield Footer(makes_way=["L", "I", "M", "slash", "C"])

    def on_mount(self) -> None:
        """Nothing is known yet."""
        self._show_column("play")
        self.wait(say("connection.connecting"))

    # ------------------------------------------------------------ what the server says

    def wait(self, sentence: str, *, failed: bool = False) -> None:
        """Say why there is nothing here yet; `failed`: and that only a person can change that."""
        for group in ("lobby", "again"):
            self.workers.cancel_group(self, group)
        self._failed = failed
        self._games, self._bots, self._listing = [], [], None
        if self._submitted or not isinstance(self.focused, Input):
            # What goes away would hand it to the field for codes.
            self.set_focus(None)
        self.query_one(Cards).wait(sentence)
        for lines in self.query(ItemList):
            lines.wait(sentence)
        for heading in self.query(Heading):
            heading.count(0)
        for name in COLUMNS:
            self.query_one(f"#{name}").border_title = say(f"screen.lobby.{name}")
        self._show_who("", None)
        self.refresh_bindings()

    def doing(self, sentence: str) -> None:
        """Say what was taken up, until it is done (empty)."""
        if not self.is_attached:
            return  # the application is exiting
        self.query_one("#doing", Static).update(Content(sentence))

    @work(exclusive=True, group="lobby")
    async def live(self, parlour: "Client") -> None:
        """Fetch all that is shown here, now that we are connected. Changes come by `take_notice`."""
        try:
            await self._load(parlour)
        except ParlourError as fault:
            self._port.refuse(error_sentence(fault))

    async def _load(self, parlour: "Client") -> None:
        from parlour_client.sdk import pagination
        from parlour_client.sdk.room_list import Listing

        games, bots, own, self._tournaments = await asyncio.gather(
            parlour.games(), parlour.bots(), pagination.history(parlour), parlour.tournaments()
        )
        self._met = own.met
        # By itself and last: notices from now on are newer.
        rooms = await parlour.rooms(subscribe=True)
        listing = Listing(rooms.rooms, rooms.players)
        who = say("screen.lobby.where", name=parlour.name, url=parlour.url)
        await self.show(who, games, bots, listing, own.rooms)

    async def show(
        self,
        who: str,
        games: "Sequence[GameLine]",
        bots: "Sequence[BotLine]",
        listing: "Listing",
        past: "Sequence[PastRoom]",
    ) -> None:
        """All that there is in a lobby; `who` says as whom one is where."""
        if not self.is_attached:
            return  # the application is exiting
        self._who, self._games, self._bots, self._listing = who, games, bots, listing
        self._titles = {line.name: localised(line.title, line.title_said) for line in games}
        if self._game not in self._titles:
            self._game = ""  # another server's
        names = [line.name for line in bots]
        if names and self.opponent not in (*names, *PEOPLE):
            self.opponent = USUAL_OPPONENT if USUAL_OPPONENT in names else names[0]
        self._show_rooms()
        self._show_past(past)
        await self.query_one(Cards).show(games)
        self._show_opponent()
        self.refresh_bindings()

    def take_notice(self, notice: "Lobby") -> None:
        """The list of rooms has changed."""
        if self._listing is not None:
            self._listing = self._listing.after(notice)
            self._show_rooms()

    @work(exclusive=True, group="again")
    async def reload(self, parlour: "Client") -> None:
        """Fetch what changed while nobody notified us."""
        from parlour_client.sdk import pagination
        from parlour_client.sdk.room_list import Listing

        try:
            own = await pagination.history(parlour)
            self._tournaments = await parlour.tournaments()
            rooms = await parlour.rooms(subscribe=True)
        except ParlourError:
            return  # the application shows it
        if not self.is_attached:
            return
        self._listing, self._met = Listing(rooms.rooms, rooms.players), own.met
        self._show_rooms()
        self._show_past(own.rooms)

    def on_screen_resume(self) -> None:
        """Back from a table: there is one more game to go back to, or to look back on."""
        if self._listing is not None and self._port.parlour is not None:
            self.reload(self._port.parlour)

    def _show_rooms(self) -> None:
        assert self._listing is not None
        rooms = self._listing.rooms
        self.query_one(RoomList).show(rooms, self._titles, self._tournaments)
        self.query_one("#tab-rooms", Heading).count(len(rooms))
        title = say("screen.lobby.rooms")
        self.query_one("#rooms").border_title = f"{title} ({len(rooms)})" if rooms else title
        self._show_who(self._who, self._listing.players)

    def _show_past(self, past: "Sequence[PastRoom]") -> None:
        self._past = past
        yours = self.query_one(OwnRooms)
        yours.show(past, self._titles, self._met)
        self.query_one("#tab-yours", Heading).count(yours.running)
        title = (
            say("screen.lobby.yours_to_go_on", count=yours.running)
            if yours.running
            else say("screen.lobby.yours")
        )
        self.query_one("#yours").border_title = f"▸ {title}" if any(one.your_turn for one in past) else title

    def _show_who(self, name: str, players: int | None) -> None:
        who = self.query_one(Who)
        who.who, who.players = name, players

    def reword(self) -> None:
        """What is said here, and not drawn anew each time."""
        self.query_one("#ask", Static).update(Content(f"{say('screen.lobby.code')} "))
        self.query_one("#code", Input).placeholder = say("screen.lobby.code_hint")
        self.query_one("#play").border_title = say("screen.lobby.play")
        self._show_opponent()
        if self._listing is not None:
            self._show_rooms()
            self._show_past(self._past)
        elif not self._failed:
            self.wait(say("connection.connecting"))

    # ------------------------------------------------------------ columns

    def watch_column(self, column: str) -> None:
        """Show another one, and be in it."""
        self._show_column(column)
        self._enter_column(column)

    def _show_column(self, column: str) -> None:
        for name in COLUMNS:
            self.query_one(f"#{name}").set_class(name == column, "-active")
            self.query_one(f"#tab-{name}").set_class(name == column, "-active")

    def _enter_column(self, column: str) -> None:
        content = next(
            (widget for widget in self.query(f"#{column} *").results(Widget) if widget.can_focus), None
        )
        if content is not None and not self.query_one(f"#{column}").has_focus_within:
            content.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The column follows the focus, which may have moved on since."""
        if event.widget is not self.focused:
            return
        for name in COLUMNS:
            if event.widget in self.query(f"#{name} *"):
                self.column = name

    def action_column(self, column: Column) -> None:
        """To that column."""
        self.column = column
        self._enter_column(column)

    def action_turn(self, by: int) -> None:
        """To the next column, or to the one before."""
        at = COLUMNS.index(self.column) + by
        if 0 <= at < len(COLUMNS):
            self.action_column(COLUMNS[at])

    def action_play(self) -> None:
        """Back to the games. What was wrong with a code is dealt with."""
        self._show_code_error("")
        self.action_column("play")

    def on_heading_clicked(self, event: Heading.Clicked) -> None:
        """To that column."""
        self.action_column(event.column)

    def on_cards_beyond(self, event: Cards.Beyond) -> None:
        """An arrow led out of the games."""
        self.action_turn(event.way)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before we are connected there is nothing to play; where we are there is nothing to try again."""
        if action == "again":
            return self._failed
        if action == "code":
            return not isinstance(self.focused, CodeField)
        return bool(self._games) if action in ("new_room", "match", "tournament") else True

    def on_resize(self, event: events.Resize) -> None:
        """One column has room for two cards side by side, a third of the screen has not."""
        self.query_one(Cards).set_class(60 <= event.size.width < THREE_COLUMNS, "-two")

    # ------------------------------------------------------------ to a table

    def watch_opponent(self) -> None:
        """Show it on the cards."""
        self._show_opponent()

    def _show_opponent(self) -> None:
        name = opponent_name(self.opponent)
        name = name if self.opponent in PEOPLE else bot_name(name)
        for card in self.query(GameCard):
            card.opponent = say("screen.lobby.against", name=name)

    def action_other_opponent(self) -> None:
        """The next one in the list of bots and people."""
        everybody = [*(line.name for line in self._bots), *PEOPLE]
        at = everybody.index(self.opponent) if self.opponent in everybody else -1
        self.opponent = everybody[(at + 1) % len(everybody)]

    def on_game_card_chosen(self, event: GameCard.Chosen) -> None:
        """This game is the chosen one from now on."""
        self._game = event.game

    def on_game_card_play(self, event: GameCard.Play) -> None:
        """Against the opponent on its card."""
        if self.opponent == NEXT_PLAYER:
            self.action_match()
            return
        request = GameRequest(event.game, self.opponent)
        self._port.open_table(str(request), request.get)

    def action_match(self) -> None:
        """Against the next person who wants the same."""
        from parlour_client.tui.dialogs.match import MatchDialog

        bot = USUAL_OPPONENT if self.opponent in PEOPLE else self.opponent
        dialog = MatchDialog(
            self._port, self._games, self._bots, self._chosen_game(), bot, self._rooms_of_others
        )
        self._ask(dialog)

    def _rooms_of_others(self) -> "list[RoomLine]":
        assert self._listing is not None
        own = self.query_one(OwnRooms)
        return [line for line in self._listing.rooms if not own.has(line.room)]

    def action_rename(self) -> None:
        """Ask how one wants to be called."""
        from parlour_client.tui.dialogs.name import NameDialog

        if self._port.parlour is not None:
            self.app.push_screen(NameDialog(self._port.parlour), self._renamed)

    def _renamed(self, name: str | None) -> None:
        if name is None or self._port.parlour is None or self._listing is None:
            return
        self._who = say("screen.lobby.where", name=name, url=self._port.parlour.url)
        self._show_who(self._who, self._listing.players)
        self._port.say(say("event.seat_renamed.you", name=name))

    def action_again(self) -> None:
        """Connect, where that failed."""
        self._port.reconnect()

    def _chosen_game(self) -> str:
        return self._game or next((line.name for line in self._games), "")

    def action_new_room(self) -> None:
        """Decide everything."""
        from parlour_client.tui.dialogs.create import CreateDialog

        self._ask(CreateDialog(self._port, self._games, self._bots, self._chosen_game(), self.opponent))

    def action_tournament(self) -> None:
        """Host one."""
        from parlour_client.tui.dialogs.tournament import TournamentDialog

        dialog = TournamentDialog(self._port, self._games, self._chosen_game())
        self.app.push_screen(dialog, self._hosts)

    def _hosts(self, code: str | None) -> None:
        if code is not None:
            self._port.go_to(code)

    def _ask(self, dialog: "GameForm[Room]") -> None:
        self.app.push_screen(dialog, self._port.show)

    def on_room_list_wanted(self, event: RoomList.Wanted) -> None:
        """Sit down there, or watch."""
        self._port.go_to(event.code, sit=event.sit)

    def on_item_list_games_wanted(self, event: ItemList.GamesWanted) -> None:
        """Show them."""
        self._port.list_games(event.code)

    def on_own_rooms_removal_wanted(self, event: OwnRooms.RemovalWanted) -> None:
        """Have the server leave it out, or take it in again, and show what there is."""
        if self._port.parlour is not None:
            self._remove(self._port.parlour, event)

    @work(group="remove")
    async def _remove(self, parlour: "Client", wanted: OwnRooms.RemovalWanted) -> None:
        try:
            await (parlour.restore if wanted.back else parlour.remove)(wanted.code)
            past = await parlour.history()
        except ParlourError as fault:
            self._port.refuse(error_sentence(fault))
        else:
            if self.is_attached:
                self._show_past(past)

    def on_own_rooms_wanted(self, event: OwnRooms.Wanted) -> None:
        """Back to a game, or to what is left of it."""
        past = event.past
        if past.phase == "closed":
            open_room = closed(past)
        elif past.phase == "finished":
            open_room = watch(past.room)
        else:
            open_room = seat_or_watch(past.room)
        self._port.open_table(say("screen.to_game", room=past.room), remembered(open_room))

    # ------------------------------------------------------------ codes and links

    def action_code(self) -> None:
        """Type one."""
        self.query_one("#code", Input).focus()

    @on(events.Paste)
    def _pasted(self, event: events.Paste) -> None:
        """What is pasted anywhere here is a code or a link."""
        field = self.query_one("#code", Input)
        if self.focused is not field:
            text = clean(event.text).strip()
            if len(text) > LONGEST:
                self._port.say(too_long(LONGEST))
            field.value = text[:LONGEST]
            field.focus()

    @on(Input.Changed, "#code")
    def _code_changed(self) -> None:
        self._submitted = False
        self._show_code_error("")

    @on(Input.Submitted, "#code")
    def _entered(self, event: Input.Submitted) -> None:
        wrong = self._port.go_to(event.value)
        self._submitted = not wrong
        self._show_code_error(wrong)

    def arrived(self) -> None:
        """A table or another server was reached: what led there is done with."""
        if self._submitted:
            self.query_one("#code", Input).value = ""
            self.set_focus(None)
            self.action_column(self.column)

    def not_reached(self, sentence: str) -> bool:
        """Show why what was submitted led nowhere, and leave it there to be put right; False: nothing was."""
        if not self._submitted or self.app.screen is not self:
            return False
        self._submitted = False
        self._show_code_error(sentence)
        return True

    def _show_code_error(self, wrong: str) -> None:
        shown = self.query_one("#wrong", Static)
        shown.set_class(bool(wrong), "-wrong")
        shown.update(Content(f"✗ {wrong}" if wrong else ""))
