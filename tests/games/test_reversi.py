import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.ids import Side
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove, MoveError, Outcome
from parlour_server.games.reversi import MARKS, PASS, REVERSI, Position, Reversi
from tests.support.games import beside_openspiel, perft, random_positions

SIX = Reversi(6)

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
"""Nine moves after which no white disc is left."""


def position_of(game: Reversi, picture: str, side: int = 0) -> Position:
    """A position from rows of ●, ○ and · signs."""
    signs = "".join(picture.split())
    discs = [
        sum(1 << cell for cell, sign in zip(game.cells, signs, strict=True) if sign == mark) for mark in MARKS
    ]
    mine, theirs = discs if side == 0 else discs[::-1]
    return Position(mine, theirs, 1 if side else 0, game.reach(mine, theirs))


# ---------------------------------------------------------------- against independent witnesses


def test_perft() -> None:
    # Deeper in the kernel's test.
    assert perft(REVERSI, REVERSI.initial(), 6) == [4, 12, 56, 244, 1396, 8200]
    assert perft(SIX, SIX.initial(), 5) == [4, 12, 56, 244, 1364]


def test_passes_count_as_plies() -> None:
    # White to move has nothing; Black has one move, then the board is full.
    position = position_of(SIX, "●●●●●● " * 5 + "●●●●○·", side=1)
    assert SIX.legal_moves(position) == (PASS,)
    assert perft(SIX, position, 3) == [1, 1, 0]


def test_random_games_agree_with_openspiel() -> None:
    passes = 0
    for position, state in beside_openspiel(REVERSI, "othello", 100):
        moves = state.legal_actions()
        assert sorted(REVERSI.search_order(position)) == moves
        passes += moves == [PASS]
        for move in set(moves) - {PASS}:
            assert REVERSI.format(position, move) == state.action_to_string(move)
        if not moves:
            board = "".join(REVERSI.view(position).texts())
            assert REVERSI.margin(position) == abs(board.count("●") - board.count("○"))
    assert passes > 10


# ---------------------------------------------------------------- ends and passes


def test_a_wiped_out_side_has_lost() -> None:
    position, _ = REVERSI.replay(WIPE_OUT)
    assert REVERSI.outcome(position) == Outcome(0, "13 discs to 0, with no moves left", "count")
    assert REVERSI.margin(position) == 13
    view = REVERSI.view(position, 1)
    assert (view.to_move, view.legal, view.paths, view.note) == (None, [], [], None)


@pytest.mark.parametrize(
    ("board", "winner", "reason"),
    [
        ("●●●●●● ●●●●●● ●●●●●● ○○○○○○ ○○○○○○ ○○○○○○", None, "18 discs each"),
        ("●●●●●● ●●●●●● ●●●●●● ●○○○○○ ○○○○○○ ○○○○○○", 0, "19 discs to 17"),
        ("○○○○○○ ○○○○○○ ○○○○○○ ○○○○○○ ○○○○○○ ·○○○○·", 1, "34 discs to 0, with no moves left"),
        ("·●●●●· ●●●●●● ·····● ······ ○○○○○○ ○○○○○·", None, "11 discs each, with no moves left"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_more_discs_win_whoever_would_be_to_move(
    board: str, winner: Side | None, reason: str, side: int
) -> None:
    position = position_of(SIX, board, side)
    assert SIX.outcome(position) == Outcome(winner, reason, "count")
    discs = [int(number) for number in re.findall(r"[0-9]+", reason)]
    assert SIX.margin(position) == (discs[0] - discs[1] if winner is not None else 0)


def test_who_can_not_move_must_pass_and_is_reported() -> None:
    position = position_of(SIX, "●●●●●● " * 5 + "●●●●○·", side=1)
    view = SIX.view(position, SIX.cells[0])
    assert (view.to_move, view.legal, view.paths) == (1, ["pass"], [-1])
    assert view.note == "○ has no move: its one choice is pass."
    with pytest.raises(IllegalMove, match=r"^○ has no move: its one choice is pass\.$"):
        SIX.result(position, SIX.parse(position, "f1"))
    passed = SIX.result(position, PASS)
    view = SIX.view(passed, PASS)
    assert (view.to_move, view.legal, view.last) == (0, ["f6"], [])
    assert view.note == "○ had no move and passed."
    over = SIX.result(passed, SIX.parse(passed, "f6"))
    assert SIX.outcome(over) == Outcome(0, "36 discs to 0", "count")
    assert SIX.view(over, SIX.parse(passed, "f6")).note is None


def test_a_game_with_passes_can_be_written_and_read() -> None:
    seen = 0
    for seed in range(200):
        rng, position, words = random.Random(seed), REVERSI.initial(), []
        while REVERSI.outcome(position) is None:
            move = rng.choice(REVERSI.legal_moves(position))
            words.append(REVERSI.format(position, move))
            position = REVERSI.play(position, move)
        if "pass" in words:
            seen += 1
            for text in (
                " ".join(words),
                "".join(words),
                "".join(words).upper(),
                "".join(words).replace("pass", "--"),
            ):
                assert REVERSI.replay(text)[0] == position
    assert seen > 5


# ---------------------------------------------------------------- moves that can't be


def test_moves_may_follow_each_other_without_a_gap() -> None:
    position, last = REVERSI.replay("d3c5f6")
    assert REVERSI.view(position, last).cells == [
        "········",
        "········",
        "···●····",
        "···●●···",
        "··○○●···",
        "·····●··",
        "········",
        "········",
    ]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            "d3 pass",
            IllegalMove,
            "Move 2 ('pass'): Only a side without a move passes.",
        ),
        ("d3pac3", IllegalMove, "Move 2 ('pa'): Only a side without a move passes"),
        ("d3 d3", IllegalMove, "Move 2 ('d3'): d3 is taken."),
        ("d3 h8", IllegalMove, "Move 2 ('h8'): h8 would flip no disc."),
        ("d3 i1", InvalidMove, "Move 2 ('i1'): i1 is off the board: columns a to h, rows 1 to 8."),
        ("d3,c0", InvalidMove, "Move 2 ('c0'): c0 is off the board: columns a to h, rows 1 to 8."),
        (
            "d3x",
            InvalidMove,
            "Move 2 ('x'): 'x' is not a move: write a column and a row, such as d3, or pass.",
        ),
        (WIPE_OUT + "a1", GameIsOver, "Move 10 ('a1'): The game is over: 13 discs to 0, with no moves left."),
        (WIPE_OUT + "--", GameIsOver, "Move 10 ('--'): The game is over: 13 discs to 0, with no moves left."),
    ],
)
def test_a_bad_move_is_named(text: str, error: type[MoveError], says: str) -> None:
    with pytest.raises(MoveError) as caught:
        REVERSI.replay(text)
    assert type(caught.value) is error
    assert str(caught.value).startswith(says)


