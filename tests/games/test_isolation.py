"""Isolation: its rules against a naive walk over coordinates, its values against plain minimax."""

import random
from functools import cache

import pytest

from parlour_server.games.game import IllegalMove, InvalidPosition
from parlour_server.games.isolation import HOLE, ISOLATION, MARKS, Isolation
from parlour_server.games.positions import read, write
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from tests.support.games import perft

Cell = tuple[int, int]
AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
KNIGHTS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def ends(game: Isolation, used: frozenset[Cell], at: Cell | None) -> list[Cell]:
    """Where a piece can go, found cell by cell."""
    free = {(x, y) for x in range(game.width) for y in range(game.height)} - used
    if at is None:
        return [*free]
    found = []
    for across, along in KNIGHTS if game.knight else AROUND:
        cell = (at[0] + across, at[1] + along)
        while cell in free:
            found.append(cell)
            if game.knight:
                break
            cell = (cell[0] + across, cell[1] + along)
    return found


def walk(game: Isolation, plies: int) -> list[int]:
    counts = [0] * plies

    def count(used: frozenset[Cell], at: Cell | None, other: Cell | None, ply: int) -> None:
        found = ends(game, used, at)
        counts[ply] += len(found)
        if ply + 1 < plies:
            for cell in found:
                count(used | {cell}, other, cell, ply + 1)

    count(frozenset(), None, None, 0)
    return counts


@pytest.mark.parametrize(
    ("width", "height", "knight", "plies"),
    [(7, 7, False, 2), (7, 7, True, 3), (5, 4, False, 3), (3, 4, False, 5), (4, 4, True, 6), (7, 3, True, 4)],
)
def test_the_moves_are_those_of_a_naive_walk(width: int, height: int, knight: bool, plies: int) -> None:
    game = Isolation(width, height, knight=knight)
    assert perft(game, game.initial(), plies) == walk(game, plies)


def first_wins(game: Isolation) -> bool:
    """By plain minimax."""

    @cache
    def wins(used: frozenset[Cell], at: Cell | None, other: Cell | None) -> bool:
        return any(not wins(used | {cell}, other, cell) for cell in ends(game, used, at))

    return wins(frozenset(), None, None)


@pytest.mark.parametrize(
    ("width", "height", "knight"),
    [(3, 3, False), (3, 4, False), (3, 3, True), (4, 3, True), (4, 4, True), (5, 4, True)],
)
def test_small_boards_are_won_by_whom_minimax_says(width: int, height: int, knight: bool) -> None:
    game = Isolation(width, height, knight=knight)
    compiled.prepare(game)
    report = engine(game, game.initial(), rng=random.Random(1), control=Control(compiled=True))
    score = report.candidates[0].score
    assert (score.kind, score.points > 0) == ("exact", first_wins(game))


@pytest.mark.parametrize(
    ("name", "moves", "typed", "why"),
    [
        ("isolation", "d4 e6 d7 c4", "d4", "d4 is a hole: a piece has been there"),
        ("isolation", "d4 e6", "e6", "e6 is taken"),
        ("isolation", "d4 e6", "f5", "No free straight line leads from d4 to f5"),
        ("isolation", "d4 e5", "f6", "No free straight line leads from d4 to f6"),
        ("isolation:knight", "d4 e6", "d5", "d5 is not a knight's move away from d4"),
        ("isolation:5,4", "d4 e1", "g7", "g7 is off the board"),
    ],
)
def test_a_refusal_says_why(name: str, moves: str, typed: str, why: str) -> None:
    game = ISOLATION.variant(name.partition(":")[2]) if ":" in name else ISOLATION
    with pytest.raises(IllegalMove, match=why):
        game.parse(game.replay(moves)[0], typed)


def test_a_piece_leaves_a_hole() -> None:
    view = ISOLATION.view(*ISOLATION.replay("d4 e6 d7"))
    board = {view.columns[at % 7] + view.rows[at // 7]: text for at, text in enumerate(view.texts())}
    taken = {cell: text for cell, text in board.items() if text != view.empty}
    assert taken == {"d4": HOLE, "e6": MARKS[1], "d7": MARKS[0]}


def test_a_position_is_set_up() -> None:
    position = read(ISOLATION, "7/2#x3/7/3#o2/7/7/##5 o")
    assert write(ISOLATION, position) == "7/2#x3/7/3#o2/7/7/##5 o"
    assert ISOLATION.plies_left(position) == 49 - 6
    shut_in = read(ISOLATION, "7/7/7/7/7/##o4/x#5 x")
    outcome = ISOLATION.outcome(shut_in)
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (1, "no_moves")
    with pytest.raises(InvalidPosition, match="more of"):
        read(ISOLATION, "7/7/7/7/7/##o4/x#4x x")


@pytest.mark.parametrize("given", ["", "2,7", "8,8", "knights", "5,5,queen", "knight 5"])
def test_a_variant_that_there_is_not_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="isolation:5"):
        ISOLATION.variant(given)


def test_variants_are_named_alike() -> None:
    written = ["7x7", "6", "5,4", " Knight", "7x7 , knight", "5 by 5, knight"]
    names = ["", ":6,6", ":5,4", ":knight", ":knight", ":5,5,knight"]
    assert [ISOLATION.variant(one).name for one in written] == [f"isolation{name}" for name in names]
