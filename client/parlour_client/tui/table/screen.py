"""The screen of one room: it follows it, shows all that happens, and sends what its player wants."""

import asyncio
from contextlib import suppress
from typing import ClassVar

from textual.binding import Binding, BindingType

from parlour_client import sentences
from parlour_client.boards import Boards
from parlour_client.clean import clean
from parlour_client.dialogue import Back, Lost
from parlour_client.faults import Fault
from parlour_client.model import Shown, apply
from parlour_client.room import RoomHeard
from parlour_client.tui.table.board import Board
from parlour_client.tui.table.commands import EARLIER
from parlour_client.tui.table.lookback import LookBack
from parlour_client.tui.table.news import news
from parlour_client.tui.table.possible import possible
from parlour_client.tui.table.talk import Talk
from parlour_client.tui.told import told_of_a_game
from parlour_protocol.to_client import Event, Presence, Replaced, Said, Snapshot, Thinking


class TableScreen(LookBack):
    """A room, to play in or to look on. `dismiss`ed when it is left; the seat stays taken.

    Its parts: `display` shows, `commands` sends, `lookback` looks back; here is what happens, and the keys.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", tooltip="Agree to what is offered"),
        Binding("n", "answer(False)", "No", tooltip="Decline, or take yours back"),
        Binding("C", "claim", "Claim", tooltip="Claim, where the other stays away"),
        Binding("g", "rematch", "Again", tooltip="Ask for another game"),
        Binding("r", "review", "Review", tooltip="Look back on the game"),
        Binding("s", "sit", "Sit down", tooltip="Take the free seat"),
        Binding("b", "bot", "Call a bot", tooltip="Let a bot take the free seat"),
        Binding("h", "hint", "Hint", tooltip="What each move is worth"),
        Binding("o", "offer_draw", "Draw", tooltip="Offer a draw"),
        Binding("u", "takeback", "Take back", tooltip="Ask for your last move back"),
        Binding("T", "take_over", "Take over", tooltip="Play on in a bot's place"),
        Binding("A", "abort", "Abort", tooltip="End a game hardly begun"),
        Binding("R", "resign", "Resign", tooltip="Give the game up"),
        Binding("pageup,left_square_bracket", "step(-1)", "The board before", key_display="pgup", show=False),
        Binding("pagedown,right_square_bracket", "step(1)", "The next board", key_display="pgdn", show=False),
        Binding("home", "begin", "The first board", show=False),
        Binding("end", "now", "Now", key_display="end", tooltip="The board as it stands"),
        Binding("t", "talk", "Talk", tooltip="Say something"),
        Binding("question_mark", "app.help", "Keys", key_display="?", tooltip="All keys"),
        Binding("q", "leave", "Lobby", tooltip="Leave; your seat is kept"),
        Binding("escape", "close", "Put away", show=False, tooltip="Put away what is open"),
    ]

    def on_mount(self) -> None:
        """Follow the room from here on."""
        self._board.focus()
        self._arrange()
        self._show_position(animate=False)
        self._refresh()
        self.run_worker(self._follow(), group="follow", exit_on_error=True)
        if self.view.position is None:
            self.run_worker(self._see_beginning(), group="beginning")
        self._tick()

    async def _see_beginning(self) -> None:
        """Whoever waits for a game may look at its board."""
        with suppress(Fault):
            beginning = await Boards(self._parlour, self.view.game, []).after(0)
            self._coming = beginning.position
            if self.view.position is None:
                self._arrange()
                self._show_position(animate=False)

    # ------------------------------------------------------------ what happens

    async def _follow(self) -> None:
        try:
            async for heard in self._room:
                self._take(heard)
        except Fault as fault:
            self._ended = told_of_a_game(fault)
        else:
            if self.view.phase == "closed":
                self._ended = f"{sentences.result(self.view)} The room is closed.".strip()
            elif not self._ended:
                self._ended = "This table was left."
        self._refresh()

    def _take(self, heard: RoomHeard) -> None:
        match heard:
            case Snapshot() | Event() | Presence() | Thinking():
                before = self._shown
                self._shown = apply(before, heard, asyncio.get_running_loop().time()) or before
                self._changed(before, heard)
            case Lost():
                self._lost = (heard, asyncio.get_running_loop().time())
            case Back():
                self._lost = None
                self._talk.tell("Connected again.")
            case Replaced():
                self._ended = "You came back from another terminal, so this one stops here."
        self._refresh()

    def _changed(self, before: Shown, heard: Snapshot | Event | Presence | Thinking) -> None:
        view, was = self.view, before.view
        for sentence in news(was, view, heard):
            self._talk.tell(sentence)
        match heard:
            case Event(event=Said(name=str(name), text=str(text))) if not self._talk.region.area:
                if view.you is None or clean(name) != sentences.name_of(view, view.you):
                    self.notify(f"{clean(name)}: {clean(text)}", markup=False)
        moved = view.position != was.position or view.to_move != was.to_move or view.you != was.you
        if view.moves != was.moves or view.game_number != was.game_number:
            self._moved = False
            looked_back = self._ply is not None
            self._forget_moves(was)
            moved = moved or (looked_back and self._ply is None)
        if moved:
            if self._hint is not None:
                self._hint, self._weighing = None, False
            if view.phase != "playing":
                self._unask()
            self._arrange()
            if self._ply is None:
                self._show_position(animate=isinstance(heard, Event))
        if self._weighing and self._hint is None and self._ply is None and self._shown.thinking is not None:
            self._board.weigh(self._shown.thinking.report)

    # ------------------------------------------------------------ from the widgets

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A legal move."""
        self._try_to_play(event.move)

    def on_board_entered(self, event: Board.Entered) -> None:
        """One of our own keys that begins a move, too; else a move that the server may tell more about."""
        if self._command(event.text):
            self._run_key(event.text)
        else:
            self._try_to_play(event.text)

    def _try_to_play(self, move: str) -> None:
        if self._ply is not None:
            self._refuse(EARLIER)
        elif self._is_your_turn():
            self._play(move)
        elif self.view.you is not None and self.view.phase == "playing":
            self._refuse("It is not your turn.")

    def on_board_unclear(self, event: Board.Unclear) -> None:
        """Several moves to one cell."""
        self._refuse(f"Several moves end there: type {' or '.join(clean(move) for move in event.moves[:4])}.")

    def on_board_typed(self, event: Board.Typed) -> None:
        """Show it as it is typed."""
        self._forget_refusal()
        self._show_words(self._now())

    def on_talk_said(self, event: Talk.Said) -> None:
        """Say it, and go on playing."""
        self._send("saying it", self._say(event.text))
        self._stop_talking()

    def on_talk_done(self, event: Talk.Done) -> None:
        """Back to the board."""
        self._stop_talking()

    async def _say(self, text: str) -> None:
        try:
            await self._room.say(text)
        except Fault:
            self._talk.give_back(text)
            raise

    def _stop_talking(self) -> None:
        self.remove_class("-talking")
        self._board.focus()

    def _run_key(self, key: str) -> None:
        for binding in self._keys():
            if key in binding.key.split(","):
                self.call_next(self.run_action, binding.action)

    # ------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only the keys that mean something now are active, and in the footer."""
        if action in ("claim", "now") or (action == "hint" and self._ply is not None):
            return {
                "hint": self._ply is not None and self._report_at(self._ply) is not None,
                "claim": sentences.may_claim(self._now()),
                "now": self._ply is not None,
            }[action]
        if self._ended and action not in ("leave", "review", "step", "begin"):
            return not hasattr(self, f"action_{action}")
        if action == "answer" and parameters == (True,):
            return possible("agree", self._shown)
        return possible(action, self._shown)

    def action_talk(self) -> None:
        """Write something to the others."""
        self.add_class("-talking")
        self._talk.write()

    def action_leave(self) -> None:
        """First out of what is looked at, then out of the room; the seat stays taken."""
        if self._was_left():
            return  # the key came twice
        if self._ply is not None or self.has_class("-reviewed"):
            self.action_close()
            return
        if self._lost is not None and self._on_the_way:
            waiting = ", ".join(self._on_the_way.values())
            self.notify(f"⋯ {clean(waiting)}, once the connection is back.", markup=False)
        self.dismiss(None)

    def action_close(self) -> None:
        """Put away what is looked at besides the game. What was typed, the board puts away itself."""
        if self._ply is not None or self.has_class("-reviewed"):
            self.remove_class("-reviewed")
            self.action_now()
        elif self._board.weighed:
            self.action_hint()

    # ------------------------------------------------------------ costs on the board

    def action_hint(self) -> None:
        """Draw on the board what each move is worth, or take that away."""
        if self._board.weighed:
            self._weighing, self._hint = False, None
            self._board.weigh(None)
            self._refresh()
        elif self._ply is not None:
            self._weighing = True
            self._board.weigh(self._report_at(self._ply))
        elif self._is_your_turn():
            self._send("looking at each move", self._fetch_hint())
        else:
            self._weighing = True
            if self._shown.thinking is not None:
                self._board.weigh(self._shown.thinking.report)
            self._refresh()

    async def _fetch_hint(self) -> None:
        asked = self.view.game_number, self.view.moves
        hint = await self._room.hint()
        # The board may be another by now.
        if self._ply is None and self._is_your_turn() and (self.view.game_number, self.view.moves) == asked:
            self._hint, self._weighing = hint.report, True
            self._board.weigh(hint.report)
