"""A game tree to look at: minimax or alpha-beta, with the positions that it visited.

The search is the one of `negamax.py`, and what draws the tree watches it. The side to move at the root wants
the highest score, the other one the lowest, and each node passes its value up: scores are the root's mover's,
as in `minimax`. With alpha-beta a node is left as soon as its value can't matter any more; what it didn't
look at is kept by name. It visits what the entrants `minimax`, `alphabeta` and (with `order`) `ordering` of
`lab.py` visit.

A tree that is too large to look at is opened node by node: a few levels are kept of a search that goes
deeper, and any node can be searched again by itself, with the window that it was entered with. What plain
minimax would visit below the levels that are kept is the same below equal positions: it is counted without
going through it again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from parlour_protocol.views.boards import BoardView
from parlour_protocol.views.reports import Score, ScoreKind, TreeNode
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, Move, Outcome, PositionT
from parlour_server.search.algorithms.negamax import Ideas, Negamax, Observer
from parlour_server.search.control import Control, Stopped
from parlour_server.search.reports.lab import IDEAS, fair_depth
from parlour_server.search.scores import INFINITY, decided, make_score, points
from parlour_server.search.turns import in_turns

MOST_REMEMBERED = 100_000
"""The most positions below the kept ones that one search remembers."""

COUNTED = 1_000
"""The most positions that are looked at to say how large a refused tree would be."""

NODE_CHARACTERS, ITEM_CHARACTERS = 220, 3
"""What a node takes in JSON, and each row of its board and each pruned move, besides their own text."""

_Bounded = Literal["exact", "at_least", "at_most"]

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
    """Is that its size? Else it has at least as many."""
    fits: int
    """The deepest search whose tree would be small enough; 0 where there is none."""
    heavy: bool = False
    """Is it its boards that are too large, rather than too many?"""

    def sentence(self, limit: int) -> Sentence:
        """What to tell people; `limit` is what was allowed."""
        if self.heavy:
            said = Sentence("refusal.tree.heavy")
        elif self.nodes <= limit:
            said = Sentence("refusal.tree.slow")
        elif self.counted:
            said = Sentence("refusal.tree.large", count=self.nodes, most=limit)
        else:
            said = Sentence("refusal.tree.larger", count=self.nodes, most=limit)
        if self.fits:
            return Sentence("refusal.tree.fits", why=said, count=self.fits)
        return Sentence("refusal.tree.never_fits", why=said)


class _Full(Exception):
    """More nodes than may be kept, or more text than may be sent."""


_Value = tuple[int, _Bounded, bool, int | None]
"""What a node passes up: its score for the root's mover, exact or a bound, whether anything was estimated for
that, and the node's number where it is kept."""


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
    ideas = IDEAS["minimax" if not prune else "ordering" if order else "alphabeta"]
    search = _Search(game, position, entry, ideas, limit, characters, control)
    if levels is None:
        return _whole(search, depth)
    return _some_levels(search, depth or fair_depth(search.game, search.root, control), levels)


def _whole(search: "_Search[PositionT]", depth: int | None) -> Tree | TooLarge:
    """The tree of a search to that depth, or of the deepest one whose tree is small enough."""
    heavy = False
    if depth is None:
        found = _deepest(search, search.game.max_plies)
        if found is not None:
            return found
        size, counted, fits = *least_size(search.game, search.first, 1, search.ideas), 0
    else:
        size, counted = least_size(search.game, search.first, depth - search.ply, search.ideas)
        if size <= search.limit:
            if search.run(depth, depth):
                return search.tree()
            size, heavy = max(size, len(search.nodes)), search.heavy
        fitting = _deepest(search, depth - 1)
        fits = fitting.depth if fitting else 0
    return TooLarge(size, counted, fits, heavy)


def _deepest(search: "_Search[PositionT]", most: int) -> Tree | None:
    """The deepest tree that is small enough, down to `most` plies."""
    found = None
    for depth in range(search.ply + 1, most + 1):
        if not search.may_fit(depth) or not search.run(depth, depth):
            break
        found = search.tree()
        if not search.horizon:
            break
    return found


