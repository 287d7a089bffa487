"""What a report says, in plain words."""

from parlour_client.text.sanitize import clean
from parlour_client.text.scores import bound, chance, distance, outlook
from parlour_protocol.reports import Report


def expectation(report: Report) -> str:
    """What a bot makes of its position, in plain words."""
    best = report.best_score
    if best is None:
        return ""
    if best.kind == "estimate":
        return f"gives it {chance(best)}"
    if best.result is None:
        return f"gives it {bound(best)}"
    ending = {"win": "to win", "loss": "to lose", "draw": "a draw"}
    within = ""
    if best.result in ("win", "loss"):
        within = distance(best)
        if best.margin is None and best.plies is not None:
            within = " at once" if best.plies == 1 else f"{within} plies"
    return f"expects {ending[best.result]}{within}"


def unfinished(report: Report, most: int = 3) -> str:
    """What the deeper round had found that the end of the search cut short; nothing where there was none."""
    deeper = report.unfinished
    if deeper is None:
        return ""
    found = ", ".join(f"{clean(one.move)} {outlook(one.score)}" for one in deeper.candidates[:most])
    if not deeper.chosen:
        return f"Depth {deeper.depth}, unfinished: {found}"
    return f"{clean(report.best or '')} was chosen at depth {deeper.depth}, unfinished: {found}"


def by_heart(report: Report) -> bool:
    """Did it know the worth of its moves without a search?"""
    return report.nodes <= 1 and bool(report.candidates) and report.candidates[0].score.kind == "exact"


def saw_less(report: Report) -> bool:
    """Did the time end a search that would have seen more as machine code?"""
    return report.compiled is False and not report.finished
