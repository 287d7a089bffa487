"""How good a played move was: a pure function of the report on the position before it.

    perfect     as good as the best
    good        it keeps the result, but wins later, loses sooner, or is a little worse by estimate
    inaccuracy  it loses much sooner, or by much more, than it had to
    mistake     it turns a win into a draw, gives a proven win up for a chance, or is clearly worse
    blunder     it turns a win or a draw into a loss, or is much worse by estimate

A grade compares like with like. Where both moves are proven it is exact. Two estimates are of the same depth,
and compared by their chances. Where one is proven and the other is not, that is what the grade says; and
where a bound leaves open which move is better, there is none.
"""

from parlour_protocol.views.reports import Candidate, Grade, GradeName, Report, Result, Score
from parlour_protocol.words import Sentence

MISTAKE = 15
"""A mistake lessens the chance to win by at least this, in percent."""
BLUNDER = 30
STILL_SURE = 90
"""In percent: a proven win that became a chance as good as that is not thrown away."""
MUCH_SOONER = 6
"""Plies: a loss that comes so much sooner than it must is pointed out."""
MUCH_MORE = 10
"""And so is one by so much more than it must be, where margins count."""

_CHANCES: dict[Result, int] = {"loss": 0, "draw": 50, "win": 100}
_LOST: dict[tuple[Result, Result], tuple[GradeName, str]] = {
    ("win", "draw"): ("mistake", "grade.because.threw_win_away"),
    ("win", "loss"): ("blunder", "grade.because.threw_win_away"),
    ("draw", "loss"): ("blunder", "grade.because.threw_draw_away"),
}


def grade(report: Report, move: str) -> Grade | None:
    """Grade a move that was played in the position that the report is on.

    None where the report does not say how good the move is: its search was stopped too soon, or knows a bound
    alone.
    """
    played = next((one.score for one in report.candidates if one.move == move), None)
    if played is None:
        return None
    if len(report.candidates) == 1 and report.finished:
        return Grade(move, "perfect", played.kind == "exact", Sentence("grade.because.only_move"))
    if move == report.best:
        return Grade(move, "perfect", played.kind == "exact", played.outlook)
    return compare(report.candidates[0], Candidate(move, played))


def compare(best: Candidate, played: Candidate) -> Grade | None:
    """Grade a move beside the best one; None where what is known of the two can't be compared."""
    sure, most = _at_least(best.score), _at_most(played.score)
    if sure is not None and most is not None and _CHANCES[most] < _CHANCES[sure]:
        name, id_ = _LOST[sure, most]
        lost = _CHANCES[sure] - _CHANCES[most]
        reason = Sentence(id_, outlook=played.score.outlook)
        return Grade(played.move, name, True, reason, lost, best.move)
    if best.score.result is not None and best.score.result == played.score.result:
        return _same_result(best, played)
    if "estimate" in (best.score.kind, played.score.kind):
        return _by_chance(best, played)
    return None


def _at_least(score: Score) -> Result | None:
    """The result that is proven to be had at the least."""
    return "draw" if score.kind == "at_least" and score.points == 0 else score.result


def _at_most(score: Score) -> Result | None:
    """The result that is proven to be the most that can be had."""
    return "draw" if score.kind == "at_most" and score.points == 0 else score.result


def _same_result(best: Candidate, played: Candidate) -> Grade:
    score, exact = played.score, best.score.kind == played.score.kind == "exact"
    if score.points >= best.score.points:
        return Grade(played.move, "perfect", exact, score.outlook)
    if score.result == "loss":
        id_ = "grade.because.lost_anyway"
    else:
        id_ = "grade.because.wins_by_less" if best.score.margin is not None else "grade.because.wins_slower"
    reason = Sentence(id_, outlook=score.outlook, must=_distance(best.score))
    name: GradeName = "inaccuracy" if score.result == "loss" and _is_much(best.score, score) else "good"
    return Grade(played.move, name, exact, reason, 0, best.move)


def _is_much(best: Score, played: Score) -> bool:
    """Does one loss come much sooner than the other, or is it lost by much more?"""
    if best.margin is not None and played.margin is not None:
        return best.margin - played.margin >= MUCH_MORE
    if best.plies is not None and played.plies is not None:
        return best.plies - played.plies >= MUCH_SOONER
    return False


def _by_chance(best: Candidate, played: Candidate) -> Grade | None:
    had, has = _chance(best.score), _chance(played.score)
    if had is None or has is None:
        return None
    lost = round(max(had - has, 0), 1)
    given_up = _at_least(best.score)
    if lost == 0:
        return Grade(played.move, "perfect", False, played.score.outlook)
    if given_up == "win":
        name: GradeName = "good" if has >= STILL_SURE else "mistake"
    else:
        name = "blunder" if lost >= BLUNDER else "mistake" if lost >= MISTAKE else "good"
    if given_up in ("win", "draw"):
        id_ = f"grade.because.no_proven_{given_up}"
    else:
        id_ = f"grade.because.{'change' if played.score.result is None else 'instead'}"
    reason = Sentence(id_, outlook=played.score.outlook, best=best.score.outlook)
    return Grade(played.move, name, False, reason, lost, best.move)


def _chance(score: Score) -> float | None:
    """In percent, a proven result counting as what it is; None where none is known."""
    known = score.result or _at_least(score)
    return score.chance if known is None else _CHANCES[known]


def _distance(score: Score) -> Sentence:
    """By how much, or when, a result comes that can't be helped."""
    if score.margin is not None:
        return Sentence("grade.by", margin=abs(score.margin))
    if score.plies is None:
        return Sentence("grade.as_can_be")
    return Sentence("grade.in" if score.kind == "exact" else "grade.in_at_most", plies=score.plies)