def _some_levels(search: "_Search[PositionT]", depth: int, levels: int) -> Tree | TooLarge:
    """The tree of a search with as many levels as are small enough, but no more than were asked for."""
    last_kept = min(search.ply + levels, depth)
    while last_kept > search.ply + 1 and not search.may_fit(last_kept):
        last_kept -= 1
    for kept in range(max(last_kept, search.ply + 1), search.ply, -1):
        if search.run(depth, kept):
            return search.tree()
        if search.stopped:
            fits = min(fair_depth(search.game, search.root, search.control), depth - 1)
            return TooLarge(len(search.nodes), False, fits)
    return TooLarge(len(search.nodes), False, 0, search.heavy)


def least_size(
    game: Game[PositionT], position: PositionT, depth: int, ideas: Ideas, *, enough: int | None = None
) -> tuple[int, bool]:
    """How many nodes a tree has at least, and whether that is all that it has; without a search.

    Alpha-beta visits the critical positions of Knuth and Moore: all children where it needs the value, or a
    proof that no move is good enough, and the first one where a single reply refutes. It visits no fewer;
    how many more, only the values tell. More than `enough` need not be counted.
    """
    count, looked_at = 1, 0
    level: list[tuple[PositionT, _Need]] = [(position, "value" if ideas.prune else "all")]
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
                if ideas.order and need in ("value", "one"):
                    moves = list(dict.fromkeys([*game.search_order(at), *moves]))
                below += [(game.play(at, move), then) for move, then in zip(moves, needs, strict=False)]
        level = below
    return count, not ideas.prune


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


def drawn_node(
    view: BoardView, level: Literal["max", "min"], parent: int | None, move: str | None
) -> TreeNode:
    """A position of a tree, whose score and end are not known yet."""
    node = TreeNode(view.cells, level, Score(0), parent, move, view.last, view.line)
    if view.layout == "pits":
        node.counts = view.counts
    return node


