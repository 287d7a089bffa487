"""Gomoku: its two rules, and whether the bots see what decides it."""

from random import Random

import pytest

from parlour_protocol.views.reports import Report
from parlour_server.games import find_game
from parlour_server.games.gomoku import GOMOKU
from parlour_server.games.mnk import MNK, Position
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from parlour_server.search.scores import ESTIMATE_LIMIT

EXACT = GOMOKU.variant("exact")
NODES = 150_000
"""A small part of what half a second is good for."""

FIVE_MOVES = [
    "k7 g7 i9 g11 i11 g9 g8 g10 g13 i10 j8 h10 j10 f10 e10 h12 e9 h8 e11",
    "g5 i6 j9 k11 h11 k8 i10 g12 j7 j6 j10 j11 k10 h10 i8 h7 l11 m12 k6 h9 l5 m4 h6 j5 k4 l10 i7 f9 g8 j8 f4"
    " e3 g7 g9",
    "g7 g8 j9 k10 i9 k9 k8 k11 k12 i10 j10 h8 j8 j11 h9 j6 k7 l6 j7 g11 i7 h7 l7 m7 m6 n5 f9 g9 i11 k5 n8 j4"
    " i3 f8 m8 l8 e8 o5 n6 i6 g10",
    "i5 j5 e7 g7 f9 j6 j4 k6 h6 l7 i4 k3 k4 m8 n9 h4 i3 i6 i2 i1 l6 k5 l5 j3 l4 m4 e8 l3 e9 m3 n3 e10 g9 d9"
    " f8 h10",
]
"""The side to move wins by nothing but fours, with its fifth stone at the earliest."""

MUST_ANSWER = [
    "g9 k9 f9 i9 g10 h9 j9 h11 g8 g7 h7 e10 i8 k10 f5 g6 f8 h8 j5 i6 f6 f7",
    "h6 i10 h7 h9 g8 j11 i6 f9 h4 h5 f6 g6 e7 k12 l13 g5 i5 g9 k4 j5 i9",
    "j5 h10 f6 h11 h9 i11 f11 g10 i10 g9 f8 g11 g8 j12 k13 g12 g13 j11 k11",
    "j5 i9 k8 h8 j10 i7 j6 i8 i6 j8 h6 g8 f8 k6 i11 j7 h9 f6",
    "e5 h10 g8 g11 i9 i11 h8 g9 f8 e8 i8 j8 i6 i7 g7 f6 j12 h6 g5 k9 l10",
    "f6 f7 e10 g6 e8 h5 e9 e11 i4 e6 g8 d5 c4 f5 g5 h7 i8",
    "e5 g10 f9 i10 f6 h10 f10 f8 g7 h8 k10 d4 h9 i9 g9 d9 g8 j8 g5 g6 k7 i8 i7",
]
"""The other side will win by fours, with the third or fourth stone, unless one of few moves stops it now."""


# ---------------------------------------------------------------- a plain search for fours


def lines(game: MNK, own: int, other: int, lacking: int) -> list[int]:
    """The free cells of each line that a side can fill with this many stones: none of `threats.py` in it."""
    found = []
    for mask in game._masks:
        if not other & mask and (own & mask).bit_count() == game.k - lacking:
            found.append(mask & ~own)
    return found


def wins_at_once(game: MNK, position: Position) -> set[int]:
    """The moves that win: tried out."""
    cells = {gap.bit_length() - 1 for gap in lines(game, position.mine, position.theirs, 1)}
    return {cell for cell in cells if game.play(position, cell).over in (1, 2)}


def other_to_move(position: Position) -> Position:
    return position._replace(mine=position.theirs, theirs=position.mine)


def wins_by_fours(game: MNK, position: Position, stones: int) -> bool:
    """Can the side to move win with this many stones, each of which threatens to win with the next?"""
    if wins_at_once(game, position):
        return True
    if stones <= 1:
        return False
    must = wins_at_once(game, other_to_move(position))
    for cell in sorted(
        {cell for gap in lines(game, position.mine, position.theirs, 2) for cell in bits(gap)}
    ):
        if must - {cell}:
            continue
        after = game.play(position, cell)
        threats = wins_at_once(game, other_to_move(after))
        if threats and not wins_at_once(game, after):
            answer = min(threats)
            if len(threats) > 1 or wins_by_fours(game, game.play(after, answer), stones - 1):
                return True
    return False


def bits(cells: int) -> list[int]:
    return [cell for cell in range(cells.bit_length()) if cells >> cell & 1]


# ---------------------------------------------------------------- rules


def test_more_than_five_win_or_not() -> None:
    moves = "a1 a3 b1 b3 c1 d3 e1 e3 f1 g3 d1"
    position, last = GOMOKU.replay(moves)
    assert GOMOKU.utility(position) == 1
    assert GOMOKU.view(position, last).line == [210, 211, 212, 213, 214]
    position, last = EXACT.replay(moves)
    assert EXACT.outcome(position) is None
    assert EXACT.view(position, last).line == []


@pytest.mark.parametrize(
    "moves",
    [
        "a1 a3 b1 b3 c1 d3 d1 e3 e1",  # at the edge
        "b1 a3 c1 b3 d1 d3 e1 e3 f1",
        "o1 a3 n1 b3 m1 d3 k1 e3 l1",
        "a1 g3 b2 h3 c3 i3 d4 o5 e5",
        "o15 g3 o14 h3 o13 i3 o12 o1 o11",
        "e1 g3 d2 h3 c3 i3 b4 o5 a5",
    ],
)
def test_exactly_five_win_in_both(moves: str) -> None:
    for game in (GOMOKU, EXACT):
        position, last = game.replay(moves)
        assert game.utility(position) == 1
        assert len(game.view(position, last).line) == 5


