"""A position drawn on a grid, character by character: what the board's widget shows. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from parlour_client.render.board_grid import Grid
from parlour_client.render.marks import DIAMONDS, FULL_DIAMONDS, centred, drawn, written
from parlour_client.text.scores import CHOSEN, Look, cell_text, hatching, heat, look
from parlour_protocol.views.boards import VOID, BoardView, Path
from parlour_protocol.views.reports import Report

Role = Literal[
    "first",
    "second",
    "empty",
    "legal",
    "line",
    "active",
    "label",
    "near",
    "ground",
    "other-ground",
    "last",
    "cursor",
    "ghost",
    "pale",
    "picked",
]
"""Whose colours are whose: the widget finds them in its style sheet."""
ROLES: tuple[Role, ...] = get_args(Role)

Palette = Mapping[Role, Style]
"""For `ground`, `other-ground` and `last` the background counts, for all others the colour of the signs."""

LEGAL = "+"
"""A cell to play in, where not every empty one is."""
RANKED = 9
"""Where no cell is wide enough for a cost, so many of the best moves are numbered."""


FILLINGS: dict[Look, str] = {"exact": " ", "bound": "·", "estimate": "░", "estimated bound": "·"}
"""What surrounds a cost: solid where it is exact, dotted for a bound, hatched for a guess."""


@dataclass(frozen=True, slots=True)
class _Cost:
    text: str
    colours: str
    filling: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and what lies over it at this model."""

    board: BoardView
    cursor: int | None = None
    picked: Path = ()
    """The cell of the piece that was chosen to be moved."""
    ghost: int | None = None
    """The cell in which a piece shows palely: hovered over, or sent and not yet played."""
    moving: str = ""
    """That piece; empty: none is put there, as into a pit."""
    yours: bool = False
    """Is it the viewer who is to move?"""
    falling: tuple[int, int] | None = None
    """A cell whose piece is still on its way, and the row that it has come to (-1: above the first)."""
    pale: frozenset[int] = field(default_factory=frozenset)
    """Cells whose pieces have just changed sides."""
    marked: Collection[int] = ()
    """Cells that something is said of."""
    report: Report | None = None
    """With it each legal move's cost stands on its cell."""


def draw(scene: Scene, grid: Grid, palette: Palette) -> list[list[Segment]]:
    """The picture, as lines of segments `grid.width` wide."""
    return _Picture(scene, grid, palette).lines()


def ranked(scene: Scene, grid: Grid) -> bool:
    """Are the best moves numbered, because some cell has no room for its score?"""
    report, texts = scene.report, scene.board.texts()
    if report is None:
        return False

    def room(cell: int) -> int:
        width, height = grid.size(cell)
        return width if height > 1 or texts[cell] == scene.board.empty else width - _beside(texts[cell])

    return any(
        cell_len(_cost_text(report, place)) > room(cell) for cell, place in _scored(scene, report).items()
    )


def _scored(scene: Scene, report: Report) -> dict[int, int]:
    return scene.board.first_at((one.move for one in report.candidates), scene.picked)


def _cost_text(report: Report, place: int) -> str:
    one = report.candidates[place]
    return cell_text(one.score) + (CHOSEN if one.move == report.best else "")


def _beside(text: str) -> int:
    """Where something begins that stands behind a text: apart, where both are numbers."""
    return cell_len(text) + text.isdigit()


