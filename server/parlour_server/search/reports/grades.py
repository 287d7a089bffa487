"""How good a played move was: a pure function of the report on the position before it.

    perfect   as good as the best
    good      it keeps the result, but wins later, loses sooner, or is a little worse by estimate
    mistake   it turns a win into a draw, or is clearly worse by estimate
    blunder   it turns a win or a draw into a loss, or is much worse by estimate

Where both moves are proven the grade is exact. Else it is an estimate, by how many points are lost; in that
a proven win counts 50 points and a loss -50, where estimates end.
"""

from parlour_protocol.reports import Candidate, Grade, GradeName, Report, Score
from parlour_server.search.scores import ESTIMATE_LIMIT

MISTAKE = 8.0
"""So many points lost, by estimate, are a mistake."""
BLUNDER = 20.0

_RANK = {"loss": 0, "draw": 1, "win": 2}
_LOST: dict[tuple[str, str], tuple[GradeName, str]] = {
    ("win", "draw"): ("mistake", "gave a win away"),
    ("win", "loss"): ("blunder", "turned a win into a loss"),
    ("draw", "loss"): ("blunder", "threw away a draw"),
}


def grade(report: Report, move: str) -> Grade | None:
    """Grade a move that was played in the position that the report is on.

    None where the report does not tell of the move: its search was stopped too soon.
    """
    played = next((one.score for one in report.candidates if one.move == move), None)
    if played is None:
        return None
    best = next((one for one in report.candidates if one.move == report.best), report.candidates[0])
    if len(report.candidates) == 1 and report.finished:
        return Grade(move, "perfect", played.kind == "exact", "the only move")
    if best.score.result and played.result:
        return _by_result(best, move, played)
    return _by_estimate(best, move, played)


def _by_result(best: Candidate, move: str, played: Score) -> Grade:
    assert best.score.result is not None
    assert played.result is not None
    exact = best.score.kind == played.kind == "exact"
    if _RANK[played.result] < _RANK[best.score.result]:
        name, what = _LOST[best.score.result, played.result]
        lost = max(_points(best.score) - _points(played), 0)
        return Grade(move, name, True, f"{what}: {outlook(played)}", lost, best.move)
    if played.points >= best.score.points:
        return Grade(move, "perfect", exact, outlook(played))
    by_less = best.score.margin is not None
    less = {
        "win": "still wins, but by less" if by_less else "still wins, but slower",
        "loss": "loses by more than it must" if by_less else "loses sooner than it must",
        "draw": "still a draw",
    }
    instead = _distance(best.score).strip() or "as well as it could"
    return Grade(
        move, "good", exact, f"{less[played.result]}: {outlook(played)}, not {instead}", 0, best.move
    )


def _by_estimate(best: Candidate, move: str, played: Score) -> Grade:
    lost = round(max(_points(best.score) - _points(played), 0), 2)
    if lost == 0:
        return Grade(move, "perfect", False, outlook(played))
    name: GradeName = "blunder" if lost >= BLUNDER else "mistake" if lost >= MISTAKE else "good"
    reason = f"{outlook(played)} instead of {outlook(best.score)}"
    return Grade(move, name, False, reason, lost, best.move)


def _points(score: Score) -> int | float:
    """What a score counts beside estimates."""
    return max(-ESTIMATE_LIMIT, min(score.points, ESTIMATE_LIMIT))


def outlook(score: Score) -> str:
    """What a score says in words: `loses in 15`, `wins by 4`, `a draw`, `about +3.2`."""
    if score.result is None:
        words = {"exact": "", "estimate": "about ", "at_least": "at least ", "at_most": "at most "}
        sign = (words[score.bound] if score.bound else "") + words[score.kind]
        points = round(score.points, 1)
        return f"{sign}{points:+g}" if points else f"{sign}0"
    if score.result == "draw":
        return "a draw"
    return f"{'wins' if score.result == 'win' else 'loses'}{_distance(score)}"


def _distance(score: Score) -> str:
    if score.margin is not None:
        return f" by {abs(score.margin)}"
    if score.plies is None:
        return ""
    return f" in {score.plies}" if score.kind == "exact" else f" in at most {score.plies}"
