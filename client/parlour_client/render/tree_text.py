"""A game tree in a terminal: an outline, the best path heavy, pruned branches crossed out."""

from rich.text import Text

from parlour_client.text.scores import ESTIMATES_END, LOSS, PAST, WIN, number, points_text
from parlour_protocol.answers import GameTree
from parlour_protocol.views.reports import TreeNode
from parlour_protocol.words import say

BEST = "bold"


def value_text(node: TreeNode) -> str:
    """The value that a node passes up: `95`, `>=0` where that is a bound, `~3.42` where it is a guess."""
    return points_text(node.score)


def end_text(node: TreeNode) -> str:
    """What ends at a leaf."""
    return "" if node.end is None else say(f"command.tree.end.{node.end}")


def value_style(node: TreeNode) -> str:
    """Green for a win, red for a loss, grey for a draw; a guess slants."""
    return "italic" if node.score.kind == "estimate" else value_colour(node, PAST)


def value_colour(node: TreeNode, even: str) -> str:
    """Green for a win, red for a loss; `even` for all between them."""
    points = node.score.points
    return WIN if points > ESTIMATES_END else LOSS if points < -ESTIMATES_END else even


def children_of(tree: GameTree) -> list[list[int]]:
    """For each node the numbers of its children, in the order of the search."""
    children: list[list[int]] = [[] for _ in tree.nodes]
    for index, node in enumerate(tree.nodes):
        if node.parent is not None:
            children[node.parent].append(index)
    return children


def outline(tree: GameTree, *, ascii_only: bool = False) -> list[Text]:
    """The tree, a line for each node, and one for each cut."""
    signs = ("^", "v", "=", "|  ", "+- ", "`- ", "-/ /-") if ascii_only else None
    up, down, end, pipe, tee, corner, crossed = signs or ("▲", "▼", "■", "│  ", "├─ ", "└─ ", "╌╫╫")
    children = children_of(tree)
    lines: list[Text] = []
    # By hand, not by recursion: a tree may be as deep as a game is long.
    waiting: list[tuple[int, str, bool]] = [(0, "", True)]
    while waiting:
        index, indent, last = waiting.pop()
        if index < 0:
            lines.append(_cut(tree.nodes[-index - 1], indent + (corner if last else tee), crossed))
            continue
        node = tree.nodes[index]
        shape = end if node.end not in (None, "horizon") else up if node.level == "max" else down
        line = Text(indent + ("" if index == 0 else corner if last else tee), PAST)
        if node.move is not None:
            line.append(f"{node.move} ", BEST if node.best else "")
        line.append(f"{shape} ", BEST if node.best else PAST)
        line.append(value_text(node), f"{value_style(node)} {BEST if node.best else ''}".strip())
        if said := end_text(node):
            line.append(f"  {said}", PAST)
        lines.append(line)
        below = "" if index == 0 else indent + ("   " if last else pipe)
        # A cut stands after the children that were looked at, as the negative of its node's number.
        following = [*children[index], *([-index - 1] if node.pruned else [])]
        for place, child in reversed(list(enumerate(following, start=1))):
            waiting.append((child, below, place == len(following)))
    return lines


def _cut(node: TreeNode, indent: str, crossed: str) -> Text:
    assert node.cut_at is not None
    names = " ".join(node.pruned[:8])
    if (more := len(node.pruned) - 8) > 0:
        names = say("command.tree.more_cut", moves=names, count=more)
    return Text(f"{indent}{crossed} {names}  {node.cut} = {number(node.cut_at)}", PAST)