class _Picture:
    def __init__(self, scene: Scene, grid: Grid, palette: Palette) -> None:
        self.scene, self.board, self.grid, self.palette = scene, scene.board, grid, palette
        self.columns, self.rows = len(self.board.columns), len(self.board.rows)
        empty = [self.board.empty] * self.columns
        rows = [[*row, *empty][: self.columns] for row in (*self.board.cells, *[empty] * self.rows)]
        self.texts = [text for row in rows[: self.rows] for text in row]
        self.choices = set(self.board.open_cells(scene.picked))
        free = self.texts.count(self.board.empty)
        self.sparse = 0 < len(self.choices) < free and grid.ruling != "tray"
        self.text = [[" "] * grid.width for _ in range(grid.height)]
        self.style = [[Style.null()] * grid.width for _ in range(grid.height)]

    def lines(self) -> list[list[Segment]]:
        self._labels()
        self._lines_between()
        costs = dict(self._costs())
        for cell in range(self.columns * self.rows):
            self._cell(cell, costs.get(cell))
        self._owned_groups()
        return [self._segments(text, style) for text, style in zip(self.text, self.style, strict=True)]

    def _segments(self, text: list[str], style: list[Style]) -> list[Segment]:
        """Signs that follow each other in one style, as one."""
        segments, start = [], 0
        for at in range(1, len(text) + 1):
            if at == len(text) or (style[at] is not style[start] and style[at] != style[start]):
                segments.append(Segment("".join(text[start:at]), style[start]))
                start = at
        return segments

    def _put(self, x: int, y: int, text: str, style: Style) -> None:
        """Write over what is there; a wide sign takes two places."""
        if len(text) == cell_len(text) and x >= 0 and 0 <= y < self.grid.height:
            # Almost everything is this, and a large board has thousands of them.
            end = min(x + len(text), self.grid.width)
            if x < end:
                self._clear(x, y)
                self._clear(end - 1, y)
                self.text[y][x:end] = text[: end - x]
                self.style[y][x:end] = [style] * (end - x)
            return
        for sign in text:
            wide = cell_len(sign)
            if wide == 0 or not (0 <= y < self.grid.height and 0 <= x <= self.grid.width - wide):
                continue
            for at in range(x, x + wide):
                self._clear(at, y)
                self.text[y][at], self.style[y][at] = sign if at == x else "", style
            x += wide

    def _clear(self, x: int, y: int) -> None:
        """Of a wide sign that is written over in part, nothing stays."""
        line = self.text[y]
        if line[x] == "" and x:
            line[x - 1] = " "
        if x + 1 < len(line) and line[x + 1] == "":
            line[x + 1] = " "

    # ------------------------------------------------------------ around the cells

    def _labels(self) -> None:
        grid, focus = self.grid, self._focus()
        for column, name in enumerate(self.board.columns):
            near = focus is not None and focus % self.columns == column
            # Of a name that is too long its end tells more (10 becomes 0).
            width, _ = grid.size(column)
            label = centred(name[-width:], width)
            self._put(
                grid.xs[column] - grid.shift, grid.labels_at, label, self.palette["near" if near else "label"]
            )
        widest = max((cell_len(name) for name in self.board.rows), default=0)
        for row, name in enumerate(self.board.rows):
            near = focus is not None and focus // self.columns == row
            _, y = grid.middle(row * self.columns)
            at = grid.shift * row
            self._put(at, y, name.rjust(widest), self.palette["near" if near else "label"])

    def _focus(self) -> int | None:
        """The cell whose column and row are named brightly."""
        if self.scene.cursor is not None:
            return self.scene.cursor
        return self.board.last[0] if self.board.last else None

    def _lines_between(self) -> None:
        match self.grid.ruling:
            case "ruled":
                self._rules()
            case "tray":
                self._tray()
            case "framed":
                self._frames()
            case "walled":
                self._walls()
            case "hex":
                self._goals()
            case "points":
                self._joins()
            case "pits":
                self._rules()
                self._stores()
            case "open" | "edges":
                pass

    def _rules(self) -> None:
        grid, style = self.grid, self.palette["line"]
        bar = "─" * grid.cell_width
        left = grid.xs[0] - 1
        for row in range(self.rows + 1):
            first, between, last = "┌┬┐" if row == 0 else "└┴┘" if row == self.rows else "├┼┤"
            y = grid.ys[row] - 1 if row < self.rows else grid.ys[-1] + grid.cell_height
            self._put(left, y, first + between.join([bar] * self.columns) + last, style)
        for row in range(self.rows):
            for line in range(grid.cell_height):
                for x in (left, *(start + grid.cell_width for start in grid.xs)):
                    self._put(x, grid.ys[row] + line, "│", style)

    def _goals(self) -> None:
        """Around the board the signs of the sides that want to join its edges."""
        rows, columns = range(self.rows), range(self.columns)
        around = {
            "n": [(-1, column) for column in columns],
            "s": [(self.rows, column) for column in columns],
            "w": [(row, -1) for row in rows],
            "e": [(row, self.columns) for row in rows],
        }
        grid = self.grid
        for side, edges in enumerate(self.board.goals or ()):
            for row, column in (place for edge in edges for place in around.get(edge, ())):
                x = grid.xs[0] + column * 2 * grid.shift + row * grid.shift
                y = grid.ys[0] + row * grid.cell_height if row >= 0 else grid.ys[0] - 1
                y += grid.cell_height // 2 if 0 <= row < self.rows else 0
                mark = centred(self.board.marks[side][0], grid.cell_width)
                self._put(x, y, mark, self.palette["second" if side else "first"])

    def _joins(self) -> None:
        """The lines between points, from middle to middle."""
        style = self.palette["line"]
        for line in self.board.joins or []:
            for start, end in pairwise(line):
                (x, y), (to_x, to_y) = self.grid.middle(start), self.grid.middle(end)
                across, down = to_x - x, to_y - y
                sign = "│" if not across else "─" if not down else "╲" if (across > 0) == (down > 0) else "╱"
                steps = abs(down) or abs(across)
                for step in range(1, steps):
                    self._put(x + across * step // steps, y + down * step // steps, sign, style)

    def _stores(self) -> None:
        """What each side has in store: the first's at the right end, the other's at the left."""
        grid, style = self.grid, self.palette["line"]
        wide, top, bottom = grid.cell_width, grid.ys[0] - 1, grid.labels_at - 1
        left, right = grid.xs[0] - 1, grid.xs[-1] + wide
        bar = "─" * wide
        numbers = self.board.counts[0].of if self.board.counts else None
        for side, x, upper, lower in ((1, left - wide, "╭─┬", "╰─┴"), (0, right + 1, "┬─╮", "┴─╯")):
            edge = x + wide if side == 0 else x - 1
            for y, corners in ((top, upper), (bottom, lower)):
                self._put(x - 1, y, corners[0] + bar + corners[2], style)
            for y in range(top + 1, bottom):
                self._put(edge, y, "│", style)
            colour = self.palette["second" if side else "first"]
            self._put(x, top + 1, centred(self.board.marks[side][0], wide), colour)
            if numbers is not None:
                self._put(x, (top + bottom) // 2, centred(str(numbers[side]), wide), colour)

    def _tray(self) -> None:
        grid, style = self.grid, self.palette["line"]
        for y in range(grid.ys[0], grid.height - 1):
            self._put(0, y, "│", style)
            self._put(grid.width - 1, y, "│", style)
        self._put(0, grid.height - 1, f"╰{'─' * (grid.width - 2)}╯", style)
        # A caret above the column: where the cursor is, else where the last piece fell.
        focus = self.scene.cursor if self.scene.cursor is not None else self.scene.ghost
        role: Role = "cursor"
        if focus is None and self.board.last:
            focus, role = self.board.last[0], "near"
        if focus is not None:
            x = grid.xs[focus % self.columns]
            self._put(x, 1, "▼".center(grid.cell_width), self.palette[role])

    def _frames(self) -> None:
        groups = self.board.groups
        assert groups is not None
        for number, (left, top, right, bottom) in enumerate(self._group_boxes()):
            active = number in groups.active
            style = self.palette["active" if active else "line"]
            across, down, corners = ("━", "┃", "┏┓┗┛") if active else ("─", "│", "╭╮╰╯")
            self._put(left - 1, top - 1, corners[0] + across * (right - left) + corners[1], style)
            self._put(left - 1, bottom, corners[2] + across * (right - left) + corners[3], style)
            for y in range(top, bottom):
                self._put(left - 1, y, down, style)
                self._put(right, y, down, style)

    def _walls(self) -> None:
        grid, groups = self.grid, self.board.groups
        assert groups is not None
        style = self.palette["line"]
        for column in range(groups.width, self.columns, groups.width):
            for y in range(grid.ys[-1] + grid.cell_height):
                self._put(grid.xs[column] - 1, y, "│", style)
        for row in range(groups.height, self.rows, groups.height):
            y = grid.ys[row] - 1
            self._put(grid.xs[0], y, "─" * (grid.width - grid.xs[0]), style)
            for column in range(groups.width, self.columns, groups.width):
                self._put(grid.xs[column] - 1, y, "┼", style)

    def _group_boxes(self) -> Iterator[tuple[int, int, int, int]]:
        """The characters of each group of cells: left, top, and the ones beyond right and bottom."""
        grid, groups = self.grid, self.board.groups
        assert groups is not None
        for row in range(0, self.rows, groups.height):
            for column in range(0, self.columns, groups.width):
                right = min(column + groups.width, self.columns) - 1
                bottom = min(row + groups.height, self.rows) - 1
                yield (
                    grid.xs[column],
                    grid.ys[row],
                    grid.xs[right] + grid.cell_width,
                    grid.ys[bottom] + grid.cell_height,
                )

    # ------------------------------------------------------------ cells

    def _cell(self, cell: int, cost: _Cost | None) -> None:
        if self.texts[cell] == VOID:
            return
        grid, scene = self.grid, self.scene
        text, style = self._text(cell)
        width, height = grid.size(cell)
        occupied = self.texts[cell] != self.board.empty
        if cost is not None and not occupied:
            self._cost(cell, cost)
        else:
            x, y = grid.place(cell)
            lines = self._drawn(cell, text, cost)
            under = cell in self.board.last and grid.ruling != "edges"
            if cell in self.board.line:
                # Reversed, so that it is seen without colours, and joined with its neighbours.
                style, under = Style(color=self._ink(), bgcolor=style.color, bold=True), False
                if height == 2:
                    lines = tuple(centred(one, width) for one in ("", text or "?"))
            else:
                style = self._ground(cell) + style
            if grid.ruling == "points" and cost is None and (height == 1 or self.board.side_of(text) is None):
                # The lines between points go on beside what is small.
                lines, (x, y) = (text,), grid.middle(cell)
            for number, line in enumerate(lines):
                below = under and number == height - 1
                self._put(x, y + number, line, style + Style(underline=True) if below else style)
            if cost is not None:
                self._cost_beside(cell, cost, style)
        if cell in scene.marked:
            self._surround(cell, "picked", "[]", "┏┓┗┛")
        if cell in scene.picked:
            self._surround(cell, "picked", "()", "╔╗╚╝")
        elif scene.picked and cell in self.choices and occupied:
            # What can be taken stands in a frame: a hint beside it would have no room.
            self._surround(cell, "legal", "‹›", "╭╮╰╯")
        if cell == scene.cursor:
            self._surround(cell, "cursor", "[]", "┏┓┗┛")

    def _drawn(self, cell: int, text: str, cost: _Cost | None) -> tuple[str, ...]:
        """A side's own sign is drawn large; of its other pieces each has its text.

        It is small above a cost, so that both are seen.
        """
        width, height = self.grid.size(cell)
        row, column = divmod(cell, self.columns)
        if self.grid.ruling == "edges" and (row + column) % 2 and text.strip():
            heavy = cell in self.board.last
            return (("━" if heavy else "─") * width if column % 2 else "┃" if heavy else "│",) * height
        side = self.board.side_of(text)
        own = side is None or text == self.board.marks[side][0] or text in FULL_DIAMONDS + DIAMONDS
        large = own and cost is None
        return (drawn if large else written)(text or "?", width, height - (cost is not None and height > 1))

    def _text(self, cell: int) -> tuple[str, Style]:
        """What stands in a cell now, and in which colour."""
        text, scene, palette = self.texts[cell], self.scene, self.palette
        if scene.falling is not None:
            landing, row = scene.falling
            if cell == landing and row != cell // self.columns:
                text = self.board.empty
            elif cell % self.columns == landing % self.columns and cell // self.columns == row:
                text = self.texts[landing]
        free, choice = text == self.board.empty, cell in self.choices
        if cell == scene.ghost and scene.moving:
            return scene.moving, palette["ghost"]
        if free and cell in scene.picked and self.board.to_move is not None:
            # A piece is to be put here, or comes by on its way.
            start = self.texts[scene.picked[0]]
            own = self.board.marks[self.board.to_move][0]
            return own if start == self.board.empty else start, palette["ghost"]
        side = self.board.side_of(text)
        if side is not None:
            return text, palette["pale" if cell in scene.pale else "second" if side else "first"]
        if free and cell in scene.marked and self.grid.ruling != "pits":
            return LEGAL, palette["picked"]
        if free and choice and self.sparse:
            return LEGAL, palette["legal" if scene.yours else "empty"]
        if free:
            if self.grid.ruling in ("ruled", "edges"):
                text = " "
            elif text == "." and (self.grid.cell_height > 1 or self.grid.ruling == "points"):
                text = "·"
        if self.grid.ruling == "pits" and not free:
            return text, palette["first" if cell // self.columns else "second"]
        return text, palette["legal" if choice and scene.yours else "empty"]

    def _ground(self, cell: int) -> Style:
        if cell in self.board.last:
            return self.palette["last"]
        if self.grid.ruling not in ("open", "tray", "hex"):
            return Style.null()
        row, column = divmod(cell, self.columns)
        # On small cells a chequered ground would be louder than the signs.
        odd = (row + column) % 2 == 1 and self.grid.ruling == "open" and self.grid.cell_height > 1
        return self.palette["other-ground" if odd else "ground"]

    def _ink(self) -> Color | None:
        """The colour of signs on a ground of their player's own colour."""
        return self.palette["ground"].bgcolor

    def _surround(self, cell: int, role: Role, brackets: str, corners: str) -> None:
        """Brackets or corners around a cell; where there is no room for them it is reversed or underlined."""
        (x, y), (width, height), style = self.grid.place(cell), self.grid.size(cell), self.palette[role]
        room = width - 2 - (cell_len(self.texts[cell]) if height < 3 else 1)
        right, bottom = x + width - 1, y + height - 1
        if room < 0:
            look = Style(underline=True) if role == "legal" else Style(reverse=True, bold=role == "cursor")
            for line in range(y, bottom + 1):
                for at in range(x, right + 1):
                    self.style[line][at] = self.style[line][at] + look
        elif height < 2:
            for at, bracket in zip((x, right), brackets, strict=True):
                self._put(at, y, bracket, self.style[y][at] + style)
        else:
            places = ((x, y), (right, y), (x, bottom), (right, bottom))
            for (at, line), corner in zip(places, corners, strict=True):
                self._put(at, line, corner, self.style[line][at] + style)

    # ------------------------------------------------------------ what lies over the cells

    def _costs(self) -> Iterator[tuple[int, _Cost]]:
        """For each cell with a known score how it is drawn; the better of two moves to one cell."""
        report = self.scene.report
        if report is None:
            return
        ranks = ranked(self.scene, self.grid)
        for cell, place in _scored(self.scene, report).items():
            candidate, text = report.candidates[place], _cost_text(report, place)
            chosen = candidate.move == report.best
            if ranks:
                text = CHOSEN if chosen and place else str(place + 1) if place < RANKED else "·"
            colours = heat(candidate.score, chosen=chosen)
            yield cell, _Cost(text, colours, FILLINGS[look(candidate.score)])

    def _cost(self, cell: int, cost: _Cost) -> None:
        """A cost fills its cell."""
        (x, y), (width, height) = self.grid.place(cell), self.grid.size(cell)
        for line in range(height):
            self._put(x, y + line, cost.filling * width, Style.parse(hatching(cost.colours)))
        before = (width - cell_len(cost.text) + 1) // 2 if width > 2 else 0
        self._put(x + before, y + height // 2, cost.text, Style.parse(cost.colours))

    def _cost_beside(self, cell: int, cost: _Cost, style: Style) -> None:
        """What is in a cell stays: a cost stands below it, or behind it where there is room."""
        (x, y), (width, height), text = self.grid.place(cell), self.grid.size(cell), self.texts[cell]
        spare = width - _beside(text) - cell_len(cost.text)
        if height > 1:
            self._put(x, y + height - 1, centred(cost.text, width), Style.parse(cost.colours))
        elif spare >= 0:
            self._put(x + spare // 2, y, text.ljust(_beside(text)), style)
            self._put(x + spare // 2 + _beside(text), y, cost.text, Style.parse(cost.colours))

    def _owned_groups(self) -> None:
        """A group that is won is filled by one large mark."""
        groups = self.board.groups
        if groups is None or groups.width < 1 or groups.height < 1:
            return
        owners = [owner for row in groups.owners for owner in row]
        for number, (left, top, right, bottom) in enumerate(self._group_boxes()):
            owner = owners[number] if number < len(owners) else self.board.empty
            side = self.board.side_of(owner)
            if side is None:
                continue
            role: Role = "second" if side else "first"
            mark = drawn(owner or "?", right - left, bottom - top)
            for y, line in enumerate(mark, start=top):
                for x, sign in enumerate(line, start=left):
                    cell = self.grid.cell_at(x, y)
                    style = self.palette[role]
                    if cell is not None and cell in self.board.line:
                        style = Style(color=self._ink(), bgcolor=style.color, bold=True)
                    elif cell is not None and cell in self.board.last:
                        style = self.palette["last"] + style
                    self._put(x, y, sign, style)
