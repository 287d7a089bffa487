from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.games import UnknownGame, find_game
from parlour_server.games.connect4 import CONNECT_FOUR, LASTING_THREAT, MOST, ConnectFour, Position
from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove, Move, MoveError, Outcome
from parlour_server.games.mnk import MNK
from tests.support.games import beside_openspiel, perft, random_game

GAME = CONNECT_FOUR
SIZES = [(7, 6), (4, 4), (9, 9), (4, 9), (9, 4), (8, 7), (5, 6)]


def boards() -> st.SearchStrategy[ConnectFour]:
    return st.builds(ConnectFour, st.integers(4, 9), st.integers(4, 9))


# ---------------------------------------------------------------- against independent witnesses


def test_perft() -> None:
    assert perft(GAME, GAME.initial(), 6) == [7, 49, 343, 2_401, 16_807, 117_649]


def test_random_games_agree_with_openspiel() -> None:
    for position, state in beside_openspiel(GAME, "connect_four", 1_000):
        assert set(GAME.search_order(position)) <= set(state.legal_actions())


@pytest.mark.parametrize("size", SIZES)
def test_other_sizes_agree_with_rows_of_four_on_a_flat_board(size: tuple[int, int]) -> None:
    game, flat = ConnectFour(*size), MNK(*size, 4)
    width, height = size
    for seed in range(40):
        position = flat.initial()
        stones = [0] * width
        for here, move in random_game(game, seed)[1:]:
            assert move is not None
            cell = (height - 1 - stones[move]) * width + move
            stones[move] += 1
            position = flat.play(position, cell)
            assert game.outcome(here) == flat.outcome(position)
            assert game.plies_left(here) == width * height - sum(stones)
            view = game.view(here, move)
            assert view.last == [cell]
            signs = {"X": "●", "O": "○", ".": "·"}
            assert view.cells == ["".join(signs[s] for s in row) for row in flat.view(position).cells]
            assert set(view.line) == set(flat.view(position).line) or len(view.line) == 4


@given(boards(), st.integers(0, 10_000), st.integers(0, 80))
def test_what_a_search_tries_first(game: ConnectFour, seed: int, plies: int) -> None:
    position, _ = random_game(game, seed, plies)[-1]
    if game.outcome(position) is not None:
        return
    moves = game.legal_moves(position)

    def wins(position: Position) -> list[Move]:
        return [move for move in game.legal_moves(position) if game.play(position, move).over in (1, 2)]

    # Whose stones they are is all that tells the sides apart here.
    passed = Position(position.mine ^ position.mask, position.mask)
    order = game.search_order(position)
    if wins(position) or wins(passed):
        assert len(order) == 1
        assert order[0] in (wins(position) or wins(passed))
        assert game.urgent(position)
    else:
        assert sorted(order) == list(moves)
        aside = [abs(2 * move - game.width + 1) for move in order]
        assert aside == sorted(aside)
        assert not game.urgent(position)


