"""A game tree to look at: minimax or alpha-beta, with every position that it visited.

The search is the one of the textbooks, over the plain rules: the side to move at the root wants the
highest score, the other one the lowest, and each node passes its value up. With alpha-beta a node is left
as soon as its value can't matter any more; what it didn't look at is kept by name. See Knuth and Moore,
An Analysis of Alpha-Beta Pruning (1975). Scores are the root's mover's, as in `minimax`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, assert_never

from parlour_protocol.reports import Score, ScoreKind, TreeNode
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.control import POLL_EVERY, Control
from parlour_server.search.scores import INFINITY, decided, end_score, make_score, points
from parlour_server.search.turns import in_turns

COUNTED = 1_000
"""So many positions at most are looked at to tell how large a tree would be that is refused."""

NODE_CHARACTERS, ITEM_CHARACTERS = 200, 3
"""What a node takes in JSON, and each row of its board and each pruned move, besides their own text."""

_ValueKind = Literal["exact", "at_least", "at_most"]

_Need = Literal["all", "value", "one", "none"]
"""What a search has to look at below a position, at least: see `least_size`."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A search's tree: parents stand before their children."""

    depth: int
    """How many plies it looked ahead."""
    nodes: list[TreeNode]


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A tree that would have more nodes than were allowed, or whose search was stopped."""

    nodes: int
    counted: bool
    """Is that its size? Else it has at least so many."""
    fits: int
    """The deepest search whose tree would be small enough; 0 where there is none."""
    heavy: bool = False
    """Is it its boards that are too large, rather than too many?"""

    def sentence(self, limit: int) -> str:
        """What to tell people; `limit` is what was allowed."""
        size = f"{self.nodes:,}" if self.counted else f"at least {self.nodes:,}"
        said = f"That tree would have {size} boards, and {limit:,} are the most here."
        if self.heavy:
            said = "The boards of that tree are too large to be sent together."
        elif self.nodes <= limit:
            said = "The search of that tree took too long."
        if self.fits:
            return f"{said} Look {self.fits} {'ply' if self.fits == 1 else 'plies'} ahead at most."
        return f"{said} Even one ply ahead is too much: begin from a position with fewer moves."


class _Full(Exception):
    """More nodes than were to be visited."""


class _Value(NamedTuple):
    score: int
    bound: _ValueKind
    guessed: bool


def grow(
    game: Game[PositionT],
    position: PositionT,
    *,
    depth: int | None,
    prune: bool,
    limit: int,
    control: Control,
    characters: float = math.inf,
) -> Tree | TooLarge:
    """Search a position `depth` plies deep (None: as deep as the limit allows), and keep the tree.

    `limit` is the most nodes that it may have, `characters` the most that they take in JSON. What is surely
    larger is refused without a search; a search that is stopped counts as too large.
    """
    game, position = in_turns(game, position)
    heavy = False
    if depth is None:
        found = _deepest(game, position, game.max_plies, prune, limit, control, characters)
        if found is not None:
            return found
        size, counted, fits = *least_size(game, position, 1, prune=prune), 0
    else:
        size, counted = least_size(game, position, depth, prune=prune)
        if size <= limit:
            search = _Search(game, position, depth, prune, limit, control, characters)
            if search.run():
                return Tree(depth, search.nodes)
            size, heavy = max(size, search.count), search.heavy
        fitting = _deepest(game, position, depth - 1, prune, limit, control, characters)
        fits = fitting.depth if fitting else 0
    return TooLarge(size, counted, fits, heavy)


def least_size(
    game: Game[PositionT], position: PositionT, depth: int, *, prune: bool, enough: int | None = None
) -> tuple[int, bool]:
    """How many nodes a tree has at least, and whether that is all that it has; without a search.

    Alpha-beta visits the critical positions of Knuth and Moore: all children where it needs the value, or a
    proof that no move is good enough, and the first one where a single reply refutes. It visits no fewer;
    how many more, only the values tell. More than `enough` need not be counted.
    """
    count, looked_at = 1, 0
    level: list[tuple[PositionT, _Need]] = [(position, "value" if prune else "all")]
    for ply in range(1, depth + 1):
        below: list[tuple[PositionT, _Need]] = []
        for at, need in level:
            looked_at += 1
            if looked_at > COUNTED or (enough is not None and count > enough):
                return count, False
            moves = game.legal_moves(at)
            needs = _needs(need, len(moves))
            count += len(needs)
            if ply < depth and len(below) <= COUNTED:
                first = _ordered(game, at) if need in ("value", "one") else moves
                below += [(game.play(at, move), then) for move, then in zip(first, needs, strict=False)]
        level = below
    return count, not prune


def _needs(need: _Need, moves: int) -> list[_Need]:
    """What it has to look at in a position's children."""
    match need:
        case "all":
            return ["all"] * moves
        case "value":
            needs: list[_Need] = ["value"]
            return (needs + ["one"] * (moves - 1))[:moves]
        case "one":
            return ["none"] * min(moves, 1)
        case "none":
            return ["one"] * moves
        case _:
            assert_never(need)


