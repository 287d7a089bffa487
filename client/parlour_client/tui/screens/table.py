"""The screen of one room, to play in or to watch: it owns the objects that do so, and connects them.

What stands above and below the board is declared in `left_column.py`, what beside it in `table_panels.py`.
"""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import ActiveBinding, BindingType
from textual.screen import Screen

from parlour_client.sdk.boards import Boards
from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.sdk.messages import Disconnected, Reconnected
from parlour_client.sdk.room import Room
from parlour_client.sdk.state import ClientRoomState
from parlour_client.text import durations, wording
from parlour_client.text.actions import BY_NAME
from parlour_client.text.events import event_lines
from parlour_client.tui.bindings import table_bindings
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.screens.action_keys import ActionKeys
from parlour_client.tui.screens.following import Following
from parlour_client.tui.screens.open_actions import at_table, why_closed_here
from parlour_client.tui.screens.prompt import Prompt
from parlour_client.tui.screens.sending import Sender
from parlour_client.tui.screens.study import Study
from parlour_client.tui.screens.table_actions import TableActions
from parlour_client.tui.screens.table_panels import TablePanels
from parlour_client.tui.table_model import TableModel
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.chat import Chat
from parlour_client.tui.widgets.move_list import Picked
from parlour_protocol.events import ChatPosted, Event, MovePlayed
from parlour_protocol.messages import RoomMessage, RoomNotice
from parlour_protocol.notices import Replaced, Thinking
from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.rooms import RoomView
from parlour_protocol.words import language, say


