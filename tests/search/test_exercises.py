"""Exercises on searches: each answer against a brute force of its own, written here."""

import json
import math
from itertools import permutations
from typing import Any, get_args

import pytest

from parlour_protocol.answers import Lesson
from parlour_server.games.mnk import TICTACTOE
from parlour_server.search.reports.exercises import LESSONS, Exercise, exercise

NUMBERS = range(1, 13)


def of(lesson: Lesson) -> list[Exercise]:
    found = [exercise(lesson, number) for number in NUMBERS]
    # They differ, and are the same each time.
    assert len({(one.game.name, one.moves, one.tried) for one in found}) > len(found) // 2
    exercise.cache_clear()
    assert [exercise(lesson, number).solution for number in NUMBERS] == [one.solution for one in found]
    for one in found:
        assert one.right(one.solution)
        assert not one.right([])
        assert not one.right(["?"])
        assert set(one.solution) <= set(one.choices or one.solution)
    return found


def branches(one: Exercise) -> list[Any]:
    """A tree of numbers as lists of lists."""
    text = one.game.name.partition(":")[2]
    return list(json.loads(f"[{text.replace(')(', '),(').replace('(', '[').replace(')', ']')}]"))


def minimax(node: Any, maximises: bool) -> int:
    if isinstance(node, int):
        return node
    return (max if maximises else min)(minimax(one, not maximises) for one in node)


def leaves_of(position: Any) -> list[tuple[int, int | None]]:
    """Each way to the end of tic-tac-toe: in how many plies, and who wins."""
    outcome = TICTACTOE.outcome(position)
    if outcome is not None:
        return [(0, outcome.winner)]
    below = (leaves_of(TICTACTOE.play(position, move)) for move in TICTACTOE.legal_moves(position))
    return [(plies + 1, winner) for one in below for plies, winner in one]


def worth(position: Any, side: int, ply: int = 0) -> int:
    outcome = TICTACTOE.outcome(position)
    if outcome is not None:
        return 0 if outcome.winner is None else (100 - ply) * (1 if outcome.winner == side else -1)
    values = [
        worth(TICTACTOE.play(position, move), side, ply + 1) for move in TICTACTOE.legal_moves(position)
    ]
    return max(values) if TICTACTOE.to_move(position) == side else min(values)


def looked_at(tree: list[list[int]]) -> list[tuple[int, int]]:
    """The leaves of a tree of two levels that alpha-beta looks at: no value so far is enough for a cut."""
    found = []
    for at, leaves in enumerate(tree):
        best = max((min(one) for one in tree[:at]), default=-math.inf)
        for number in range(len(leaves)):
            if min(leaves[:number], default=math.inf) > best:
                found.append((at, number))
    return found


def test_the_leaves_of_a_tree_are_counted() -> None:
    for one in of("tree"):
        position, _ = TICTACTOE.replay(" ".join(one.moves))
        assert one.solution == (str(len(leaves_of(position))),)


def test_what_minimax_passes_up() -> None:
    depths = set()
    for one in of("minimax"):
        assert one.solution == (str(minimax(branches(one), True)),)
        depths.add(one.game.max_plies)
    assert depths == {2, 3}


def test_soon_is_better() -> None:
    kinds = set()
    for one in of("depth"):
        position, _ = TICTACTOE.replay(" ".join(one.moves))
        value = worth(position, TICTACTOE.to_move(position))
        assert one.solution == (str(value),)
        kinds.add((value > 0) - (value < 0))
    assert len(kinds) > 1


def test_what_alpha_beta_never_looks_at() -> None:
    for one in of("alphabeta"):
        seen = looked_at(branches(one))
        left_out = {
            f"{'bcd'[at]}{leaf + 1}" for at in range(3) for leaf in range(3) if (at, leaf) not in seen
        }
        assert set(one.solution) == left_out
        assert one.right([*reversed(one.solution)])
        assert not one.right(one.solution[1:])


def test_which_branch_comes_first() -> None:
    for one in of("ordering"):
        tree = branches(one)
        counts = {order: len(looked_at([tree[at] for at in order])) for order in permutations(range(3))}
        least = min(counts.values())
        assert {f"a{order[0] + 1}" for order, count in counts.items() if count == least} == set(one.solution)


def test_what_is_got_beyond_the_horizon() -> None:
    for one in of("horizon"):
        game, root = one.game, one.game.initial()
        # An estimate is from the view of the side to move there, Min.
        seems = {move: -game.evaluate(game.play(root, move)) for move in game.legal_moves(root)}
        taken = game.play(root, max(seems, key=lambda move: seems[move]))
        got = min(game.worth(game.play(taken, move)) for move in game.legal_moves(taken))
        assert one.solution == (str(got),)


def test_what_is_selected_next() -> None:
    for one in of("mcts"):
        total = sum(tried.playouts for tried in one.tried)
        bounds = {
            tried.move: tried.points / tried.playouts + math.sqrt(2 * math.log(total) / tried.playouts)
            for tried in one.tried
        }
        assert one.solution == (max(bounds, key=lambda move: bounds[move]),)


@pytest.mark.parametrize("typed", ["7", " 7 ", "+7", "07"])
def test_a_number_is_read_as_it_is_typed(typed: str) -> None:
    one = next(found for found in of("minimax") if int(found.solution[0]) >= 0)
    assert one.right([typed.replace("7", one.solution[0])])


def test_every_lesson_has_exercises() -> None:
    assert tuple(LESSONS) == get_args(Lesson)
