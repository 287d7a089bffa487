"""A review to look at: of a game of seven moves with an estimate, a mistake and a blunder."""

from parlour_client.reviewing import Played, Point, Review
from parlour_protocol.ids import Side
from parlour_protocol.views import Grade, GradeName, Report
from tests.client.tui.table.positions import WON, candidate, report

_POINTS = [
    Point(5, "unknown"),
    Point(8, "unknown"),
    Point(0, "draw"),
    Point(0, "draw"),
    Point(94, "win"),
    Point(0, "draw"),
    Point(99, "win"),
    Point(100, "win"),
]
_GRADES: list[tuple[GradeName, bool, str, str | None]] = [
    ("perfect", False, "about +5", None),
    ("perfect", False, "about -8", None),
    ("good", True, "still a draw", None),
    ("blunder", True, "threw away a draw: loses in 6", "2"),
    ("mistake", True, "threw away a win", "2"),
    ("blunder", True, "threw away a draw: loses in 1", "1"),
    ("perfect", True, "wins in 1", None),
]


def graded() -> Review:
    """It, of the game `WON`."""
    moves = []
    for ply, (move, (name, exact, reason, better)) in enumerate(
        zip(WON.split(), _GRADES, strict=True), start=1
    ):
        side: Side = 1 if ply % 2 == 0 else 0
        grade = Grade(move, name, exact, reason, 0, better)
        moves.append(Played(ply, side, move, grade, _report(better)))
    return Review("connect4", ("Ada", "hard (bot)"), moves, _POINTS, "first", "perfect")


def _report(better: str | None) -> Report:
    best = candidate(better or "4", 0, "exact", result="draw")
    return report(candidates=[best], best=best.move)
