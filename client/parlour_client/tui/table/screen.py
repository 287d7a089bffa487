"""The screen of one room: it follows it, shows all that happens, and sends what its player wants.

Nothing here waits: a command is said to be on its way at once, and what comes of it is shown when it comes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static

from parlour_client import clocks, sentences
from parlour_client.boards import Boards
from parlour_client.clean import clean
from parlour_client.connection import Connection, new_id
from parlour_client.dialogue import Back, Lost
from parlour_client.faults import Fault, Refused
from parlour_client.model import Shown, apply, as_of
from parlour_client.room import Room, RoomHeard
from parlour_client.tui.table.arrangement import arrange
from parlour_client.tui.table.board import Board
from parlour_client.tui.table.grading import grade
from parlour_client.tui.table.moves import Moves
from parlour_client.tui.table.news import news
from parlour_client.tui.table.players import SEATS, Players
from parlour_client.tui.table.possible import possible
from parlour_client.tui.table.review import Review
from parlour_client.tui.table.saying import Moment, Saying, say, short
from parlour_client.tui.table.talk import Talk
from parlour_client.tui.table.thinking import Thinking
from parlour_protocol import to_server
from parlour_protocol.ids import room_link
from parlour_protocol.to_client import Event, Presence, Replaced, Snapshot
from parlour_protocol.to_client import Thinking as ThinkingNotice
from parlour_protocol.views import Report, RoomView

REFUSED_SECONDS = 8.0
"""For so long a refusal is told, unless something is done before."""
BOT = "medium"
"""Who is called where one does not want to wait for a friend."""
HARMLESS = "h"
"""A letter that begins a move in some games, and may do what it does everywhere all the same."""


class TableScreen(Screen[None]):
    """A room, to play in or to look on. `dismiss`ed when it is left; the seat stays taken."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n", "answer(False)", "No"),
        Binding("C", "claim", "Claim"),
        Binding("g", "rematch", "Again"),
        Binding("r", "review", "Review"),
        Binding("s", "sit", "Sit down"),
        Binding("b", "bot", "Call a bot"),
        Binding("h", "hint", "Hint"),
        Binding("o", "offer_draw", "Draw"),
        Binding("u", "takeback", "Take back"),
        Binding("T", "take_over", "Take over"),
        Binding("A", "abort", "Abort"),
        Binding("R", "resign", "Resign"),
        Binding("pageup,left_square_bracket", "step(-1)", "Back", key_display="pgup", show=False),
        Binding("pagedown,right_square_bracket", "step(1)", "Forward", key_display="pgdn", show=False),
        Binding("home", "begin", "The beginning", show=False),
        Binding("end", "now", "Now", key_display="end"),
        Binding("t", "talk", "Talk"),
        Binding("question_mark", "app.help", "Keys", key_display="?"),
        Binding("q,escape", "leave", "Lobby", key_display="q"),
    ]

    DEFAULT_CSS = """
    TableScreen {
        layout: vertical;
        background: $background;
        & #top { height: 1; width: 1fr; background: $surface; padding: 0 1; }
        & #middle { height: 1fr; }
        & #left { height: 1fr; padding: 0 1; }
        & #right { height: 1fr; width: 1fr; }
        & .panel {
            border-top: solid $board-line;
            border-left: solid $board-line;
            border-title-color: $past;
            border-title-align: left;
            padding: 0 1;
        }
        & .panel:focus, & .panel:focus-within { border-title-color: $cursor; border-title-style: bold; }
        & Review { display: none; }
        &.-reviewed Review { display: block; }
        &.-reviewed Thinking { display: none; }
        & #below { width: 1fr; }
        & Moves { width: 2fr; max-width: 30; min-width: 16; }
        & Talk { width: 3fr; }
        &.-small {
            & #top, & Players, & Footer, & #right { display: none; }
            & #left { width: 1fr !important; padding: 0; }
        }
        &.-small.-talking {
            & #right { display: block; height: 6; }
            & #thought, & Moves { display: none; }
            & #middle { layout: vertical; }
            & #below { height: 6 !important; }
        }
    }
    """

    def __init__(self, room: Room) -> None:
        super().__init__()
        self._room = room
        self._top = Static(id="top", markup=False)
        self._shown: Shown = room.shown
        self._lost: tuple[Lost, float] | None = None
        self._ended = ""
        self._question: tuple[str, dict[str, Callable[[], None]]] | None = None
        self._refusal = ""
        self._forgetting: Timer | None = None
        self._on_the_way: dict[int, str] = {}
        self._sent_so_far = 0
        self._weighing = False
        self._hint: Report | None = None
        self._ply: int | None = None
        """The board that is looked back on: after so many moves; None: the present one."""
        self._boards: Boards | None = None
        self._kept: dict[int, Report] = {}
        """Reports of the bots' moves, by ply, once somebody has looked back."""
        self._ticking: Timer | None = None
        self._offered: frozenset[str] = frozenset()
        """The actions whose keys the footer shows."""
        # The shell need not say it once more.
        self.add_class("-tells-the-line")

    # ------------------------------------------------------------ what there is

    @property
    def room(self) -> Room:
        """The room that it shows."""
        return self._room

    @property
    def view(self) -> RoomView:
        """The room as it is shown."""
        return self._shown.view

    @property
    def _connection(self) -> Connection:
        return self._room._connection

    def compose(self) -> ComposeResult:
        """The board first, then the thinking, then moves and talk."""
        yield self._top
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Players(id="players")
                yield Board(harmless=HARMLESS, id="board")
                yield Saying(id="saying")
            with Vertical(id="right"):
                with Vertical(id="thought"):
                    yield _titled(Thinking(id="thinking"), "thinking")
                    yield _titled(Review(id="review"), "review")
                with Horizontal(id="below"):
                    yield _titled(Moves(id="moves"), "moves")
                    yield _titled(Talk(id="talk"), "talk")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Follow the room from here on."""
        self._board = self.query_one(Board)
        self._players = self.query_one(Players)
        self._saying = self.query_one(Saying)
        self._thinking = self.query_one(Thinking)
        self._moves = self.query_one(Moves)
        self._talk = self.query_one(Talk)
        self._review = self.query_one(Review)
        self._board.focus()
        self._arrange()
        self._show_position(animate=False)
        self._refresh()
        self.run_worker(self._follow(), group="follow", exit_on_error=True)
        self._tick()

    # ------------------------------------------------------------ what happens

    async def _follow(self) -> None:
        try:
            async for heard in self._room:
                self._take(heard)
        except Fault as fault:
            self._ended = str(fault)
        else:
            if not self._ended:
                self._ended = "The room is closed." if self.view.phase == "closed" else "This table was left."
        self._refresh()

    def _take(self, heard: RoomHeard) -> None:
        match heard:
            case Snapshot() | Event() | Presence() | ThinkingNotice():
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

    def _changed(self, before: Shown, heard: Snapshot | Event | Presence | ThinkingNotice) -> None:
        view, was = self.view, before.view
        for sentence in news(was, view, heard):
            self._talk.tell(sentence)
        moved = view.position != was.position or view.to_move != was.to_move or view.you != was.you
        if view.moves != was.moves or view.game_number != was.game_number:
            self._boards = None
            self._kept = {}
            self.remove_class("-reviewed")
            # Who looks on and looks back shall not be torn away from there.
            if self._ply is not None and (view.you is not None or view.game_number != was.game_number):
                self._ply = None
                moved = True
        if moved:
            if self._hint is not None:
                self._hint, self._weighing = None, False
            if view.phase != "playing":
                self._question = None
            self._arrange()
            if self._ply is None:
                self._show_position(animate=isinstance(heard, Event))
        if self._weighing and self._hint is None and self._ply is None and self._shown.thinking is not None:
            self._board.weigh(self._shown.thinking.report)

    def _show_position(self, *, animate: bool) -> None:
        view = self.view
        yours = view.phase == "playing" and view.you is not None and view.to_move == view.you
        self._board.show(view.position, yours=yours, animate=animate)

    # ------------------------------------------------------------ showing it

    def on_resize(self) -> None:
        """Another size, another arrangement."""
        self._arrange()
        self._refresh()

    def _arrange(self) -> None:
        if not self.is_mounted or not hasattr(self, "_board"):
            return
        arrangement = arrange(self.view.position, self.size.width, self.size.height)
        self.set_class(arrangement.small, "-small")
        self._saying.styles.height = arrangement.saying
        if not arrangement.small:
            self._players.styles.height = arrangement.players
            self.query_one("#left").styles.width = arrangement.left
            self.query_one("#below").styles.height = arrangement.below

    def _refresh(self) -> None:
        """All but the board, from what is known now."""
        if not hasattr(self, "_board"):
            return
        view = self._now()
        self._players.show(view, running=self._lost is None)
        self._moves.show(view.moves, self._ply, view.started_with)
        self._talk.show(view)
        self._show_thoughts(view)
        self._show_words(view)
        self._top.update(self._headline(view))
        self._show_keys()

    def _now(self) -> RoomView:
        """The room with its times as they are now; those of a moment ago where the line is lost."""
        return as_of(self._shown, asyncio.get_running_loop().time())

    def _show_words(self, view: RoomView) -> None:
        moment = self._moment(view)
        self._saying.show(short(moment) if self.has_class("-small") else say(moment))

    def _show_keys(self) -> None:
        """Build the footer anew, which is dear, where other keys mean something now."""
        actions = {binding.action.partition("(")[0] for binding in self._keys()}
        offered = frozenset(action for action in actions if self.check_action(action, ()))
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def _moment(self, view: RoomView) -> Moment:
        retry = None
        if self._lost is not None:
            lost, since = self._lost
            retry = max(0.0, lost.retry_in - (asyncio.get_running_loop().time() - since))
        typed = self._board.typed
        return Moment(
            view,
            lost=retry,
            ended=self._ended,
            question=self._question[0] if self._question is not None else "",
            refusal=self._refusal,
            typed=typed,
            command=self._command(typed),
            sent=next(reversed(self._on_the_way.values()), ""),
            ply=self._ply,
            link=room_link(self._connection.server, view.room),
        )

    def _headline(self, view: RoomView) -> Content:
        left = Content.assemble(
            ("Parlour", "$first-seat bold"),
            (f"  {clean(view.title)}", "bold"),
            (f"  room {clean(view.room)}", "$past"),
        )
        told = [f"{view.watching} watching"] if view.watching else []
        if self.size.width >= 100:
            told.append(f"saved v{self._shown.version}")
        up = self._lost is None and not self._ended
        right = Content.styled("   ".join([*told, ""]), "$past")
        right += Content.styled("● connected" if up else "○ not connected", "$win" if up else "$notice bold")
        room = max(self.size.width - 2, 10)
        left = left.truncate(max(room - right.cell_length - 1, 0), ellipsis=True)
        return left + " " * max(room - left.cell_length - right.cell_length, 0) + right

    def _show_thoughts(self, view: RoomView) -> None:
        thinking = self._shown.thinking
        if self._ply is not None:
            report = self._kept.get(self._ply)
            title = f"{report.bot} thought before {view.moves[self._ply - 1]}" if report is not None else ""
            self._thinking.show(report, clean(title), "No bot's thoughts were kept with this move.")
        elif self._hint is not None:
            self._thinking.show(self._hint, "What each move is worth", "")
        elif thinking is not None:
            self._thinking.show(thinking.report, f"{sentences.mover_of(view, thinking.seat)} is thinking")
        elif view.report is not None:
            self._thinking.show(view.report, f"{clean(view.report.bot)} thought")
        else:
            self._thinking.show(None, "", self._no_thoughts(view))

    def _no_thoughts(self, view: RoomView) -> str:
        bots = [seat for seat in SEATS if view.seats[seat].kind == "bot" or view.seats[seat].stand_in]
        if possible("hint", self._shown):
            return "h draws on the board what each move is worth."
        if bots and view.phase == "playing":
            if view.you is not None and view.settings.reports != "at_once":
                return "The room keeps the bots' thoughts back."
            return "Here a bot shows how it thinks."
        return "When a bot plays here, it shows how it thinks."

    def _tick(self) -> None:
        """What time alone changes: clocks, absences, when the line is tried again."""
        view = self._now()
        self._players.show(view, running=self._lost is None)
        self._show_words(view)
        self._show_keys()
        running = view.clock.running if view.clock is not None else None
        pause = 1.0
        if view.clock is not None and running is not None and self._lost is None:
            pause = clocks.until_next(view.clock.left[running])
        self._ticking = self.set_timer(min(max(pause, 0.02), 1.0), self._tick)

    # ------------------------------------------------------------ what is sent

    def _send(self, said: str, asking: Awaitable[Any]) -> None:
        """Send something: at once it is said to be on its way, then what comes of it."""
        self._forget_refusal()
        self._sent_so_far += 1
        number = self._sent_so_far
        self._on_the_way[number] = said
        self._refresh()

        async def wait() -> None:
            try:
                await asking
            except Refused as refused:
                self._refuse(sentences.refusal(refused.refusal))
            except Fault as fault:
                self._refuse(str(fault))
            finally:
                self._on_the_way.pop(number, None)
            self._refresh()

        self.run_worker(wait(), group="commands")

    def _refuse(self, sentence: str) -> None:
        self._board.unsend()
        self._refusal = sentence
        if self._forgetting is not None:
            self._forgetting.stop()
        self._forgetting = self.set_timer(REFUSED_SECONDS, self._forget_refusal)
        self._refresh()

    def _forget_refusal(self) -> None:
        if self._forgetting is not None:
            self._forgetting.stop()
            self._forgetting = None
        if self._refusal:
            self._refusal = ""
            self._show_words(self._now())

    def _play(self, move: str) -> None:
        self._board.send(move)
        # For the board that its player saw: the room may know a newer one already.
        command = to_server.PlayMove(
            id=new_id(), room=self._room.code, version=self._shown.version, move=move
        )
        self._send(f"{move} is on its way", self._room.do(command))

    # ------------------------------------------------------------ from the widgets

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A legal move."""
        if self._ply is None and self._is_your_turn():
            self._play(event.move)
        elif self._ply is not None:
            self._refuse("That is an earlier board: end shows how it stands.")
        elif self.view.you is not None:
            self._refuse("It is not your turn.")

    def on_board_entered(self, event: Board.Entered) -> None:
        """One of our own keys that begins a move, too; else a move that the server may tell more about."""
        if self._command(event.text):
            self._run_key(event.text)
        elif self._ply is None and self._is_your_turn():
            self._play(event.text)

    def on_board_unclear(self, event: Board.Unclear) -> None:
        """Several moves to one cell."""
        self._refuse(f"Several moves end there: type {' or '.join(clean(move) for move in event.moves[:4])}.")

    def on_board_typed(self, event: Board.Typed) -> None:
        """Show it as it is typed."""
        self._forget_refusal()
        self._show_words(self._now())

    def on_moves_picked(self, event: Moves.Picked) -> None:
        """Look at an earlier board."""
        self._look(event.ply)

    def on_review_picked(self, event: Review.Picked) -> None:
        """The same from the curve."""
        self._look(event.ply)

    def on_talk_said(self, event: Talk.Said) -> None:
        """Say it, and write on."""
        self._send("saying it", self._room.say(event.text))

    def on_talk_done(self, event: Talk.Done) -> None:
        """Back to the board."""
        self.remove_class("-talking")
        self._board.focus()

    def on_key(self, event: events.Key) -> None:
        """A question that stands takes the next key; what was refused is forgotten by it."""
        if self._question is None:
            return
        _, answers = self._question
        self._question = None
        event.stop()
        event.prevent_default()
        self._board.listening = True
        answer = answers.get(event.key)
        if answer is not None:
            answer()
        self._refresh()

    def _ask(self, question: str, answers: dict[str, Callable[[], None]]) -> None:
        self._forget_refusal()
        self._question = (question, answers)
        self._board.listening = False
        self._board.focus()
        self._refresh()

    def _is_your_turn(self) -> bool:
        view = self.view
        return view.phase == "playing" and view.you is not None and view.to_move == view.you

    def _command(self, typed: str) -> str:
        """What a key that was typed alone does by itself; empty where nothing."""
        for binding in self._keys():
            if typed in binding.key.split(",") and self.check_action(binding.action.partition("(")[0], ()):
                return binding.description.lower()
        return ""

    def _run_key(self, key: str) -> None:
        for binding in self._keys():
            if key in binding.key.split(","):
                self.call_next(self.run_action, binding.action)

    def _keys(self) -> list[Binding]:
        return [binding for binding in self.BINDINGS if isinstance(binding, Binding)]

    # ------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only the keys that mean something now are active, and in the footer."""
        if action in ("answer", "claim", "now") or (action == "hint" and self._ply is not None):
            return {
                "hint": self._ply is not None and self._report_at(self._ply) is not None,
                "answer": self._question is not None or possible("answer", self._shown),
                "claim": sentences.may_claim(self._now()),
                "now": self._ply is not None,
            }[action]
        if self._ended and action != "leave":
            return action in ("step", "begin") or not hasattr(self, f"action_{action}")
        return possible(action, self._shown)

    def action_answer(self, agree: bool) -> None:
        """Answer the offer that stands."""
        offer = sentences.standing_offer(self.view)
        if offer is None:
            return
        if not agree:
            self._send("declining", self._room.decline(offer))
        elif offer == "draw":
            self._send("agreeing to a draw", self._room.offer_draw())
        elif offer == "takeback":
            self._send("giving the move back", self._room.ask_takeback())
        else:
            self._send("agreeing to another game", self._room.rematch())

    def action_offer_draw(self) -> None:
        """Offer a draw, or take the one that is offered."""
        self._send("offering a draw", self._room.offer_draw())

    def action_takeback(self) -> None:
        """Ask for one's last move back."""
        self._send("asking for the move back", self._room.ask_takeback())

    def action_resign(self) -> None:
        """Give the game up, after a question."""
        self._ask(
            "Give this game up? y or n",
            {"y": lambda: self._send("giving the game up", self._room.resign())},
        )

    def action_abort(self) -> None:
        """End a game that has hardly begun."""
        self._send("ending the game", self._room.abort())

    def action_claim(self) -> None:
        """Take the game, a draw or a bot, where the other has stayed away."""
        self._ask(
            "Claim w the win, d a draw, or b have a bot play on?",
            {
                "w": lambda: self._send("claiming the win", self._room.claim("win")),
                "d": lambda: self._send("claiming a draw", self._room.claim("draw")),
                "b": lambda: self._send("calling a bot", self._room.claim("bot")),
            },
        )

    def action_take_over(self) -> None:
        """Sit down where a bot sits, and play on."""
        self._send("sitting down", self._room.take_over())

    def action_sit(self) -> None:
        """Take the free seat."""
        self._send("sitting down", self._room.sit())

    def action_bot(self) -> None:
        """Have a bot take the free seat."""
        self._send("calling a bot", self._room.add_bot(BOT))

    def action_rematch(self) -> None:
        """Ask for another game."""
        self._send("asking for another game", self._room.rematch())

    def action_talk(self) -> None:
        """Write something to the others."""
        self.add_class("-talking")
        self._talk.write()

    def action_leave(self) -> None:
        """First out of what is looked at, then out of the room; the seat stays taken."""
        if self._ply is not None or self.has_class("-reviewed"):
            self.remove_class("-reviewed")
            self.action_now()
        else:
            self.dismiss(None)

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
        hint = await self._room.hint()
        # The board may be another by now.
        if self._ply is None and self._is_your_turn() and self.view.moves == self._room.view.moves:
            self._hint, self._weighing = hint.report, True
            self._board.weigh(hint.report)

    def _report_at(self, ply: int) -> Report | None:
        """What is known of the moves on an earlier board: from the review, else from the bot that moved there."""
        graded = self._review.graded
        if graded is not None and self.has_class("-reviewed") and ply < len(graded.moves):
            return graded.moves[ply].report
        return self._kept.get(ply + 1)

    # ------------------------------------------------------------ looking back

    def action_step(self, plies: int) -> None:
        """So many moves on, or back."""
        here = len(self.view.moves) if self._ply is None else self._ply
        self._look(here + plies)

    def action_begin(self) -> None:
        """The first board."""
        self._look(0)

    def action_now(self) -> None:
        """The board as it stands."""
        self._look(len(self.view.moves))
        self._board.focus()

    def _look(self, ply: int) -> None:
        last = len(self.view.moves)
        if self.view.position is None or not 0 <= ply <= last:
            return
        self._forget_refusal()
        self._hint = None
        # At the end of a game whose review is shown, its last point is one like the others.
        self._ply = ply if ply < last else None
        self._review.look(ply)
        self._refresh()
        if ply == last:
            self._weighing = False
            self._show_position(animate=False)
        else:
            self.run_worker(self._fetch_board(ply), group="look", exclusive=True)

    async def _fetch_board(self, ply: int) -> None:
        view = self.view
        if self._boards is None:
            self._boards = Boards(self._connection, view.game, view.moves)
        boards = self._boards
        try:
            board = await boards.after(ply)
            if self._ply == ply and self._boards is boards:
                self._board.show(board.position, yours=False, animate=False)
                if self._weighing:
                    self._board.weigh(self._report_at(ply))
            if not self._kept:
                self._kept = {one.ply: one.report for one in await self._room.thoughts()}
                self._refresh()
        except Refused as refused:
            self._refuse(sentences.refusal(refused.refusal))
        except Fault as fault:
            self._refuse(str(fault))

    def action_review(self) -> None:
        """Grade the game's moves and show its curve, or put that away."""
        if self.has_class("-reviewed"):
            self.remove_class("-reviewed")
            self.action_now()
            return
        self.add_class("-reviewed")
        self._review.focus()
        if self._review.graded is None or self._boards is None:
            self._review.progress(0, len(self.view.moves))
            self.run_worker(self._grade(), group="review", exclusive=True)

    async def _grade(self) -> None:
        view = self.view
        self._boards = self._boards or Boards(self._connection, view.game, view.moves)
        boards = self._boards
        try:
            graded = await grade(self._connection, view, self._review.progress)
        except Refused as refused:
            self.remove_class("-reviewed")
            self._refuse(sentences.refusal(refused.refusal))
        except Fault as fault:
            self.remove_class("-reviewed")
            self._refuse(str(fault))
        else:
            if self._boards is boards:
                self._review.show(graded, self._ply)


def _titled(widget: Any, title: str) -> Any:
    widget.border_title = f"{title} "
    widget.add_class("panel")
    return widget
