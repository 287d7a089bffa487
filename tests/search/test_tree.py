"""Game trees: what is drawn is what a search does, and its cuts change nothing."""

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from parlour_protocol.views.reports import Entrant, TreeNode
from parlour_server.games import find_game
from parlour_server.games.game import Game
from parlour_server.games.mnk import MNK, TICTACTOE
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.algorithms.negamax import Ideas
from parlour_server.search.control import POLL_EVERY, Control
from parlour_server.search.reports.lab import fair_depth, race
from parlour_server.search.reports.tree import COUNTED, ROOT, Entry, TooLarge, Tree, grow, least_size
from parlour_server.search.scores import INFINITY, POINT
from tests.search.positions import Nim

WIDE = MNK(4, 4, 3, name="wide")


def tree(
    game: Game[Any], moves: str = "", *, depth: int | None = None, prune: bool = True, limit: int = 100_000
) -> Tree:
    position = game.replay(moves)[0]
    found = grow(game, position, depth=depth, prune=prune, limit=limit, control=Control())
    assert isinstance(found, Tree)
    return found


def too_large(game: Game[Any], *, depth: int | None, limit: int, prune: bool = True) -> TooLarge:
    found = grow(game, game.initial(), depth=depth, prune=prune, limit=limit, control=Control())
    assert isinstance(found, TooLarge)
    return found


def children(nodes: list[TreeNode]) -> list[list[TreeNode]]:
    """Of each node."""
    families: list[list[TreeNode]] = [[] for _ in nodes]
    for node in nodes:
        if node.parent is not None:
            families[node.parent].append(node)
    return families


def true_value(game: Game[Any], position: Any, depth: int, ply: int) -> int | float:
    """Minimax of a position for the root's side, by the plain search; `ply` plies below the root."""
    report = minimax(game, position, rng=Random(0), control=Control(), depth=depth)
    score = report.candidates[0].score.points
    if abs(score) > 50:
        score = score - ply if score > 0 else score + ply
    return -score if ply % 2 else score


@pytest.mark.parametrize("game", [TICTACTOE, Nim(7)])
def test_every_move_is_either_looked_at_or_reported_as_pruned(game: Game[Any]) -> None:
    moves = "a1 b2 c3" if game is TICTACTOE else ""
    nodes = tree(game, moves).nodes
    positions = [game.replay(moves)[0]]
    for node in nodes[1:]:
        assert node.parent is not None
        assert node.move is not None
        above = positions[node.parent]
        positions.append(game.result(above, game.parse(above, node.move)))
    for node, position, family in zip(nodes, positions, children(nodes), strict=True):
        assert node.cells == game.view(position).cells
        below = [child.move or "" for child in family]
        legal = [game.format(position, move) for move in game.legal_moves(position)]
        assert sorted([*below, *node.pruned]) == sorted(legal)
        assert (node.end is None) == bool(legal)
        assert (node.cut is None) == (not node.pruned)


def test_levels_alternate_and_values_are_passed_up() -> None:
    nodes = tree(TICTACTOE, "a1 b2", prune=False).nodes
    assert nodes[0].level == "max"
    for node, below in zip(nodes, children(nodes), strict=True):
        if below:
            pick = max if node.level == "max" else min
            assert node.score.points == pick(child.score.points for child in below)
            assert {child.level for child in below} == {"min" if node.level == "max" else "max"}
        assert node.score.kind == "exact"


def test_bounds_hold_for_the_true_values() -> None:
    moves = "a1 b2 c3"
    nodes = tree(TICTACTOE, moves).nodes
    positions, plies = [TICTACTOE.replay(moves)[0]], [0]
    for node in nodes[1:]:
        assert node.parent is not None
        assert node.move is not None
        above = positions[node.parent]
        positions.append(TICTACTOE.result(above, TICTACTOE.parse(above, node.move)))
        plies.append(plies[node.parent] + 1)
    seen = set()
    for node, position, ply in zip(nodes, positions, plies, strict=True):
        if node.end is not None:
            continue
        true = true_value(TICTACTOE, position, 9, ply)
        seen.add((node.score.kind, node.cut))
        match node.score.kind:
            case "exact":
                assert node.score.points == true
            case "at_least":
                assert node.score.points <= true
            case "at_most":
                assert node.score.points >= true
        if node.cut_at is not None:
            assert node.cut == ("beta" if node.level == "max" else "alpha")
            points = node.score.points
            assert points >= node.cut_at if node.cut == "beta" else points <= node.cut_at
    assert {("exact", None), ("at_least", "beta"), ("at_most", "alpha")} <= seen


