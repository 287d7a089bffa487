import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove, Outcome
from parlour_server.games.mnk import MNK, PLAIN_CELLS, TICTACTOE
from tests.support.games import beside_openspiel, perft, random_positions

SIZES = [(5, 4, 3), (4, 5, 4), (7, 6, 4), (1, 5, 2), (9, 3, 3), (15, 15, 5)]


def boards() -> st.SearchStrategy[MNK]:
    return st.builds(MNK, st.integers(1, 19), st.integers(1, 19), st.integers(1, 7))


# ---------------------------------------------------------------- against independent witnesses


def test_perft() -> None:
    # To the end in the kernel's test.
    assert perft(TICTACTOE, TICTACTOE.initial(), 7) == [9, 72, 504, 3024, 15120, 54720, 148176]


def test_random_games_agree_with_openspiel() -> None:
    for position, state in beside_openspiel(TICTACTOE, "tic_tac_toe", 300):
        assert sorted(TICTACTOE.search_order(position)) == state.legal_actions()


@pytest.mark.parametrize("size", SIZES)
def test_random_games_of_other_sizes_agree_with_openspiel(size: tuple[int, int, int]) -> None:
    width, height, k = size
    game = MNK(width, height, k)
    name = f"mnk(m={width},n={height},k={k})"
    for position, state in beside_openspiel(game, name, 10 if k > 4 else 30, every_result=False):
        tried = game.search_order(position)
        if width * height <= PLAIN_CELLS:
            assert sorted(tried) == state.legal_actions()
        else:
            assert set(tried) <= set(state.legal_actions())
            assert tried or state.is_terminal()


# ---------------------------------------------------------------- ends


def test_a_full_board_is_a_draw() -> None:
    position, last = TICTACTOE.replay("b2 a1 c1 a3 a2 c2 b3 b1 c3")
    assert TICTACTOE.outcome(position) == Outcome(None, "the board is full", "board_full")
    assert TICTACTOE.view(position, last).line == []


def test_of_several_lines_one_is_shown_in_full() -> None:
    position, last = TICTACTOE.replay("a1 b1 a2 b2 b3 c1 c3 c2 a3")
    view = TICTACTOE.view(position, last)
    assert view.cells == ["XXX", "XOO", "XOO"]
    assert view.line == [0, 1, 2]


def test_a_longer_row_shows_k_of_its_cells() -> None:
    game = MNK(5, 2, 3)
    position, _ = game.replay("a1 a2 b1 b2 d1 e2 c1")
    view = game.view(position)
    assert view.cells == ["OO..O", "XXXX."]
    assert view.line == [5, 6, 7]


@pytest.mark.parametrize(
    ("k", "reason"), [(1, "1 in a row"), (3, "three in a row"), (6, "six in a row"), (12, "12 in a row")]
)
def test_reasons_name_the_row(k: int, reason: str) -> None:
    game = MNK(19, 2, k)
    position = game.initial()
    for i in range(k):
        position = game.play(position, i)
        if i < k - 1:
            position = game.play(position, 19 + (i if i % 2 else 18 - i))
    assert game.outcome(position) == Outcome(0, reason, "line")


# ---------------------------------------------------------------- moves that can't be


def test_invalid_illegal_and_over_are_distinguished() -> None:
    game = TICTACTOE
    begun, _ = game.replay("b2")
    with pytest.raises(IllegalMove, match=r"^b2 is taken\.$"):
        game.result(begun, 4)
    for number in (-1, 9, 10**30):
        with pytest.raises(InvalidMove, match="There is no cell"):
            game.result(begun, number)
    over, _ = game.replay("a1 b1 a2 b2 a3")
    for move in (0, 8):
        with pytest.raises(GameIsOver, match=r"^The game is over: three in a row\.$"):
            game.result(over, move)


@pytest.mark.parametrize("text", ["d1", "a4", "a0", "z9", "B100"])
def test_off_the_board(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        TICTACTOE.parse(TICTACTOE.initial(), text)
    assert str(caught.value) == f"{text.lower()} is off the board: columns a to c, rows 1 to 3."


@pytest.mark.parametrize("text", ["", "zz9", "9", "b", "2b", "b2c", "b 2", "b-1", "b²", "ä1", "b1000", "b２"])
def test_unreadable(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        TICTACTOE.parse(TICTACTOE.initial(), text)
    assert str(caught.value) == f"'{text}' is not a cell: write a column and a row, such as b2."


def test_notation_has_row_one_at_the_bottom() -> None:
    assert [TICTACTOE.format(TICTACTOE.initial(), move) for move in range(9)] == [
        "a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1",
    ]  # fmt: skip


# ---------------------------------------------------------------- views


def test_the_view_of_a_game_under_way() -> None:
    position, last = TICTACTOE.replay("b2 a3 c1")
    view = TICTACTOE.view(position, last)
    assert (view.rows, view.columns) == (["3", "2", "1"], ["a", "b", "c"])
    assert view.cells == ["O..", ".X.", "..X"]
    assert (view.marks, view.empty, view.to_move) == ([["X"], ["O"]], ".", 1)
    assert (view.last, view.line, view.note) == ([8], [], None)
    assert view.legal == ["b3", "c3", "a2", "c2", "a1", "b1"]
    assert view.paths == [1, 2, 3, 5, 6, 7]


# ---------------------------------------------------------------- positions and sizes


@given(boards(), st.integers(0, 10**6), st.integers(0, 80))
def test_estimates_are_bounded_and_fair(game: MNK, seed: int, plies: int) -> None:
    position = random_positions(game, seed, plies)[-1]
    seen_by_the_other = position._replace(mine=position.theirs, theirs=position.mine)
    assert -4800 <= game.evaluate(position) <= 4800
    if game.max_plies <= PLAIN_CELLS:
        assert game.evaluate(seen_by_the_other) == -game.evaluate(position)


def test_estimates_know_the_middle_and_a_threat() -> None:
    def worth(moves: str) -> int:
        return -TICTACTOE.evaluate(TICTACTOE.replay(moves)[0])  # for the side that moved last

    assert worth("b2") > worth("a1") > worth("b1") > TICTACTOE.evaluate(TICTACTOE.initial()) == 0
    assert worth("b2 a2 c3") > worth("b2 a1 c3")


@pytest.mark.parametrize("size", [(0, 3, 3), (3, 0, 3), (3, 3, 0), (20, 3, 3), (3, 20, 3), (-1, -1, -1)])
def test_impossible_sizes(size: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        MNK(*size)


def test_what_tictactoe_is_called() -> None:
    assert (TICTACTOE.name, TICTACTOE.title, TICTACTOE.max_plies) == ("tictactoe", "Tic-tac-toe", 9)
    assert MNK(7, 6, 4).name == "mnk:7,6,4"
    assert MNK(7, 6, 4).title == "Four in a row on 7x6"
    assert TICTACTOE.summary == "Three in a row wins, straight or diagonal."
