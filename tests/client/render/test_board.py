"""Every board can be drawn in every width, and what it says never depends on colour."""

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from parlour_client.render import board as draw
from parlour_client.render import tables
from parlour_client.render.analysis import HintDrawing, score_bar
from parlour_client.render.board import BoardDrawing
from parlour_client.text.scores import FIRST, LOSS, PAST, SECOND, WIN, outlook, score_style
from parlour_protocol.views.boards import BoardView, Groups
from parlour_protocol.views.lists import ROOMS
from parlour_protocol.views.reports import Candidate, Score
from parlour_protocol.words import say
from parlour_server.games import find_game
from tests.client.rooms import board, bot_line, chess, game_line, line, report
from tests.client.tui.screens.positions import position

WON = Candidate("a3", Score(95, "exact", "win", 5))
DRAW = Candidate("b3", Score(0, "exact", "draw"))
LOST = Candidate("c3", Score(-98, "exact", "loss", 2))
GUESS = Candidate("a2", Score(31, chance=81))
FLOOR = Candidate("c2", Score(0, "at_least"))
CEILING = Candidate("a1", Score(0, "at_most"))


def drawn(
    shown: RenderableType,
    width: int = 80,
    *,
    height: int = 24,
    tty: bool = False,
    color: str | None = None,
) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        height=height,
        force_terminal=tty,
        color_system="truecolor" if color else None,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(shown)
    return out.getvalue()


def lines(shown: RenderableType, width: int = 80, *, height: int = 24, tty: bool = False) -> list[str]:
    return [row.rstrip() for row in drawn(shown, width, height=height, tty=tty).splitlines()]


def test_a_pipe_gets_the_plain_board() -> None:
    assert lines(BoardDrawing(board("X.O", ".X.", "..."))) == [
        " 3 X  .  O",
        " 2 .  X  .",
        " 1 .  .  .",
        "   a  b  c",
    ]


def test_texts_of_several_characters_stand_apart() -> None:
    assert lines(BoardDrawing(chess())) == [
        " 4 bR  bN  bK  .",
        " 3 .   bP  .   wP",
        " 2 wN  .   wP  .",
        " 1 wR  wK  .   .",
        "   a   b   c   d",
    ]


HEXAGONS = replace(board("..X", ".O.", "X..", last=[6]), layout="hex", goals=["ns", "we"])
POINTS = replace(
    board("X.O", ".X.", "..O"), layout="points", joins=[[0, 1, 2], [6, 7, 8], [0, 3, 6], [2, 5, 8], [0, 4, 8]]
)


@pytest.mark.parametrize(
    ("view", "picture"),
    [
        (
            position("kalah:3,10", "a1"),
            """\
  ╭─────┬─────┬─────┬─────┬─────╮
b │  B  │ 11  │ 11  │ 11  │  A  │
  │  0  ├─────┼─────┼─────┤  2  │
a │     │  1  │ 12  │ 12  │     │
  ╰─────┴─────┴─────┴─────┴─────╯
           1     2     3""",
        ),
        (
            position("dots:2,2", "b5 a4 d1 c4 b3 d3"),
            """\
5 +───+   +
4 │ A │
3 +───+━━━+
2
1 +   +───+
  a b c d e
Boxes:  A 1  B 0""",
        ),
        (
            HEXAGONS,
            """\
     a   b   c
     X   X   X
3  O   .   .   X   O
  2  O   .   O   .   O
    1  O   X   .   .   O
             X   X   X""",
        ),
        (
            POINTS,
            """\
3  X───·───O
   │ ╲     │
2  ·   X   ·
   │     ╲ │
1  ·───·───O
   a   b   c""",
        ),
    ],
)
def test_cells_that_are_no_squares_lie_as_they_do_on_a_table(view: BoardView, picture: str) -> None:
    assert "\n".join(lines(BoardDrawing(view), 60)) == picture
    # What knows few characters gets others of the same shape.
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=out, width=60).print(BoardDrawing(view))
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    assert [line.rstrip() for line in buffer.getvalue().decode().splitlines()] == [
        line.translate(draw.IN_ASCII) for line in picture.splitlines()
    ]


