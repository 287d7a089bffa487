"""Boards and thoughts as rich renderables, for any game that a server sends and any width.

Colour is never needed: marks differ in shape, guesses wear a sign, the winning line is reversed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.style import Style
from rich.text import Text

from parlour_client.render.board_cells import ROLES, Palette, Role, Scene, draw, ranked
from parlour_client.render.board_grid import Grid, fit
from parlour_client.text.names import counted_label, localised
from parlour_client.text.scores import (
    CHOSEN,
    FIRST,
    PAST,
    SECOND,
    SIGNS,
    cell_text,
    hatching,
    heat,
)
from parlour_protocol.views.boards import BoardView, Count
from parlour_protocol.views.reports import Candidate, Report
from parlour_protocol.words import say

TALLEST_FRAMED = 8
"""Boards of more rows than this go without a frame, which would take twice their height."""
BELOW = 16
"""Lines that an analysis needs below its board."""
SPACED = 12
"""Boards of no more columns than this stand further apart, where there is room."""
LAID_OUT = ("hex", "points", "pits", "edges")
"""Layouts that are drawn here as on a screen."""
_LOOKS: dict[Role, str] = {
    "first": f"bold {FIRST}",
    "second": f"bold {SECOND}",
    "empty": PAST,
    "line": PAST,
    "label": PAST,
    "picked": "bold",
}
PALETTE: Palette = {role: Style.parse(_LOOKS.get(role, "")) for role in ROLES}
IN_ASCII = str.maketrans("─━│┃┌┬┐├┼┤└┴┘╭╮╰╯╱╲·░●○◆◇", "-=|#+++++++++++++/\\..xoXO")
"""Characters for terminals that know few. What is heavy was drawn last."""
ASKED_FOR = "+"
"""An empty cell in the part of the board to play in, where the rest is barred."""
RANKED = 9
"""Where no cell is wide enough for a score, so many of the best moves are numbered."""


def plain(text: str, style: str = "") -> Text:
    """A stranger's words: cleaned, and no markup in them is read."""
    return Text(text, style)


