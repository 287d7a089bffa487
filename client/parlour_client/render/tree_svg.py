"""A game tree as a picture that stands alone: SVG with its own colours and no script, for paper and screen.

Boxes are small boards, level below level. A triangle up maximises and one down minimises; beside it stands
the value that was passed up. Edges carry their moves. The best path is heavy, and a branch that was cut
off is a stub crossed by two strokes, with the bound that cut it.
"""

from collections.abc import Iterator
from dataclasses import replace

from parlour_client.render.svg import INK, MONO, SANS, box, escaped, label, minus, triangle
from parlour_client.render.tree_layout import Size, lay_out
from parlour_client.render.tree_text import children_of, value_colour
from parlour_client.text.scores import LOSS, PAST, number
from parlour_protocol.answers import GameTree
from parlour_protocol.pictures.board import cells
from parlour_protocol.pictures.places import LAYOUTS
from parlour_protocol.pictures.shapes import element, moved
from parlour_protocol.views.boards import BoardView, Row
from parlour_protocol.views.reports import TreeNode
from parlour_protocol.words import say

PAPER = "#fdfcf9"
BAND = "#f3f1ea"
LINE = "#b9b6ac"

MARGIN = 28.0
TITLE = 54.0
LEFT = 118.0
"""For the names of the levels."""
HEADER = 24.0
"""Above each board: the triangle and the value."""
DROP = 66.0
"""Between a board and the level below: the edge with its move."""
GAP = 14.0
LEAST_HALF = 30.0
"""A narrow board needs this to either side of its middle, for its value."""
STUB_WIDTH = 20.0
STUBS_APART = 16.0
"""Between the middle of the last child and the first stub."""
BOUND_WIDTH = 50.0
MOST_STUBS = 4
"""More pruned branches than this share the last stub."""
ROOT_SCALE = 1.35
BOUNDS = {None: "", "at_least": "≥ ", "at_most": "≤ "}