def test_a_score_leaves_a_piece_to_be_seen() -> None:
    scores = report(Candidate("c2c3", WON.score), Candidate("a2c3", LOST.score))
    shown = drawn(BoardDrawing(chess(), scores), 60)
    assert "wPW5*" in shown and "wNL2" in shown
    # Where there is no room for it, its place among the moves stands behind a number.
    sown = report(Candidate("a2", GUESS.score), Candidate("a1", LOST.score))
    shown = drawn(BoardDrawing(position("kalah"), sown), 38)
    assert "│4 2│4 1│" in shown and say("command.analyse.ranks") in shown


def small_boards(active: list[int]) -> BoardView:
    """A board like ultimate tic-tac-toe's: the first of nine small ones is won."""
    view = board("XXX......", "XXX......", "XXX..O...", *["." * 9] * 6)
    view.groups = Groups(3, 3, ["X..", "...", "..."], active)
    return view


def test_groups_stand_apart_and_the_one_to_play_in_is_marked() -> None:
    assert lines(BoardDrawing(small_boards([1])), tty=True) == [
        " 9 X  X  X  │ +  +  +  │ .  .  .",
        " 8 X  X  X  │ +  +  +  │ .  .  .",
        " 7 X  X  X  │ +  +  O  │ .  .  .",
        "   ─────────┼──────────┼─────────",
        " 6 .  .  .  │ .  .  .  │ .  .  .",
        " 5 .  .  .  │ .  .  .  │ .  .  .",
        " 4 .  .  .  │ .  .  .  │ .  .  .",
        "   ─────────┼──────────┼─────────",
        " 3 .  .  .  │ .  .  .  │ .  .  .",
        " 2 .  .  .  │ .  .  .  │ .  .  .",
        " 1 .  .  .  │ .  .  .  │ .  .  .",
        "   a  b  c    d  e  f    g  h  i",
    ]


@settings(max_examples=20)
@given(
    st.integers(-2, 12), st.integers(-2, 12), st.lists(st.integers(-3, 100), max_size=3), st.integers(1, 120)
)
def test_groups_of_any_size_fit_any_width(width: int, height: int, active: list[int], room: int) -> None:
    view = small_boards(active)
    view.groups = Groups(width, height, ["X.", ""], active)
    for shown in (
        BoardDrawing(view),
        HintDrawing(view, report(*[Candidate(move, Score(5, "exact", "win")) for move in view.legal])),
    ):
        assert all(len(row) <= room for row in drawn(shown, room, tty=True).splitlines())


@pytest.mark.parametrize("width", [80, 41, 24])
def test_nineteen_columns_fit(width: int) -> None:
    rows = lines(BoardDrawing(board(*["." * 9 + "X" + "." * 9] * 19)), width, tty=True)
    assert len(rows) == 20
    assert all(len(row) <= width for row in rows)
    assert rows[0].split()[0] == "19"
    assert rows[0].replace(" ", "") == "19" + "." * 9 + "X" + "." * 9


@settings(max_examples=20)
@given(st.integers(1, 19), st.integers(1, 19), st.integers(1, 120), st.booleans())
def test_any_board_in_any_width(height: int, width: int, room: int, tty: bool) -> None:
    view = board(*["X" + "." * (width - 1)] * height)
    candidates = [Candidate(move, Score(5)) for move in view.legal]
    for shown in (BoardDrawing(view), HintDrawing(view, report(*candidates))):
        assert all(len(row) <= room for row in drawn(shown, room, tty=tty).splitlines())


def test_sides_last_move_and_winning_line_are_reported_by_more_than_colour() -> None:
    view = board("X.O", ".X.", "O.X", to_move=None, last=[8])
    view.line = [0, 4, 8]
    styled = drawn(BoardDrawing(view), tty=True, color="truecolor")
    assert "1;4;7" in styled  # the last move: bold, underlined, reversed
    assert styled.count(";7;") + styled.count("[7;") >= 9  # with the padding, so that the line joins
    assert {row.count("X") for row in lines(BoardDrawing(view))} == {0, 1}


def test_without_colour_no_colour_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    Console(file=out, force_terminal=True, width=80, legacy_windows=False).print(BoardDrawing(board("X.O")))
    assert "38;" not in out.getvalue()