def test_a_smaller_board_has_fewer_cells() -> None:
    with pytest.raises(InvalidMove, match="g1 is off the board: columns a to f, rows 1 to 6"):
        SIX.parse(SIX.initial(), "g1")
    with pytest.raises(InvalidMove, match="There is no cell 0"):
        SIX.result(SIX.initial(), 0)


# ---------------------------------------------------------------- views


def test_the_view_of_a_game_under_way() -> None:
    position, last = SIX.replay("c2")
    view = SIX.view(position, last)
    assert (view.rows, view.columns) == (list("123456"), list("abcdef"))
    assert view.cells == ["······", "··●···", "··●●··", "··●○··", "······", "······"]
    assert (view.marks, view.empty, view.to_move) == ([["●"], ["○"]], "·", 1)
    assert (view.last, view.line, view.note) == ([8], [], None)
    assert view.legal == ["b2", "d2", "b4"]
    assert view.paths == [7, 9, 19]


# ---------------------------------------------------------------- positions, estimates, sizes


def turned(game: Reversi, position: Position) -> Position:
    """The same position with the board turned by half."""

    def turn(cells: int) -> int:
        return int(f"{cells:064b}"[::-1], 2)

    mine, theirs = turn(position.mine), turn(position.theirs)
    return Position(mine, theirs, position.side, game.reach(mine, theirs))


@given(st.sampled_from([REVERSI, SIX]), st.integers(0, 10**6), st.integers(0, 70))
def test_estimates_are_bounded_and_see_no_directions(game: Reversi, seed: int, plies: int) -> None:
    position = random_positions(game, seed, plies)[-1]
    assert -4800 <= game.evaluate(position) <= 4800
    assert game.evaluate(turned(game, position)) == game.evaluate(position)
    other = position._replace(side=1 if position.side == 0 else 0)
    assert game.evaluate(other) == game.evaluate(position)


def test_estimates_know_a_corner_and_the_cell_beside_it() -> None:
    def worth(picture: str) -> int:
        return REVERSI.evaluate(position_of(REVERSI, picture))

    middle = "········ ········ ··●●○··· ··○●○··· ··●○●··· ········ ········ "
    assert worth("●" + middle[1:] + "········") > worth(middle + "········") + 200
    assert worth(middle[:10] + "●" + middle[11:] + "········") < worth(middle + "········")


@given(st.sampled_from([REVERSI, SIX]), st.integers(0, 10**6))
def test_no_game_is_longer_than_it_says(game: Reversi, seed: int) -> None:
    positions = random_positions(game, seed)
    assert game.outcome(positions[-1]) is not None
    assert len(positions) - 1 <= game.max_plies
    for number, position in enumerate(positions):
        # Passes change no disc.
        boards = {one.mine | one.theirs for one in positions[number:]}
        assert len(boards) - 1 <= game.plies_left(position)


def test_sizes_are_variants() -> None:
    assert find_game("reversi") is REVERSI
    assert find_game("Reversi:8").name == "reversi"
    six = find_game("reversi:6")
    assert (six.name, six.title) == ("reversi:6", "Reversi on 6x6")
    assert len(six.legal_moves(six.initial())) == 4
    for name in (
        "reversi:7",
        "reversi:",
        "reversi:six",
        "reversi:6,8",
        "reversi:-6",
        "reversi:" + "9" * 10_000,
    ):
        with pytest.raises(UnknownGame, match=r"^Write reversi:SIZE, one of 6, 8, such as reversi:6\.$"):
            find_game(name)
    with pytest.raises(ValueError, match="6x6 or 8x8, not 4x4"):
        Reversi(4)