def test_a_row_of_six_and_a_row_of_five_with_one_stone_win() -> None:
    # Six along the first row, five up the e-file, both through e1.
    position, last = EXACT.replay("a1 a9 b1 c9 c1 e9 d1 g9 f1 i9 e2 k9 e3 m9 e4 o9 e5 a11 e1")
    assert EXACT.utility(position) == 1
    assert EXACT.view(position, last).line == [154, 169, 184, 199, 214]


def test_the_next_row_is_no_continuation() -> None:
    # n1, o1 and a2, b2, c2 follow each other in number alone; and o1 does not spoil a2 to e2.
    position, _ = GOMOKU.replay("n2 a9 o2 c9 a1 e9 b1 g9 c1")
    assert GOMOKU.outcome(position) is None
    position, _ = EXACT.replay("o2 a9 a1 c9 b1 e9 c1 g9 d1 i9 e1")
    assert EXACT.utility(position) == 1


def test_names_and_sizes() -> None:
    assert (GOMOKU.name, EXACT.name) == ("gomoku", "gomoku:exact")
    view = find_game("gomoku").view(GOMOKU.initial())
    assert (view.columns[0], view.columns[-1], view.rows[0], view.rows[-1]) == ("a", "o", "15", "1")
    assert GOMOKU.format(GOMOKU.initial(), 112) == "h8"


# ---------------------------------------------------------------- what bots see


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    compiled.prepare(GOMOKU)


def thought(game: MNK, position: Position) -> Report:
    return engine(game, position, rng=Random(1), control=Control(compiled=True), nodes=NODES)


@pytest.mark.parametrize("moves", FIVE_MOVES)
def test_a_win_in_five_by_fours_is_seen(moves: str) -> None:
    position, _ = GOMOKU.replay(moves)
    assert not wins_by_fours(GOMOKU, position, 4)
    assert wins_by_fours(GOMOKU, position, 5)
    report = thought(GOMOKU, position)
    best = report.candidates[0]
    assert (best.move, best.score.result) == (report.best, "win")
    assert best.score.points > ESTIMATE_LIMIT
    # And it is played out in time, whatever the other side tries.
    for _ in range(12):
        position = GOMOKU.result(position, GOMOKU.parse(position, thought(GOMOKU, position).best or ""))
        if GOMOKU.outcome(position) is not None:
            break
        dice = Random(position.mine)
        blocks = wins_at_once(GOMOKU, other_to_move(position))
        move = min(blocks) if blocks else dice.choice(list(GOMOKU.search_order(position)))
        position = GOMOKU.play(position, move)
    assert position.over in (1, 2)


@pytest.mark.parametrize("moves", MUST_ANSWER)
def test_what_must_be_stopped_is(moves: str) -> None:
    position, _ = GOMOKU.replay(moves)
    assert wins_by_fours(GOMOKU, other_to_move(position), 4)
    assert not GOMOKU.urgent(position)
    move = GOMOKU.parse(position, thought(GOMOKU, position).best or "")
    assert not wins_by_fours(GOMOKU, GOMOKU.play(position, move), 5)


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("g8 d4 h8 l4 i8", {"e8", "f8", "j8", "k8"}),
        ("g8 d4 h8 l4 j8", {"f8", "i8", "k8"}),
        ("g7 d4 h8 l4 i9", {"e5", "f6", "j10", "k11"}),
    ],
)
def test_an_open_three_is_stopped_at_one_of_its_ends(moves: str, answers: set[str]) -> None:
    position, _ = GOMOKU.replay(moves)
    stopping = {
        GOMOKU.format(position, move)
        for move in GOMOKU.legal_moves(position)
        if not wins_by_fours(GOMOKU, GOMOKU.play(position, move), 3)
    }
    assert thought(GOMOKU, position).best in stopping
    assert stopping <= answers
    assert {GOMOKU.format(position, move) for move in GOMOKU.search_order(position)} == stopping


def test_a_gap_that_would_make_six_is_a_threat_under_one_rule_alone() -> None:
    moves = "f8 a1 g8 a15 i8 o1 j8 o15 k8"
    position, _ = GOMOKU.replay(moves)
    assert thought(GOMOKU, position).best == "h8"
    assert GOMOKU.search_order(position) == (GOMOKU.parse(position, "h8"),)
    position, _ = EXACT.replay(moves)
    # Here h8 makes a row of six. What wins is five of them, which e8 or l8 won't make either.
    assert not wins_at_once(EXACT, other_to_move(position))
    assert len(EXACT.search_order(position)) > 1


def test_an_open_three_is_none_where_its_fours_would_grow_to_six() -> None:
    # .X..XXX..X.: under the exact rule c8 and i8 win for no side once the row is four long.
    moves = "e8 a1 f8 c1 g8 e1 b8 a15 j8 c15"
    position, _ = GOMOKU.replay(moves)
    assert thought(GOMOKU, position).candidates[0].score.result == "win"
    assert forks(GOMOKU, position) == {"d8", "h8"}
    position, _ = EXACT.replay(moves)
    assert forks(EXACT, position) == set()
    assert len(EXACT.search_order(position)) > 1


def forks(game: MNK, position: Position) -> set[str]:
    """The moves after which their side could win in two places."""
    return {
        game.format(position, move)
        for move in game.legal_moves(position)
        if len(wins_at_once(game, other_to_move(game.play(position, move)))) > 1
    }