def test_scores_stand_on_their_cells() -> None:
    view = board("...", ".X.", ".O.")
    rows = lines(HintDrawing(view, report(WON, GUESS, FLOOR, DRAW, CEILING, LOST)))
    assert rows[0].split()[:4] == ["3", "W5*", "D", "L2"]
    assert rows[1].split()[:4] == ["2", "~81", "X", ">D"]
    assert rows[2].split()[:3] == ["1", "<D", "O"]
    beside = "\n".join(rows)
    for words in ("wins in 5", "81% to win", "at least a draw", "a draw", "at best a draw", "loses in 2"):
        assert words in beside


def test_proven_and_guessed_never_look_the_same() -> None:
    proven, guessed = Score(0, "exact", "draw"), Score(0, chance=50)
    assert outlook(proven) != outlook(guessed)
    assert score_style(proven) != score_style(guessed)
    bars = [score_bar(one).plain for one in (proven, guessed)]
    assert bars[0] != bars[1]
    assert len(bars[0]) == len(bars[1])


def test_a_bound_never_looks_exact() -> None:
    exact, bound = (Candidate("a1", Score(97, kind, "win", 3)) for kind in ("exact", "at_least"))
    for one, cell in ((exact, "│ W3* │"), (bound, "│·>W3*·│")):
        assert cell in lines(BoardDrawing(board("..", ".."), report(one)), tty=True)[3]
    bars = [score_bar(one.score, ascii_only=True).plain[0] for one in (exact, bound)]
    assert bars == ["#", "="]


@pytest.mark.parametrize("width", [24, 40, 60])
def test_numbers_of_the_best_moves_say_what_they_are(width: int) -> None:
    view = board(*["." * 19] * 19)
    guesses = [Candidate(move, Score(-11.49, chance=38.5)) for move in view.legal]
    shown = lines(HintDrawing(view, report(*guesses)), width)
    assert "1 is the best move" in shown[20]
    assert not any("1 is the best move" in row for row in lines(HintDrawing(view, report(*guesses)), 300))


@pytest.mark.parametrize("game", ["gomoku", "ultimate", "mnk:7,7,4", "mnk:12,12,5", "connect4", "reversi"])
@pytest.mark.parametrize("below", [3, 7])
def test_a_hint_keeps_to_a_low_terminal(game: str, below: int) -> None:
    rules = find_game(game)
    view = rules.view(rules.initial())
    thoughts = report(*[Candidate(move, Score(-11.49, chance=38.5)) for move in view.legal])
    shown = lines(HintDrawing(view, thoughts, below=below), tty=True)
    assert len(shown) + below <= 24
    assert all(len(row) <= 80 for row in shown)
    assert sum("38% to win" in row for row in shown) >= min(len(view.legal), 4)
    tall = "\n".join(lines(HintDrawing(view, thoughts, below=below), tty=True, height=60))
    assert "~38*" in tall


@pytest.mark.parametrize("colour", [FIRST, SECOND, PAST, WIN, LOSS])
def test_colours_are_read_on_black_and_on_white(colour: str) -> None:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    assert (luminance + 0.05) / 0.05 >= 4.5
    assert 1.05 / (luminance + 0.05) >= 4.5


def test_markup_in_names_is_not_read() -> None:
    assert "[red]Ada[/red]" in drawn(tables.table(ROOMS, [line("[red]Ada[/red]")]), 120)
    assert ":smile:" in drawn(draw.plain(":smile:"))


def test_tables_fit_eighty_columns() -> None:
    words = "quite a long summary of it " * 6
    for shown in (
        tables.table(ROOMS, [line("x" * 24)]),
        tables.table(tables.GAMES, [game_line("tictactoe"), game_line(words)]),
        tables.table(tables.BOTS, [bot_line("minimax"), bot_line(words)]),
    ):
        assert all(len(row) <= 80 for row in drawn(shown).splitlines())


def test_what_is_said_of_a_piece_stands_in_brackets_where_they_have_room() -> None:
    view = position("breakthrough:5")
    assert lines(BoardDrawing(view, marked=[1, 12]))[:3] == [
        " 5 ○ [○] ○  ○  ○",
        " 4 ○  ○  ○  ○  ○",
        " 3 ·  ·  +  ·  ·",
    ]
    assert "│[○]│" in lines(BoardDrawing(view, marked=[1]), tty=True)[1]
