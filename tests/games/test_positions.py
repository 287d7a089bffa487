"""Positions as text: every position of every game is written and read back, and a game begins there."""

import pickle
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol import LONGEST_GAME
from parlour_server.games import UnknownGame, find_game
from parlour_server.games.game import Game, InvalidPosition
from parlour_server.games.positions import begin_at, fields, read, tray, write
from parlour_server.search.algorithms.engine import engine
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled
from tests.support.games import GAMES, VARIANTS, random_game
from tests.support.mancala import MANCALA

every_game = pytest.mark.parametrize("name", GAMES + VARIANTS)


@every_game
def test_every_position_is_written_and_read_back(name: str) -> None:
    game = find_game(name)
    for seed in range(3):
        for position, _ in random_game(game, seed)[:-1]:
            again = read(game, write(game, position))
            assert game.view(again) == game.view(position)
            assert game.search_key(again) == game.search_key(position)


@every_game
def test_a_game_that_begins_elsewhere_goes_on_as_the_game_itself(name: str) -> None:
    game = find_game(name)
    path = random_game(game, 7)
    at = len(path) // 2
    begun = begin_at(game, write(game, path[at][0]))
    assert find_game(begun.name) == find_game(begun.name.replace("@", " @ "))
    assert len(begun.name) < LONGEST_GAME
    assert begun.rules()[0].text == game.rules()[0].text
    words = [game.format(before, move) for (before, _), (_, move) in pairwise(path[at:]) if move is not None]
    position, last = begun.replay(" ".join(words))
    assert game.view(position, last) == game.view(*path[-1])
    copied = pickle.loads(pickle.dumps(begun))
    assert (copied.name, copied.initial()) == (begun.name, begun.initial())
    # The beginning itself has no other name.
    assert begin_at(game, write(game, game.initial())) is game


def test_it_is_searched_like_any_other() -> None:
    game = find_game("tictactoe@xo1/1x1/3 o")
    compiled.prepare(game)
    for way in (True, False):
        report = engine(game, game.initial(), rng=random.Random(1), control=Control(compiled=way))
        assert (report.best, report.compiled) == ("c1", way)


PASTED = [
    "X O .\n. X .\n. . .",
    "3 X O .\n2 . X .\n1 . . .\n  a b c\n",
    "  a b c\n3 X O .\n2 . X .\n1 . . .\nO",
    "xo./.x./... o",
    "XO1/1X1/3",
    "xo-/_x_/3 O",
]


@pytest.mark.parametrize("text", PASTED)
def test_what_is_pasted_is_read(text: str) -> None:
    assert find_game(f"tictactoe@{text}").name == "tictactoe@xo1/1x1/3 o"


PDN = "W:W21-32:B1-12"
GGF = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- O]"
PAWNS = "8/8/8/8/pp6/PP6/8/8"


