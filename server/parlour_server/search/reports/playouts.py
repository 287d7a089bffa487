"""Monte Carlo tree search to look at: the tree that grew, and each playout on its own."""

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from parlour_protocol.answers import Playout
from parlour_protocol.ids import Side
from parlour_protocol.views.reports import TreeNode
from parlour_server.games.game import Game, PositionT
from parlour_server.search.algorithms.mcts import Mcts, Node
from parlour_server.search.control import Control
from parlour_server.search.reports.tree import drawn_node
from parlour_server.search.scores import shared_score


@dataclass(frozen=True, slots=True)
class Recorded:
    """A search's tree, parents before their children, and its playouts in turn."""

    nodes: list[TreeNode]
    played: list[Playout]


def recorded(
    game: Game[PositionT], position: PositionT, *, playouts: int, control: Control, seed: int = 0
) -> Recorded:
    """Search a position by so many playouts, and keep them. Raises `ValueError` for a finished position."""
    search = Mcts(game, position, Random(seed), control, "mcts")  # noqa: S311 - the same each time
    us = game.to_move(position)
    numbers = {id(search.root): 0}
    nodes = [_tree_node(game, search.root, us)]
    kept, played = [search.root], list[Playout]()
    while len(played) < playouts and not control.stopped():
        path, points = search.playout()
        for above, node in pairwise(path):
            if id(node) not in numbers:
                numbers[id(node)] = len(nodes)
                nodes.append(_tree_node(game, node, us, above, numbers[id(above)]))
                kept.append(node)
        played.append(Playout(numbers[id(path[-1])], points if us == 0 else 1 - points))
    for at, node in enumerate(kept):
        share = node.value if node.mover == us else 1 - node.value
        nodes[at] = replace(nodes[at], score=shared_score(share))
    for one in reversed(nodes):
        if one.parent is not None:
            nodes[one.parent].below += one.below + 1
    return Recorded(nodes, played)


def _tree_node(
    game: Game[PositionT],
    node: Node[PositionT],
    us: Side,
    above: Node[PositionT] | None = None,
    parent: int | None = None,
) -> TreeNode:
    """A node as it is sent; its score comes once all was played."""
    move = None if above is None else next(move for move, one in above.children.items() if one is node)
    name = None if above is None or move is None else game.format(above.position, move)
    view, outcome = game.view(node.position, move), game.outcome(node.position)
    sent = drawn_node(view, "max" if view.to_move == us else "min", parent, name)
    if outcome is not None:
        sent.end = "draw" if outcome.winner is None else "win" if outcome.winner == us else "loss"
    return sent
