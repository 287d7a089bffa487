"""What the contract itself does for every game, shown on tic-tac-toe."""

import pytest

from parlour_server.games.game import GameIsOver, IllegalMove, InvalidMove, MoveError, quoted
from parlour_server.games.mnk import TICTACTOE

X_WINS = "a1 b1 a2 b2 a3"
DRAWN = "b2 a1 c1 a3 a2 c2 b3 b1 c3"


@pytest.mark.parametrize("text", ["a1b2", "a1 b2", "a1,b2", " a1 ,\n b2, ", "A1B2"])
def test_moves_may_be_divided_by_anything_or_nothing(text: str) -> None:
    position, last = TICTACTOE.replay(text)
    assert TICTACTOE.view(position).cells == ["...", ".O.", "X.."]
    assert last == TICTACTOE.parse(position, "b2")


def test_no_moves_are_the_beginning() -> None:
    assert TICTACTOE.replay("  ") == (TICTACTOE.initial(), None)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            "a1 zz9 b2",
            InvalidMove,
            "Move 2 ('zz9'): 'zz9' is not a cell: write a column and a row, such as b2.",
        ),
        ("a1b2zz", InvalidMove, "Move 3 ('zz'): "),
        ("a1,d1,b2", InvalidMove, "Move 2 ('d1'): d1 is off the board: columns a to c, rows 1 to 3."),
        ("a1 b2 A1 c3", IllegalMove, "Move 3 ('A1'): a1 is taken."),
        (f"{X_WINS} c3", GameIsOver, "Move 6 ('c3'): The game is over: three in a row."),
    ],
)
def test_a_bad_move_among_others_is_named(text: str, error: type[MoveError], says: str) -> None:
    with pytest.raises(MoveError) as caught:
        TICTACTOE.replay(text)
    assert type(caught.value) is error
    assert str(caught.value).startswith(says)


def test_a_long_bad_text_costs_no_more_than_its_first_fault() -> None:
    with pytest.raises(GameIsOver, match="Move 6 "):
        TICTACTOE.replay(X_WINS + "c3" * 1_000_000)


def test_utility_is_the_first_sides() -> None:
    assert TICTACTOE.utility(TICTACTOE.replay(X_WINS)[0]) == 1
    assert TICTACTOE.utility(TICTACTOE.replay("c3 a1 b1 a2 b2 a3")[0]) == -1
    assert TICTACTOE.utility(TICTACTOE.replay(DRAWN)[0]) == 0
    with pytest.raises(ValueError, match="finished"):
        TICTACTOE.utility(TICTACTOE.initial())


def test_strangers_text_is_cut_and_cleaned() -> None:
    assert quoted("b2") == "'b2'"
    assert quoted("\x1b]52;c;evil\x07\u202e\ud800") == "'?]52;c;evil???'"
    assert len(quoted("x" * 10**6)) < 25
