"""What the search benchmark measures on: exact scores, others' games, positions that repeat."""

import random
from pathlib import Path

import pytest

from bench import BenchError, spiel
from bench.exact import Exact, Node, read
from bench.search import rivals, solving
from bench.search.positions import middle
from parlour_server.games import find_game

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def solver() -> Exact:
    return Exact(log_slots=16)


@pytest.mark.parametrize("moves", ["", "4", "121212", "44444422222266666611"])
def test_moves_are_read_as_the_rules_read_them(moves: str) -> None:
    position, _ = find_game("connect4").replay(moves)
    assert read(moves) == Node(position.mine, position.mask)


def test_scores_count_the_stones_that_the_winner_has_left(solver: Exact) -> None:
    # Four with the fourth stone of 21: 17 are left, and a win with the last one is worth 1.
    assert solver.solve(read("121212")).score == 18
    # Both ends of three are open, and only one can be blocked.
    assert solver.solve(read("33445")).score == -18


def test_signs_are_of_the_side_to_move(solver: Exact) -> None:
    assert solver.sign(read("121212")) == 1
    assert solver.sign(read("33445")) == -1
    assert solver.sign(read("1212121")) == -1


def test_signs_agree_with_scores(solver: Exact) -> None:
    game, dice = find_game("connect4"), random.Random(1)
    seen = set()
    for _ in range(60):
        moves, position = "", game.initial()
        while len(moves) < 24 and game.outcome(position) is None:
            move = dice.choice(game.legal_moves(position))
            moves, position = moves + str(move + 1), game.play(position, move)
        if game.outcome(position) is None:
            score = solver.solve(read(moves)).score
            assert solver.sign(read(moves)) == (score > 0) - (score < 0), moves
            seen.add((score > 0) - (score < 0))
    assert seen == {-1, 0, 1}


def test_sets_are_read_and_solved(tmp_path: Path) -> None:
    for name in solving.GOALS:
        (tmp_path / f"{name}.txt").write_text("121212 18\n1212125 -1\n")
    assert solving.folder(tmp_path) == tmp_path
    given = solving.positions(tmp_path / "L3_R1.txt", None)
    steps: list[int] = []
    found = solving.solve("L3_R1", given, whole=True, fresh=True, progress=lambda: steps.append(1))
    # The second score is wrong: a wrong answer is a missed goal, however fast.
    assert (found.positions, found.right, found.met, len(steps)) == (2, 1, False, 2)


def test_missing_sets_are_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="does not hold the six files"):
        solving.folder(tmp_path)


def test_a_broken_set_says_where(tmp_path: Path) -> None:
    path = tmp_path / "L3_R1.txt"
    path.write_text("121212 18\nabc\n")
    with pytest.raises(BenchError, match="line 2: 'abc'"):
        solving.positions(path, None)


@pytest.mark.parametrize("name", ["connect4", "reversi"])
def test_openspiels_states_are_read_as_our_positions(name: str) -> None:
    game, dice = find_game(name), random.Random(1)
    reader = rivals.READERS[name]
    for _ in range(20):
        position, moves = game.initial(), list[int]()
        while game.outcome(position) is None:
            assert reader(spiel.state(game, moves)) == position
            move = dice.choice(game.legal_moves(position))
            position = game.play(position, move)
            moves.append(move)


@pytest.mark.parametrize("name", ["connect4", "reversi"])
def test_positions_repeat(name: str) -> None:
    game = find_game(name)
    moves, position = middle(game, 6, seed=1)
    assert (moves, position) == middle(game, 6, seed=1)
    assert len(moves) == 6
    assert game.outcome(position) is None


@pytest.mark.parametrize("name", ["connect4", "reversi"])
def test_the_others_search_the_same_tree(name: str) -> None:
    ours, theirs = (
        rivals.Contest(name, rival, quick=True) for rival in (rivals.OURS_IN_EASYAI, rivals.OPENSPIEL)
    )
    ours.depth = theirs.depth = 3
    for moves, position in ours.starts:
        assert ours.theirs(moves, position) == pytest.approx(theirs.theirs(moves, position))


def test_a_round_times_both() -> None:
    contest = rivals.Contest("connect4", rivals.EASYAI, quick=True)
    contest.depth = 2
    contest.round()
    assert contest.found.ratio > 0
    assert len(contest.found.ours_ms) == len(contest.found.theirs_ms) == 1