@dataclass(frozen=True, slots=True)
class BoardDrawing:
    """A position; with a report, each legal move's score stands on its cell, coloured as a heat map;
    the chosen one wears a mark.

    With `ranks` the best moves are numbered instead, for boards whose cells have no room for a score.
    """

    view: BoardView
    report: Report | None = None
    ranks: bool = False
    marked: Collection[int] = ()
    """Cells that something is said of: an empty one shows where to play, and a piece stands in brackets,
    or is reversed where they have no room."""
    framed: bool = True
    """May it have a frame, where there is room for one?"""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        laid_out = self.view.layout in LAID_OUT
        for line in (self._laid_out if laid_out else self._squares)(options):
            if options.ascii_only:
                line.plain = line.plain.translate(IN_ASCII)
            yield line

    def _squares(self, options: ConsoleOptions) -> Iterator[Text]:
        cells = self._cells()
        width = max((cell_len(cell.plain) for cell in cells), default=1)
        if self._has_frame(options, width):
            yield from self._framed(cells, width)
        else:
            yield from self._open(cells, width, options)
        if self._ranked():
            yield Text(" " * self._margin() + self._ranks_text(), PAST, no_wrap=True, overflow="crop")
        yield from self._below()

    def _below(self) -> Iterator[Text]:
        # Between pits the first one stands in the stores.
        for count in self.view.counts[self.view.layout == "pits" :]:
            yield self._count(count)
        if self.view.note:
            yield Text(localised(self.view.note, self.view.note_said))

    def _scene(self, width: int) -> tuple[Scene, Grid]:
        """What is drawn as on a screen, and where: in so many columns."""
        grid = fit(self.view, width, len(self.view.rows) * 3, tallest=1)
        return Scene(self.view, report=self.report, marked=self.marked), grid

    def _laid_out(self, options: ConsoleOptions) -> Iterator[Text]:
        """Cells that are no squares side by side lie as on a screen, as low as they can."""
        scene, grid = self._scene(options.max_width)
        for line in draw(scene, grid, PALETTE):
            text = Text(no_wrap=True, overflow="crop")
            for part in line:
                text.append(part.text, part.style)
            text.rstrip()
            yield text
        if ranked(scene, grid):
            yield Text(" " * self._margin() + self._ranks_text(), PAST, no_wrap=True, overflow="crop")
        yield from self._below()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        if self.view.layout in LAID_OUT:
            scene, grid = self._scene(options.max_width)
            below = [self._count(count).cell_len for count in self.view.counts]
            if ranked(scene, grid):
                below.append(self._margin() + len(self._ranks_text()))
            width = min(max(grid.width, *below, 0), options.max_width)
            return Measurement(width, width)
        width = max((cell_len(cell.plain) for cell in self._cells()), default=1)
        framed = self._may_have_frame(options)
        apart = 3 if framed else 2 if len(self.view.columns) <= SPACED else 1
        walls = 2 * len(self._walls()[0])
        widest = self._measure(width + apart) + walls
        if widest > options.max_width and not framed:
            widest = self._measure(width + 1) + walls
        if self._ranked():
            widest = max(widest, self._margin() + len(self._ranks_text()))
        widest = min(widest, options.max_width)
        return Measurement(widest, widest)

    def _count(self, count: Count) -> Text:
        """A number for each side, beside its own sign."""
        line = Text(f"{counted_label(count.label)}:")
        for marks, number, style in zip(self.view.marks, count.of, (FIRST, SECOND), strict=True):
            line.append("  ").append(marks[0] or "?", f"bold {style}").append(f" {number}")
        return line

    def _ranks_text(self) -> str:
        assert self.report is not None
        first = not self.report.candidates or self.report.candidates[0].move == self.report.best
        return say("command.analyse.ranks") if first else say("command.analyse.ranks_and_chosen", sign=CHOSEN)

    def _ranked(self) -> bool:
        return self.ranks and self.report is not None and bool(self.report.candidates)

    def _has_frame(self, options: ConsoleOptions, width: int) -> bool:
        return self._may_have_frame(options) and self._measure(max(width, 1) + 3) <= options.max_width

    def _may_have_frame(self, options: ConsoleOptions) -> bool:
        rows = len(self.view.rows)
        # With scores on it a table follows, and both are to be seen at once.
        low = self.report is not None and 2 * rows + BELOW > options.size.height
        shown = self.framed and options.is_terminal and not options.ascii_only
        return shown and rows <= TALLEST_FRAMED and not low

    def _measure(self, cell: int) -> int:
        return self._margin() + 1 + cell * len(self.view.columns)

    def _margin(self) -> int:
        return 2 + max((cell_len(label) for label in self.view.rows), default=0)

    def _cells(self) -> list[Text]:
        costs: dict[int, Text] = {}
        if self.report is not None:
            candidates = self.report.candidates
            for cell, place in self.view.first_at(one.move for one in candidates).items():
                costs[cell] = self._cost(candidates[place], place + 1)
        cells = []
        for number, text in enumerate(self.view.texts()):
            cost = costs.get(number)
            if cost is None or text != self.view.empty:
                # What stands in a cell stays: a cost comes behind it.
                cost = self._cell(number, text).append_text(cost or Text())
            cells.append(cost)
        return cells

    def _cost(self, candidate: Candidate, rank: int) -> Text:
        assert self.report is not None
        chosen = candidate.move == self.report.best
        style = heat(candidate.score, chosen=chosen)
        if self.ranks and chosen and rank > 1:
            return Text(CHOSEN, style)
        if self.ranks:
            return Text(str(rank) if rank <= RANKED else self.view.empty or ".", style)
        return Text(cell_text(candidate.score) + (CHOSEN if chosen else ""), style)

    def _cell(self, number: int, text: str) -> Text:
        styles = []
        side = self.view.side_of(text)
        if text == self.view.empty:
            asked_for = number in self.marked or self._asked_for(number)
            styles.append("bold" if asked_for else PAST)
            text = ASKED_FOR if asked_for else text
        elif side is not None:
            styles.append(f"bold {(FIRST, SECOND)[side]}")
        if number in self.view.last:
            styles.append("underline")
        if number in self.view.line or number in self.marked:
            styles.append("reverse bold")
        return Text(text or "?", " ".join(styles))

    def _walls(self) -> tuple[list[int], list[int]]:
        """Before which columns, and before which rows, another group of cells begins."""
        groups = self.view.groups
        if groups is None or groups.width < 1 or groups.height < 1:
            return [], []
        columns, rows = len(self.view.columns), len(self.view.rows)
        return list(range(groups.width, columns, groups.width)), list(
            range(groups.height, rows, groups.height)
        )

    def _asked_for(self, number: int) -> bool:
        """Is a cell in one of the groups where the next move has to be made, of several open ones?"""
        groups = self.view.groups
        if groups is None or groups.width < 1 or groups.height < 1:
            return False
        row, column = divmod(number, max(len(self.view.columns), 1))
        across = -(-len(self.view.columns) // groups.width)
        group = row // groups.height * across + column // groups.width
        open_ones = sum(owner == self.view.empty for owners in groups.owners for owner in owners)
        return group in groups.active and open_ones > len(groups.active)

    def _open(self, cells: list[Text], width: int, options: ConsoleOptions) -> Iterator[Text]:
        """Without a frame: as wide as the room allows, and still in order where it allows nothing."""
        columns, room = len(self.view.columns), options.max_width
        walls, rules = self._walls()
        if self._measure(width + 1) - 1 + 2 * len(walls) > room:
            walls, rules = [], []
        label = max((cell_len(name) for name in self.view.columns), default=1)
        spare = (room - self._margin() - 2 * len(walls)) // max(columns, 1)
        cell = max(width, label if spare >= label else 1) + 1
        if spare > cell and columns <= SPACED:
            cell += 1
        if spare < cell:
            cell = max(width, 1)
        # To a pipe a number alone says all.
        coloured = self.report is not None and options.is_terminal and not options.ascii_only
        bounds = [0, *walls, columns]
        rule = "┼─".join("─" * (cell * (end - start)) for start, end in pairwise(bounds)).removesuffix("─")
        for row, name in enumerate(self.view.rows):
            if row in rules:
                yield Text(" " * self._margin() + rule, PAST, no_wrap=True, overflow="crop")
            line = self._row_label(name)
            for column, text in enumerate(cells[row * columns : (row + 1) * columns]):
                if column in walls:
                    line.append("│ ", PAST)
                if cell > 2 and self._bracketed(row * columns + column):
                    line.right_crop()
                    line.append_text(Text.assemble("[", text, "]").append(" " * (cell - 2)))
                    continue
                cost = coloured and " on #" in str(text.style)
                line.append_text(_heated(text, cell) if cost else _centred(text, cell, left=True))
            yield line
        yield self._labels(cell, walls, left=True)

    def _framed(self, cells: list[Text], width: int) -> Iterator[Text]:
        columns, rows = len(self.view.columns), len(self.view.rows)
        margin = " " * self._margin()
        bar = "─" * (width + 2)
        yield Text(margin + "┌" + "┬".join([bar] * columns) + "┐", PAST, no_wrap=True)
        for row, name in enumerate(self.view.rows):
            line = self._row_label(name).append("│", PAST)
            for number in range(row * columns, (row + 1) * columns):
                bracketed = width == 1 and self._bracketed(number)
                line.append_text(
                    Text.assemble("[", cells[number], "]") if bracketed else _padded(cells[number], width)
                )
                line.append("│", PAST)
            yield line
            if row < rows - 1:
                yield Text(margin + "├" + "┼".join([bar] * columns) + "┤", PAST, no_wrap=True)
        yield Text(margin + "└" + "┴".join([bar] * columns) + "┘", PAST, no_wrap=True)
        yield self._labels(width + 3, [], left=False)

    def _bracketed(self, cell: int) -> bool:
        return cell in self.marked and self.view.side_of(self.view.texts()[cell]) is not None

    def _row_label(self, name: str) -> Text:
        # The grey is a part's, not the line's: else it would shine through every cell.
        line = Text(no_wrap=True, overflow="crop")
        return line.append(name.rjust(self._margin() - 1) + " ", PAST)

    def _labels(self, cell: int, walls: list[int], *, left: bool) -> Text:
        """The columns' names; of those too long for their column the last sign is left (10 becomes 0)."""
        line = Text(" " * self._margin(), PAST, no_wrap=True, overflow="crop")
        for column, name in enumerate(self.view.columns):
            line.append("  " if column in walls else "")
            line.append_text(_centred(Text(name[-cell:], PAST), cell, left=left))
        return line


def _padded(text: Text, width: int) -> Text:
    """A framed cell. Its padding wears what it wears, but for the underline: a winning line joins.

    A guess's padding is hatched, a bound's is dotted.
    """
    spare = width - cell_len(text.plain)
    sign, filling = _filling(text)
    padded = Text(sign * (1 + (spare + 1) // 2), filling)
    padded.append_text(text)
    return padded.append(sign * (1 + spare // 2), filling)


def _filling(text: Text) -> tuple[str, str]:
    """What fills a cell beside its text, and how that looks."""
    if text.plain.startswith(SIGNS["estimate"]):
        return "░", hatching(str(text.style))
    if text.plain[:1] in (">", "<"):
        return "·", hatching(str(text.style))
    return " ", str(text.style).replace("underline", "")


def _heated(text: Text, width: int) -> Text:
    """A cell with a cost in a board without a frame: coloured up to the gap before its neighbour."""
    sign, filling = _filling(text)
    heated = Text("").append_text(text).append(sign * max(width - 1 - cell_len(text.plain), 0), filling)
    return heated.append(" " * max(width - cell_len(heated.plain), 0))


def _centred(text: Text, width: int, *, left: bool) -> Text:
    spare = max(width - cell_len(text.plain), 0)
    before = 0 if left else (spare + 1) // 2
    return Text(" " * before).append_text(text).append(" " * (spare - before))