def _deepest(
    game: Game[PositionT],
    position: PositionT,
    most: int,
    prune: bool,
    limit: int,
    control: Control,
    characters: float,
) -> Tree | None:
    """The deepest tree that is small enough, down to `most` plies."""
    found = None
    for depth in range(1, most + 1):
        if least_size(game, position, depth, prune=prune, enough=limit)[0] > limit:
            break
        search = _Search(game, position, depth, prune, limit, control, characters)
        if not search.run():
            break
        found = Tree(depth, search.nodes)
        if not search.horizon:
            break
    return found


class _Search(Generic[PositionT]):
    """One search, which visits no more than `limit` nodes."""

    def __init__(
        self,
        game: Game[PositionT],
        position: PositionT,
        depth: int,
        prune: bool,
        limit: int,
        control: Control,
        characters: float,
    ) -> None:
        self.game, self.position, self.depth, self.prune = game, position, depth, prune
        self.limit, self.most_characters, self.control = limit, characters, control
        self.side = game.to_move(position)
        self.nodes: list[TreeNode] = []
        self.best: dict[int, int] = {}
        """For each node the child that its value comes from."""
        self.count = 0
        self.characters = 0
        """How much there is to send."""
        self.horizon = False
        """Was any position left unsearched that is not the end of a game?"""

    def run(self) -> bool:
        """Search; False where that was given up, since there is too much."""
        try:
            self.visit(self.position, 0, -INFINITY, INFINITY, None, None, None)
        except _Full:
            return False
        number: int | None = 0
        while number is not None:
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
        if self.count > self.limit or self.heavy or (self.count % POLL_EVERY == 0 and self.control.stopped()):
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
        limit = None if value.bound == "exact" else value.bound
        kind: ScoreKind = "estimate" if value.guessed else value.bound
        node.score = make_score(self.game, value.score, kind, bound=limit if value.guessed else None)
        return value

    def best_child(
        self, position: PositionT, ply: int, alpha: int, beta: int, number: int, node: TreeNode
    ) -> _Value:
        """The best of a position's children, for the side to move."""
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
                self.characters += _characters(node.pruned)
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
        """A node for a position."""
        level: Literal["max", "min"] = "min" if ply & 1 else "max"
        view = self.game.view(position, move)
        node = TreeNode(view.cells, level, Score(0), parent=parent, move=name, last=view.last, line=view.line)
        self.nodes.append(node)
        self.characters += NODE_CHARACTERS + _characters(node.cells)
        return node

    @property
    def heavy(self) -> bool:
        """Is it more than is sent?"""
        return self.characters > self.most_characters


def _characters(texts: Sequence[Sequence[str]]) -> int:
    return sum(map(len, texts)) + ITEM_CHARACTERS * len(texts)


def _ordered(game: Game[PositionT], position: PositionT) -> Sequence[Move]:
    """Every legal move, those that a search would try first in front."""
    first = game.search_order(position)
    return [*first, *(move for move in game.legal_moves(position) if move not in first)]
