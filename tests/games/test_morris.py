"""Nine men's morris: its rules against OpenSpiel's, its sets of points against lists of mills."""

import random
from typing import Any

import pyspiel
import pytest

from parlour_server.games.array_game import Numbers
from parlour_server.games.game import IllegalMove, InvalidMove, InvalidPosition
from parlour_server.games.morris import MILLS, MORRIS, POINTS, Morris
from parlour_server.games.morris.rules import HAND, KEPT, LEAST, MEN, PATIENCE, PLACING
from parlour_server.games.positions import read, write
from tests.support.games import perft, random_game

FLYING = Morris(flying=True)
THEIRS = pyspiel.load_game("nine_mens_morris")
"""With flying; it has no draw before 200 plies, and counts what a mill removes as a ply."""
NUMBERS = [sorted(POINTS).index(cell) for cell in POINTS]
"""OpenSpiel's number for each of our points: row by row from the top."""


def actions(move: int) -> tuple[int, ...]:
    """What OpenSpiel makes of a move: one action or, where it closes a mill, two."""
    rest, removed = divmod(move, 25)
    start, end = divmod(rest, 24)
    first = NUMBERS[end] if start == PLACING else 24 + 24 * NUMBERS[start] + NUMBERS[end]
    return (first,) if removed == KEPT else (first, NUMBERS[removed])


def their_moves(state: Any) -> set[tuple[int, ...]]:
    side = state.current_player()
    found: set[tuple[int, ...]] = set()
    for action in state.legal_actions():
        after = state.child(action)
        again = not after.is_terminal() and after.current_player() == side
        found |= {(action, removed) for removed in after.legal_actions()} if again else {(action,)}
    return found


@pytest.mark.parametrize("game", [MORRIS, FLYING], ids=lambda game: game.name)
def test_the_rules_are_openspiels(game: Morris) -> None:
    """Also those without flying, as long as both sides have more men than may fly."""
    dice, ends, mills = random.Random(1), set(), 0
    for _ in range(30):
        state, position = THEIRS.new_initial_state(), game.initial()
        while game.outcome(position) is None and not state.is_terminal():
            if not game.flying and any(few(position, side) for side in (0, 1)):
                break
            assert state.current_player() == game.to_move(position)
            legal = {actions(move): move for move in game.legal_moves(position)}
            assert {*legal} == their_moves(state)
            made = dice.choice([*legal])
            mills += len(made) - 1
            for action in made:
                state.apply_action(action)
            position = game.play(position, legal[made])
        outcome = game.outcome(position)
        if outcome is not None and outcome.winner is not None:
            assert state.is_terminal()
            assert state.returns()[0] == game.utility(position)
            ends.add((outcome.winner, outcome.termination))
    assert mills > 100
    assert ends >= {(0, "count"), (1, "count")} if game.flying else not ends


def few(position: Numbers, side: int) -> bool:
    return position[HAND + side] == 0 and position[MEN + side].bit_count() <= LEAST


def test_how_many_ways_to_begin() -> None:
    assert perft(MORRIS, MORRIS.initial(), 3) == [24, 552, 12144]


def test_mills_are_three_on_a_line() -> None:
    dice = random.Random(2)
    lines = [sum(1 << point for point in mill) for mill in MILLS]
    assert len({*lines}) == 16
    for _ in range(500):
        men = sum(1 << point for point in dice.sample(range(24), dice.randrange(10)))
        whole = [line for line in lines if men & line == line]
        inside = {point for point in range(24) for line in whole if line >> point & 1}
        assert MORRIS.code.in_mills(men) == sum(1 << point for point in inside)
        two = {line & ~men for line in lines if (men & line).bit_count() == 2}
        assert MORRIS.code.closing(men) & ~men == sum(two)
        assert MORRIS.code.count(men) == men.bit_count()


def test_neighbours_are_next_to_each_other_on_a_line() -> None:
    pairs = {
        pair
        for mill in MILLS
        for pair in (tuple(mill[:2]), tuple(mill[1:]), (mill[1], mill[0]), (mill[2], mill[1]))
    }
    for point in range(24):
        assert MORRIS.code.beside(1 << point) == sum(1 << end for start, end in pairs if start == point)


def test_without_flying_three_men_can_be_shut_in() -> None:
    # Both in the corners: a7, d7 and a4 of the one, and the other's all around.
    names = [MORRIS.named(cell) for cell in POINTS]
    mine = sum(1 << names.index(name) for name in ("a7", "d7", "a4"))
    theirs = sum(1 << names.index(name) for name in ("d6", "b4", "a1", "g4"))
    for game in (MORRIS, FLYING):
        position = (1, 0, int(game.flying), 0, 0, mine, theirs, 0)
        after = game.play(position, game.parse(position, "g4g7"))
        outcome = game.outcome(after)
        assert (outcome and (outcome.winner, outcome.termination)) == (
            None if game.flying else (1, "no_moves")
        )


