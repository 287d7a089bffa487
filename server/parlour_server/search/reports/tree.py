"""A game tree to look at: minimax or alpha-beta, with the positions that it visited.

The search is the one of the textbooks, over the plain rules: the side to move at the root wants the
highest score, the other one the lowest, and each node passes its value up. With alpha-beta a node is left
as soon as its value can't matter any more; what it didn't look at is kept by name. See Knuth and Moore,
An Analysis of Alpha-Beta Pruning (1975). Scores are the root's mover's, as in `minimax`. It visits what the
entrants `minimax` and `alphabeta` of `lab.py` visit; with `order` alpha-beta tries good moves first.

A tree that is too large to look at is opened node by node: a few levels are kept of a search that goes
deeper, and any node can be searched again by itself, with the window that it was entered with. What plain
minimax would visit below the levels that are kept is the same below equal positions: it is counted without
going through it again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, assert_never

from parlour_protocol.ids import Side
from parlour_protocol.views.reports import Score, ScoreKind, TreeNode
from parlour_server.games.game import Game, Move, PositionT
from parlour_server.search.control import POLL_EVERY, Control
from parlour_server.search.reports.lab import fair_depth
from parlour_server.search.scores import INFINITY, decided, end_score, make_score, points
from parlour_server.search.turns import in_turns

MOST_REMEMBERED = 100_000
"""So many positions below the kept ones at most are remembered in one search."""

COUNTED = 1_000
"""So many positions at most are looked at to tell how large a tree would be that is refused."""

NODE_CHARACTERS, ITEM_CHARACTERS = 220, 3
"""What a node takes in JSON, and each row of its board and each pruned move, besides their own text."""

_ValueKind = Literal["exact", "at_least", "at_most"]

_Need = Literal["all", "value", "one", "none"]
"""What a search has to look at below a position, at least: see `least_size`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Which node of a search is asked for: how it is reached, and the window that it is entered with."""

    path: tuple[Move, ...] = ()
    """The moves from the root."""
    alpha: int = -INFINITY
    beta: int = INFINITY
    """In hundredths of a point, for the side to move at the root."""


ROOT = Entry()


@dataclass(frozen=True, slots=True)
class Way:
    """How a search goes."""

    prune: bool
    """Is it alpha-beta?"""
    order: bool
    """Does it try good moves first?"""

    def moves(self, game: Game[PositionT], position: PositionT) -> Sequence[Move]:
        """Every legal move, in the order in which they are tried."""
        legal = game.legal_moves(position)
        if not self.order:
            return legal
        first = game.search_order(position)
        return [*first, *(move for move in legal if move not in first)]


@dataclass(frozen=True, slots=True)
class Tree:
    """A search's tree: parents stand before their children."""

    depth: int
    """How many plies it looked ahead from the root."""
    nodes: list[TreeNode]
    visited: int
    """How many nodes the search visited, kept or not."""
    cutoffs: int
    """At how many of them moves were cut off."""


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
    order: bool = True,
    limit: int,
    control: Control,
    characters: float = math.inf,
    levels: int | None = None,
    entry: Entry = ROOT,
) -> Tree | TooLarge:
    """Search a position `depth` plies deep, and keep the tree below the node that `entry` names.

    With `levels` no more of them are kept below that node, and fewer where they would be too large; without a
    depth the search goes as deep as plain minimax can be waited for. Without levels all is kept, and without
    a depth it is the deepest tree that is not too large.

    `limit` is the most nodes that may be kept, `characters` the most that they take in JSON. What is surely
    larger is refused without a search; a search that is stopped counts as too large.
    """
    game, root = in_turns(game, position)
    first = _reach(game, root, entry)
    bounds, way = _Bounds(limit, characters), Way(prune, prune and order)
    if levels is not None:
        search = _Search(game, first, depth or fair_depth(game, root, control), way, bounds, control)
        return _some_levels(search, root, levels)

    at, ply = first.position, first.ply

    def deepest(most: int) -> Tree | None:
        """The deepest tree that is small enough, down to `most` plies."""
        found = None
        for deep in range(ply + 1, most + 1):
            if least_size(game, at, deep - ply, way, enough=limit)[0] > limit:
                break
            search = _Search(game, first, deep, way, bounds, control)
            if not search.run():
                break
            found = search.tree()
            if not search.horizon:
                break
        return found

    heavy = False
    if depth is None:
        found = deepest(game.max_plies)
        if found is not None:
            return found
        size, counted, fits = *least_size(game, at, 1, way), 0
    else:
        size, counted = least_size(game, at, depth - ply, way)
        if size <= limit:
            search = _Search(game, first, depth, way, bounds, control)
            if search.run():
                return search.tree()
            size, heavy = max(size, len(search.nodes)), search.heavy
        fitting = deepest(depth - 1)
        fits = fitting.depth if fitting else 0
    return TooLarge(size, counted, fits, heavy)