def test_the_best_path_leads_from_the_root_to_a_leaf_of_its_value() -> None:
    nodes = tree(TICTACTOE, "a1 b2 c3 a3").nodes
    best = [node for node in nodes if node.best]
    assert best[0] is nodes[0]
    assert [node.parent for node in best[1:]] == [nodes.index(node) for node in best[:-1]]
    assert all(node.score == nodes[0].score for node in best)
    assert best[-1].end == "win"


def test_a_tree_that_is_too_large_is_reported_with_its_size_and_what_would_fit() -> None:
    whole = len(tree(WIDE, depth=3, prune=False).nodes)
    refused = too_large(WIDE, depth=3, limit=100, prune=False)
    assert (refused.nodes, refused.counted) == (whole, True)
    assert len(tree(WIDE, depth=refused.fits, limit=100, prune=False).nodes) <= 100
    sentence = refused.sentence(100)
    assert f"{whole:,} boards" in sentence
    assert f"Look {refused.fits} pl" in sentence
    pruned = too_large(WIDE, depth=3, limit=100)
    assert 100 < pruned.nodes <= len(tree(WIDE, depth=3).nodes)
    assert f"at least {pruned.nodes:,} boards" in pruned.sentence(100)
    endless = too_large(WIDE, depth=16, limit=100, prune=False)
    assert endless.nodes > COUNTED
    assert f"at least {endless.nodes:,} boards" in endless.sentence(100)
    nothing = too_large(WIDE, depth=None, limit=5)
    assert (nothing.nodes, nothing.fits) == (17, 0)
    assert "fewer moves" in nothing.sentence(5)


@pytest.mark.parametrize("game", [TICTACTOE, WIDE, Nim(9), find_game("connect4"), find_game("reversi:6")])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_tree_is_smaller_than_it_is_said_to_be_at_least(game: Game[Any], depth: int) -> None:
    for prune in (True, False):
        least, counted = least_size(game, game.initial(), depth, Ideas(prune=prune, order=prune))
        true = len(tree(game, depth=depth, prune=prune).nodes)
        assert least == true if counted else least <= true
        # Good orders come close to it, so that it says something.
        assert depth == 1 or least * 60 > true


def test_a_tree_that_is_hopeless_is_refused_without_a_search() -> None:
    game = find_game("gomoku")
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return False

    found = grow(game, game.initial(), depth=3, prune=True, limit=400, control=Control(stopped=stopped))
    assert isinstance(found, TooLarge)
    assert found.fits == 1
    assert found.nodes > 50_000
    # A search of one ply is all that was run, to see that it fits.
    assert asked <= 226 // POLL_EVERY


def test_without_a_depth_it_is_as_deep_as_it_may_be() -> None:
    assert tree(TICTACTOE, "a1 b2 c3 a3", limit=400).depth == 5
    found = tree(TICTACTOE, limit=400)
    assert len(found.nodes) <= 400
    assert isinstance(
        grow(
            TICTACTOE,
            TICTACTOE.initial(),
            depth=found.depth + 1,
            prune=True,
            limit=400,
            control=Control(),
        ),
        TooLarge,
    )


def test_a_search_that_is_asked_to_stop_is_given_up() -> None:
    stopped = Control(stopped=lambda: True)
    found = grow(WIDE, WIDE.initial(), depth=4, prune=True, limit=100_000, control=stopped)
    assert isinstance(found, TooLarge)
    assert (found.counted, found.fits) == (False, 2)
    assert found.sentence(100_000) == "The search of that tree took too long. Look 2 plies ahead at most."


@pytest.mark.parametrize("prune", [True, False])
def test_a_tree_whose_boards_are_too_large_is_refused(prune: bool) -> None:
    game = find_game("connect4")

    def grown(characters: float) -> Tree | TooLarge:
        return grow(
            game,
            game.initial(),
            depth=3,
            prune=prune,
            limit=1_000,
            control=Control(),
            characters=characters,
        )

    tree = grown(math.inf)
    assert isinstance(tree, Tree)
    size = len(to_json(tree.nodes, exclude_none=True))
    refused = grown(size / 2)
    assert isinstance(refused, TooLarge)
    assert refused.heavy
    assert "too large to be sent" in refused.sentence(1_000)
    assert "Look 2 plies ahead" in refused.sentence(1_000)
    # What fits takes no more than was allowed.
    fits = grown(1.5 * size)
    assert isinstance(fits, Tree)


