"""What a review makes of the reports on a game's positions: a later proof counts for the moves before it."""

from dataclasses import replace

from parlour_protocol.views.reports import Candidate, Grade, GradeCounts, Report, ReviewedMove, Score
from parlour_server.games import find_game
from parlour_server.search.reports.review import Step, grade_counts, look_back, review_move, review_notes

GAME = find_game("tictactoe")
MISTAKE = Grade("b1", "mistake", False, "was 62% to win, now 47% to win", 15, "a2")


def report(*candidates: Candidate, finished: bool = True) -> Report:
    return Report("perfect", list(candidates), candidates[0].move, nodes=99, finished=finished)


def guessed(move: str, points: float = -3) -> Candidate:
    return Candidate(move, guess(points))


def guess(points: float) -> Score:
    return Score(points, chance=50 + points)


def reviewed(moves: str, *reports: Report) -> list[ReviewedMove]:
    """A game's review; the last report is on the position after its moves, unless the game is over there."""
    position = GAME.initial()
    found: list[ReviewedMove] = []
    for ply, text in enumerate(moves.split(), start=1):
        move = GAME.parse(position, text)
        found.append(review_move(GAME, Step(position, move), reports[ply - 1], ply))
        position = GAME.play(position, move)
    last = reports[len(found)] if len(reports) > len(found) else None
    return look_back(GAME, found, reports[: len(found)], position, last)


def review(*, after: Report, second: Report | None = None) -> list[ReviewedMove]:
    """A game of three moves; the second is a mistake by estimate, and leads to what is reported `after`."""
    first = report(guessed("a1"), guessed("b2", -5))
    usual = report(guessed("a2", 12), guessed("b1"))
    return reviewed("a1 b1 c1", first, second or usual, after, report(guessed("a2")))


def test_a_move_that_proves_to_win_is_no_mistake() -> None:
    for kind in ("exact", "at_most"):
        lost = Score(-96, kind, "loss", 4)
        reported = review(after=report(Candidate("c1", lost)))
        assert reported[1].grade == Grade("b1", "good", True, "wins, as what came after proves")
        # The curve is the first side's: it is lost after that move, and was before it.
        assert [reported[1].before, reported[1].after, reported[2].before] == [lost] * 3
        assert reported[0].after == lost


def test_the_best_move_stays_perfect() -> None:
    reported = review(
        after=report(Candidate("c1", Score(-96, "exact", "loss", 4))),
        second=report(guessed("b1", 12), guessed("a2")),
    )
    grade = reported[1].grade
    assert grade is not None
    assert (grade.grade, grade.exact) == ("perfect", True)


def test_a_move_that_proves_to_lose_keeps_its_grade() -> None:
    won = Score(95, "exact", "win", 5)
    reported = review(after=report(Candidate("c1", won)))
    assert reported[1].grade == MISTAKE
    assert reported[1].after == won
    assert reported[1].before == guess(-12)  # another move may have been better
    assert reported[1].best == guess(12)


def test_what_a_stopped_search_did_not_come_to_proves_nothing() -> None:
    reported = review(after=report(Candidate("c1", Score(-96, "exact", "loss", 4)), finished=False))
    assert reported[1].grade == MISTAKE
    assert reported[1].after == guess(3)
    assert not reported[2].finished


def test_the_end_of_a_game_is_a_proof() -> None:
    guesses = [report(guessed(move), guessed("c3", -4)) for move in ("a1", "b1", "a2", "b2")]
    reported = reviewed("a1 b1 a2 b2 a3", *guesses, report(guessed("c3", 30), guessed("a3")))
    assert reported[4].grade == Grade("a3", "good", True, "wins, as what came after proves")
    assert reported[4].before == reported[4].after == Score(100, "exact", "win")
    assert reported[3].before == guess(3)


def test_a_move_that_the_search_did_not_come_to_has_no_grade() -> None:
    reported = reviewed("a1", report(guessed("b2"), finished=False), report(guessed("c3", 4)))
    nothing = ReviewedMove(
        1, 0, "a1", replace(guess(-3), bound="at_least"), guess(-4), best=guess(-3), finished=False
    )
    assert reported == [nothing]


def solved(move: str, points: int, plies: int) -> Candidate:
    return Candidate(move, Score(points, "exact", "win" if points > 0 else "loss", plies))


def test_a_move_that_only_a_bound_was_known_of_is_graded_by_its_own_search() -> None:
    # Connect Four's book has the best move; of the others it says only that they are no better.
    unsure = report(solved("a1", 93, 7), Candidate("b1", Score(93, "at_most")))
    known = reviewed("b1", unsure, report(solved("a2", -88, 12)))
    assert known[0].grade == Grade(
        "b1", "good", True, "still wins, but slower: wins in 13, not in 7", 0, "a1"
    )
    lost = reviewed("b1", unsure, report(solved("a2", 92, 8)))
    assert lost[0].grade == Grade("b1", "blunder", True, "threw away a win (loses in 9)", 100, "a1")
    half = reviewed("b1", unsure, report(Candidate("a2", Score(0, "at_least"))))
    assert half[0].grade == Grade("b1", "mistake", True, "threw away a win (at best a draw)", 50, "a1")
    still = reviewed("b1", unsure, report(guessed("a2")))
    assert still[0].grade is None


def test_a_later_proof_is_not_set_beside_an_estimate() -> None:
    found = reviewed("b1", report(guessed("a2", 12), guessed("b1")), report(solved("c3", 95, 5)))
    assert found[0].grade == MISTAKE


LOST = Grade("5", "blunder", True, "threw away a draw", 50, "2")
FINE = Grade("4", "perfect", True, "a draw")
GUESSED = Grade("4", "mistake", False, "was 62% to win, now 42% to win", 20, "3")


def graded(*grades: Grade | None, finished: bool = True, compiled: bool | None = None) -> list[ReviewedMove]:
    return [
        ReviewedMove(ply, 0 if ply % 2 else 1, "7", grade=one, finished=finished, compiled=compiled)
        for ply, one in enumerate(grades, start=1)
    ]


def noted(moves: list[ReviewedMove]) -> list[str]:
    return [one.text for one in review_notes(moves, ["Ada", "Ben"])]


def test_both_sides_grades_are_counted() -> None:
    first, second = grade_counts(graded(FINE, LOST, FINE, GUESSED, None))
    assert first == GradeCounts(perfect=2, good=0, mistake=0, blunder=0)
    assert second == GradeCounts(perfect=0, good=0, mistake=1, blunder=1)


def test_nobody_is_called_faultless_whose_moves_were_not_all_judged() -> None:
    assert noted(graded(FINE, FINE)) == ["No mistakes."]
    assert noted(graded(FINE, LOST)) == []
    assert noted(graded(FINE, None, FINE, FINE))[0] == "Ada made no mistakes."
    for nobody in (graded(None, None), graded(None)):
        assert not any("mistakes" in said for said in noted(nobody))


def test_a_review_says_how_far_it_can_be_trusted() -> None:
    assert noted(graded(GUESSED, LOST)) == [
        "~ 1 of 2 grades is an estimate, by the chance to win; a draw counts half."
    ]
    passed = "1 of 2 moves not judged: the search did not settle how good it is."
    assert noted(graded(LOST, None)) == [passed]
    cut = "1 search cut short by the time limit, so another review may differ."
    stopped = "1 of 2 moves not judged: the search was stopped too soon."
    assert noted([*graded(LOST), *graded(None, finished=False)]) == [stopped, cut]
    slow = noted(graded(LOST, finished=False, compiled=False))
    assert slow == [cut, "Some searches ran in plain Python, not compiled, and saw less."]
