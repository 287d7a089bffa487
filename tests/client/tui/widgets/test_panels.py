"""The panels beside the board: thoughts as bars, moves to step through, talk, and the review's curve."""

import pytest
from rich.cells import cell_len

from parlour_client.render import review as review_view
from parlour_client.tui.widgets.chat import Chat, chat_line
from parlour_client.tui.widgets.move_list import rows
from parlour_client.tui.widgets.review_curve import AXIS, curve, fault, review_lines, scale
from parlour_client.tui.widgets.thinking import bar_text, candidates, lines, short
from parlour_protocol.views.reports import Compiling, UnfinishedRound
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


def test_what_is_proven_and_what_is_guessed_never_look_the_same() -> None:
    bound = candidate("2", 0, "at_most")
    guessed = candidate("2", -12.5, bound="at_most")
    for width in (1, 7, 20, 40):
        signs = [set(bar_text(one.score, width)) for one in (DRAW, GUESS, bound, guessed)]
        assert signs[1:] == [{"░"}, {"▒"}, {"·"}]
        assert not signs[0] & {"░", "▒", "·"}
    reported = [line.plain for line in candidates(report(), [GUESS, guessed, bound], 60)]
    assert [line.split(maxsplit=2)[2] for line in reported] == ["62% to win", "≤38% to win", "at best a draw"]


def test_the_chosen_move_is_shown_where_others_have_more() -> None:
    candidates = [candidate(str(number), 20 - number) for number in range(1, 8)]
    seen = UnfinishedRound(15, [candidate("7", 3), candidate("1", -4)], chosen=True)
    reported = [
        line.plain for line in lines(report(candidates=candidates, best="7", unfinished=seen), "hard", 70, 9)
    ]
    assert reported[3].startswith(" 1")
    assert reported[5].startswith("▸7")
    assert reported[6] == "and 4 more moves"
    assert reported[-1] == "7 was chosen at depth 15, unfinished: 7 53% to win, 1 46% to win"


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


def test_numbers_are_said_as_people_say_them() -> None:
    assert [short(number) for number in (549, 99_999, 549_946, 1_900_000, 12_300_000, 2e9)] == [
        "549",
        "99,999",
        "550 k",
        "1.9 M",
        "12 M",
        "2.0 G",
    ]


# ---------------------------------------------------------------- moves


def test_moves_stand_in_pairs_and_the_one_looked_at_is_marked() -> None:
    reported = [line.plain.rstrip() for line in rows(["b2", "a1", "c3"], 2)]
    assert reported == ["1  b2   a1 ◂", "2  c3"]
    assert [line.plain.rstrip() for line in rows(["10", "4"], 1)] == ["1  10 ◂ 4"]
    assert rows([], 0) == []


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


def test_the_position_that_is_looked_at_is_marked_on_the_axis() -> None:
    for ply in range(8):
        reported = [line.plain for line in curve(graded(), ply, 40)]
        assert reported[-2].index("▲") == AXIS + 3 * ply
        assert reported[0].lstrip().startswith("win ┤")
    assert "▲" not in "".join(line.plain for line in curve(graded(), None, 40))


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


def test_a_small_screen_tells_the_grades_too() -> None:
    """As many lines as 60x20 leaves a review."""
    at_the_end = [line.plain for line in review_lines(graded(), None, 58, 8)]
    assert at_the_end[-3].startswith("3 to look at")
    assert at_the_end[-2:] == [
        "Ada  perfect 2  good 1  ?! 0  ? 1  ?? 0",
        "hard (bot)  perfect 1  good 0  ?! 0  ? 0  ?? 2",
    ]
    looked_at = [line.plain for line in review_lines(graded(), 4, 58, 8)]
    assert looked_at[-2].startswith("2. … 3??  blunder") or looked_at[-3].startswith("2. … 3??  blunder")


def test_a_mistake_is_reported_with_what_was_better() -> None:
    reported = [line.plain for line in fault(graded().moves[3])]
    assert reported == ["2. … 3??  blunder: threw away a draw (loses in 6)", "better: 2 (a draw, exact)"]
    guessed = [line.plain for line in fault(graded().moves[0])]
    assert guessed == ["1. 4  perfect: ~ 65%"]


def test_a_search_that_waits_for_its_code_shows_how_far_that_is() -> None:
    waiting = report(candidates=[], compiling=Compiling("connect4", 4, 13))
    assert [line.plain for line in lines(waiting, "hard (bot) is thinking", 36, 9)] == [
        "hard (bot) is thinking",
        "Compiling connect4 (once; about 10 s",
        "████████░░░░░░░░░░░░░░░░░░░░ 4 of 13",
    ]


def test_a_search_that_waits_for_its_turn_shows_how_many_are_before_it() -> None:
    for queued, said in ((3, "3 before it"), (0, "it is next")):
        waiting = report(candidates=[], queued=queued, nodes=0, finished=False)
        assert [line.plain for line in lines(waiting, "hard (bot) is thinking", 48, 9)][:2] == [
            "hard (bot) is thinking",
            f"Waiting for a turn to search: {said}",
        ]
    begun = report(candidates=[], nodes=0, finished=False, line=[])
    assert "without looking" not in lines(begun, "hard (bot) is thinking", 48, 9)[1].plain