# ---------------------------------------------------------------- windows, and trees opened node by node

GAMES: list[Game[Any]] = [TICTACTOE, WIDE, Nim(9), find_game("connect4"), find_game("reversi:6")]
INFINITE = math.inf


@st.composite
def searches(draw: st.DrawFn) -> tuple[Game[Any], Any, int]:
    """A position that is not finished, and a depth that makes a tree of some hundred nodes."""
    game = draw(st.sampled_from(GAMES))
    position = game.initial()
    for choice in draw(st.lists(st.integers(0, 99), max_size=7)):
        legal = game.legal_moves(position)
        after = game.play(position, legal[choice % len(legal)])
        if game.outcome(after) is not None:
            break
        position = after
    return game, position, draw(st.integers(1, 4 if len(game.legal_moves(position)) < 8 else 3))


def part(
    game: Game[Any],
    position: Any,
    depth: int | None,
    levels: int,
    entry: Entry = ROOT,
    *,
    prune: bool = True,
    order: bool = True,
    limit: int = 100_000,
) -> Tree:
    found = grow(
        game,
        position,
        depth=depth,
        prune=prune,
        order=order,
        limit=limit,
        control=Control(),
        levels=levels,
        entry=entry,
    )
    assert isinstance(found, Tree)
    return found


def whole_tree(game: Game[Any], position: Any, depth: int, *, prune: bool = True) -> Tree:
    return part(game, position, depth, 99, prune=prune)


def visits(game: Game[Any], position: Any, depth: int) -> int:
    """How many nodes plain minimax has to visit: all that there are."""
    if depth == 0 or game.outcome(position) is not None:
        return 1
    return 1 + sum(visits(game, game.play(position, move), depth - 1) for move in game.legal_moves(position))


def plies_of(nodes: list[TreeNode]) -> list[int]:
    plies = [0] * len(nodes)
    for number, node in enumerate(nodes):
        if node.parent is not None:
            plies[number] = plies[node.parent] + 1
    return plies


def path_to(game: Game[Any], root: Any, nodes: list[TreeNode], number: int) -> tuple[int, ...]:
    names: list[str] = []
    at: int | None = number
    while at is not None:
        if (name := nodes[at].move) is not None:
            names.insert(0, name)
        at = nodes[at].parent
    moves = []
    for name in names:
        moves.append(game.parse(root, name))
        root = game.play(root, moves[-1])
    return tuple(moves)


def window(node: TreeNode) -> tuple[float, float]:
    alpha = -INFINITE if node.alpha is None else node.alpha
    return alpha, INFINITE if node.beta is None else node.beta


def inside(bound: float | None, infinite: int) -> int:
    return infinite if bound is None else round(bound * POINT)


@given(searches())
def test_it_visits_and_cuts_what_the_taught_searches_do(searched: tuple[Game[Any], Any, int]) -> None:
    game, position, depth = searched
    entrants: list[tuple[Entrant, bool, bool]] = [
        ("ordering", True, True),
        ("alphabeta", True, False),
        ("minimax", False, False),
    ]
    for entrant, prune, order in entrants:
        raced = race(game, position, entrant, depth, Control())
        for levels in (1, 99):
            found = part(game, position, depth, levels, prune=prune, order=order)
            assert (found.visited, found.cutoffs) == (raced.nodes, raced.cutoffs)
            assert found.nodes[0].below == found.visited - 1
            assert found.nodes[0].score.points == raced.candidates[0].score.points
    assert raced.nodes == visits(game, position, depth)


@given(searches())
def test_a_window_is_what_the_nodes_before_left_of_the_one_above(
    searched: tuple[Game[Any], Any, int],
) -> None:
    found = whole_tree(*searched)
    assert found.cutoffs == len([node for node in found.nodes if node.cut is not None])
    for node, below in zip(found.nodes, children(found.nodes), strict=True):
        alpha, beta = window(node)
        for child in below:
            assert window(child) == (alpha, beta)
            assert alpha < beta, "a node whose window is empty has no more children"
            if node.level == "max":
                alpha = max(alpha, child.score.points)
            else:
                beta = min(beta, child.score.points)
        if node.cut is not None:
            low, high = window(node)
            assert not low < node.score.points < high
            assert node.cut_at == (high if node.cut == "beta" else low)
            assert alpha >= beta


