"""The tree of a bot's own search, in the form in which all game trees are drawn.

Its values may be told for the side that began, for the side to move at the root, or, as negamax has it, for
the side to move at each position: what fits best is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from parlour_client.bots.position import Position
from parlour_client.bots.process import BotProcess, Traced
from parlour_protocol.answers import GameTree
from parlour_protocol.views.reports import Score, TreeNode


@dataclass(slots=True, eq=False)
class _Visited:
    """A position of the tree while it is put together."""

    position: Position
    parent: "_Visited | None" = None
    move: str | None = None
    numbers: list[float] = field(default_factory=list)
    value: float | None = None
    below: "list[_Visited]" = field(default_factory=list)


async def own_tree(
    process: BotProcess, root: Position, limit: int, seconds: float | None
) -> tuple[GameTree, int]:
    """The tree that a bot searches to choose a move here: of its first `limit` positions those that can be.

    With it how many can't: no legal move leads to them from the one above. Raises `BotError`.
    """
    traced = await process.trace(root, limit, seconds)
    visited, strays = _visited(root, traced)
    # All conventions in turn, and of those that fit equally well the first.
    conventions = [(at, sign) for at in (0, 1) for sign in (_first, _mover, _each)]
    at, sign = max(conventions, key=lambda one: _fits(visited, *one))
    for one, value in zip(visited, _values(visited, at), strict=True):
        one.value = value
    whole = traced.visited <= len(traced.nodes)
    best = _best_path(visited[0], traced.move, sign)
    numbers = {id(one): number for number, one in enumerate(visited)}
    nodes = [_node(one, root, sign, whole, id(one) in best, numbers) for one in visited]
    depth = max(len(one.position.moves) for one in visited) - len(root.moves)
    cutoffs = sum(bool(node.pruned) for node in nodes)
    tree = GameTree("own", root.game, root.view, depth, cutoffs > 0, nodes, traced.visited, cutoffs)
    return tree, strays


def _visited(root: Position, traced: Traced) -> tuple[list[_Visited], int]:
    """The positions in the order of the search; what is not one move from the one above it is left out.

    With them how many had to be, not counting what lies below those.
    """
    top, strays = _Visited(root), 0
    found, by_number = [top], dict[int | None, _Visited]({None: top})
    for number, (parent, cells, numbers) in enumerate(traced.nodes):
        above = by_number.get(parent)
        if above is None:
            continue
        if parent is None and cells == _cells(root):
            top.numbers, by_number[number] = numbers, top
            continue
        after = ((move, above.position.play(move)) for move in above.position.legal_moves)
        for move, position in after:
            if _cells(position) == cells:
                known = next((one for one in above.below if one.move == move), None)
                one = known or _Visited(position, above, move)
                one.numbers = numbers
                by_number[number] = one
                if known is None:
                    above.below.append(one)
                    found.append(one)
                break
        else:
            strays += 1
    return found, strays


def _cells(position: Position) -> tuple[int, ...]:
    first, second = position.marks
    return tuple({first: 1, second: 2}.get(cell, 0) for row in position.board for cell in row)


# ---------------------------------------------------------------- whose values they are


Sign = Callable[[_Visited, Position], int]
"""1 where a position's value is told for the side to move at the root, -1 where for the other one."""


def _first(one: _Visited, root: Position) -> int:
    return 1 if root.to_move == root.marks[0] else -1


def _mover(one: _Visited, root: Position) -> int:
    return 1


def _each(one: _Visited, root: Position) -> int:
    turn = one.position.to_move
    if turn is None and one.parent is not None:
        # Over: whose turn it would be.
        return -_each(one.parent, root)
    return 1 if turn == root.to_move else -1


def _values(visited: list[_Visited], at: int) -> list[float | None]:
    """Each position's value: of two numbers the one at this place; at the root alone two are a move."""
    pairs = any(len(one.numbers) > 1 for one in visited[1:])
    found = [one.numbers if pairs or len(one.numbers) < 2 else [] for one in visited]
    return [numbers[min(at, len(numbers) - 1)] if numbers else None for numbers in found]


def _fits(visited: list[_Visited], at: int, sign: Sign) -> int:
    """How many positions have the best value of those below them, if values are told so."""
    root, count = visited[0].position, 0
    values = {
        id(one): value * sign(one, root)
        for one, value in zip(visited, _values(visited, at), strict=True)
        if value is not None
    }
    for one in visited:
        below = [values[id(each)] for each in one.below if id(each) in values]
        if id(one) in values and below and len(below) == len(one.below):
            best = max(below) if one.position.to_move == root.to_move else min(below)
            count += values[id(one)] == best
    return count


def _best_path(top: _Visited, chosen: str, sign: Sign) -> set[int]:
    """The positions of best play, the chosen move first."""
    root = top.position
    path, here = {id(top)}, next((one for one in top.below if one.move == chosen), None)
    while here is not None:
        path.add(id(here))
        value = None if here.value is None else here.value * sign(here, root)
        known = [one for one in here.below if one.value is not None and value is not None]
        here = next((one for one in known if (one.value or 0) * sign(one, root) == value), None)
    return path


def _window(one: _Visited, root: Position, sign: Sign) -> tuple[float | None, float | None]:
    """Alpha and beta when a position was entered, by what had been found beside the way there."""
    alpha: float | None = None
    beta: float | None = None
    while (above := one.parent) is not None:
        for each in above.below[: above.below.index(one)]:
            if each.value is None:
                continue
            value = each.value * sign(each, root)
            if above.position.to_move == root.to_move:
                alpha = value if alpha is None else max(alpha, value)
            else:
                beta = value if beta is None else min(beta, value)
        one = above
    return alpha, beta


def _node(
    one: _Visited, root: Position, sign: Sign, whole: bool, best: bool, numbers: dict[int, int]
) -> TreeNode:
    """A position as it is drawn; scores are for the side to move at the root."""
    position = one.position
    level: Literal["max", "min"] = "max" if position.to_move == root.to_move else "min"
    below = [each.value * sign(each, root) for each in one.below if each.value is not None]
    value = (max if level == "max" else min)(below, default=0.0)
    if one.value is not None:
        value = one.value * sign(one, root)
    tried = {each.move for each in one.below}
    pruned = [move for move in position.legal_moves if move not in tried] if whole and one.below else []
    alpha, beta = _window(one, root, sign)
    bound = beta if level == "max" else alpha
    if bound is None or (value < bound if level == "max" else value > bound):
        # Left out for another reason than alpha-beta's.
        pruned = []
    ended = position.outcome
    end: Literal["win", "loss", "draw", "horizon"] | None = None
    if ended is not None:
        end = "draw" if ended.winner is None else "win" if ended.winner == root.to_move else "loss"
    elif not one.below:
        end = "horizon"
    return TreeNode(
        position.view.cells,
        level,
        Score(int(value) if value == int(value) else value, "exact"),
        None if one.parent is None else numbers[id(one.parent)],
        one.move,
        position.view.last,
        position.view.line,
        position.view.counts or None,
        end,
        best,
        ("beta" if level == "max" else "alpha") if pruned else None,
        bound if pruned else None,
        pruned,
        alpha,
        beta,
    )