def _some_levels(search: "_Search[PositionT]", root: PositionT, levels: int) -> Tree | TooLarge:
    """The tree of a search with as many levels as are small enough, but no more than were asked for."""
    game, first = search.game, search.first

    def fits(kept: int) -> bool:
        least, _ = least_size(game, first.position, kept, search.way, enough=search.bounds.nodes)
        return least <= search.bounds.nodes

    most = min(levels, search.depth - first.ply)
    while most > 1 and not fits(most):
        most -= 1
    for kept in range(max(most, 1), 0, -1):
        if search.run(kept):
            return search.tree()
        if search.stopped:
            return TooLarge(
                len(search.nodes), False, min(fair_depth(game, root, search.control), search.depth - 1)
            )
    return TooLarge(len(search.nodes), False, 0, search.heavy)


def least_size(
    game: Game[PositionT], position: PositionT, depth: int, way: Way, *, enough: int | None = None
) -> tuple[int, bool]:
    """How many nodes a tree has at least, and whether that is all that it has; without a search.

    Alpha-beta visits the critical positions of Knuth and Moore: all children where it needs the value, or a
    proof that no move is good enough, and the first one where a single reply refutes. It visits no fewer;
    how many more, only the values tell. More than `enough` need not be counted.
    """
    count, looked_at = 1, 0
    level: list[tuple[PositionT, _Need]] = [(position, "value" if way.prune else "all")]
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
                first = way.moves(game, at) if need in ("value", "one") else moves
                below += [(game.play(at, move), then) for move, then in zip(first, needs, strict=False)]
        level = below
    return count, not way.prune


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


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How much of a search is kept at most."""

    nodes: int
    characters: float


@dataclass(frozen=True, slots=True)
class _First(Generic[PositionT]):
    """The node that a search begins with."""

    position: PositionT
    ply: int
    """How far it is from the root."""
    move: Move | None
    name: str | None
    """The move that led to it, as people write it."""
    alpha: int
    beta: int
    side: Side
    """Who moves at the root."""


def _reach(game: Game[PositionT], root: PositionT, entry: Entry) -> _First[PositionT]:
    position, move, name = root, None, None
    for move in entry.path:
        name = game.format(position, move)
        position = game.play(position, move)
    side = game.to_move(root)
    return _First(position, len(entry.path), move, name, entry.alpha, entry.beta, side)


class _Search(Generic[PositionT]):
    """One search, from its root or from a node below that."""

    def __init__(
        self,
        game: Game[PositionT],
        first: _First[PositionT],
        depth: int,
        way: Way,
        bounds: _Bounds,
        control: Control,
    ) -> None:
        self.game, self.first, self.depth, self.way = game, first, depth, way
        self.bounds, self.control = bounds, control
        self.begin(depth)

    def begin(self, last_kept: int) -> None:
        """Forget what was found. Nodes are kept down to that ply."""
        self.last_kept = last_kept
        self.nodes: list[TreeNode] = []
        self.best: dict[int, int] = {}
        """For each kept node the child that its value comes from, where that is kept."""
        self.visited = self.cutoffs = 0
        self.looked_at = 0
        """How many of the visited nodes were really gone through."""
        self.remembered: dict[tuple[PositionT, int], tuple[_Value, int]] = {}
        """In plain minimax: what positions on a ply are worth, and how many nodes are visited for that."""
        self.characters = 0
        """How much there is to send."""
        self.horizon = False
        """Was any position left unsearched that is not the end of a game?"""
        self.stopped = False

    def run(self, levels: int | None = None) -> bool:
        """Search, and keep so many levels below the first node; False where that was given up, since there
        is too much."""
        first = self.first
        self.begin(self.depth if levels is None else first.ply + levels)
        try:
            self.visit(first.position, first.ply, first.alpha, first.beta, None, first.move, first.name)
        except _Full:
            return False
        number: int | None = 0
        while number is not None:
            self.nodes[number].best = True
            number = self.best.get(number)
        return True

    def tree(self) -> Tree:
        """What a search found that was not given up."""
        return Tree(self.depth, self.nodes, self.visited, self.cutoffs)

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
        """A position's value for the side that moves at the root; its node joins those that are kept."""
        if not self.way.prune and ply > self.last_kept:
            known = self.remembered.get((position, ply))
            if known is not None:
                self.visited += known[1]
                return known[0]
        self.visited += 1
        self.looked_at += 1
        before = self.visited
        if self.looked_at % POLL_EVERY == 0 and self.control.stopped():
            self.stopped = True
            raise _Full
        node = number = None
        if ply <= self.last_kept:
            number = len(self.nodes)
            node = self.new_node(position, ply, parent, move, name)
            if number >= self.bounds.nodes or self.heavy:
                raise _Full
            node.alpha, node.beta = _bound(alpha), _bound(beta)
        outcome, side = self.game.outcome(position), self.first.side
        if outcome is not None:
            value = _Value(end_score(self.game, position, outcome, ply, side), "exact", False)
            if node is not None:
                node.end = "draw" if outcome.winner is None else "win" if outcome.winner == side else "loss"
        elif ply >= self.depth:
            # An estimate is the mover's, and at odd plies that is the other side.
            guess = self.game.evaluate(position)
            value = _Value(-guess if ply & 1 else guess, "exact", True)
            self.horizon = True
            if node is not None:
                node.end = "horizon"
        else:
            value = self.best_child(position, ply, alpha, beta, number)
        if node is not None:
            limit = None if value.bound == "exact" else value.bound
            kind: ScoreKind = "estimate" if value.guessed else value.bound
            node.score = make_score(self.game, value.score, kind, bound=limit if value.guessed else None)
            node.below = self.visited - before
        elif not self.way.prune and len(self.remembered) < MOST_REMEMBERED:
            self.remembered[position, ply] = value, self.visited - before + 1
        return value

    def best_child(self, position: PositionT, ply: int, alpha: int, beta: int, number: int | None) -> _Value:
        """The best of a position's children, for the side to move."""
        game, maximises, kept = self.game, not ply & 1, ply < self.last_kept
        moves = self.way.moves(game, position)
        seen: list[_Value] = []
        best: _Value | None = None
        for tried, move in enumerate(moves, start=1):
            child_number = len(self.nodes)
            name = game.format(position, move) if kept else None
            child = self.visit(game.play(position, move), ply + 1, alpha, beta, number, move, name)
            seen.append(child)
            if best is None or (child.score > best.score if maximises else child.score < best.score):
                best = child
                if kept and number is not None:
                    self.best[number] = child_number
            if not self.way.prune:
                continue
            cut_at = beta if maximises else alpha
            if (best.score >= cut_at if maximises else best.score <= cut_at) and tried < len(moves):
                self.cutoffs += 1
                if number is not None:
                    self.note_cut(self.nodes[number], position, cut_at, moves[tried:])
                # One reply suffices for a cut, so what the others would show does not matter.
                return _Value(best.score, "at_least" if maximises else "at_most", best.guessed)
            if maximises:
                alpha = max(alpha, best.score)
            else:
                beta = min(beta, best.score)
        assert best is not None, "a game goes on where there are moves"
        bounds = [value.bound for value in seen if value.score == best.score]
        settled = decided(best.score) and not game.margins
        guessed = not settled and any(value.guessed for value in seen)
        return _Value(best.score, "exact" if "exact" in bounds else bounds[0], guessed)

    def note_cut(self, node: TreeNode, position: PositionT, cut_at: int, left_out: Sequence[Move]) -> None:
        """Keep what a node did not look at, and why."""
        node.cut, node.cut_at = ("beta" if node.level == "max" else "alpha"), points(cut_at)
        node.pruned = [self.game.format(position, move) for move in left_out]
        self.characters += _characters(node.pruned)

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
        return self.characters > self.bounds.characters


def _bound(value: int) -> int | float | None:
    """A bound in points; None where it is infinite."""
    return None if abs(value) >= INFINITY else points(value)


def _characters(texts: Sequence[Sequence[str]]) -> int:
    return sum(map(len, texts)) + ITEM_CHARACTERS * len(texts)
