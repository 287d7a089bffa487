"""A game tree to look at: minimax or alpha-beta, with every position that it visited.

The search is the one of the textbooks, over the plain rules: the side to move at the root wants the
highest score, the other one the lowest, and each node passes its value up. With alpha-beta a node is left
as soon as its value can't matter any more; what it didn't look at is kept by name. See Knuth and Moore,
An Analysis of Alpha-Beta Pruning (1975). Scores are the root's mover's, as in `minimax`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple

from parlour_protocol.views import TreeNode
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.search import Control, decided, end_score, points

COUNTED = 100_000
"""A tree that is too large is counted so far, to tell how large it would be."""
INFINITY = 1_000_000_000
POLL_EVERY = 64

Bound = Literal["exact", "at_least", "at_most"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A search's tree: parents stand before their children."""

    depth: int
    """How many plies it looked ahead."""
    nodes: list[TreeNode]


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A tree that would have more nodes than were allowed."""

    nodes: int
    counted: bool
    """Is that its size? Else it is larger still."""
    fits: int
    """The deepest search whose tree would be small enough; 0 where there is none."""

    def sentence(self, limit: int) -> str:
        """What to tell people; `limit` is what was allowed."""
        size = f"{self.nodes:,}" if self.counted else f"more than {self.nodes - 1:,}"
        said = f"That tree would have {size} boards, and {limit:,} are the most here."
        if self.fits:
            return f"{said} Look {self.fits} {'ply' if self.fits == 1 else 'plies'} ahead at most."
        return f"{said} Even one ply ahead is too much: begin from a position with fewer moves."


class _Full(Exception):
    """More nodes than were to be visited."""


class _Value(NamedTuple):
    score: int
    bound: Bound
    guessed: bool


def grow(
    game: Game[PositionT],
    position: PositionT,
    *,
    depth: int | None,
    prune: bool,
    limit: int,
    control: Control,
) -> Tree | TooLarge:
    """Search a position `depth` plies deep (None: as deep as the limit allows), and keep the tree.

    `limit` is the most nodes that it may have. One that grew too large is counted on, within bounds.
    A search that is told to stop counts as too large.
    """
    if depth is not None:
        # First what fits, which is little work: counting the whole may be stopped.
        fitting = _deepest(game, position, depth - 1, prune, limit, control)
        search = _Search(game, position, depth, prune, limit, COUNTED, control)
        if search.run() and search.count <= limit:
            return Tree(depth, search.nodes)
        return TooLarge(search.count, search.complete, fitting.depth if fitting else 0)
    found = _deepest(game, position, game.max_plies, prune, limit, control)
    if found is not None:
        return found
    search = _Search(game, position, 1, prune, limit, COUNTED, control)
    search.run()
    return TooLarge(search.count, search.complete, 0)


def _deepest(
    game: Game[PositionT], position: PositionT, most: int, prune: bool, limit: int, control: Control
) -> Tree | None:
    """The deepest tree that is small enough, down to `most` plies."""
    found = None
    for depth in range(1, most + 1):
        search = _Search(game, position, depth, prune, limit, limit, control)
        if not search.run():
            break
        found = Tree(depth, search.nodes)
        if not search.horizon:
            break
    return found


class _Search(Generic[PositionT]):
    """One search. Keeps the first `kept` nodes and visits no more than `visited`."""

    def __init__(
        self,
        game: Game[PositionT],
        position: PositionT,
        depth: int,
        prune: bool,
        kept: int,
        visited: int,
        control: Control,
    ) -> None:
        self.game, self.position, self.depth, self.prune = game, position, depth, prune
        self.kept, self.visited, self.control = kept, visited, control
        self.side = game.to_move(position)
        self.nodes: list[TreeNode] = []
        self.best: dict[int, int] = {}
        """For each node the child that its value comes from."""
        self.count = 0
        self.complete = False
        self.horizon = False
        """Was any position left unsearched that is not the end of a game?"""

    def run(self) -> bool:
        """Search; False where that was given up, since there is too much."""
        try:
            self.visit(self.position, 0, -INFINITY, INFINITY, None, None, None)
        except _Full:
            return False
        self.complete = True
        number: int | None = 0
        while number is not None and number < len(self.nodes):
            self.nodes[number].best = True
            number = self.best.get(number)
        return True

    def visit(
        self,
        position: PositionT,
        ply: int,
        alpha: int,
        beta: int,
        parent: int | None,
        move: Move | None,
        name: str | None,
    ) -> _Value:
        """A position's value for the side that moves at the root; its node joins the others."""
        number = self.count
        self.count += 1
        if self.count > self.visited or (self.count % POLL_EVERY == 0 and self.control.stopped()):
            raise _Full
        node = self.new_node(position, ply, parent, move, name)
        outcome = self.game.outcome(position)
        if outcome is not None:
            value = _Value(end_score(self.game, position, outcome, ply, self.side), "exact", False)
            node.end = "draw" if outcome.winner is None else "win" if outcome.winner == self.side else "loss"
        elif ply == self.depth:
            # An estimate is the mover's, and at odd plies that is the other side.
            guess = self.game.evaluate(position)
            value = _Value(-guess if ply & 1 else guess, "exact", True)
            node.end, self.horizon = "horizon", True
        else:
            value = self.best_child(position, ply, alpha, beta, number, node)
        node.score, node.bound, node.estimate = points(value.score), value.bound, value.guessed
        return value

    def best_child(
        self, position: PositionT, ply: int, alpha: int, beta: int, number: int, node: TreeNode
    ) -> _Value:
        """The best of a position's children, for whoever is to move there."""
        maximises = node.level == "max"
        moves = _ordered(self.game, position) if self.prune else self.game.legal_moves(position)
        seen: list[_Value] = []
        best: _Value | None = None
        for tried, move in enumerate(moves, start=1):
            child_number = self.count
            after, name = self.game.play(position, move), self.game.format(position, move)
            child = self.visit(after, ply + 1, alpha, beta, number, move, name)
            seen.append(child)
            if best is None or (child.score > best.score if maximises else child.score < best.score):
                best, self.best[number] = child, child_number
            if not self.prune:
                continue
            cut_at = beta if maximises else alpha
            if (best.score >= cut_at if maximises else best.score <= cut_at) and tried < len(moves):
                node.cut, node.cut_at = ("beta" if maximises else "alpha"), points(cut_at)
                node.pruned = [self.game.format(position, left_out) for left_out in moves[tried:]]
                # One reply suffices for a cut, so what the others would show does not matter.
                return _Value(best.score, "at_least" if maximises else "at_most", best.guessed)
            if maximises:
                alpha = max(alpha, best.score)
            else:
                beta = min(beta, best.score)
        assert best is not None, "a game goes on where there are moves"
        bounds = [value.bound for value in seen if value.score == best.score]
        settled = decided(best.score) and not self.game.margins
        guessed = not settled and any(value.guessed for value in seen)
        return _Value(best.score, "exact" if "exact" in bounds else bounds[0], guessed)

    def new_node(
        self, position: PositionT, ply: int, parent: int | None, move: Move | None, name: str | None
    ) -> TreeNode:
        """A node for a position; beyond what is kept, one that is thrown away."""
        level: Literal["max", "min"] = "min" if ply & 1 else "max"
        if self.count > self.kept:
            return TreeNode([], level, 0)
        view = self.game.view(position, move)
        node = TreeNode(view.cells, level, 0, parent=parent, move=name, last=view.last, line=view.line)
        self.nodes.append(node)
        return node


def _ordered(game: Game[PositionT], position: PositionT) -> Sequence[Move]:
    """Every legal move, those that a search would try first in front."""
    first = game.search_order(position)
    return [*first, *(move for move in game.legal_moves(position) if move not in first)]
