"""One negamax, whatever its ideas: textbook minimax is the oracle, and an observer sees what it did."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from parlour_server.games import find_game
from parlour_server.games.game import Game, Move, Outcome
from parlour_server.games.mnk import MNK, TICTACTOE
from parlour_server.search.algorithms.minimax import minimax
from parlour_server.search.algorithms.negamax import Ideas, Negamax, Observer
from parlour_server.search.control import Control
from parlour_server.search.scores import INFINITY, POINT
from tests.search.positions import Nim, unfinished
from tests.support.mancala import MANCALA

EVERY_WAY = [
    Ideas(prune, order, ends_first, remember)
    for prune, order, ends_first, remember in product([False, True], repeat=4)
    # Ends first is alpha-beta's.
    if prune >= ends_first
]


def root_value(game: Game[Any], position: Any, depth: int, ideas: Ideas) -> int:
    search = Negamax(game, position, ideas, control=Control(), depth=depth)
    return search.value(search.position, 0, -INFINITY, INFINITY)[0]


@pytest.mark.parametrize(
    ("game", "moves", "depth"),
    [
        (TICTACTOE, "a1 b2", 7),
        (MNK(4, 4, 3, name="wide"), "a1 b2", 3),
        (Nim(7), "", 9),
        (find_game("connect4"), "4 4 3 5 5", 3),
        (find_game("reversi:6"), "", 3),
        (MANCALA, "", 3),
    ],
)
def test_no_idea_changes_what_a_position_is_worth(game: Game[Any], moves: str, depth: int) -> None:
    position = game.replay(moves)[0]
    best = minimax(game, position, rng=Random(0), control=Control(), depth=depth).candidates[0]
    for ideas in EVERY_WAY:
        assert root_value(game, position, depth, ideas) == round(POINT * best.score.points), ideas


def test_the_ideas_agree_on_many_positions_of_tic_tac_toe() -> None:
    for position in Random(5).sample(unfinished(), 40):
        assert len({root_value(TICTACTOE, position, 9, ideas) for ideas in EVERY_WAY}) == 1


class Diary(Observer[Any]):
    """Writes down what a search does, and holds it to what an observer is promised."""

    def __init__(self) -> None:
        self.entered: list[tuple[Any, int, int]] = []
        self.visited = self.cuts = 0

    def enter(self, position: Any, move: Move | None, ply: int, alpha: int, beta: int) -> int | None:
        assert ply == len(self.entered)
        assert alpha < beta
        if self.entered:
            above, low, high = self.entered[-1]
            assert position == TICTACTOE.play(above, move or 0)
            assert low <= -beta
            assert high == -alpha
        self.entered.append((position, alpha, beta))
        self.visited += 1
        return None

    def cut(self, beta: int, left_out: Sequence[Move]) -> None:
        assert beta == self.entered[-1][2]
        assert left_out
        self.cuts += 1

    def leave(self, ply: int, score: int, outcome: Outcome | None) -> None:
        position, _, _ = self.entered.pop()
        assert ply == len(self.entered)
        assert outcome == TICTACTOE.outcome(position)


@pytest.mark.parametrize("ideas", [Ideas(), Ideas(prune=True), Ideas(prune=True, order=True)])
def test_an_observer_sees_every_position_and_every_cut(ideas: Ideas) -> None:
    position, diary = TICTACTOE.replay("a1 b2 c3")[0], Diary()
    search = Negamax(TICTACTOE, position, ideas, control=Control(), depth=None, observer=diary)
    search.root_value(position, None, 0, -INFINITY, INFINITY)
    assert (diary.visited, diary.cuts, diary.entered) == (search.nodes, search.cutoffs, [])
    unseen = Negamax(TICTACTOE, position, ideas, control=Control(), depth=None)
    unseen.value(position, 0, -INFINITY, INFINITY)
    assert (unseen.nodes, unseen.cutoffs) == (search.nodes, search.cutoffs)


def test_a_score_that_the_observer_knows_spares_the_search() -> None:
    class Knows(Observer[Any]):
        def enter(self, position: Any, move: Move | None, ply: int, alpha: int, beta: int) -> int | None:
            return None if ply == 0 else 7 * POINT if move == 5 else 50

    position = TICTACTOE.initial()
    search = Negamax(TICTACTOE, position, Ideas(), control=Control(), depth=None, observer=Knows())
    score, _, line = search.value(position, 0, -INFINITY, INFINITY)
    assert (score, search.nodes) == (-50, 10)
    assert line is not None
    assert line[0] == 0
