"""How a game is played: the points of its rules, each below a board that shows it."""

from collections.abc import Collection

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid, Vertical
from textual.widgets import Static

from parlour_client.render.board_grid import fit
from parlour_client.render.rules import columns_of, title_of, words_of
from parlour_client.tui.screens.sheet import Sheet
from parlour_client.tui.widgets.board import Board
from parlour_protocol.answers import Rules
from parlour_protocol.views.boards import BoardView

LEAST_WIDTH = 17
"""Columns for a point: seven cells, and a tray or labels around them."""
TALLEST, TALLEST_WALLED = 10, 12
"""Lines of a board, so that there is room for words below it; of one with boards in it and walls between."""


class Picture(Board, can_focus=False):
    """A board that shows a point; nothing is played on it."""


class Point(Vertical):
    """A picture, and what it shows."""

    def __init__(self, words: str, position: BoardView, marked: Collection[int]) -> None:
        super().__init__()
        self._words, self._position, self._marked = words, position, marked
        self._board = Picture()
        self._fit(LEAST_WIDTH)

    def compose(self) -> ComposeResult:
        """The board above the words."""
        yield self._board
        yield Static(self._words, markup=False)

    def on_mount(self) -> None:
        """Nothing moves."""
        self._board.show(self._position, animate=False, marked=self._marked)

    def on_resize(self, event: events.Resize) -> None:
        """The board is as high as it is at this width."""
        self._fit(event.size.width)

    def _fit(self, width: int) -> None:
        tallest = TALLEST if self._position.groups is None else TALLEST_WALLED
        self._board.styles.height = fit(self._position, width, tallest).height


class RulesScreen(Sheet):
    """A game's rules."""

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules
        self._grid = Grid(
            *(
                Point(words_of(point), point.position, point.marked)
                for point in rules.points
                if point.position is not None
            )
        )

    @property
    def heading(self) -> str:
        """The game, and what this is."""
        return title_of(self._rules)

    def content(self) -> ComposeResult:
        """The points with pictures side by side, and below them those without."""
        yield self._grid
        for point in self._rules.points:
            if point.position is None:
                yield Static(words_of(point), markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """As many side by side as there is room for."""
        room = min(event.size.width, 116) - 6
        self._grid.styles.grid_size_columns = columns_of(self._rules.points, room, LEAST_WIDTH)