class _Drawing:
    def __init__(self, tree: GameTree, title: str) -> None:
        self.tree, self.title = tree, title
        self.children = children_of(tree)
        self.view = _unnamed(tree.position)
        self.lie = LAYOUTS[self.view.layout](self.view)
        above, after, below, before = self.lie.beyond
        self.across, self.down = self.lie.width + before + after, self.lie.height + above + below
        # The larger the board, the smaller its cells, down to what can still be seen.
        self.cell = max(6.0, min(17.0, 76.0 / max(self.across, self.down, 1)))
        self.depths = [0] * len(tree.nodes)
        for index, node in enumerate(tree.nodes):
            if node.parent is not None:
                self.depths[index] = self.depths[node.parent] + 1
        sizes = [
            Size(max(self.board_width(index) / 2, LEAST_HALF), self.stubs_width(node))
            for index, node in enumerate(tree.nodes)
        ]
        self.middles = [MARGIN + LEFT + middle for middle in lay_out(self.children, sizes, GAP)]

    # ------------------------------------------------------------ where things stand

    def scale(self, index: int) -> float:
        return ROOT_SCALE if index == 0 else 1.0

    def board_width(self, index: int) -> float:
        return self.across * self.cell * self.scale(index)

    def board_height(self, index: int) -> float:
        return self.down * self.cell * self.scale(index)

    def top(self, level: int) -> float:
        """Where a level's boards begin."""
        top = MARGIN + TITLE + HEADER
        if level:
            top += self.board_height(0) + DROP + HEADER
            top += (level - 1) * (self.down * self.cell + DROP + HEADER)
        return top

    def stubs(self, node: TreeNode) -> int:
        return min(len(node.pruned), MOST_STUBS)

    def stubs_width(self, node: TreeNode) -> float:
        """The stubs and the bound beside them."""
        return STUBS_APART + self.stubs(node) * STUB_WIDTH + BOUND_WIDTH if node.pruned else 0.0

    @property
    def levels(self) -> int:
        return max(self.depths) + 1

    @property
    def width(self) -> float:
        nodes = self.tree.nodes
        boards = (self.middles[index] + self.board_width(index) / 2 for index in range(len(nodes)))
        stubs = (self.last_middle(index) + self.stubs_width(node) for index, node in enumerate(nodes))
        return max(*boards, *stubs, 700.0 - MARGIN) + MARGIN

    @property
    def height(self) -> float:
        below = any(
            node.pruned and self.depths[i] == self.levels - 1 for i, node in enumerate(self.tree.nodes)
        )
        return (
            self.top(self.levels - 1)
            + self.board_height(1 if self.levels > 1 else 0)
            + ((DROP if below else 0.0) + MARGIN + 30)
        )

    # ------------------------------------------------------------ what is drawn

    def document(self) -> Iterator[str]:
        width, height = round(self.width), round(self.height)
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{SANS}" role="img">'
        )
        yield f"<title>{escaped(say('command.tree.title', title=self.title))}</title>"
        yield '<defs><pattern id="guess" width="5" height="5" patternUnits="userSpaceOnUse">'
        yield f'<path d="M0 5L5 0" stroke="{LINE}" stroke-width="1.2"/></pattern></defs>'
        yield f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
        yield from self.bands()
        yield from self.heading()
        order = sorted(range(len(self.tree.nodes)), key=lambda index: self.tree.nodes[index].best)
        for index in order:
            yield from self.edge(index)
        for index in range(len(self.tree.nodes)):
            yield from self.cut(index)
            yield from self.node(index)
        yield from self.legend()
        yield "</svg>"

    def heading(self) -> Iterator[str]:
        boards = say("command.tree.boards", count=len(self.tree.nodes))
        plies = say("count.ply", count=self.tree.depth)
        if self.tree.pruned:
            cut = sum(len(node.pruned) for node in self.tree.nodes)
            said = say("command.tree.heading_pruned", plies=plies, boards=boards, count=cut)
        else:
            said = say("command.tree.heading", plies=plies, boards=boards)
        yield label(MARGIN, MARGIN + 14, self.title, size=18, weight=600, anchor="start")
        yield label(MARGIN, MARGIN + 36, said, size=12.5, fill=PAST, anchor="start")

    def bands(self) -> Iterator[str]:
        """Every second level stands on a band; at its left, what its side wants."""
        marks = self.tree.position.marks
        first = self.tree.position.to_move or 0
        wanted: list[set[str]] = [set() for _ in range(self.levels)]
        for depth, node in zip(self.depths, self.tree.nodes, strict=True):
            if node.end in (None, "horizon"):
                wanted[depth].add(node.level)
        for level in range(self.levels):
            top, height = (
                self.top(level) - HEADER - 8,
                self.board_height(0 if level == 0 else 1) + HEADER + 16,
            )
            if level % 2 == 0:
                yield box(0, top, self.width, height, BAND)
            if len(wanted[level]) != 1:
                # Nobody moves where all games have ended; where a side may move twice running both are to
                # move on one level, and each board says which.
                continue
            middle = top + height / 2
            highest = "max" in wanted[level]
            mark = marks[first if highest else 1 - first][0]
            yield triangle(MARGIN + 9, middle - 9, 8, up=highest, fill=INK)
            to_move = say("command.tree.to_move", mark=mark)
            yield label(MARGIN + 24, middle - 4, to_move, size=13, weight=600, anchor="start")
            wants = say("command.tree.maximises") if highest else say("command.tree.minimises")
            yield label(MARGIN + 24, middle + 13, wants, size=12, fill=PAST, anchor="start")

    def edge(self, index: int) -> Iterator[str]:
        """From a parent to its child, with the move on it."""
        node = self.tree.nodes[index]
        if node.parent is None:
            return
        x1, y1 = self.middles[node.parent], self.bottom(node.parent)
        x2, y2 = self.middles[index], self.top(self.depths[index]) - HEADER + 1
        colour, weight = (INK, 3.2) if node.best else (LINE, 1.3)
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + 26:.1f} {x2:.1f} {y2 - 34:.1f} {x2:.1f} {y2:.1f}" '
            f'fill="none" stroke="{colour}" stroke-width="{weight}"/>'
        )
        name = node.move or ""
        wide = 7.2 * len(name) + 6
        yield box(x2 - wide / 2, y2 - 21, wide, 15, PAPER, rounded=4)
        yield label(x2, y2 - 9.5, name, size=12, weight=700 if node.best else 400, family=MONO)

    def last_middle(self, index: int) -> float:
        """The middle of a node's last child; its own where it has none."""
        below = self.children[index]
        return self.middles[below[-1] if below else index]

    def bottom(self, index: int) -> float:
        return self.top(self.depths[index]) + self.board_height(index)

    def cut(self, index: int) -> Iterator[str]:
        """The stubs of what was not looked at, each crossed by two strokes, and the bound beside them."""
        node = self.tree.nodes[index]
        if not node.pruned or node.cut_at is None:
            return
        x, y = self.middles[index], self.bottom(index)
        at = self.last_middle(index) + STUBS_APART - STUB_WIDTH / 2
        end = y + DROP * 0.5
        for number_, name in enumerate(node.pruned[:MOST_STUBS], start=1):
            at += STUB_WIDTH
            more = len(node.pruned) - MOST_STUBS
            shown = f"+{more + 1}" if number_ == MOST_STUBS and more > 0 else name
            yield (
                f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {y + 22:.1f} {at:.1f} {end - 22:.1f} {at:.1f} {end:.1f}" '
                f'fill="none" stroke="{LINE}" stroke-width="1.2"/>'
            )
            for shift in (-7.5, -3.5):
                yield (
                    f'<path d="M{at - 5:.1f} {end + shift + 2.5:.1f}L{at + 5:.1f} {end + shift - 2.5:.1f}" '
                    f'stroke="{LOSS}" stroke-width="1.6"/>'
                )
            yield label(at, end + 11, shown, size=9.5, fill=PAST, family=MONO)
        sign = "β" if node.cut == "beta" else "α"
        bound = f"{sign} = {minus(number(node.cut_at))}"
        yield label(at + 13, end - 1, bound, size=11, fill=LOSS, anchor="start", weight=600)

    def node(self, index: int) -> Iterator[str]:
        x, y = self.middles[index], self.top(self.depths[index])
        yield from self.value(self.tree.nodes[index], x, y - HEADER + 5, large=index == 0)
        yield from self.board(index, x - self.board_width(index) / 2, y)

    def value(self, node: TreeNode, x: float, y: float, *, large: bool) -> Iterator[str]:
        """The triangle (a square where the game has ended) and the value beside it."""
        said = BOUNDS[node.score.limit] + minus(number(node.score.points))
        size = 15 if large else 12.5
        colour = value_colour(node, INK)
        wide = 0.6 * size * len(said) + 18
        left = x - wide / 2
        if node.score.kind == "estimate":
            # A guess is hatched, and never looks like what is proven.
            yield (
                f'<rect x="{left - 4:.1f}" y="{y - 1:.1f}" width="{wide + 8:.1f}" height="17" rx="8" '
                f'fill="url(#guess)"/>'
            )
        middle = y + 7.5
        if node.end not in (None, "horizon"):
            yield f'<rect x="{left:.1f}" y="{middle - 5:.1f}" width="10" height="10" fill="{colour}"/>'
        else:
            yield triangle(left + 5.5, middle, 6 if not large else 7, up=node.level == "max", fill=colour)
        weight, style = 700 if node.best else 500, "italic" if node.score.kind == "estimate" else "normal"
        at = (left + 16, middle + size * 0.36)
        yield label(*at, said, size=size, fill=colour, anchor="start", weight=weight, style=style)

    def board(self, index: int, x: float, y: float) -> Iterator[str]:
        node = self.tree.nodes[index]
        cell, (above, _, _, before) = self.cell * self.scale(index), self.lie.beyond
        width, height = self.board_width(index), self.board_height(index)
        frame, weight = (INK, 2.6) if node.best else ("#8b887f", 1.0)
        yield box(x, y, width, height, "#ffffff", rounded=3)
        view = replace(
            self.view, cells=node.cells, last=node.last[:1], line=node.line, counts=node.counts or []
        )
        for shape in cells(LAYOUTS[view.layout](view)) if self.lie.width else ():
            yield element(moved(shape, x + before * cell, y + above * cell, cell))
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3" fill="none" '
            f'stroke="{frame}" stroke-width="{weight}"/>'
        )

    def legend(self) -> Iterator[str]:
        y = self.height - MARGIN + 6
        parts = [say("command.tree.best_play"), say("command.tree.value"), say("command.tree.over")]
        if any(node.score.kind == "estimate" for node in self.tree.nodes):
            parts.append(say("command.tree.estimate"))
        if self.tree.pruned:
            parts.append(say("command.tree.crossed"))
        yield label(MARGIN, y, "   ·   ".join(parts), size=11.5, fill=PAST, anchor="start")


def _unnamed(view: BoardView) -> BoardView:
    """A board without names beside it; of small boards within it the frames alone."""
    groups = view.groups
    if groups is not None:
        owners: list[Row] = [[view.empty] * len(row) for row in groups.owners]
        groups = replace(groups, owners=owners, active=[])
    return replace(view, rows=[""] * len(view.rows), columns=[""] * len(view.columns), groups=groups)


def document(tree: GameTree, title: str) -> str:
    """The tree as one SVG document."""
    return "\n".join(_Drawing(tree, title).document()) + "\n"