# ---------------------------------------------------------------- ends


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("1122334", [35, 36, 37, 38]),
        ("1212121", [35, 28, 21, 14]),
        ("12233434474", [35, 29, 23, 17]),
        ("76655454414", [41, 33, 25, 17]),
    ],
)
def test_four_in_a_row_wins(moves: str, line: list[int]) -> None:
    position, last = GAME.replay(moves)
    assert GAME.outcome(position) == Outcome(0, "four in a row", "line")
    view = GAME.view(position, last)
    assert sorted(view.line) == sorted(line)
    assert (view.to_move, view.legal, view.paths) == (None, [], [])
    assert {view.cells[cell // 7][cell % 7] for cell in view.line} == {"●"}


def test_a_line_does_not_run_from_one_column_into_the_next() -> None:
    for seed in range(300):
        position, last = random_game(GAME, seed)[-1]
        line = GAME.view(position, last).line
        if line:
            assert len({b - a for a, b in pairwise(line)}) == 1
            columns = [cell % 7 for cell in line]
            assert max(columns) - min(columns) in (0, 3)


def test_a_full_board_is_a_draw() -> None:
    for seed in range(3_000):
        position, last = random_game(GAME, seed)[-1]
        if position.over == 3:
            assert GAME.outcome(position) == Outcome(None, "the board is full", "board_full")
            view = GAME.view(position, last)
            assert "·" not in "".join(view.texts())
            assert view.line == []
            return
    raise AssertionError("no draw came up")


# ---------------------------------------------------------------- moves that can't be


def test_invalid_illegal_and_over_are_distinguished() -> None:
    full, _ = GAME.replay("444444")
    with pytest.raises(IllegalMove, match=r"^Column 4 is full\.$"):
        GAME.result(full, 3)
    for number in (-1, 7, 10**30):
        with pytest.raises(InvalidMove, match=r"^There is no column -?[0-9]+: they count from 1 to 7\.$"):
            GAME.result(full, number)
    over, _ = GAME.replay("1212121")
    with pytest.raises(GameIsOver, match=r"^The game is over: four in a row\.$"):
        GAME.result(over, 3)


@pytest.mark.parametrize(
    "text", ["", "0", "8", "9", "10", "d", "-1", "4 4", "٤", "²", "4.", "x" * 10_000, "\x1b"]
)
def test_what_is_no_column(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse(GAME.initial(), text)
    assert "from 1 to 7." in str(caught.value)
    assert len(str(caught.value)) < 100
    assert str(caught.value).isprintable()


def test_a_string_of_moves_says_which_one_is_wrong() -> None:
    with pytest.raises(InvalidMove, match=r"^Move 3 \('9'\): There is no column 9: they count from 1 to 7"):
        GAME.replay("449")
    with pytest.raises(IllegalMove, match=r"^Move 7 \('4'\): Column 4 is full\.$"):
        GAME.replay("4444444")
    with pytest.raises(GameIsOver, match=r"^Move 8 \('1'\): The game is over: four in a row\.$"):
        GAME.replay("12121211")
    with pytest.raises(MoveError, match=r"^Move 2 \('x4'\): 'x4' is not a column"):
        GAME.replay("4x4")


@pytest.mark.parametrize("text", ["4444422", "4 4 4 4 4 2 2", "4,4,4,4,4,2,2", "4444 4,2 2", " 44444 22 "])
def test_moves_may_be_divided_or_not(text: str) -> None:
    position, last = GAME.replay(text)
    assert last == 1
    assert GAME.view(position, last).cells == [
        "·······",
        "···●···",
        "···○···",
        "···●···",
        "·●·○···",
        "·○·●···",
    ]


# ---------------------------------------------------------------- notation, views, estimates


@given(boards(), st.integers(0, 10_000), st.integers(0, 80))
def test_estimates_stay_in_bounds_and_know_no_sides(game: ConnectFour, seed: int, plies: int) -> None:
    position, _ = random_game(game, seed, plies)[-1]
    if position.over:
        return
    estimate = game.evaluate(position)
    assert -MOST <= estimate <= MOST
    mirrored = Position(*(_mirror(game, stones) for stones in position[:2]))
    assert game.evaluate(mirrored) == estimate


def _mirror(game: ConnectFour, stones: int) -> int:
    stride = game.height + 1
    column = (1 << stride) - 1
    return sum((stones >> at * stride & column) << (game.width - 1 - at) * stride for at in range(game.width))


def test_a_threat_counts_more_in_a_row_that_lasts() -> None:
    def board(row: int) -> Position:
        # Three in a row for the first side with both ends open, and three idle stones of the second.
        mine = sum(1 << column * 7 + row for column in (2, 3, 4))
        return Position(mine, mine | sum(1 << cell for cell in (0, 42, 5 if row == 2 else 47)))

    assert GAME.evaluate(board(2)) - GAME.evaluate(board(1)) > LASTING_THREAT
    assert GAME.evaluate(board(2)) > GAME.evaluate(board(3)) > 0


# ---------------------------------------------------------------- variants


def test_variants_by_name() -> None:
    assert find_game("connect4") is GAME
    assert find_game("Connect4: 7, 6") is GAME
    wide = find_game("connect4:8,7")
    assert (wide.name, wide.title, wide.max_plies) == ("connect4:8,7", "Connect Four on 8x7", 56)
    assert find_game(wide.name).name == wide.name
    assert wide.kernel == "parlour_server.search.kernels.mnk"
    for size in ("3,6", "10,6", "10", "", "7,6,4", "٧,6"):
        name = f"connect4:{size}"
        with pytest.raises(UnknownGame, match=r"connect4:8,7"):
            find_game(name)
    with pytest.raises(UnknownGame, match="not 10 by 99"):
        find_game("connect4:10,99")
