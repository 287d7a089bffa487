"""Exercises on searches: each is drawn by its number, and marked by what the searches themselves find.

A lesson's exercise of one number is the same everywhere, so that a class can compare; nothing is kept of it.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from types import MappingProxyType
from typing import Any

from parlour_protocol.answers import Asks, Lesson, Tried
from parlour_protocol.words import Sentence
from parlour_server.games.game import Game, Move
from parlour_server.games.mnk import TICTACTOE
from parlour_server.games.numbers import Numbers
from parlour_server.search.algorithms.mcts import Node
from parlour_server.search.control import Control
from parlour_server.search.reports.tree import Tree, grow

KEPT = 64
"""Exercises that were asked for last: each is asked for twice, with its answer the second time."""
MOST_NODES = 1000
LEAVES = range(-9, 21)
"""What the leaves of a tree of numbers are drawn from."""
CLEARLY = 0.04
"""The bound of the move to be selected is above the next one's by so much that no rounding decides."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise, and its answer."""

    game: Game[Any]
    moves: tuple[str, ...]
    """What was played until the position that it is about."""
    asks: Asks
    question: Sentence
    solution: tuple[str, ...]
    why: Sentence
    choices: tuple[str, ...] = ()
    depth: int | None = None
    """How far the search in question looks ahead; None: to the end."""
    tried: tuple[Tried, ...] = ()

    def right(self, answer: Sequence[str]) -> bool:
        """Is that what is right?"""
        if self.asks == "number":
            return len(answer) == 1 and _number(answer[0]) == int(self.solution[0])
        return {one.strip().casefold() for one in answer} == set(self.solution)


@lru_cache(KEPT)
def exercise(lesson: Lesson, number: int) -> Exercise:
    """The exercise of a lesson with this number, counted from 1."""
    dice = random.Random(f"{lesson}/{number}")  # noqa: S311 - the same everywhere
    found = None
    while found is None:
        found = LESSONS[lesson](dice)
    return found


# ---------------------------------------------------------------- the lessons' exercises


def _tree(dice: random.Random) -> Exercise | None:
    """The leaves of a game's whole tree."""
    moves = _nearly_over(dice, 3)
    if moves is None:
        return None
    leaves = sum(node.end is not None for node in _grown(TICTACTOE, moves).nodes)
    why = Sentence("lesson.tree.why", count=leaves)
    return Exercise(TICTACTOE, moves, "number", Sentence("lesson.tree.ask"), (str(leaves),), why)


def _minimax(dice: random.Random) -> Exercise | None:
    """The value that is passed up to the root, through two or three levels."""
    shape = dice.choice(((3, 3), (2, 2, 2)))
    game = _numbers(dice, shape)
    nodes = _grown(game).nodes
    value = nodes[0].score.points
    below = [str(node.score.points) for node in nodes if node.parent == 0]
    why = Sentence("lesson.minimax.why", values=below, value=value)
    return Exercise(game, (), "number", Sentence("lesson.minimax.ask"), (str(value),), why)


def _depth(dice: random.Random) -> Exercise | None:
    """A win counts 100 minus its depth."""
    moves = _nearly_over(dice, dice.choice((3, 4)))
    if moves is None:
        return None
    score = _grown(TICTACTOE, moves).nodes[0].score
    first, second = (marks[0] for marks in TICTACTOE.view(TICTACTOE.initial()).marks)
    mark, other = (second, first) if len(moves) % 2 else (first, second)
    plies = score.plies or 0
    how = "draw" if not score.points else "win" if score.points > 0 else "loss"
    why = Sentence(f"lesson.depth.why.{how}", mark=mark, other=other, count=plies, value=score.points)
    question = Sentence("lesson.depth.ask", mark=mark)
    return Exercise(TICTACTOE, moves, "number", question, (str(score.points),), why)


def _alphabeta(dice: random.Random) -> Exercise | None:
    """The leaves that alpha-beta never looks at."""
    game = _numbers(dice, (3, 3))
    left_out = [move for node in _grown(game, prune=True).nodes for move in node.pruned]
    if not left_out:
        return None
    leaves = _moves(game, 2)
    seen = len(leaves) - len(left_out)
    why = Sentence("lesson.alphabeta.why", leaves=left_out, seen=seen, of=len(leaves))
    return Exercise(
        game, (), "several", Sentence("lesson.alphabeta.ask"), tuple(left_out), why, tuple(leaves)
    )


def _ordering(dice: random.Random) -> Exercise | None:
    """The branch that alpha-beta should look at first, so that it looks at the fewest leaves."""
    branches = _branches(dice)
    seen = {order: _seen(branches, order) for order in permutations(range(3))}
    best, most = min(seen.values()), max(seen.values())
    firsts = list({order[0] for order, leaves in seen.items() if leaves == best})
    values = sorted(min(leaves) for leaves in branches)
    if len(firsts) > 1 or values[1] == values[2] or most - best < 2:
        return None
    game = _of_branches(branches)
    names = _moves(game, 1)
    why = Sentence("lesson.ordering.why", branch=names[firsts[0]], value=values[2], fewest=best, most=most)
    question = Sentence("lesson.ordering.ask")
    return Exercise(game, (), "one", question, (names[firsts[0]],), why, tuple(names))