@given(searches(), st.integers(0, 10_000), st.booleans())
def test_a_node_that_is_opened_shows_the_search_as_it_went(
    searched: tuple[Game[Any], Any, int], choice: int, prune: bool
) -> None:
    game, position, depth = searched
    nodes = whole_tree(game, position, depth, prune=prune).nodes
    number = choice % len(nodes)
    opened = nodes[number]
    path = path_to(game, position, nodes, number)
    entry = Entry(path, inside(opened.alpha, -INFINITY), inside(opened.beta, INFINITY))
    again = part(game, position, depth, 99, entry, prune=prune)
    assert again.visited == len(again.nodes) == opened.below + 1
    below = nodes[number : number + again.visited]
    for was, now in zip(below, again.nodes, strict=True):
        shifted = None if was is opened or was.parent is None else was.parent - number
        assert replace(was, parent=shifted, best=False) == replace(now, best=False)


@given(searches(), st.integers(1, 3), st.booleans())
def test_levels_are_the_upper_part_of_the_whole(
    searched: tuple[Game[Any], Any, int], levels: int, prune: bool
) -> None:
    game, position, depth = searched
    whole = whole_tree(game, position, depth, prune=prune)
    upper = part(game, position, depth, levels, prune=prune)
    plies = plies_of(whole.nodes)
    kept = [number for number, ply in enumerate(plies) if ply <= levels]
    for number, node in zip(kept, upper.nodes, strict=True):
        was = whole.nodes[number]
        above = None if was.parent is None else kept.index(was.parent)
        assert node == replace(was, parent=above)
    assert (upper.visited, upper.cutoffs) == (whole.visited, whole.cutoffs)


def test_plain_minimax_has_no_window() -> None:
    nodes = tree(TICTACTOE, "a1 b2 c3", prune=False).nodes
    assert {(node.alpha, node.beta, node.cut) for node in nodes} == {(None, None, None)}


def test_the_whole_of_tic_tac_toe_is_opened_from_the_empty_board() -> None:
    plain = part(TICTACTOE, TICTACTOE.initial(), None, 1, prune=False)
    assert (plain.depth, plain.visited, plain.cutoffs, len(plain.nodes)) == (9, 549_946, 0, 10)
    corner, edge, middle = 59_704, 63_904, 55_504
    below = [corner, edge, corner, edge, middle, edge, corner, edge, corner]
    assert [node.below for node in plain.nodes[1:]] == below
    pruned = part(TICTACTOE, TICTACTOE.initial(), None, 1, order=False)
    assert (pruned.depth, pruned.visited) == (9, 20_866)
    ordered = part(TICTACTOE, TICTACTOE.initial(), None, 1)
    assert ordered.visited < pruned.visited
    assert {found.nodes[0].score.points for found in (plain, pruned, ordered)} == {0}


def test_as_many_levels_are_kept_as_are_small_enough() -> None:
    deep = part(TICTACTOE, TICTACTOE.initial(), 5, 99, prune=False, limit=90)
    assert len(deep.nodes) == 1 + 9 + 72
    assert deep.visited == visits(TICTACTOE, TICTACTOE.initial(), 5)
    position = TICTACTOE.initial()
    few = grow(TICTACTOE, position, depth=5, prune=True, limit=9, control=Control(), levels=2)
    assert isinstance(few, TooLarge)
    assert few.sentence(9).endswith("Even one ply ahead is too much: begin from a position with fewer moves.")
    heavy = grow(
        TICTACTOE,
        position,
        depth=5,
        prune=True,
        limit=99,
        control=Control(),
        levels=2,
        characters=100,
    )
    assert isinstance(heavy, TooLarge)
    assert heavy.heavy


def test_a_part_whose_search_takes_too_long_says_what_can_be_waited_for() -> None:
    stopped = Control(stopped=lambda: True)
    found = grow(WIDE, WIDE.initial(), depth=9, prune=True, limit=400, control=stopped, levels=1)
    assert isinstance(found, TooLarge)
    assert (
        found.fits == fair_depth(WIDE, WIDE.initial(), stopped) < fair_depth(WIDE, WIDE.initial(), Control())
    )
    assert found.sentence(400) == "The search of that tree took too long. Look 2 plies ahead at most."
