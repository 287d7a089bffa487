"""What a report says, in plain words."""

from parlour_client.text.scores import bound, distance, look, number, of_points
from parlour_protocol.reports import Report, Score


def best_score(report: Report) -> Score | None:
    """What the bot makes of the move that it chose."""
    return next((one.score for one in report.candidates if one.move == report.best), None)


def expectation(report: Report) -> str:
    """What a bot makes of its position, in plain words."""
    best = best_score(report)
    if best is None:
        return ""
    if look(best) == "estimate":
        return f"gives it {number(best.points, 1)}{of_points(best)}"
    if best.kind != "exact" and best.result is None:
        return f"gives it {bound(best)}{of_points(best)}"
    ending = {
        "win": "to win",
        "loss": "to lose",
        "draw": "a draw",
        None: f"a cost of {number(best.points)}",
    }
    within = ""
    if best.result in ("win", "loss"):
        within = distance(best)
        if best.margin is None and best.plies is not None:
            within = " at once" if best.plies == 1 else f"{within} plies"
    return f"expects {ending[best.result]}{within}"


def by_heart(report: Report) -> bool:
    """Did it know the worth of its moves without a search?"""
    return report.nodes <= 1 and bool(report.candidates) and report.candidates[0].score.kind == "exact"


def saw_less(report: Report) -> bool:
    """Did the time end a search that would have seen more as machine code?"""
    return report.compiled is False and not report.finished
