"""The widgets of a table's screen, and how they share it."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from parlour_client.text.actions import ACTIONS, KEYS
from parlour_client.tui.screens import headline
from parlour_client.tui.screens.layout import Arrangement, arrange
from parlour_client.tui.screens.left_column import ABOVE, BELOW, PARTS
from parlour_client.tui.screens.thoughts import anything, thoughts
from parlour_client.tui.table_model import Space, TableModel
from parlour_client.tui.widgets import evaluation
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.chat import Chat
from parlour_client.tui.widgets.footer import Footer
from parlour_client.tui.widgets.function_widget import FunctionWidget
from parlour_client.tui.widgets.move_list import Moves
from parlour_client.tui.widgets.review_curve import ReviewCurve
from parlour_client.tui.widgets.thinking import ThinkingPanel
from parlour_protocol.views.boards import BoardView
from parlour_protocol.words import say


class TablePanels(Vertical):
    """Shows moments: the board and what stands above and below it, then the thinking, then moves and chat."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(id="board", commands=KEYS)
        self.review = ReviewCurve(id="review")
        self.chat = Chat(id="talk")
        self._thinking = ThinkingPanel(id="thinking")
        self._moves = Moves(id="moves")
        for panel in self._panels:
            panel.add_class("panel")
        self.reword()
        self._top = FunctionWidget(headline.draw, id="top")
        self._parts = {part.name: FunctionWidget(part.draw, id=part.name) for part in PARTS}
        self._evaluation = FunctionWidget(evaluation.draw, id="evaluation")
        self._left, self._below = Vertical(id="left"), Horizontal(id="below")
        self._thought = Vertical(id="thought")
        self._shown: object = None
        """What the board shows, and whether it is to be played on."""
        self._position: BoardView | None = None
        self._arrangement = Arrangement(small=False)
        self._arranged_for: object = None

    def compose(self) -> ComposeResult:
        """The board first, then the thinking, then moves and chat."""
        yield self._top
        with Horizontal(id="middle"):
            with self._left:
                yield from (self._parts[part.name] for part in ABOVE)
                with Horizontal():
                    yield self.board
                    yield self._evaluation
                yield from (self._parts[part.name] for part in BELOW)
            with Vertical(id="right"):
                with self._thought:
                    yield self._thinking
                    yield self.review
                with self._below:
                    yield self._moves
                    yield self.chat
        yield Footer(
            # Newcomers ask most how a game is played: that goes last.
            makes_way=[
                key
                for action in sorted(ACTIONS, key=lambda action: action.name != "rules")
                if action.makes_way
                for key in action.key.split(",")
            ]
        )

    @property
    def _panels(self) -> Sequence[Widget]:
        return (self.review, self.chat, self._thinking, self._moves)

    def reword(self) -> None:
        """The titles."""
        for panel in self._panels:
            panel.border_title = f"{say(f'screen.panel.{panel.id}')} "

    @property
    def small(self) -> bool:
        """Does the screen show the board and little else?"""
        return self._arrangement.small

    # ------------------------------------------------------------ showing it

    def show(self, model: TableModel, *, animate: bool = False) -> None:
        """Show a moment; `animate`: what moved on the board is seen to move."""
        self._show_board(model, animate=animate)
        self._arrange(model)
        self.review.show(model)
        self.show_time(model)
        self._moves.show(model.view.moves, model.ply, model.view.started_with)
        self.chat.show(model.view)
        self._thinking.show(*thoughts(model))

    def show_time(self, model: TableModel) -> None:
        """Show what time, or a key, may change by itself: the headline and the parts around the board."""
        arrangement = self._arrangement
        space = Space(0, 0, arrangement.small, arrangement.footer, frozenset(arrangement.lines))
        for drawn in (self._top, self._evaluation, *self._parts.values()):
            drawn.show(model, space)
        typing = model.typing
        if cell_len(typing) > self.chat.size.width - 2:
            typing = say("screen.table.typing")
        self.chat.border_title = f"{typing or say('screen.panel.talk')} "

    def _show_board(self, model: TableModel, *, animate: bool) -> None:
        yours = model.your_turn and model.ply is None
        if self._shown != (shown := (model.position, yours)):
            self._shown = shown
            if self._position is not model.position:
                self._position, self._arranged_for = model.position, None
            self.board.show(model.position, yours=yours, animate=animate)
        self.board.listening = not model.question
        self.board.show_plan(model.planned if model.ply is None else None, may=model.may_plan)
        self.board.show_scores(model.scores)
        self.board.show_sent(model.playing if model.ply is None else "")

    def _arrange(self, model: TableModel) -> None:
        visible = [part for part in PARTS if part.visible(model)]
        thinks = anything(model)
        wanted = (self.screen.size, [part.name for part in visible], thinks, model.reviewing)
        if wanted == self._arranged_for:
            return
        self._arranged_for = wanted
        self._arrangement = now = arrange(
            self._position, visible, *self.screen.size, reviewing=model.reviewing
        )
        self.set_class(now.small, "-small")
        self.set_class(not now.footer, "-keyless")
        self.set_class(not thinks, "-no-thoughts")
        self.set_class(model.reviewing, "-reviewed")
        for name, drawn in self._parts.items():
            drawn.display = now.lines.get(name, 0) > 0
            drawn.styles.height = now.lines.get(name, 1)
        self._evaluation.display = now.bar
        self._left.styles.width = "1fr" if now.small else now.left
        self._thought.styles.height = now.review or "1fr"
        self._below.styles.height = now.below if thinks or now.small else "1fr"

    # ------------------------------------------------------------ writing

    def write(self) -> None:
        """Let the person write to the others, also where the chat has no place of its own."""
        self.add_class("-talking")
        self.chat.write()

    def stop_writing(self) -> None:
        """Back to the board."""
        self.remove_class("-talking")
        self.board.focus()
