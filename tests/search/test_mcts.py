"""Monte Carlo tree search: what its visits and values are, and OpenSpiel's as their witness."""

from itertools import count
from math import inf, log, sqrt
from random import Random
from statistics import mean
from typing import Any

import pytest

from parlour_protocol.views.reports import Report
from parlour_server.games import find_game
from parlour_server.search.algorithms.mcts import mcts
from parlour_server.search.control import Control
from tests.support.games import GAMES


def search(game: str, moves: str = "", *, seed: int = 1, **given: Any) -> Report:
    found = find_game(game)
    position, _ = found.replay(moves)
    return mcts(found, position, rng=Random(seed), **{"control": Control(), **given})


def shares(report: Report) -> dict[str, float]:
    """How much of the playouts began with each move."""
    total = sum(one.visits or 0 for one in report.candidates)
    return {one.move: (one.visits or 0) / total for one in report.candidates}


@pytest.mark.parametrize("game", GAMES)
def test_every_playout_is_counted_once_at_the_root_and_the_most_visited_is_chosen(game: str) -> None:
    report = search(game, playouts=60)
    visits = [one.visits or 0 for one in report.candidates]
    assert (sum(visits), report.playouts, report.finished) == (60, 60, True)
    assert visits == sorted(visits, reverse=True)
    assert report.best == report.candidates[0].move == report.line[0]
    assert find_game(game).read(" ".join(report.line)) == report.line
    assert search(game, playouts=60) == report


@pytest.mark.parametrize(
    ("game", "moves", "best"),
    [
        ("tictactoe", "a1 b1 a2 b2", "a3"),
        ("tictactoe", "a1 b2 a2", "a3"),
        ("connect4", "4 3 4 3 4", "4"),
        ("connect4", "4 1 4 1 4 2", "4"),
        ("kalah:4,1", "a1", "b1"),
    ],
)
def test_a_win_at_hand_is_taken_and_one_that_threatens_is_stopped(game: str, moves: str, best: str) -> None:
    assert search(game, moves, playouts=600).best == best


def test_more_playouts_come_nearer_to_minimax() -> None:
    # The corner is the one reply to the centre that does not lose, after which all is a draw.
    few, many = (search("tictactoe", "b2", playouts=playouts) for playouts in (50, 5_000))
    corners = ("a1", "a3", "c1", "c3")
    assert sum(shares(many)[one] for one in corners) > sum(shares(few)[one] for one in corners) + 0.1
    assert many.best in corners


def upper_bound(child: Any, parent_visits: int, exploration: float) -> float:
    """Theirs, but that they know at once what a finished game is worth."""
    visits = child.explore_count
    if visits == 0:
        return inf
    return float(child.total_reward / visits + exploration * sqrt(log(parent_visits) / visits))


@pytest.mark.parametrize("moves", [(), (4, 0, 1)])
def test_values_and_visits_are_those_of_another_hand(moves: tuple[int, ...]) -> None:
    spiel = pytest.importorskip("open_spiel.python.algorithms.mcts")
    import numpy as np
    import pyspiel

    theirs_game, ours_game = pyspiel.load_game("tic_tac_toe"), find_game("tictactoe")
    state, position = theirs_game.new_initial_state(), ours_game.initial()
    for cell in moves:
        state.apply_action(cell)
        position = ours_game.play(position, cell)
    names = {ours_game.format(position, move): move for move in ours_game.legal_moves(position)}
    values: dict[int, list[tuple[float, float]]] = {move: [] for move in names.values()}
    witness: dict[int, list[tuple[float, float]]] = {move: [] for move in names.values()}
    playouts = 400
    for seed in range(40):
        report = mcts(ours_game, position, rng=Random(seed), control=Control(), playouts=playouts)
        for one in report.candidates:
            values[names[one.move]].append(((one.score.chance or 0) / 100, (one.visits or 0) / playouts))
        evaluator = spiel.RandomRolloutEvaluator(1, np.random.RandomState(seed))
        # Its values lie between -1 and 1, so that its exploration counts half as much; its root has a visit
        # more than its children have.
        dice = np.random.RandomState(seed + 100)
        bot = spiel.MCTSBot(
            theirs_game, 2 * 2**0.5, playouts, evaluator, False, dice, child_selection_fn=upper_bound
        )
        for child in bot.mcts_search(state).children:
            share = child.total_reward / child.explore_count / 2 + 0.5
            witness[child.action].append((share, child.explore_count / playouts))
    for move, ours in values.items():
        for which in (0, 1):
            theirs = mean(one[which] for one in witness[move])
            assert mean(one[which] for one in ours) == pytest.approx(theirs, abs=0.05), (move, which)


def test_it_ends_when_it_is_stopped_and_shows_how_far_it_is() -> None:
    asked = count()
    shown: list[Report] = []
    control = Control(stopped=lambda: next(asked) > 20, publish=shown.append, clock=lambda: 0.0)
    report = search("connect4", playouts=None, control=control)
    assert not report.finished
    assert report.best is not None
    numbers = [one.playouts or 0 for one in [*shown, report]]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) > 10


def test_a_finished_game_has_nothing_to_search() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        search("tictactoe", "a1 b1 a2 b2 a3", playouts=1)
