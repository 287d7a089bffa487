"""How a game is played: the points of its rules side by side, each below a position that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from parlour_client.render.board import BoardDrawing
from parlour_client.render.board_grid import fit
from parlour_client.text.names import localised
from parlour_protocol.answers import Rules
from parlour_protocol.views.rooms import RulePoint
from parlour_protocol.words import say

LEAST_WIDTH = 25
"""Columns for a point: the largest board of those that are shown has nine cells a row, and walls."""
GAP = 2


def columns_of(points: Sequence[RulePoint], width: int, least: int = LEAST_WIDTH) -> int:
    """How many of the points with pictures stand side by side: no row is left with one alone."""
    widths = [fit(point.position, 0, 0).width for point in points if point.position is not None]
    most = max(1, min(len(widths), (width + GAP) // (max(least, *widths, 0) + GAP)))
    return 2 if len(widths) == most + 1 and most == 3 else most


def words_of(point: RulePoint) -> str:
    """What a point says."""
    return localised(point.text, point.text_said)


def title_of(rules: Rules) -> str:
    """What stands above the rules."""
    return say("page.rules.title", game=localised(rules.title, rules.title_said))


@dataclass(frozen=True, slots=True)
class RulesDrawing:
    """The rules, as many points beside each other as there is room for."""

    rules: Rules

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        points = self.rules.points
        pictures = [point for point in points if point.position is not None]
        columns = columns_of(points, options.max_width) if options.is_terminal else 1
        yield Text(title_of(self.rules), "bold")
        for start in range(0, len(pictures), columns):
            row = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
            for _ in range(columns):
                row.add_column(width=(options.max_width - GAP * (columns - 1)) // columns)
            row.add_row(*map(_drawn, pictures[start : start + columns]))
            yield ""
            yield row
        yield ""
        for point in points:
            if point.position is None:
                yield Text(words_of(point))


def _drawn(point: RulePoint) -> RenderableType:
    assert point.position is not None
    return Group(BoardDrawing(point.position, marked=point.marked, framed=False), Text(words_of(point)))
