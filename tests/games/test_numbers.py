"""Trees of numbers: read, named, and searched as the textbook says."""

import pytest

from parlour_server.games import UnknownGame, all_games, find_game
from parlour_server.games.numbers import NUMBERS
from parlour_server.search.control import Control
from parlour_server.search.reports.tree import Tree, grow


def searched(name: str, *, prune: bool) -> Tree:
    game = find_game(name)
    tree = grow(game, game.initial(), depth=None, prune=prune, limit=400, levels=99, control=Control())
    assert isinstance(tree, Tree)
    return tree


def test_the_textbooks_tree_is_worth_three_and_two_leaves_are_not_looked_at() -> None:
    plain = searched("numbers", prune=False)
    values = {node.move or "": (node.level, node.score.points) for node in plain.nodes}
    assert {move: values[move] for move in ("", "a1", "a2", "a3")} == {
        "": ("max", 3),
        "a1": ("min", 3),
        "a2": ("min", 2),
        "a3": ("min", 2),
    }
    assert [values[f"{branch}{leaf}"][1] for branch in "bcd" for leaf in (1, 2, 3)] == [
        *(3, 12, 8),
        *(2, 4, 6),
        *(14, 5, 2),
    ]
    assert [node.move for node in plain.nodes if node.best] == [None, "a1", "b1"]
    pruned = searched("numbers", prune=True)
    assert (plain.visited, pruned.visited, pruned.nodes[0].score.points) == (13, 11, 3)
    assert [node.pruned for node in pruned.nodes if node.pruned] == [["c2", "c3"]]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("(3, 12 8)(2 4 6) (14 5 2)", "numbers", 3),
        ("-7", "numbers:-7", -7),
        ("(5,(3,(1,2)))(-7)", "numbers:(5,(3,(1,2)))(-7)", 3),
        ("5(3, 12),-2(8,9),7", "numbers:5(3,12)-2(8,9),7", 8),
    ],
)
def test_a_tree_may_have_any_shape(text: str, name: str, value: int) -> None:
    game = find_game(f"numbers:{text}")
    assert game.name == name
    assert {searched(name, prune=prune).nodes[0].score.points for prune in (False, True)} == {value}


def test_a_search_that_ends_at_a_node_sees_what_that_seems_to_be() -> None:
    game = find_game("numbers:5(3,12)-2(8,9)(1,4)")
    tree = grow(game, game.initial(), depth=1, prune=False, limit=400, levels=99, control=Control())
    assert isinstance(tree, Tree)
    assert [(node.score.points, node.score.kind) for node in tree.nodes] == [
        *((5, "estimate"), (5, "estimate"), (-2, "estimate"), (0, "estimate")),
    ]
    assert tree.nodes[1].best


@pytest.mark.parametrize(
    "text", ["", "()", "(3", "3)", "51", "51(3)", "100(3)", "5()", "-51", "100", "1.5", "a", "(3)()"]
)
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(UnknownGame, match=r"such as \(3,12,8\)"):
        find_game(f"numbers:{text}")


def test_it_is_no_game_to_be_played() -> None:
    assert NUMBERS not in all_games()