@pytest.mark.parametrize(
    ("game", "text", "rows"),
    [
        ("checkers", PDN, "bbbb/bbbb/bbbb/4/4/wwww/wwww/wwww w"),
        ("checkers", "b:WK6,21:BK10,K11,3.", "2b1/1W2/1BB1/4/4/w3/4/4 b"),
        ("checkers", "B:B1,2:WK32", "bb2/4/4/4/4/4/4/3W b"),
        ("reversi", GGF, "8/8/8/3ox3/3xo3/8/8/8 o"),
        ("reversi:6", "6 ------ ------ --O*-- --**-- ---*-- ------ o", "6/6/2ox2/2xx2/3x2/6 o"),
        ("breakthrough", "8/8/8/8/bb6/ww6/8/8 b", "8/8/8/8/bb6/ww6/8/8 b"),
        ("breakthrough", f"{PAWNS} b 0 1", "8/8/8/8/bb6/ww6/8/8 b"),
        ("breakthrough", f"{PAWNS} w - - 3 7", "8/8/8/8/bb6/ww6/8/8 w"),
    ],
)
def test_the_field_s_own_forms_are_read(game: str, text: str, rows: str) -> None:
    assert find_game(f"{game}@{text}").name == f"{game}@{rows}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("checkers@W:W21,33:B1", "A PDN position says who is to move"),
        ("checkers@W:W21,0:B1", "A PDN position"),
        ("checkers@W:W21:B21", "A PDN position"),
        ("checkers@W:W21:Q1", "A PDN position"),
        ("checkers@W:W32-30:B1", "A PDN position"),
        ("morris@x2/3/3/6/3/3/2o x [8,-8,0]", "^○ in hand: '-8' won't do. A whole number from 0 to 9.$"),
        (
            "morris@x2/3/3/6/3/3/2o x [8,8,0,1]",
            "In brackets stand only: ● in hand, ○ in hand and Quiet plies.",
        ),
        ("tictactoe@3/3/3 x [1]", "has nothing in brackets"),
        ("checkers@bbbb/bbbb/bbbb/4/4/wwww/wwww/wwww b [80]", "from 0 to 79"),
        ("go@5/5/5/5/5 x [9,2]", "Last was a pass: '2'"),
        ("go@5/5/5/5/5 x [9,0,z9]", "Empty cells, such as a5 b5, or none"),
        ("go@5/5/5/5/x4 x [9,0,a1]", "Only empty points"),
        ("go@5/5/5/5/5 x [0,0,a1]", "no more of them than moves"),
        ("checkers@W:W21,:B1", "A PDN position"),
        ("checkers@W:W21::B1", "squares from 1 to 32, kings with a K: W:W21,K22:B1,2"),
        ("checkers@W:W1:B2", "A man"),
        ("reversi@BO[8 ---O*--- *]", "The board has 8 rows, and 1 is given"),
        ("reversi@BO[2 -q O* *]", "The board has 8 rows, and 2"),
        (f"reversi@{GGF.replace('---*O---', '---*O--')}", "Row 5 has 8 cells, and 7"),
        (f"reversi@{GGF.replace('---*O---', '---*Z---')}", "'Z' in row 5"),
        ("tictactoe@", "The board has 3 rows, and 1 is given"),
        ("tictactoe@3/3", "3 rows, and 2"),
        ("tictactoe@xo1/1x1/3 z", "^'z' is no side: write x or o.$"),
        ("tictactoe@4/3/3", "Row 3 has 3 cells, and 4 are given"),
        ("tictactoe@z2/3/3", "'z' in row 3 stands for nothing: write x, o"),
        ("tictactoe@9999/3/3", "'9999' in row 3"),
        ("tictactoe@xx1/3/3", "as many X as O, or one more: here are 2 and 0"),
        ("tictactoe@xo1/3/3 o", "it is the turn of X"),
        ("tictactoe@xxx/oo1/3 o", "The game is over there: three in a row"),
        ("tictactoe@xxx/ooo/3", "X has won already"),
        ("connect4@xo5/7/7/7/7/7", "hangs above a free cell"),
        ("kalah@0,0,0,0,0,0/4,4,4,4,4,4 a", "needs seeds in its houses"),
        ("kalah@999,0,0,0,0,0/4,4,4,4,4,4 a", "No more than 120 seeds"),
        ("kalah@4,4/4,4 a", "Row b has 6 cells, and 2"),
        ("kalah@a,4,4,4,4,4/4,4,4,4,4,4 a", "'a' in row b"),
        ("ultimate@9/9/9/9/9/9/9/9/9 x [12]", "Board \\(0: any\\): '12'"),
        ("ultimate@xxx6/9/9/9/9/9/9/ooo6/9 x [1]", "The board to play in is finished"),
        ("reversi@8/8/8/8/8/8/8/8", "The game is over there"),
        ("numbers@1", "can't begin from a position"),
        ("chess@8", "no game called|There is no"),
    ],
)
def test_a_position_that_can_t_be_is_refused_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(UnknownGame, match=said):
        find_game(name)


@every_game
@given(st.text())
def test_any_text_is_a_position_or_none(name: str, text: str) -> None:
    game: Game[Any] = find_game(name)
    try:
        assert game.legal_moves(read(game, text)) is not None
    except InvalidPosition as error:
        assert 0 < len(str(error)) < 300
        assert str(error).isprintable()


def test_a_stranger_s_game_that_does_not_say_how_begins_nowhere_else() -> None:
    with pytest.raises(InvalidPosition, match="Mancala can't begin from a position"):
        read(MANCALA, "3 3 3/3 3 3 a")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("checkers", ["●", "◆", "○", "◇", "·"]),
        ("isolation", ["●", "○", "#", "."]),
        ("dots", ["A", "B", "-", "."]),
        ("kalah", []),
    ],
)
def test_what_a_position_is_set_up_with(name: str, kinds: list[str]) -> None:
    assert tray(find_game(name)) == kinds


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("morris@x2/3/3/6/3/3/2o x [8,7]", [("● in hand", 8), ("○ in hand", 7), ("Quiet plies", 0)]),
        ("checkers", [("Quiet plies", 0)]),
        ("kalah@4,4,4,4,4,4/4,4,4,4,4,4 a [3]", [("Store of A", 3), ("Store of B", 0)]),
        ("ultimate", [("Board (0: any)", 0)]),
        (
            "go@1xo2/x1xo1/1xo2/5/5 x [9,1,6 e1]",
            [("Moves made", 9), ("Last was a pass", True), ("Forbidden (ko)", "b4 e1")],
        ),
        ("tictactoe", []),
        ("numbers", []),
    ],
)
def test_what_else_is_asked_of_who_sets_one_up(name: str, asked: list[tuple[str, object]]) -> None:
    game = find_game(name)
    assert [(line.title, line.default) for line in fields(game, game.initial())] == asked
