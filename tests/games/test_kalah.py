"""Kalah: its rules against OpenSpiel's, and its values against a search that shares nothing with ours."""

import random
from functools import cache
from typing import Any

import pyspiel
import pytest

from parlour_server.games.array_game import Numbers
from parlour_server.games.kalah import KALAH, Kalah
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled

THEIRS = pyspiel.load_game("mancala")
"""Kalah with six houses of four seeds, where an empty house opposite keeps a seed from being taken."""


def legal_for_both(position: Numbers, state: Any) -> dict[int, int]:
    """Our moves by OpenSpiel's numbers for them: 1 to 6 and 8 to 13, along the pits."""
    side = KALAH.to_move(position)
    assert state.current_player() == side
    legal = {move + 1: move for move in KALAH.legal_moves(position)}
    assert {*legal} == {*state.legal_actions()}
    return legal


def test_the_rules_are_openspiels() -> None:
    dice = random.Random(1)
    for _ in range(60):
        state, position = THEIRS.new_initial_state(), KALAH.initial()
        while KALAH.outcome(position) is None:
            legal = legal_for_both(position, state)
            action = dice.choice([*legal])
            state.apply_action(action)
            position = KALAH.play(position, legal[action])
        assert state.is_terminal()
        assert state.returns()[0] == KALAH.utility(position)


def test_every_game_begins_as_openspiels() -> None:
    def walk(position: Numbers, state: Any, plies: int) -> int:
        legal = legal_for_both(position, state)
        if plies == 1:
            return len(legal)
        return sum(
            walk(KALAH.play(position, move), state.child(action), plies - 1) for action, move in legal.items()
        )

    assert walk(KALAH.initial(), THEIRS.new_initial_state(), 5) == 4690


def solved(houses: int, seeds: int, *, empty: bool) -> int:
    """By how many seeds the first side wins with best play on both sides: plain minimax over lists."""

    @cache
    def best(side: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """How many seeds more than the other one the side to move gets from here on."""
        if not any(mine) or not any(theirs):
            return sum(mine) - sum(theirs)
        values = []
        for house in range(houses):
            if not mine[house]:
                continue
            rows, at, own, stored = [[*mine], [*theirs]], house, 0, 0
            hand, rows[0][house] = mine[house], 0
            while hand:
                at, hand = at + 1, hand - 1
                if at == houses and own == 0:
                    stored, at, own, again = stored + 1, -1, 1, hand == 0
                    continue
                if at == houses:
                    at, own = 0, 0
                rows[own][at] += 1
                again = False
            if not again and own == 0 and rows[0][at] == 1:
                opposite = rows[1][houses - 1 - at]
                if opposite or empty:
                    stored += 1 + opposite
                    rows[0][at] = rows[1][houses - 1 - at] = 0
            left, right = tuple(rows[0]), tuple(rows[1])
            values.append(stored + (best(side, left, right) if again else -best(1 - side, right, left)))
        return max(values)

    return best(0, (seeds,) * houses, (seeds,) * houses)


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize(("houses", "seeds"), [(3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (5, 1)])
def test_values_of_small_boards(houses: int, seeds: int, empty: bool) -> None:
    game = Kalah(houses, seeds, empty=empty)
    compiled.prepare(game)
    report = engine(game, game.initial(), rng=random.Random(1), control=Control(compiled=True))
    score = report.candidates[0].score
    assert (score.kind, score.margin or 0) == ("exact", solved(houses, seeds, empty=empty))


@pytest.mark.parametrize("given", ["7,4", "6,11", "6,0", "2,4", "6", "6,4,full", "six", "6,4,1", "-6,4"])
def test_a_variant_that_there_is_not_is_refused_with_the_way_to_write_one(given: str) -> None:
    with pytest.raises(ValueError, match="Write kalah:HOUSES,SEEDS"):
        KALAH.variant(given)


def test_variants_are_named_alike() -> None:
    written = ["6,4", "6x4", " 6 , 4 ", "4,3", "empty", "6,4,empty", "6x5, empty"]
    names = ["kalah", "kalah", "kalah", "kalah:4,3", "kalah:6,4,empty", "kalah:6,4,empty", "kalah:6,5,empty"]
    assert [KALAH.variant(one).name for one in written] == names


@pytest.mark.parametrize(
    ("moves", "cell"), [("a3", 8), ("a3 a6", 11), ("a3 a6 b6", 5), ("a3 a6 b6 a1 b4", 3)]
)
def test_the_house_that_was_sown_is_marked(moves: str, cell: int) -> None:
    assert KALAH.view(*KALAH.replay(moves)).last == [cell]
