"""Breakthrough: its rules against OpenSpiel and published counts, and what it says of wrong moves."""

import random

import pyspiel
import pytest

from bench.solve.breakthrough import solve
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.array_game import Numbers
from parlour_server.games.breakthrough import BREAKTHROUGH, Breakthrough
from parlour_server.games.breakthrough.rules import CELLS
from parlour_server.games.game import IllegalMove
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from tests.support.games import check_end, perft


@pytest.mark.parametrize(
    ("size", "counts"), [(8, [22, 484, 11_132]), (6, [16, 256, 4_308, 71_478]), (5, [13, 156, 1_924])]
)
def test_how_many_ways_there_are_to_begin(size: int, counts: list[int]) -> None:
    game = Breakthrough(size)
    assert perft(game, game.initial(), len(counts)) == counts


@pytest.mark.parametrize("size", [6, 8])
def test_the_rules_are_openspiels(size: int) -> None:
    game, dice = Breakthrough(size), random.Random(size)
    witness = pyspiel.load_game(f"breakthrough(rows={size},columns={size})")
    winners = set()
    for _ in range(20):
        position, state = game.initial(), witness.new_initial_state()
        while not state.is_terminal():
            assert game.outcome(position) is None
            # There the first side sits at the top, and takes with a star.
            theirs = {
                upside_down(state.action_to_string(action), size): action for action in state.legal_actions()
            }
            assert {game.format(position, move) for move in game.legal_moves(position)} == theirs.keys()
            written = dice.choice(sorted(theirs))
            position = game.play(position, game.parse(position, written))
            state.apply_action(theirs[written])
        check_end(game, position, state)
        winners.add(game.utility(position))
    assert winners == {1, -1}


def upside_down(move: str, size: int) -> str:
    return "".join(str(size + 1 - int(one)) if one.isdigit() else one for one in move.rstrip("*"))


def test_a_game_is_won_on_the_far_row_or_by_taking_all_pawns() -> None:
    game = Breakthrough(5)
    position, _ = game.replay("c2c3 b4b3 c3d4 b3a2 d4e5")
    outcome = game.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (0, "goal")
    position, _ = find_game("breakthrough:5@5/3b1/2w2/5/5 w").replay("c3d4")
    outcome = game.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (0, "no_moves")


def test_a_wrong_move_is_refused_with_its_reason() -> None:
    for moves, why in (
        ("c3c4", "● has no piece on c3."),
        ("c8c7", "● has no piece on c8."),
        ("c2c4", "A pawn moves one row forward, straight or diagonally."),
        ("c1c2", "c2 is taken: pawns capture diagonally only."),
        ("c1d2", "d2 is taken."),
    ):
        with pytest.raises(IllegalMove) as refused:
            BREAKTHROUGH.parse(BREAKTHROUGH.initial(), moves)
        assert str(refused.value) == why


def test_what_wins_or_loses_with_the_next_move_is_seen() -> None:
    game = Breakthrough(5)
    # c3d4 threatens to take on c5 or e5, and may be taken from there.
    first, _ = game.replay("c2c3 b4b3 c3d4 b3a2")
    assert game.evaluate(first) == 4800
    second, _ = game.replay("c2c3 b4b3 c3d4")
    assert abs(game.evaluate(second)) < 4000


@pytest.mark.parametrize("given", ["4", "9", "6x5", "six", "", "6,6,6", "-6"])
def test_a_variant_that_there_is_not_is_refused_with_the_way_to_write_one(given: str) -> None:
    with pytest.raises(ValueError, match="Write breakthrough:"):
        BREAKTHROUGH.variant(given)
    assert [BREAKTHROUGH.variant(one).name for one in ("8", "6x6", " 5 by 5")] == [
        "breakthrough", "breakthrough:6", "breakthrough:5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("wwwww/5/5/5/bbbbb w", "● has won already"),
        ("5/bbbbb/bbbbb/bwwww/wwwww b", "No side has more than 10 pieces"),
        ("5/wwwww/5/5/5 b", "The game is over there: all pawns were taken"),
        ("w4/5/5/5/4b b", "○ has won already"),
    ],
)
def test_a_position_that_can_t_be_is_refused(position: str, why: str) -> None:
    with pytest.raises(UnknownGame, match=why):
        find_game(f"breakthrough:5@{position}")


def test_who_wins_is_what_a_solver_of_its_own_finds() -> None:
    game, dice, found = Breakthrough(5), random.Random(3), []
    compiled.prepare(game)
    for _ in range(8):
        position = game.initial()
        for _ in range(12):
            if not game.outcome(position):
                position = game.play(position, dice.choice(game.legal_moves(position)))
        while game.outcome(position) is None:
            wins, _ = solve(*seen(position), 5, slots=1 << 12)
            report = engine(game, position, rng=dice, control=Control(compiled=True), nodes=3_000_000)
            score = report.candidates[0].score
            assert (score.kind, score.result) == ("exact", "win" if wins else "loss")
            position = game.play(position, game.parse(position, str(report.best)))
            found.append(wins)
    assert {*found} == {True, False}


def seen(position: Numbers) -> tuple[int, int]:
    """The pawns of the side to move and those of the other, as the solver has them."""
    side, cells = position[0], position[CELLS : CELLS + 25]
    rows = [cells[row * 5 :][:5] for row in range(5)][:: 1 if side else -1]
    mine, theirs = (
        sum(1 << at for at, pawn in enumerate(sum(rows, ())) if pawn == 1 + its) for its in (side, 1 - side)
    )
    return mine, theirs
