"""The screen of one room, to play in or to watch: a model, what draws from it, and what its player does.

Whatever happens changes the model (`table_model.py`, `study.py`); `changed` then shows it, and fetches what
it wants. What stands above and below the board is declared in `left_column.py`, what beside it in
`table_panels.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import ActiveBinding, BindingType
from textual.screen import Screen

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError, Refused
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.room import Room, RoomChange
from parlour_client.text import durations, ratings, wording
from parlour_client.text.actions import BY_NAME, MakeRequest
from parlour_client.text.events import calls, event_lines, lapsed
from parlour_client.text.names import localised
from parlour_client.tui import bindings
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.screens import headline, status_line
from parlour_client.tui.screens.open_actions import at_table, why_closed_here
from parlour_client.tui.screens.study_fetcher import StudyFetcher
from parlour_client.tui.screens.table_panels import TablePanels
from parlour_client.tui.study import Fetch
from parlour_client.tui.table_model import TableModel
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.chat import Chat
from parlour_client.tui.widgets.move_list import Picked
from parlour_protocol.events import ChatPosted, Event, GameFinished, MovePlayed, SeatTaken
from parlour_protocol.notices import Thinking
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import say


class TableScreen(Screen[None]):
    """A room's table. `dismiss`ed when it is left; the seat stays taken."""

    BINDINGS: ClassVar[list[BindingType]] = bindings.table_bindings()

    def __init__(self, room: Room, parlour: Client, *, earlier: bool = False) -> None:
        """`earlier`: it is one of the room's earlier games, opened from their list."""
        super().__init__()
        self.room = room
        self.model = TableModel(
            room.view,
            thinking=room.state.thinking,
            state=room.state,
            version=room.version,
            server=parlour.public_url,
            saved=parlour.welcome.saved,
            earlier=earlier,
            ended=_number_and_result(room.view) if earlier else "",
        )
        self._parlour = parlour
        self._footer: dict[str, str] = {}
        self._window = ""
        self._fetched: dict[Fetch, tuple[int, int]] = {}
        """What of the model's `wanted` was asked for, and is wanted still."""
        self._fetcher = StudyFetcher(self.model, room, parlour, self.changed)
        self.panels = TablePanels()
        self.board = self.panels.board
        model = self.model
        self._here: dict[str, Callable[[], object]] = {
            "back": partial(model.by, -1),
            "forward": partial(model.by, 1),
            "start": partial(model.to, 0),
            "now": self._to_present,
            "review": self._toggle_review,
            "games": partial(self.call_next, self.run_action, f"app.room_games('{room.code}')"),
            "add_bot": partial(self._work_alone, "bots", self._choose_bot),
            "hint": model.toggle_scores,
            "carry": partial(self._work_alone, "carry", self._carry),
            "say": self.panels.write,
            "rules": partial(self.call_next, self.run_action, f"app.rules({room.view.game!r})"),
            "help": partial(self.call_next, self.run_action, "app.help"),
            "dismiss": self._close_open,
            "quit": self.leave,
        }
        """The actions that send no command, by their names."""

    def compose(self) -> ComposeResult:
        """All of it."""
        yield self.panels

    def on_mount(self) -> None:
        """Follow the room from here on."""
        self.board.focus()
        self.changed()
        self.run_worker(self._follow(), group="follow", exit_on_error=True)
        if self.model.view.position is None:
            self.run_worker(self._fetcher.fetch_beginning(), group="beginning")
        self._tick()
        if not self.model.earlier:
            self._meet()
            self._rate()

    @work(group="meet", exclusive=True)
    async def _meet(self) -> None:
        """Say how the games against the other player have ended."""
        with suppress(ParlourError):
            if said := wording.head_to_head(self.room.view, await self.room.head_to_head()):
                self.panels.chat.add_news(said)

    @work(group="rate", exclusive=True)
    async def _rate(self) -> None:
        """Show how the players are rated, and say what a game that is over has changed."""
        if not self.room.view.rated:
            return
        with suppress(ParlourError):
            self.model.ratings = found = await self.room.ratings()
            self.changed()
            if any(one is not None and one.change for one in found):
                self.panels.chat.add_news(ratings.now(self.room.view, found))

    # ------------------------------------------------------------ what happens, and what is shown

    async def _follow(self) -> None:
        fault = None
        try:
            async for change in self.room.changes():
                self._take(change)
        except ParlourError as error:
            fault = error
        self.model.unfollowed(fault)
        self.changed()

    def _take(self, change: RoomChange) -> None:
        model, message = self.model, change.message
        # Not `change.before`, which is missing where a reader that fell behind begins anew.
        before, you, ply = model.state, model.view.you, model.ply
        was = model.view
        model.take(message, change.after, _now())
        if (plan := model.take_plan(was)) is not None:
            self._answer(*plan)
        # Every screen says so for a while.
        if before is not None and not isinstance(message, Disconnected | Reconnected):
            view = change.after.view
            match message:
                # Moves, chat and thoughts have places of their own.
                case Thinking() | Event(event=ChatPosted()):
                    news = []
                case Event(event=MovePlayed() as played):
                    news = [*filter(None, [lapsed(before.view, view, played)])]
                case _:
                    news = event_lines(before.view, view, message)
            for sentence in news:
                self.panels.chat.add_news(sentence)
            if isinstance(message, Event) and isinstance(message.event, SeatTaken):
                self._meet()
            if isinstance(message, Event) and isinstance(message.event, SeatTaken | GameFinished):
                self._rate()
            if calls(before.view, view, message):
                self.app.bell()
            match message:
                case Event(event=ChatPosted(name=name, text=text, text_said=said)) if (
                    name and not self.panels.chat.region.area
                ):
                    if view.you is None or name != wording.name_of(view, view.you):
                        self.notify(f"{name}: {localised(text, said)}", markup=False)
        if you is None and model.view.you is not None and ply is not None:
            self.board.focus()
        self.changed(animate=isinstance(message, Event))

    def changed(self, *, animate: bool = False) -> None:
        """Show what is known now, and fetch what is wanted; `animate`: what moved is seen to move."""
        if self.is_mounted:
            self._refresh()
            self._fetch_wanted()
            self.panels.show(self.model, animate=animate)
            self._refresh_footer()
            self._name_window(headline.window_title(self.model.view))

    def on_unmount(self) -> None:
        """The window is no table's any more."""
        self._name_window("Parlour")

    def _name_window(self, title: str) -> None:
        """Textual has no way of its own to name the terminal's window."""
        if title != self._window and self.app._driver is not None:
            self._window = title
            self.app._driver.write(f"\x1b]2;{title}\x07")

    def on_resize(self) -> None:
        """Another size has another layout."""
        self.changed()

    def reword(self) -> None:
        """All of it; what has happened stays as it was said."""
        self.changed()

    def _tick(self) -> None:
        """Show what time alone changes: clocks, absences, the next attempt to connect."""
        self._show_time()
        clock, pause = self.model.view.clock, 1.0
        if clock is not None and clock.running is not None and self.model.lost is None:
            pause = durations.until_next(clock.left[clock.running])
        self.set_timer(min(max(pause, 0.02), 1.0), self._tick)

    def _show_time(self) -> None:
        self._refresh()
        self.panels.show_time(self.model)
        self._refresh_footer()

    def _refresh(self) -> None:
        self.model.refresh(_now())
        self.model.typed = self.board.typed
        self.model.open = at_table(self.model)

    # ------------------------------------------------------------ what is fetched

    def _fetch_wanted(self) -> None:
        """Ask for what the model wants, each once; what it wants no longer is stopped."""
        wanted = self.model.wanted
        for what in self._fetched.keys() - wanted.keys():
            del self._fetched[what]
            self.workers.cancel_group(self, what)
        for what, of in wanted.items():
            if self._fetched.get(what) != of:
                self._fetched[what] = of
                self._work_alone(what, partial(self._fetcher.fetch, what))

    def _work_alone(self, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this in the background, in place of what runs in its group; why it fails is shown."""

        async def run() -> None:
            try:
                await work()
            except ParlourError as fault:
                self.refuse(error_sentence(fault))

        self.run_worker(run(), group=group, exclusive=True)

    # ------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An action of the player's is active, and in the footer, while it is open."""
        return action != "perform" or parameters[0] in self.model.open

    def action_perform(self, name: str) -> None:
        """Do what a key stands for: send a command, ask first where that can't be undone, or do it here."""
        if name not in self.model.open:
            return
        self.model.refusal = ""
        action = BY_NAME[name]
        if action.asks(self.model.view):
            self.board.focus()
            self.model.ask(action)
        elif action.request is not None:
            self._request(action.request)
        else:
            self._here[name]()
        self.changed()

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys for the footer."""
        return bindings.active(self.model, self, super().active_bindings)

    def _refresh_footer(self) -> None:
        """Have the footer made anew, which is expensive, where other keys mean something now."""
        footer = bindings.footer(self.model)
        if footer != self._footer:
            self._footer = footer
            self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """A question takes the next key; and nobody plays on an earlier position."""
        model, character = self.model, event.character or ""
        types = character.isalnum() and not character.isupper()
        if model.question:
            choice = model.answer(event.key)
            if choice is not None and choice.request is not None:
                self._request(choice.request)
            event.stop()
            event.prevent_default()
            self.changed()
        elif (
            model.ply is not None
            and model.your_turn
            and self.board.has_focus
            and (types or event.key == "enter")
        ):
            self.refuse(say("screen.table.earlier"))
        elif self.board.has_focus and (meant := bindings.capital_meant(model, character)):
            self.refuse(meant)
        elif closed := bindings.closed_action(model, character):
            self._refuse_closed(closed)
        elif not model.your_turn and self.board.has_focus and types:
            self._refuse_closed("play")

    # ------------------------------------------------------------ from the widgets

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A legal move."""
        self._play(event.move)

    def on_board_planned(self, event: Board.Planned) -> None:
        """An answer, before one's turn."""
        if self.model.may_plan:
            self.model.plan(event.cell)
            self.changed()

    def _answer(self, cell: int, moves: list[str]) -> None:
        """It is the player's turn: play what they have chosen before, where it may be played."""
        board = self.model.view.position
        if len(moves) == 1:
            self._play(moves[0])
        elif board is not None:
            self.panels.chat.add_news(say("premove.dropped", cell=status_line.plan_called(board, cell)))

    def on_board_entered(self, event: Board.Entered) -> None:
        """No legal move: the server says why."""
        self._play(event.text)

    def on_board_picked(self, event: Board.Picked) -> None:
        """A part of a move, or which one it is."""
        self.model.picked, self.model.refusal = event.moves, ""
        self._show_time()

    def on_board_no_move(self, event: Board.NoMove) -> None:
        """Somebody writes to the others, it seems."""
        self.refuse(say("screen.table.no_move"))

    def on_board_typed(self, event: Board.Typed) -> None:
        """Show it as it is typed."""
        self.model.refusal = ""
        self._show_time()

    def on_chat_writing(self) -> None:
        """Let the others know."""
        self.room.show_typing()

    def on_chat_sent(self, event: Chat.Sent) -> None:
        """Send it, and go on playing; what is refused is there to be sent again."""

        async def send() -> None:
            try:
                await self.room.say(event.text)
            except ParlourError:
                self.panels.chat.give_back(event.text)
                raise

        self._send(say("screen.table.saying"), send())
        self.panels.stop_writing()

    def on_chat_done(self, event: Chat.Done) -> None:
        """Back to the board."""
        self.panels.stop_writing()

    def on_picked(self, event: Picked) -> None:
        """A position was chosen, in the list of moves or on the review's curve."""
        self.model.refusal = ""
        self.model.to(event.ply)
        self.changed()

    # ------------------------------------------------------------ what is sent

    def _send(self, sentence: str, asking: Awaitable[Any]) -> None:
        """Send something; `sentence` says what, until its answer comes. Nothing here waits."""
        number = self.model.send(sentence)
        self.changed()

        async def wait() -> None:
            try:
                await asking
            except ParlourError as fault:
                if not self._was_left():
                    self.refuse(error_sentence(fault))
                elif isinstance(fault, Refused):
                    self.notify(error_sentence(fault), severity="error", markup=False)
            finally:
                del self.model.pending[number]
            if not self._was_left():
                self.changed()

        # The application's worker: leaving the table before an answer has come cancels nothing.
        self.app.run_worker(wait(), group="commands")

    def _request(self, make: MakeRequest) -> None:
        request = make(self.model.view)
        self._send(request.sentence, self.room.do(request.command))

    def _play(self, move: str) -> None:
        model = self.model
        if model.ply is not None:
            self.refuse(say("screen.table.earlier"))
        elif not model.your_turn:
            self._refuse_closed("play")
        elif not model.playing:  # a key may be pressed twice in haste
            model.playing = move
            # For the position that its player saw: the room may have a newer one already.
            self._send(say("screen.table.on_its_way", move=move), self._play_at(model.version, move))

    async def _play_at(self, version: int, move: str) -> None:
        try:
            await self.room.play(move, version=version)
        except ParlourError:
            self.model.playing = ""
            raise

    def refuse(self, sentence: str, *, closed: bool = False) -> None:
        """Show for a while why something can't be done; `closed`: it may be open after the next event."""
        self.model.refuse(sentence, _now(), closed=closed)
        self.changed()

    def _refuse_closed(self, name: str) -> None:
        if why := why_closed_here(name, self.model):
            self.refuse(why, closed=True)

    # ------------------------------------------------------------ actions of the screen's own

    def _to_present(self) -> None:
        self.model.to_present()
        self.board.focus()

    def _toggle_review(self) -> None:
        self.model.toggle_review()
        (self.panels.review if self.model.reviewing else self.board).focus()

    async def _choose_bot(self) -> None:
        """Ask which of the server's bots is to take the free seat."""
        from parlour_client.tui.dialogs.chooser import BotDialog

        bots = await self._parlour.bots()
        if self.is_current and "add_bot" in self.model.open:  # neither may be so any more
            self.app.push_screen(BotDialog(bots), self._call_bot)

    def _call_bot(self, bot: str | None) -> None:
        if bot is not None:
            self._send(say("action.add_bot.sent"), self.room.add_bot(bot))

    async def _carry(self) -> None:
        """Show the way to another device."""
        from parlour_client.sdk.carrying import carry_seat
        from parlour_client.tui.dialogs.carry import CarryDialog

        seat = await carry_seat(self._parlour, self.room.code)
        if self.is_current:  # and has not been left meanwhile
            self.app.push_screen(CarryDialog(seat))

    def _close_open(self) -> None:
        """Close what is shown besides the game. What was typed, the board itself takes away."""
        if self.model.reviewing or self.model.ply is not None:
            self.board.focus()
        if not self.model.close() and self.model.earlier:
            self.leave()

    def leave(self) -> None:
        """Out of the room, to the lobby or to the list of games; say what becomes of commands that wait."""
        if self._was_left():
            return  # the key came twice
        self.dismiss(None)
        if self.model.lost is not None and self.model.pending:
            waiting = say("screen.table.later", what=", ".join(self.model.pending.values()))
            self.notify(f"⋯ {waiting}", markup=False)

    def _was_left(self) -> bool:
        return self not in self.app.screen_stack


def _number_and_result(view: RoomView) -> str:
    return f"{say('table.game_number', number=view.game_number)}. {wording.result(view)}".strip()


def _now() -> float:
    return asyncio.get_running_loop().time()