class _Search(Observer[PositionT]):
    """Searches from the root, or from a node below that, and what is kept of the last one."""

    def __init__(
        self,
        game: Game[PositionT],
        position: PositionT,
        entry: Entry,
        ideas: Ideas,
        limit: int,
        characters: float,
        control: Control,
    ) -> None:
        self.game, self.root = in_turns(game, position)
        self.entry, self.ideas, self.control = entry, ideas, control
        self.limit, self.most_characters = limit, characters
        self.first, self.ply = self.root, len(entry.path)
        """The node that a search begins with, and how far it is from the root."""
        self.move: Move | None = None
        self.name: str | None = None
        """The move that led to it, and how people write that."""
        for move in entry.path:
            self.move, self.name = move, self.game.format(self.first, move)
            self.first = self.game.play(self.first, move)

    def may_fit(self, depth: int) -> bool:
        """Could a tree down to that depth be small enough, as far as one can see without a search?"""
        least, _ = least_size(self.game, self.first, depth - self.ply, self.ideas, enough=self.limit)
        return least <= self.limit

    def run(self, depth: int, last_kept: int) -> bool:
        """Search to that depth, and keep the nodes down to the ply `last_kept`.

        False where that was given up, since there is too much.
        """
        self.depth, self.last_kept = depth, last_kept
        self.nodes: list[TreeNode] = []
        self.best: dict[int, int] = {}
        """For each kept node the child that its value comes from, where that is kept."""
        self.entered: list[tuple[PositionT, int | None, int, list[_Value]]] = []
        """The positions from the first node to the one that is searched: each with its node's number where it
        is kept, how many were visited by then, and what its children are worth."""
        self.was_cut = False
        """Has the last of them left children out?"""
        self.visited = self.cutoffs = 0
        self.remembered = [dict[PositionT, tuple[_Value, int, int]]() for _ in range(depth + 1)]
        """In plain minimax, by ply: what positions below those that are kept are worth, how many nodes are
        visited for that, and their score for the side to move."""
        self.remembers = 0 if self.ideas.prune else MOST_REMEMBERED
        """How many more it may remember."""
        self.characters = 0
        """How much there is to send."""
        self.horizon = False
        """Was any position left unsearched that is not the end of a game?"""
        self.stopped = False
        search = Negamax(self.game, self.root, self.ideas, control=self.control, depth=depth, observer=self)
        window = _turned(self.entry.alpha, self.entry.beta, self.ply)
        try:
            search.root_value(self.first, self.move, self.ply, *window)
        except _Full:
            return False
        except Stopped:
            self.stopped = True
            return False
        number: int | None = 0
        while number is not None:
            self.nodes[number].best = True
            number = self.best.get(number)
        return True

    def tree(self) -> Tree:
        """What a search found that was not given up."""
        return Tree(self.depth, self.nodes, self.visited, self.cutoffs)

    # ------------------------------------------------------------ watching the search

    def enter(self, position: PositionT, move: Move | None, ply: int, alpha: int, beta: int) -> int | None:
        """A node joins those that are kept, unless it lies below them: then its value may be known."""
        number = None
        if ply <= self.last_kept:
            number = len(self.nodes)
            node = self.new_node(position, ply, move)
            if number >= self.limit or self.heavy:
                raise _Full
            node.alpha, node.beta = map(_bound, _turned(alpha, beta, ply))
        elif (known := self.remembered[ply].get(position)) is not None:
            value, visited, score = known
            self.visited += visited
            self.entered[-1][3].append(value)
            return score
        self.visited += 1
        self.entered.append((position, number, self.visited, []))
        return None

    def cut(self, beta: int, left_out: Sequence[Move]) -> None:
        """Keep what a node did not look at, and why."""
        self.cutoffs += 1
        self.was_cut = True
        position, number, _, _ = self.entered[-1]
        if number is not None:
            node = self.nodes[number]
            node.cut, node.cut_at = (
                ("beta", points(beta)) if node.level == "max" else ("alpha", points(-beta))
            )
            node.pruned = [self.game.format(position, move) for move in left_out]
            self.characters += _characters(node.pruned)

    def leave(self, ply: int, score: int, outcome: Outcome | None) -> None:
        """A node has its value, and passes it up."""
        position, number, visited, children = self.entered.pop()
        at_max, own = not ply & 1, score
        if not at_max:
            score = -score
        bound: _Bounded = "exact"
        guessed = False
        if children:
            equals = [child for child in children if child[0] == score]
            _, bound, guessed, best = equals[0]
            if self.was_cut:
                # One reply suffices for a cut, so what the others would show does not matter.
                bound, self.was_cut = "at_least" if at_max else "at_most", False
            else:
                if bound != "exact" and "exact" in [child[1] for child in equals]:
                    bound = "exact"
                if not guessed:
                    guessed = True in [child[2] for child in children]
                guessed = guessed and (self.game.margins or not decided(score))
            if number is not None and best is not None:
                self.best[number] = best
        elif outcome is None:
            guessed = self.horizon = True
        value = score, bound, guessed, number
        if self.entered:
            self.entered[-1][3].append(value)
        if number is not None:
            node = self.nodes[number]
            if outcome is not None:
                node.end = "draw" if outcome.winner is None else "win" if score > 0 else "loss"
            elif not children:
                node.end = "horizon"
            kind: ScoreKind = "estimate" if guessed else bound
            limit = bound if guessed and bound != "exact" else None
            node.score = make_score(self.game, score, kind, bound=limit)
            node.below = self.visited - visited
        elif self.remembers:
            self.remembers -= 1
            self.remembered[ply][position] = value, self.visited - visited + 1, own

    def new_node(self, position: PositionT, ply: int, move: Move | None) -> TreeNode:
        """A node for a position."""
        name, parent = self.name, None
        if self.entered:
            above, parent, _, _ = self.entered[-1]
            name = None if move is None else self.game.format(above, move)
        level: Literal["max", "min"] = "min" if ply & 1 else "max"
        node = drawn_node(self.game.view(position, move), level, parent, name)
        self.nodes.append(node)
        self.characters += NODE_CHARACTERS + _characters(node.cells)
        return node

    @property
    def heavy(self) -> bool:
        """Is it more than is sent?"""
        return self.characters > self.most_characters


def _turned(alpha: int, beta: int, ply: int) -> tuple[int, int]:
    """A window of the side to move as the root's mover has it, or the other way round."""
    return (-beta, -alpha) if ply & 1 else (alpha, beta)


def _bound(value: int) -> int | float | None:
    """A bound in points; None where it is infinite."""
    return None if abs(value) >= INFINITY else points(value)


def _characters(texts: Sequence[Sequence[str]]) -> int:
    return sum(map(len, texts)) + ITEM_CHARACTERS * len(texts)
