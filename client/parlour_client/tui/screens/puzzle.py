"""A puzzle on the full screen: the right move is found on its board. All that it takes came with it."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from parlour_client.sdk.client import Client
from parlour_client.sdk.errors import ParlourError
from parlour_client.text import puzzles, wording
from parlour_client.tui.error_text import error_sentence
from parlour_client.tui.widgets.board import Board
from parlour_client.tui.widgets.footer import Footer
from parlour_protocol.answers import Puzzle
from parlour_protocol.views.reports import Report
from parlour_protocol.words import say


class PuzzleScreen(Screen[None]):
    """The puzzle of a day, and those of the days before it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "answer", "screen.key.answer"),
        Binding("N", "another", "screen.key.another"),
        Binding("Q,escape", "leave", "screen.key.back", key_display="Q"),
    ]

    def __init__(self, parlour: Client, puzzle: Puzzle) -> None:
        super().__init__()
        self._parlour = parlour
        self._puzzle = puzzle
        self._tried: list[str] = []
        self._over = False
        self._said = ""
        self._board = Board(id="board", commands={"A", "N", "Q"})
        self._top, self._status = (Static("", id=name, markup=False) for name in ("top", "status"))

    def compose(self) -> ComposeResult:
        """From top to bottom; the board has what the others leave."""
        yield self._top
        yield self._board
        yield self._status
        yield Footer()

    def on_mount(self) -> None:
        """The board is played on."""
        self._board.focus()
        self._show(self._puzzle)

    def reword(self) -> None:
        """All but the board; what was answered stays as it was said."""
        self._draw()

    def _show(self, puzzle: Puzzle) -> None:
        self._puzzle, self._tried, self._over, self._said = puzzle, [], False, ""
        self._board.show(puzzle.position, yours=True, animate=False)
        self._draw()
        self.refresh_bindings()

    def _draw(self) -> None:
        puzzle = self._puzzle
        self._top.update(Content.styled(puzzles.heading(puzzle), "bold"))
        task = f"{puzzles.to_move(puzzle)} {puzzles.task(puzzle)}"
        said = self._board.typed or self._said or (say("puzzle.played") if puzzle.played else "")
        self._status.update(Content.styled(task, "bold") + f"\n{said}")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Of the oldest day there is none before."""
        if action == "answer":
            return not self._over
        return self._puzzle.before is not None if action == "another" else True

    def on_board_chosen(self, event: Board.Chosen) -> None:
        """A move was tried: each that was says on its cell what it is worth."""
        answer = None if self._over else puzzles.tried(self._puzzle, event.move)
        if answer is None:
            return
        self._tried.append(event.move)
        self._said, right = answer
        if right:
            self._end(solved=event.move == self._puzzle.candidates[0].move)
        else:
            self._show_worth()
        self._draw()

    @on(Board.Entered)
    @on(Board.NoMove)
    def _no_move(self) -> None:
        """What was typed is none."""
        self._said = say("command.puzzle.what_to_type", move=self._puzzle.candidates[-1].move)
        self._draw()

    def on_board_picked(self, event: Board.Picked) -> None:
        """A part of a move, or which one it is."""
        self._said = wording.going_on(event.moves) if event.moves else ""
        self._draw()

    def on_board_typed(self) -> None:
        """Show what is being typed."""
        self._draw()

    def action_answer(self) -> None:
        """Give up, and see it."""
        self._said = puzzles.answer(self._puzzle)
        self._end(solved=True)
        self._draw()

    def _end(self, *, solved: bool) -> None:
        self._over = True
        self._board.show(self._puzzle.solved if solved else self._puzzle.position)
        if not solved:
            self._show_worth()
        self.refresh_bindings()

    def _show_worth(self) -> None:
        known = [one for one in self._puzzle.candidates if one.move in self._tried]
        self._board.show_scores(Report("", known, finished=True))

    def action_another(self) -> None:
        """The puzzle of the day before."""
        self.run_worker(self._another(), group="puzzle", exclusive=True)

    async def _another(self) -> None:
        try:
            self._show(await self._parlour.puzzle(day=self._puzzle.before))
        except ParlourError as fault:
            self._said = error_sentence(fault)
            self._draw()

    def action_leave(self) -> None:
        """Back to the lobby."""
        if self in self.app.screen_stack:  # a key may come twice
            self.dismiss(None)
