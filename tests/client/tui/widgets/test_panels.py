"""The panels beside the board: thoughts as bars, moves to step through, talk, and the review's curve."""

import pytest
from rich.cells import cell_len

from parlour_client.render import review as review_view
from parlour_client.tui.table_model import Space, TableModel
from parlour_client.tui.widgets import evaluation
from parlour_client.tui.widgets.chat import Chat, chat_line
from parlour_client.tui.widgets.review_curve import AXIS, review_lines, scale
from parlour_client.tui.widgets.thinking import bar_text, candidates, lines
from parlour_protocol.ids import Seat
from parlour_protocol.views.rooms import ChatLine, SeatView
from tests.client.tui.screens.positions import candidate, report, room
from tests.client.tui.screens.reviews import graded
from tests.client.tui.screens.stage import Stage

WIN = candidate("1", 94, "exact", result="win", plies=6)
LOSS = candidate("6", -88, "exact", result="loss", plies=12)
DRAW = candidate("7", 0, "exact", result="draw")
GUESS = candidate("4", 12.3)


# ---------------------------------------------------------------- thoughts


def test_a_bar_is_as_long_as_the_chance_to_win() -> None:
    lengths = [
        len(bar_text(one.score, 40))
        for one in (LOSS, candidate("e", -9), DRAW, candidate("f", 9), GUESS, WIN)
    ]
    assert lengths == [1, 16, 20, 24, 25, 40]


@pytest.mark.parametrize(
    ("game", "starter", "own"), [("connect4", 0, 6), ("checkers", 0, 4), ("checkers", 1, 6)]
)
def test_a_players_share_stands_where_their_men_do(game: str, starter: Seat, own: int) -> None:
    model = TableModel(room(game, game, starter=starter), hint=report(candidates=[GUESS]))
    bar = evaluation.draw(model, Space(1, 10)).plain.split()
    assert bar == [evaluation.REST] * (10 - own) + ["░"] * own


def test_what_is_proven_and_what_is_guessed_never_look_the_same() -> None:
    bound = candidate("2", 0, "at_most")
    guessed = candidate("2", -12.5, bound="at_most")
    for width in (1, 7, 20, 40):
        signs = [set(bar_text(one.score, width)) for one in (DRAW, GUESS, bound, guessed)]
        assert signs[1:] == [{"░"}, {"▒"}, {"·"}]
        assert not signs[0] & {"░", "▒", "·"}
    reported = [line.plain for line in candidates(report(), [GUESS, guessed, bound], 60)]
    assert [line.split(maxsplit=2)[2] for line in reported] == ["62% to win", "≤38% to win", "at best a draw"]


def test_a_report_is_reported_in_as_many_lines_as_there_are() -> None:
    for width in (20, 34, 60, 120):
        for height in range(4, 16):
            reported = lines(report(), "hard (bot) is thinking", width, height)
            assert len(reported) <= height
            assert all(line.cell_length <= width for line in reported)
    full = [line.plain for line in lines(report(), "hard (bot) is thinking", 60, 14)]
    assert full[:2] == ["hard (bot) is thinking", "depth 14   1.9 M positions   4.5 M/s   0.4 s"]
    assert full[3].startswith("▸4 ░░░") and full[3].endswith("62% to win")
    assert full[-1] == "line 4 4 3 5 5 6"
    ran = [line.plain for line in lines(report(compiled=True), "hard thought", 70, 14)]
    assert ran[1] == "depth 14   1.9 M positions   4.5 M/s   0.4 s   compiled"
    narrow = [line.plain for line in lines(report(compiled=False), "hard thought", 30, 14)]
    assert (narrow[1], narrow[-1]) == ("depth 14   1.9 M positions", "in plain Python")
    cut = [line.plain for line in lines(report(cut_after=5.0), "hard thought", 60, 14)]
    assert cut[-1] == "It was stopped at this server's limit of 5 s."
    few = [line.plain for line in lines(report(), "hard thought", 60, 7)]
    assert "and 4 more moves" in few


# ---------------------------------------------------------------- moves


# ---------------------------------------------------------------- talk


async def test_each_line_of_talk_is_reported_once_though_the_oldest_go() -> None:
    every = [ChatLine("players", "Ada", f"line {number}", number) for number in range(6)]
    talk = Chat()
    async with Stage(talk).run_test():
        for view in (every[:2], every[:4], every[2:5], every[2:5], every[3:]):
            talk.show(room("tictactoe", "Tic-tac-toe", "", chat=view))
        talk.add_news("Ben sits down.")
        assert talk.lines == [*[f"Ada: line {number}" for number in range(6)], "Ben sits down."]


def test_a_program_is_marked_as_a_bot_where_it_talks_and_has_its_colour() -> None:
    seats = [SeatView("human", "Ada"), SeatView("human", "Robin", program=True)]
    view = room("tictactoe", "Tic-tac-toe", "", seats=seats)
    lines = [chat_line(ChatLine("players", name, "hello", 0), view) for name in ("Ada", "Robin (bot)", "Eve")]
    assert [line.plain for line in lines] == ["Ada: hello", "Robin (bot): hello", "Eve: hello"]
    assert [str(line.spans[0].style) for line in lines] == ["$first-seat bold", "$second-seat bold", "bold"]


# ---------------------------------------------------------------- the review


@pytest.mark.parametrize("width", [30, 38, 60, 100])
@pytest.mark.parametrize("plies", [1, 9, 60, 200])
def test_points_are_found_where_the_curve_has_them(width: int, plies: int) -> None:
    points = [review_point for review_point in graded().points for _ in range(plies)][: plies + 1]
    every, step = scale(len(points), width)
    axis = review_view.chart(points, width)[-2].plain
    assert len(axis) - AXIS == step * -(-len(points) // every)
    assert len(axis) <= width


def test_both_players_grades_stand_below_a_curve_that_leaves_them_room() -> None:
    for width, height in ((37, 13), (41, 13), (80, 24)):
        for ply in (None, 1, 4, 5):
            reported = [line.plain for line in review_lines(graded(), ply, width, height)]
            assert len(reported) <= height
            assert all(cell_len(line) <= width for line in reported)
            assert reported[-2].startswith("Ada") and reported[-1].startswith("hard (bot)")
    # The curve keeps its height from move to move, and its outermost levels what is proven.
    assert [line.plain[:7] for line in review_lines(graded(), 4, 41, 13)[:5]] == [
        "  win ┤",
        "      ┤",
        " draw ┤",
        "      ┤",
        " loss ┤",
    ]
    assert [line.plain.split() for line in review_lines(graded(), 4, 41, 13)[-3:]] == [
        ["perfect", "good", "?!", "?", "??"],
        ["Ada", "2", "1", "0", "1", "0"],
        ["hard", "(bot)", "1", "0", "0", "0", "2"],
    ]