def test_a_game_in_which_nothing_is_removed_is_drawn() -> None:
    names = [MORRIS.named(cell) for cell in POINTS]
    mine = sum(1 << names.index(name) for name in ("a7", "d7", "b4", "f4"))
    theirs = sum(1 << names.index(name) for name in ("a1", "d1", "d2", "e5"))
    position: Numbers = (0, 0, 0, 0, 0, mine, theirs, 0)
    for ply in range(PATIENCE):
        assert MORRIS.outcome(position) is None
        position = MORRIS.play(position, MORRIS.parse(position, ("d7g7", "d1g1", "g7d7", "g1d1")[ply % 4]))
    outcome = MORRIS.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (None, "rules")
    assert not MORRIS.legal_moves(position)
    # What is counted for it makes no other position for a search.
    assert MORRIS.search_key((*position[:-1], 0)) == MORRIS.search_key(position)


PLACED = "f4 d2 g4 e4 b4 d6 g7 g1 d3 f6 b6 b2 f2 a1 d1 d7 d5 a4"


@pytest.mark.parametrize(
    ("moves", "typed", "why"),
    [
        ("a1", "a1", "a1 is taken"),
        ("a1", "d1g1", "You have men to place first: name a free point, such as"),
        ("d6 f4 d2 b4 d5 d3", "d7", "d7 closes a mill: name the man that it takes, such as d7"),
        ("d6 f4 d2 b4 d5 d3", "d7-d6", "There is no man on d6 to take"),
        ("d6 f4 d2 b4 d5 d3", "a1xf4", "a1 closes no mill, so it takes nothing"),
        (PLACED, "c4", "All your men are placed: move one, such as"),
        (PLACED, "d7d6", "No man of yours stands on d7"),
        (PLACED, "d5-d6", "d6 is taken"),
        (PLACED, "d5e4", "e4 is taken"),
        (PLACED, "b4c5", "b4 and c5 are not next to each other"),
        (PLACED, "b4c4d6", "b4c4 closes no mill"),
    ],
)
def test_a_refusal_names_the_rule(moves: str, typed: str, why: str) -> None:
    position, _ = MORRIS.replay(moves)
    with pytest.raises(IllegalMove, match=why):
        MORRIS.parse(position, typed)


def test_men_in_mills_are_taken_last() -> None:
    position, _ = MORRIS.replay("a1 d6 d1 d7 b6 d5b6")
    assert {move for move in MORRIS.view(position).legal if len(move) > 2} == {"g1d7", "g1d6", "g1d5"}
    position, _ = MORRIS.replay("a1 d6 d1 d7 b6 d5b6 a4 f4")
    assert MORRIS.parse(position, "g1") == MORRIS.parse(position, "g1xf4")
    with pytest.raises(IllegalMove, match="d6 stands in a mill"):
        MORRIS.parse(position, "g1d6")


def test_a_view_shows_points_and_lines() -> None:
    view = MORRIS.view(*MORRIS.replay("d6 f4 d2 b4 d5 d3 d7f4"))
    assert view.cells == [".  ●  .", " . ● . ", "  .●.  ", ".○. ...", "  .○.  ", " . ● . ", ".  .  ."]
    assert (view.layout, view.last, view.counts[0].of) == ("points", [3], [5, 6])
    assert [len(line) for line in view.joins or []] == [3] * 16


def test_a_position_is_set_up() -> None:
    position = read(MORRIS, "3/3/3/x1xo2/3/1oo/3 o [2,2,7]")
    assert position[:5] == (1, 0, 0, 2, 2)
    assert write(MORRIS, position) == "3/3/3/x1xo2/3/1oo/3 o [2,2,7]"
    shut_in = read(MORRIS, "xxo/1o1/3/xo4/3/3/o2 x")
    outcome = MORRIS.outcome(shut_in)
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (1, "no_moves")
    for text in (
        "3/3/3/x1xo2/3/1oo/3 o",
        "xxx/xxx/3/x1xo2/3/1oo/xx1 o [2,2]",
    ):
        with pytest.raises(InvalidPosition, match="at least 3 men"):
            read(MORRIS, text)
    with pytest.raises(InvalidPosition, match="Quiet plies: '100' won't do"):
        read(MORRIS, "xxx/3/3/6/3/3/ooo x [0,0,100]")


@pytest.mark.parametrize("given", ["", "fly", "flying,7", "no", "flying flying"])
def test_a_variant_that_there_is_not_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="Write morris:flying"):
        MORRIS.variant(given)


def test_variants() -> None:
    assert [MORRIS.variant(one).name for one in ("no flying", " Flying ")] == ["morris", "morris:flying"]
    assert random_game(FLYING, 1)


@pytest.mark.parametrize("text", ["a1xb2", "a1-xb2", "a1 a4xb2"])
def test_a_move_in_another_notation_is_not_read_as_two(text: str) -> None:
    with pytest.raises(InvalidMove, match=r"between two moves stands a space, a comma or nothing"):
        MORRIS.read(text)


@pytest.mark.parametrize(("written", "text"), [("a1b2", "a1 b2"), ("A1B2", "a1 b2")])
def test_moves_need_no_gap(written: str, text: str) -> None:
    assert MORRIS.read(written) == text.split()
