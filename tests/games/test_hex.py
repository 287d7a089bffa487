"""Hex: its rules against OpenSpiel's, and small boards against a plain search of their own."""

import random
from itertools import pairwise

import pyspiel
import pytest

from bench.solve.hex import by_distance, winning_openings
from parlour_server.games.game import IllegalMove, InvalidMove
from parlour_server.games.hex import HEX, Hex
from parlour_server.games.hex.rules import SWAP
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled


@pytest.mark.parametrize(("size", "games"), [(3, 30), (5, 20), (11, 3), (13, 2)])
def test_the_rules_are_openspiels_but_for_the_swap_and_nothing_is_drawn(size: int, games: int) -> None:
    game, theirs = Hex(size), pyspiel.load_game("hex", {"num_rows": size, "num_cols": size})
    dice = random.Random(size)
    for _ in range(games):
        state, position = theirs.new_initial_state(), game.initial()
        while game.outcome(position) is None:
            legal = [move for move in game.legal_moves(position) if move != SWAP]
            assert legal == state.legal_actions()
            assert state.current_player() == game.to_move(position)
            move = dice.choice(legal)
            state.apply_action(move)
            position = game.play(position, move)
        assert state.is_terminal()
        assert state.returns()[0] == game.utility(position) != 0
        line, held = game.line(position), game.held(position, game.utility(position) < 0)
        ends = [cell // size if game.utility(position) > 0 else cell % size for cell in (line[0], line[-1])]
        assert ({*line} <= held, ends) == (True, [0, size - 1])
        assert all(near(size, *pair) for pair in pairwise(line))


def near(size: int, one: int, other: int) -> bool:
    """Do two cells touch?"""
    (row, column), (below, beside) = divmod(one, size), divmod(other, size)
    return (below - row, beside - column) in {(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)}


@pytest.mark.parametrize("size", [3, 4])
def test_who_wins_from_each_opening(size: int) -> None:
    game = Hex(size)
    compiled.prepare(game)
    winning, _ = winning_openings(size, by_distance(size))
    for cell in range(size * size // 2):
        # With the stone taken over the second side stands as the first one stood with it.
        position = game.play(game.play(game.initial(), cell), SWAP)
        report = engine(game, position, rng=random.Random(1), control=Control(compiled=True))
        score = report.candidates[0].score
        assert (score.kind, score.result == "loss") == ("exact", cell in winning)


def test_a_swap_mirrors_the_stone_and_is_the_second_sides_first_move_alone() -> None:
    position, last = HEX.replay("b4 swap")
    assert [HEX.named(cell) for cell in HEX.held(position, 1)] == ["d2"]
    view = HEX.view(position, last)
    assert (view.to_move, view.note) == (0, "○ has swapped: the stone is mirrored and changes sides.")
    assert (HEX.view(HEX.replay("b4")[0]).legal[-1], HEX.view(position).paths[-1]) == ("swap", 120)
    assert HEX.view(HEX.replay("b4")[0]).note == "○ may swap: take the stone over, mirrored."
    for moves in ("", "b4 swap", "b4 c4", "b4 c4 d4"):
        with pytest.raises(IllegalMove, match="Only the second side's first move"):
            HEX.parse(HEX.replay(moves)[0], "swap")
    assert HEX.goals == ["ns", "we"]


def test_what_is_no_move_is_refused() -> None:
    small = Hex(5)
    position, _ = small.replay("b4")
    for text, error, why in [
        ("b4", IllegalMove, "b4 is taken."),
        ("f1", IllegalMove, "f1 is off the board: columns a to e, rows 1 to 5."),
        ("n1", InvalidMove, "is not a move of this game"),
    ]:
        with pytest.raises(error, match=why):
            small.parse(position, text)


@pytest.mark.parametrize("given", ["2", "14", "7,8", "large", "7,7,7", "-3"])
def test_a_variant_that_there_is_not_is_refused_with_the_way_to_write_one(given: str) -> None:
    with pytest.raises(ValueError, match="hex:7"):
        HEX.variant(given)