class TableScreen(Screen[None]):
    """A room's table. `dismiss`ed when it is left; the seat stays taken."""

    BINDINGS: ClassVar[list[BindingType]] = table_bindings()

    def __init__(self, room: Room, parlour: Client, *, earlier: bool = False) -> None:
        """`earlier`: it is one of the room's earlier games, opened from their list."""
        super().__init__()
        self.room = room
        self._earlier = earlier
        self._parlour = parlour
        self._beginning: BoardView | None = None
        """The position in which a game of this room begins, while there is none yet."""
        self._footer: dict[str, str] = {}
        self._said_closed = ""
        """What was said last of an action that is not open."""
        self.panels = TablePanels()
        self.board = self.panels.board
        self.following = Following(room, _number_and_result(room.view) if earlier else "")
        self.sender = Sender(self, self.changed, self.board.unsend)
        self.prompt = Prompt(self.board.listen)
        self.keys = ActionKeys(self.prompt)
        self.study = Study(self, room, parlour, self.sender, self.board, self.panels.review)
        here: dict[str, Callable[[], object]] = {
            "back": partial(self.study.by, -1),
            "forward": partial(self.study.by, 1),
            "start": partial(self.study.to, 0),
            "now": self.study.to_present,
            "review": self.study.toggle_review,
            "games": partial(self.call_next, self.run_action, f"app.room_games('{room.code}')"),
            "add_bot": partial(self.work_alone, "bots", self._choose_bot),
            "hint": self.study.toggle_scores,
            "carry": partial(self.work_alone, "carry", self._carry),
            "say": self.panels.write,
            "help": partial(self.call_next, self.run_action, "app.help"),
            "dismiss": self._close_open,
            "quit": self.leave,
        }
        self.actions = TableActions(self, room, self.board, self.sender, self.prompt, here)

    def compose(self) -> ComposeResult:
        """All of it."""
        yield self.panels

    def on_mount(self) -> None:
        """Follow the room from here on."""
        self.board.focus()
        self._show_position(animate=False)
        self.changed()
        self.run_worker(self._follow(), group="follow", exit_on_error=True)
        if self.view.position is None:
            self.run_worker(self._fetch_beginning(), group="beginning")
        self._tick()

    async def _fetch_beginning(self) -> None:
        with suppress(ParlourError):
            beginning = await Boards(self._parlour, self.view.game, []).after(0)
            self._beginning = beginning.position
            if self.view.position is None:
                self._show_position(animate=False)
                self.changed()

    # ------------------------------------------------------------ what happens, and what is shown

    async def _follow(self) -> None:
        async for was, message in self.following:
            match message:
                case Disconnected():
                    # What was asked or refused before means nothing while the connection is lost.
                    self.prompt.withdraw()
                    self.sender.forget_refusal()
                case Reconnected():
                    self.panels.chat.add_news(say("connection.again"))
                case Replaced():
                    pass
                case _:
                    self._applied(was, message)
            self.changed()
        self.changed()

    def _applied(self, was: RoomView, message: RoomMessage) -> None:
        view = self.view
        # Moves, chat and thoughts have places of their own.
        shown_elsewhere = isinstance(message, Thinking) or (
            isinstance(message, Event) and isinstance(message.event, MovePlayed | ChatPosted)
        )
        for sentence in [] if shown_elsewhere else event_lines(was, view, message):
            self.panels.chat.add_news(sentence)
        match message:
            case Event(event=ChatPosted(name=name, text=text)) if name and not self.panels.chat.region.area:
                if view.you is None or name != wording.name_of(view, view.you):
                    self.notify(f"{name}: {text}", markup=False)
        if not isinstance(message, RoomNotice) and self.sender.refusal == self._said_closed:
            self.sender.forget_refusal()  # it may be open now
        moved = view.position != was.position or view.to_move != was.to_move or view.you != was.you
        if view.moves != was.moves or view.game_number != was.game_number:
            self.actions.played = False
            looked_back = self.study.ply is not None
            self.study.moves_changed(was)
            moved = moved or (looked_back and self.study.ply is None)
        if moved:
            self.study.position_changed()
            if view.phase != "playing":
                self.prompt.withdraw()
            if self.study.ply is None:
                self._show_position(animate=isinstance(message, Event))
        if view.you is not None and was.you is None and self.study.ply is not None:
            self.study.to_present()  # who takes a seat has a game to play
        self.study.show_thinking()

    @property
    def shown(self) -> ClientRoomState:
        """The room's state."""
        return self.following.shown

    @property
    def view(self) -> RoomView:
        """The room's view."""
        return self.following.shown.view

    @property
    def is_your_turn(self) -> bool:
        """Is the player to move?"""
        view = self.view
        return view.phase == "playing" and view.you is not None and view.to_move == view.you

    def changed(self) -> None:
        """Show what is known now: all but the board."""
        if self.is_mounted:
            self.panels.show(self._model())
            self._refresh_footer()

    def on_resize(self) -> None:
        """Another size has another layout."""
        self.changed()

    def reword(self) -> None:
        """All of it; what has happened stays as it was said."""
        self.changed()

    def _tick(self) -> None:
        """Show what time alone changes: clocks, absences, the next attempt to connect."""
        model = self._model()
        self.panels.show_time(model)
        self._refresh_footer()
        clock, pause = model.view.clock, 1.0
        if clock is not None and clock.running is not None and model.lost is None:
            pause = durations.until_next(clock.left[clock.running])
        self.set_timer(min(max(pause, 0.02), 1.0), self._tick)

    def _show_position(self, *, animate: bool) -> None:
        position = self.view.position or self._beginning
        self.panels.fit(position)
        self.board.show(position, yours=self.is_your_turn, animate=animate)

    def _model(self) -> TableModel:
        study, view = self.study, self.following.now
        opened = at_table(
            view,
            connected=self.following.connected,
            ended=bool(self.following.ended),
            ply=study.ply,
            evaluated=study.report is not None,
            dismissible=study.over_the_game,
            earlier=self._earlier,
        )
        self.keys.show(view, opened, "screen.key.games" if self._earlier else "screen.key.lobby")
        return TableModel(
            view,
            open=opened,
            version=self.shown.version,
            server=self._parlour.public_url,
            saved=self._parlour.welcome.saved,
            lost=self.following.retry_in,
            reason=self.following.reason,
            typing=wording.typing(self.following.typists),
            ended=self.following.ended,
            question=self.prompt.sentence,
            refusal=self.sender.refusal,
            typed=self.board.typed,
            sent=self.sender.latest or study.progress,
            ply=study.ply,
            reviewing=study.reviewing,
            earlier=self._earlier,
            thinking=self.shown.thinking,
            hint=study.hint,
            searched=study.searched,
            kept=study.kept,
        )

    # ------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An action of the player's is active, and in the footer, while it is open."""
        return action != "perform" or parameters[0] in self.keys.open

    def action_perform(self, name: str) -> None:
        """Do what a key stands for."""
        if name in self.keys.open:
            self.sender.forget_refusal()
            self.actions.perform(BY_NAME[name])

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys for the footer."""
        return self.keys.bindings(self, super().active_bindings)

    def _refresh_footer(self) -> None:
        """Have the footer made anew, which is expensive, where other keys mean something now."""
        footer = self.keys.footer()
        if footer != self._footer:
            self._footer = footer
            self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """A question takes the next key; and nobody plays on an earlier position."""
        if self.prompt.answer(event.key):
            event.stop()
            event.prevent_default()
            self.changed()
        elif self.study.ply is not None and self.is_your_turn and self._would_play(event):
            self.refuse(say("screen.table.earlier"))
        elif self.board.has_focus and (called := self.keys.called(event.character or "")):
            self.refuse(called)
        elif closed := self.keys.closed(event.character or ""):
            self.refuse_closed(closed)
        elif not self.is_your_turn and self.board.has_focus and _types(event):
            self.refuse_closed("play")

    def _would_play(self, event: events.Key) -> bool:
        """Would this key make a move, or begin one, in the present position?"""
        return self.board.has_focus and (_types(event) or event.key == "enter")

    # ------------------------------------------------------------ from the widgets

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A legal move."""
        self._try_to_play(event.move)

    def on_board_entered(self, event: Board.Entered) -> None:
        """No legal move: the server says why."""
        self._try_to_play(event.text)

    def on_board_unclear(self, event: Board.Unclear) -> None:
        """Several moves to one cell."""
        moves = language().listed(event.moves[:4], last="list.or")
        self.refuse(say("screen.table.several", moves=moves))

    def on_board_no_move(self, event: Board.NoMove) -> None:
        """Somebody writes to the others, it seems."""
        self.refuse(say("screen.table.no_move"))

    def on_board_typed(self, event: Board.Typed) -> None:
        """Show it as it is typed."""
        self.sender.forget_refusal()
        self.panels.show_time(self._model())

    def _try_to_play(self, move: str) -> None:
        if self.study.ply is not None:
            self.refuse(say("screen.table.earlier"))
        else:
            self.actions.play(move)

    def on_chat_writing(self) -> None:
        """Let the others know."""
        self.actions.show_typing()

    def on_chat_sent(self, event: Chat.Sent) -> None:
        """Send it, and go on playing."""
        self.actions.chat(event.text, self.panels.chat.give_back)
        self.panels.stop_writing()

    def on_chat_done(self, event: Chat.Done) -> None:
        """Back to the board."""
        self.panels.stop_writing()

    def on_picked(self, event: Picked) -> None:
        """A position was chosen, in the list of moves or on the review's curve."""
        self.study.to(event.ply)

    # ------------------------------------------------------------ for the objects that it owns

    def refuse(self, sentence: str) -> None:
        """Show why something can't be done."""
        self.sender.refuse(sentence)

    def refuse_closed(self, name: str) -> None:
        """Show why the action of this name is not open."""
        self._said_closed = why_closed_here(name, self._model())
        if self._said_closed:
            self.refuse(self._said_closed)

    def show_present(self) -> None:
        """Show the position as it stands on the board."""
        self._show_position(animate=False)

    def work_alone(self, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this in the background, in place of what runs in its group; why it fails is shown."""

        async def run() -> None:
            try:
                await work()
            except ParlourError as fault:
                self.refuse(error_sentence(fault))

        self.run_worker(run(), group=group, exclusive=True)

    def stop_work(self, group: str) -> None:
        """Cancel what runs in a group."""
        self.workers.cancel_group(self, group)

    # ------------------------------------------------------------ actions of the screen's own

    async def _choose_bot(self) -> None:
        """Ask which of the server's bots is to take the free seat."""
        from parlour_client.tui.dialogs.bot import BotDialog

        bots = await self._parlour.bots()
        if self.is_current and "add_bot" in self.keys.open:  # neither may be so any more
            self.app.push_screen(BotDialog(bots), self._call_bot)

    def _call_bot(self, bot: str | None) -> None:
        if bot is not None:
            self.sender.send(say("action.add_bot.sent"), self.room.add_bot(bot))

    async def _carry(self) -> None:
        """Show the way to another device."""
        from parlour_client.sdk.carrying import carry_seat
        from parlour_client.tui.dialogs.carry import CarryDialog

        seat = await carry_seat(self._parlour, self.room.code)
        if self.is_current:  # and has not been left meanwhile
            self.app.push_screen(CarryDialog(seat))

    def _close_open(self) -> None:
        """Close what is shown besides the game. What was typed, the board itself takes away."""
        if not self.study.close() and self._earlier:
            self.leave()

    def leave(self) -> None:
        """Out of the room, to the lobby or to the list of games."""
        if self not in self.app.screen_stack:
            return  # the key came twice
        self.dismiss(None)
        if not self.following.connected:
            self.sender.left()


def _number_and_result(view: RoomView) -> str:
    return f"{say('table.game_number', number=view.game_number)}. {wording.result(view)}".strip()


def _types(event: events.Key) -> bool:
    """Would this key type a part of a move?"""
    character = event.character or ""
    return character.isalnum() and not character.isupper()