def _horizon(dice: random.Random) -> Exercise | None:
    """What a search gets that sees no further than its horizon."""
    branches = _branches(dice)
    seems = dice.sample(LEAVES, 3)
    taken = seems.index(max(seems))
    values = [min(leaves) for leaves in branches]
    if values[taken] == max(values):
        return None
    game = _of_branches(branches, seems)
    names = _moves(game, 1)
    why = Sentence(
        "lesson.horizon.why",
        branch=names[taken],
        seems=max(seems),
        value=values[taken],
        best=max(values),
    )
    question = Sentence(
        "lesson.horizon.ask",
        seems=[f"{name}: {value}" for name, value in zip(names, seems, strict=True)],
    )
    return Exercise(game, (), "number", question, (str(values[taken]),), why, depth=1)


def _mcts(dice: random.Random) -> Exercise | None:
    """The move that is selected for the next playout."""
    root = Node[str]("", 0, [])
    for move in range(dice.choice((3, 4))):
        child = root.children[move] = Node[str]("", 0, [])
        child.visits = dice.randint(2, 30)
        child.total = dice.randint(0, 2 * child.visits) / 2
        root.visits += child.visits
    names = {move: chr(ord("a") + move) for move in root.children}
    bounds = {move: root.bound(child) for move, child in root.children.items()}
    chosen, _ = root.select()
    values = sorted(bounds.values())
    most_seen, best_so_far = (
        root.by_visits()[0][0],
        max(root.children, key=lambda one: root.children[one].value),
    )
    # Neither the best so far nor the least looked at alone decides.
    if values[-1] - values[-2] < CLEARLY or chosen in (most_seen, best_so_far):
        return None
    tried = tuple(Tried(names[move], child.visits, child.total) for move, child in root.children.items())
    said = [f"{names[move]} {bound:.2f}" for move, bound in bounds.items()]
    why = Sentence("lesson.mcts.why", move=names[chosen], values=said)
    question = Sentence("lesson.mcts.ask", total=root.visits)
    choices = tuple(names.values())
    return Exercise(TICTACTOE, (), "one", question, (names[chosen],), why, choices, tried=tried)


LESSONS: Mapping[Lesson, Callable[[random.Random], Exercise | None]] = MappingProxyType(
    {
        "tree": _tree,
        "minimax": _minimax,
        "depth": _depth,
        "alphabeta": _alphabeta,
        "ordering": _ordering,
        "horizon": _horizon,
        "mcts": _mcts,
    }
)
"""Each draws an exercise, or None where what it drew would be none."""


# ---------------------------------------------------------------- what they are drawn from


def _nearly_over(dice: random.Random, empty: int) -> tuple[str, ...] | None:
    """A game at random until so many cells are empty; None where it was over before."""
    position, moves = TICTACTOE.initial(), list[str]()
    while len(TICTACTOE.legal_moves(position)) > empty:
        move = dice.choice(TICTACTOE.legal_moves(position))
        moves.append(TICTACTOE.format(position, move))
        position = TICTACTOE.play(position, move)
        if TICTACTOE.outcome(position) is not None:
            return None
    return tuple(moves)


def _numbers(dice: random.Random, shape: Sequence[int]) -> Numbers:
    """A tree of numbers, each level with so many branches; its leaves differ."""
    count = 1
    for branches in shape:
        count *= branches
    level: list[str] = [str(one) for one in dice.sample(LEAVES, count)]
    for branches in reversed(shape):
        level = [f"({','.join(level[at : at + branches])})" for at in range(0, len(level), branches)]
    return Numbers(level[0][1:-1])


def _branches(dice: random.Random) -> list[list[int]]:
    """The leaves of a tree of two levels."""
    return [[dice.choice(LEAVES) for _ in range(3)] for _ in range(3)]


def _of_branches(branches: Sequence[Sequence[int]], seems: Sequence[int] | None = None) -> Numbers:
    """A tree of two levels, perhaps with what its inner nodes seem to be worth."""
    before = [""] * len(branches) if seems is None else list(map(str, seems))
    return Numbers(
        ",".join(
            f"{first}({','.join(map(str, leaves))})" for first, leaves in zip(before, branches, strict=True)
        )
    )


def _moves(game: Numbers, plies: int) -> list[str]:
    """The names of the moves that lead to all nodes of a level, from the left."""
    level: list[tuple[tuple[Move, ...], str]] = [((), "")]
    for _ in range(plies):
        level = [
            (game.play(path, move), game.format(path, move))
            for path, _ in level
            for move in game.legal_moves(path)
        ]
    return [name for _, name in level]


def _seen(branches: Sequence[Sequence[int]], order: Sequence[int]) -> int:
    """How many leaves alpha-beta looks at, where it takes the branches in this order."""
    seen, alpha = 0, min(LEAVES) - 1
    for at in order:
        beta = max(LEAVES) + 1
        for leaf in branches[at]:
            seen, beta = seen + 1, min(beta, leaf)
            if beta <= alpha:
                break
        alpha = max(alpha, beta)
    return seen


def _grown(game: Game[Any], moves: Sequence[str] = (), *, prune: bool = False) -> Tree:
    """The tree of a search to the end."""
    position, _ = game.replay(" ".join(moves))
    tree = grow(
        game, position, depth=game.max_plies, prune=prune, order=False, limit=MOST_NODES, control=Control()
    )
    assert isinstance(tree, Tree), "it is small"
    return tree


def _number(text: str) -> int | None:
    """A whole number as people write it."""
    try:
        return int(text.strip().replace("−", "-"))
    except ValueError:
        return None
