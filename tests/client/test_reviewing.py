"""What a review makes of its analyses: a later search's proofs count for the moves before it."""

from parlour_client.review_view import shown
from parlour_client.reviewing import Point, Review, look_back
from parlour_protocol.to_client import Analysis
from parlour_protocol.views import Candidate, Grade, Report
from tests.client.rooms import board
from tests.client.test_draw import drawn

MOVES = ["a1", "b1", "c1"]
GUESS = Candidate("a2", 12, "estimate", "unknown")
MISTAKE = Grade("b1", "mistake", False, "about -3 instead of about +12", 15, "a2")


def guessed(move: str, score: float = -3) -> Candidate:
    return Candidate(move, score, "estimate", "unknown")


def answer(*candidates: Candidate, grade: Grade | None = None, finished: bool = True) -> Analysis:
    told = Report("perfect", list(candidates), candidates[0].move, nodes=99, finished=finished)
    return Analysis("id", "row", board("...", "..."), told, grade=grade)


def review(*, after: Analysis, grade: Grade = MISTAKE) -> Review:
    """A game of three moves, the second of which has that grade and leads to what was analysed `after`."""
    first = answer(guessed("a1"), grade=Grade("a1", "perfect", False, "about -3"))
    second = answer(GUESS, guessed("b1"), grade=grade)
    last = answer(guessed("a2"))
    last.moves = MOVES
    return look_back([first, second, after], last, ("Ada", "Ben"), "perfect")


def text(told: Review) -> str:
    return "\n".join(drawn(part) for part in shown(told, 80))


def test_a_move_that_proves_to_win_is_no_mistake() -> None:
    for kind in ("exact", "at_most"):
        told = review(after=answer(Candidate("c1", -96, kind, "loss", 4)))
        grade = told.moves[1].grade
        assert grade is not None
        assert (grade.grade, grade.exact, grade.loss, grade.better) == ("good", True, 0, None)
        assert told.counts(1) == {"perfect": 0, "good": 1, "mistake": 0, "blunder": 0}
        # The curve is the first side's: it is lost after that move, and was before it.
        assert told.points[1:3] == [Point(-96, "loss")] * 2
        assert "1 of 3 grades are estimates" in text(told)
        assert "b1?" not in text(told)


def test_the_best_move_stays_perfect() -> None:
    told = review(
        after=answer(Candidate("c1", -96, "exact", "loss", 4)),
        grade=Grade("b1", "perfect", False, "about +12"),
    )
    grade = told.moves[1].grade
    assert grade is not None
    assert (grade.grade, grade.exact) == ("perfect", True)


def test_a_move_that_proves_to_lose_keeps_its_grade() -> None:
    told = review(after=answer(Candidate("c1", 95, "exact", "win", 5)))
    assert told.moves[1].grade == MISTAKE
    assert told.points[2] == Point(95, "win")
    assert told.points[1] == Point(-12, "unknown")  # another move may have been better


def test_what_a_stopped_search_did_not_come_to_proves_nothing() -> None:
    told = review(after=answer(Candidate("c1", -96, "exact", "loss", 4), finished=False))
    assert told.moves[1].grade == MISTAKE
    assert told.points[2] == Point(-96, "unknown")


def test_the_end_of_a_game_is_a_proof() -> None:
    first = answer(guessed("a1"), grade=Grade("a1", "blunder", False, "about -3"))
    last = Analysis("id", "row", board("X.", "..", to_move=None), Report("perfect", []), "first", ["a1"])
    told = look_back([first], last, ("Ada", "Ben"), "perfect")
    assert told.moves[0].grade == Grade("a1", "good", True, "wins, as what came after proves")
    assert told.points == [Point(100, "win")] * 2
