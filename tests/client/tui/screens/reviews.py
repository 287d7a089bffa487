"""A review to look at: of a game of seven moves with an estimate, a mistake and a blunder."""

from parlour_client.sdk.review import Review
from parlour_protocol.ids import Side
from parlour_protocol.views.reports import Grade, GradeName, Report, ReviewedMove, Score
from parlour_protocol.views.rooms import ResultView
from parlour_server.search.reports.review import grade_counts, review_notes
from tests.client.tui.screens.positions import WON, candidate, report

NAMES = ("Ada", "hard (bot)")
_POINTS = [
    Score(5, chance=65),
    Score(8, chance=71),
    Score(0, "exact", "draw"),
    Score(0, "exact", "draw"),
    Score(94, "exact", "win"),
    Score(0, "exact", "draw"),
    Score(99, "exact", "win"),
    Score(100, "exact", "win"),
]
_GRADES: list[tuple[GradeName, bool, str, str | None]] = [
    ("perfect", False, "65%", None),
    ("perfect", False, "29%", None),
    ("good", True, "still a draw", None),
    ("blunder", True, "threw away a draw (loses in 6)", "2"),
    ("mistake", True, "threw away a win", "2"),
    ("blunder", True, "threw away a draw (loses in 1)", "1"),
    ("perfect", True, "wins in 1", None),
]


def graded() -> Review:
    """It, of the game `WON`."""
    moves: list[ReviewedMove] = []
    reports: dict[int, Report] = {}
    for ply, (move, (name, exact, reason, better)) in enumerate(
        zip(WON.split(), _GRADES, strict=True), start=1
    ):
        side: Side = 1 if ply % 2 == 0 else 0
        grade = Grade(move, name, exact, reason, 0, better)
        best = candidate(better or "4", 0, "exact", result="draw")
        reports[ply] = report(candidates=[best], best=best.move)
        moves.append(ReviewedMove(ply, side, move, _POINTS[ply - 1], _POINTS[ply], grade, best.score))
    return Review(
        "connect4",
        NAMES,
        moves,
        ResultView("line", "four in a row", 0),
        "perfect",
        reports,
        grade_counts(moves),
        review_notes(moves, list(NAMES)),
    )
