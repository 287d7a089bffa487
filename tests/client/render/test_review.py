"""How a review is drawn."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour_client.cli.review import review_json
from parlour_client.render.review import chart, level, shown
from parlour_client.sdk.review import Review
from parlour_protocol.ids import Seat
from parlour_protocol.settings import RoomSettings
from parlour_protocol.views.records import GameRecord
from parlour_protocol.views.reports import Candidate, Grade, Report, ReviewedMove, Score
from parlour_protocol.views.rooms import ResultView, SeatView
from parlour_server.search.reports.review import grade_counts, review_notes
from tests.client.render.test_board import drawn

NAMES = ("Ada", "hard (bot)")
BEST = Candidate("2", Score(0, "exact", "draw", 9))
DONE, STOPPED = (Report("perfect", [BEST], "2", finished=finished) for finished in (True, False))
FINE = Grade("4", "perfect", True, "a draw")


def review(*grades: Grade | None, result: ResultView | None = None) -> Review:
    moves = [
        ReviewedMove(
            ply,
            0 if ply % 2 else 1,
            one.move if one else "7",
            before=BEST.score,
            after=BEST.score,
            grade=one,
            best=BEST.score,
            finished=one is not None,
        )
        for ply, one in enumerate(grades, start=1)
    ]
    reports = {one.ply: DONE if one.finished else STOPPED for one in moves}
    return Review(
        "connect4",
        NAMES,
        moves,
        result,
        "perfect",
        reports,
        grade_counts(moves),
        review_notes(moves, list(NAMES)),
    )


def text(reported: Review, width: int = 80, *, ascii_only: bool = False) -> str:
    return "\n".join(
        drawn(part, width).rstrip("\n") for part in shown(reported, width, ascii_only=ascii_only)
    )


@pytest.mark.parametrize(("starter", "winner"), [(0, 1), (1, 0)])
def test_a_records_result_is_a_sides(starter: Seat, winner: int) -> None:
    seats = [SeatView("human", "Ada"), SeatView("human", "Ben")]
    lost = ResultView("resignation", "Ada resigned.", 1)
    record = GameRecord("KMRTQA", "mnk", "", 1, seats, starter, RoomSettings(), 0, [], result=lost)
    ended = record.side_result()
    assert ended is not None
    assert (ended.winner, record.side_seats()[winner].name) == (winner, "Ben")


def test_a_review_as_json_has_each_moves_report() -> None:
    reported = json.loads(json.dumps(review_json(review(FINE, None))))
    assert [one["grade"] for one in reported["moves"]] == ["perfect", None]
    assert [one["report"]["finished"] for one in reported["moves"]] == [True, False]
    assert reported["moves"][0]["report"]["candidates"][0]["score"]["kind"] == "exact"


def test_proven_results_stand_outside_of_all_estimates() -> None:
    guesses = [level(Score(0, chance=chance)) for chance in (1, 35, 45, 50, 55, 65, 99)]
    assert guesses == [-2, -1, 0, 0, 0, 1, 2]
    proven = [Score(51, "exact", "win"), Score(0, "exact", "draw"), Score(-51, "exact", "loss")]
    assert [level(point) for point in proven] == [3, 0, -3]


def test_the_line_turns_where_the_score_does() -> None:
    points: list[Score | None] = [
        Score(0, "exact", "draw"),
        Score(95, "exact", "win"),
        Score(-95, "exact", "loss"),
        Score(3),
    ]
    rows = [line.plain for line in chart(points, 80)]
    assert rows == [
        "  win ┤   ╭──╮     ",
        "      ┤   │  │     ",
        "      ┤   │  │     ",
        " draw ┤───╯  │  ╭╌╌",
        "      ┤      │  │  ",
        "      ┤      │  │  ",
        " loss ┤      ╰──╯  ",
        "      └┬─────┬─────",
        "       0     2",
    ]


def test_an_unknown_point_leaves_a_gap() -> None:
    rows = [line.plain for line in chart([Score(0, "exact", "draw"), None, Score(0, "exact", "draw")], 80)]
    assert rows[3] == " draw ┤───   ───"


@settings(deadline=None)
@given(
    st.lists(
        st.none()
        | st.builds(Score, st.just(0), chance=st.integers(1, 99))
        | st.sampled_from(
            [Score(90, "exact", "win"), Score(0, "exact", "draw"), Score(-90, "exact", "loss")]
        ),
        min_size=1,
        max_size=300,
    ),
    st.integers(24, 120),
    st.booleans(),
)
def test_any_game_fits_any_width(points: list[Score | None], width: int, ascii_only: bool) -> None:
    lines = chart(points, width, ascii_only=ascii_only)
    assert all(len(line.plain) <= width for line in lines)
    if ascii_only:
        assert all(line.plain.isascii() for line in lines)
