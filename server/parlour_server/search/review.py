"""How good a played move was: a pure function of the report on the position before it.

    perfect   as good as the best
    good      it keeps the result, but wins later, loses sooner, or is a little worse by estimate
    mistake   it turns a win into a draw, or is clearly worse by estimate
    blunder   it turns a win or a draw into a loss, or is much worse by estimate

Where both moves are proven the grade is exact. Else it is an estimate, by how many points are lost; in that
a proven win counts 50 points and a loss -50, where estimates end.
"""

from parlour_protocol.views import Candidate, Grade, GradeName, Report
from parlour_server.search.search import ESTIMATE_LIMIT

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
    played = next((one for one in report.candidates if one.move == move), None)
    if played is None:
        return None
    best = next((one for one in report.candidates if one.move == report.best), report.candidates[0])
    if len(report.candidates) == 1 and report.finished:
        return Grade(move, "perfect", played.kind == "exact", "the only move")
    if _proven(best) and _proven(played):
        return _by_result(best, played)
    return _by_estimate(best, played)


def _proven(candidate: Candidate) -> bool:
    return candidate.result != "unknown"


def _by_result(best: Candidate, played: Candidate) -> Grade:
    exact = best.kind == played.kind == "exact"
    lost = max(_points(best) - _points(played), 0)
    if _RANK[played.result] < _RANK[best.result]:
        name, what = _LOST[best.result, played.result]
        return Grade(played.move, name, True, f"{what}: {outlook(played)}", lost, best.move)
    if played.score >= best.score:
        return Grade(played.move, "perfect", exact, outlook(played))
    by_less = best.margin is not None
    less = {
        "win": "still wins, but by less" if by_less else "still wins, but slower",
        "loss": "loses by more than it must" if by_less else "loses sooner than it must",
        "draw": "still a draw",
    }
    reason = f"{less[played.result]}: {outlook(played)}, not {_tail(best)}"
    return Grade(played.move, "good", exact, reason, 0, best.move)


def _by_estimate(best: Candidate, played: Candidate) -> Grade:
    lost = round(max(_points(best) - _points(played), 0), 2)
    if lost == 0:
        return Grade(played.move, "perfect", False, outlook(played))
    name: GradeName = "blunder" if lost >= BLUNDER else "mistake" if lost >= MISTAKE else "good"
    reason = f"{outlook(played)} instead of {outlook(best)}"
    return Grade(played.move, name, False, reason, lost, best.move)


def _points(candidate: Candidate) -> int | float:
    """What a move counts beside estimates."""
    return max(-ESTIMATE_LIMIT, min(candidate.score, ESTIMATE_LIMIT))


def outlook(candidate: Candidate) -> str:
    """What a move leads to, in words: `loses in 15`, `wins by 4`, `a draw`, `about +3.2`."""
    if candidate.result == "unknown":
        words = {"exact": "", "estimate": "about ", "at_least": "at least ", "at_most": "at most "}
        sign = (words[candidate.bound] if candidate.bound else "") + words[candidate.kind]
        score = round(candidate.score, 1)
        return f"{sign}{score:+g}" if score else f"{sign}0"
    if candidate.result == "draw":
        return "a draw"
    return f"{'wins' if candidate.result == 'win' else 'loses'}{_distance(candidate)}"


def _distance(candidate: Candidate) -> str:
    if candidate.margin is not None:
        return f" by {candidate.margin}"
    if candidate.plies is None:
        return ""
    return f" in {candidate.plies}" if candidate.kind == "exact" else f" in at most {candidate.plies}"


def _tail(candidate: Candidate) -> str:
    return _distance(candidate).strip() or "as well as it could"
