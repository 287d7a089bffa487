"""Monte Carlo tree search, playout by playout: it adds up to what the search reports."""

from collections import Counter, defaultdict
from random import Random

import pytest

from parlour_server.games import find_game
from parlour_server.search.algorithms.mcts import mcts
from parlour_server.search.control import Control
from parlour_server.search.reports.playouts import recorded


@pytest.mark.parametrize(("name", "moves"), [("tictactoe", "a1 b2 c3 a3"), ("connect4", ""), ("kalah", "")])
def test_the_playouts_come_to_the_search_s_own_counts(name: str, moves: str) -> None:
    game = find_game(name)
    position, _ = game.replay(moves)
    found = recorded(game, position, playouts=80, control=Control())
    report = mcts(game, position, rng=Random(0), control=Control(), playouts=80)
    visits, points = Counter[int](), defaultdict[int, float](float)
    for one in found.played:
        at: int | None = one.node
        while at is not None:
            visits[at] += 1
            points[at] += one.points
            at = found.nodes[at].parent
    reported = {one.move: (one.visits, one.score.chance) for one in report.candidates}
    below = [at for at, node in enumerate(found.nodes) if node.parent == 0]
    assert {found.nodes[at].move: visits[at] for at in below} == {
        move: n for move, (n, _) in reported.items()
    }
    for at in below:
        chance = reported[found.nodes[at].move or ""][1]
        assert chance is not None
        # No chance is reported as impossible or certain.
        assert chance == pytest.approx(100 * points[at] / visits[at], abs=0.1)
        assert found.nodes[at].score.chance == chance
    assert visits[0] == len(found.played) == 80
    assert found.nodes[0].below == len(found.nodes) - 1
    assert all((node.parent or 0) < at for at, node in enumerate(found.nodes) if at)


def test_each_adds_one_node_or_ends_where_the_game_is_over() -> None:
    game = find_game("tictactoe")
    found = recorded(game, game.replay("a1 b2 c3 a3")[0], playouts=60, control=Control())
    known = {0}
    for one in found.played:
        if one.node in known:
            assert found.nodes[one.node].end is not None
            assert one.points == {"win": 1, "draw": 0.5, "loss": 0}[found.nodes[one.node].end or ""]
        else:
            assert one.node == max(known) + 1
        known.add(one.node)
    assert known == set(range(len(found.nodes)))
