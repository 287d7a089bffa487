"""What a table's screen shows, and where: all its widgets, from what is known of the room."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from parlour_client import clocks, sentences
from parlour_client.boards import Boards
from parlour_client.clean import clean
from parlour_client.dialogue import Lost
from parlour_client.model import Shown, as_of
from parlour_client.parlour import Parlour
from parlour_client.room import Room
from parlour_client.tui.footer import Footer
from parlour_client.tui.table.arrangement import arrange
from parlour_client.tui.table.board import Board
from parlour_client.tui.table.moves import Moves
from parlour_client.tui.table.players import Players
from parlour_client.tui.table.possible import possible
from parlour_client.tui.table.review import Review
from parlour_client.tui.table.saying import Moment, Saying, say, short
from parlour_client.tui.table.talk import Talk
from parlour_client.tui.table.thinking import Thinking
from parlour_protocol.views import BoardView, Report, RoomView

KEYS = "   ? keys"
"""What stands on a small screen in place of the footer, where there is room for it."""

Answers = dict[str, tuple[str, Callable[[], None] | None]]
"""Keys, each with what it says and does; any other one says no."""

W = TypeVar("W", bound=Widget)


class Display(Screen[None]):
    """The board first, then the thinking, then moves and talk."""

    DEFAULT_CSS = """
    Display {
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
        &.-no-thoughts #thought { display: none; }
        &.-reviewed Review { display: block; }
        &.-reviewed Thinking { display: none; }
        & #below { width: 1fr; }
        & Moves { width: 2fr; max-width: 30; min-width: 16; }
        & Talk { width: 3fr; }
        &.-small {
            & #top, & #right, &.-keyless Footer { display: none; }
            & #left { padding: 0; }
        }
        &.-small.-talking {
            & #right { display: block; height: auto; }
            & #thought, & Moves { display: none; }
            & #middle { layout: vertical; }
        }
    }
    """

    def __init__(self, room: Room, parlour: Parlour) -> None:
        super().__init__()
        self._room = room
        self._parlour = parlour
        self._top = Static(id="top", markup=False)
        self._players = Players(id="players")
        self._board = Board(id="board")
        self._saying = Saying(id="saying")
        self._thinking = _titled(Thinking(id="thinking"), "thinking")
        self._review = _titled(Review(id="review"), "review")
        self._moves = _titled(Moves(id="moves"), "moves")
        self._talk = _titled(Talk(id="talk"), "talk")
        self._left, self._below = Vertical(id="left"), Horizontal(id="below")
        self._shown: Shown = room.shown
        self._lost: tuple[Lost, float] | None = None
        self._ended = ""
        self._question: tuple[str, Answers] | None = None
        self._refusal = ""
        self._forgetting: Timer | None = None
        self._on_the_way: dict[int, str] = {}
        self._sent_so_far = 0
        self._moved = False
        """A move was made for the board that is shown."""
        self._weighing = False
        self._hint: Report | None = None
        self._ply: int | None = None
        """The board that is looked back on: after so many moves; None: the present one."""
        self._coming: BoardView | None = None
        """The board as a game of this room begins, while there is none yet."""
        self._boards: Boards | None = None
        self._kept: dict[int, Report] = {}
        """Reports of the bots' moves, by ply, once somebody has looked back."""
        self._kept_with: Boards | None = None
        """They are all that there are of this game's moves."""
        self._ticking: Timer | None = None
        self._offered: list[tuple[str, str]] = []
        """What the footer shows: keys and actions."""

    # ------------------------------------------------------------ what there is

    @property
    def room(self) -> Room:
        """The room that it shows."""
        return self._room

    @property
    def view(self) -> RoomView:
        """The room as it is shown."""
        return self._shown.view

    def compose(self) -> ComposeResult:
        """The board first, then the thinking, then moves and talk."""
        yield self._top
        with Horizontal(id="middle"):
            with self._left:
                yield self._players
                yield self._board
                yield self._saying
            with Vertical(id="right"):
                with Vertical(id="thought"):
                    yield self._thinking
                    yield self._review
                with self._below:
                    yield self._moves
                    yield self._talk
        yield Footer()

    # ------------------------------------------------------------ showing it

    def _show_position(self, *, animate: bool) -> None:
        position = self.view.position or self._coming
        self._board.show(position, yours=self._is_your_turn(), animate=animate)

    def on_resize(self) -> None:
        """Another size, another arrangement."""
        self._arrange()
        self._refresh()

    def _arrange(self) -> None:
        if not self.is_mounted:
            return
        arrangement = arrange(self.view.position or self._coming, self.size.width, self.size.height)
        self.set_class(arrangement.small, "-small")
        self.set_class(not arrangement.keys, "-keyless")
        self._saying.styles.height = arrangement.saying
        self._players.styles.height = arrangement.players
        self._players.display = arrangement.players > 0
        self._left.styles.width = "1fr" if arrangement.small else arrangement.left
        self.set_class(not self._has_thoughts(), "-no-thoughts")
        talk_alone = self.has_class("-no-thoughts") and not arrangement.small
        self._below.styles.height = "1fr" if talk_alone else arrangement.below

    def _has_thoughts(self) -> bool:
        """Is there, or may there be, anything in the panel of thoughts?"""
        view = self.view
        bots = any(seat.kind == "bot" or seat.stand_in or seat.program for seat in view.seats)
        known = self._hint is not None or view.report is not None or possible("hint", self._shown)
        return bots or known or view.phase == "waiting" or self.has_class("-reviewed")

    def _refresh(self) -> None:
        """All but the board, from what is known now."""
        if self._has_thoughts() == self.has_class("-no-thoughts"):
            self._arrange()
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
        if self.has_class("-small"):
            said = short(moment, timed=not self._players.display)
            if self.has_class("-keyless") and said.cell_length + len(KEYS) <= self.size.width:
                said += Content.styled(KEYS, "$past")
            self._saying.show(said)
        else:
            self._saying.show(say(moment))

    def _show_keys(self) -> None:
        """Build the footer anew, which is dear, where other keys mean something now."""
        offered = [
            (self._key_of(binding), binding.action) for binding in self._keys() if self._means(binding)
        ]
        if self._question is not None:
            offered = [(key, does) for key, (does, _) in self._question[1].items()]
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def _means(self, binding: Binding) -> bool:
        """Does it do something now?"""
        _, action, parameters = parse(binding.action)
        return bool(self.check_action(action, parameters))

    def _key_of(self, binding: Binding) -> str:
        """How it is pressed: a letter that begins a move needs enter behind it."""
        return f"{binding.key} enter" if self._board.begins(binding.key) else binding.key_display or ""

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys for the footer: those that answer, while a question stands."""
        if self._question is not None:
            return {
                key: ActiveBinding(self, Binding(key, f"answer_{key}", does), True, "")
                for key, (does, _) in self._question[1].items()
            }
        return {
            key: one._replace(binding=replace(one.binding, key_display=self._key_of(one.binding) or None))
            if one.node is self
            else one
            for key, one in super().active_bindings.items()
        }

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
        right = Content.styled("   ".join([*told, ""]), "$past")
        if view.phase == "closed" or (self._ended and self._lost is None):
            right += Content.styled("■ closed", "$past")
        elif self._lost is None:
            right += Content.styled("● connected", "$win")
        else:
            right += Content.styled("○ not connected", "$notice bold")
        room = max(self.size.width - 2, 10)
        left = left.truncate(max(room - right.cell_length - 1, 0), ellipsis=True)
        return left + " " * max(room - left.cell_length - right.cell_length, 0) + right

    def _show_thoughts(self, view: RoomView) -> None:
        thinking = self._shown.thinking
        if self._ply is not None:
            report, move = self._kept.get(self._ply), clean(view.moves[self._ply - 1])
            title = "" if report is None else f"{clean(report.bot)} (bot) thought before {move}"
            self._thinking.show(report, title, "No bot's thoughts were kept with this move.")
        elif self._hint is not None:
            self._thinking.show(self._hint, "What each move is worth", "")
        elif thinking is not None:
            self._thinking.show(thinking.report, f"{sentences.mover_of(view, thinking.seat)} is thinking")
        elif view.report is not None:
            self._thinking.show(view.report, f"{clean(view.report.bot)} (bot) thought")
        else:
            self._thinking.show(None, "", self._no_thoughts(view))

    def _no_thoughts(self, view: RoomView) -> str:
        if view.phase == "waiting":
            invited = "\n".join(sentences.invitation(self._parlour.url, view.room))
            return f"{invited}\n\nb calls a bot." if possible("bot", self._shown) else invited
        if possible("hint", self._shown):
            key = "h, then enter," if self._board.begins("h") else "h"
            return f"{key} draws on the board what each move is worth."
        if view.you is not None and view.settings.reports != "at_once":
            return "The room keeps the bots' thoughts back."
        if possible("review", self._shown):
            return "r looks back on the game."
        return "Here a bot shows how it thinks."

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

    def _is_your_turn(self) -> bool:
        view = self.view
        return view.phase == "playing" and view.you is not None and view.to_move == view.you

    def _keys(self) -> list[Binding]:
        return [binding for binding in self.BINDINGS if isinstance(binding, Binding)]

    def _command(self, typed: str) -> str:
        """What a key that was typed alone does by itself; empty where nothing."""
        for binding in self._keys():
            if typed in binding.key.split(",") and self._means(binding):
                return binding.description.lower()
        return ""

    def _report_at(self, ply: int) -> Report | None:
        """What is known of the moves on an earlier board: from the review, else from the bot there."""
        graded = self._review.graded
        if graded is not None and self.has_class("-reviewed") and ply < len(graded.moves):
            return graded.moves[ply].report
        return self._kept.get(ply + 1)


def _titled(widget: W, title: str) -> W:
    widget.border_title = f"{title} "
    widget.add_class("panel")
    return widget
