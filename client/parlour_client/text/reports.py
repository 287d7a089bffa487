"""What a report says, in plain words."""

from collections.abc import Collection

from parlour_client.text.sanitize import clean
from parlour_client.text.scores import bound, chance, distance, outlook
from parlour_protocol.views.reports import Compiling, Report

ABOUT_SECONDS = 10
"""How long a game takes to be compiled, roughly; it was 5 to 9 on the machine where it was measured."""


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


def from_book(report: Report) -> bool:
    """Did it know the worth of its moves without a search?"""
    return report.nodes <= 1 and bool(report.candidates) and report.candidates[0].score.kind == "exact"


def ran_as(report: Report) -> str:
    """How the search ran: `compiled` or `in plain Python`; nothing where there is no compiled code for it."""
    return {True: "compiled", False: "in plain Python", None: ""}[report.compiled]


def ran_in_match(moves: Collection[bool | None]) -> str | None:
    """How a bot's moves of a match ran, from the `compiled` of their reports; None: there is one way."""
    known = {compiled for compiled in moves if compiled is not None}
    if len(known) > 1:
        return "partly compiled"
    return next(("compiled" if compiled else "plain Python" for compiled in known), None)


def caveats(report: Report) -> list[str]:
    """What kept the search from seeing as much as it was asked to, a sentence each."""
    said = []
    if report.cut_after is not None:
        said.append(f"It was stopped at this server's limit of {report.cut_after:g} s.")
    if report.compiled is False and not report.finished:
        said.append("It ran in plain Python, not compiled, so it saw less.")
    return said


def queued_line(queued: int, whom: str = "you") -> str:
    """Which place a search has in the server's queue: `Waiting for a turn to search: 3 before you`."""
    return f"Waiting for a turn to search: {f'{queued} before {whom}' if queued else 'next'}"


def compiling_title(compiling: Compiling) -> str:
    """What a search waits for: `Compiling connect4 (once; about 10 s)`."""
    return f"Compiling {clean(compiling.game)} (once; about {ABOUT_SECONDS} s)"


def compiling_line(compiling: Compiling) -> str:
    """What a search waits for, and how far that is: `Compiling connect4 (...): 4 of 13`."""
    return f"{compiling_title(compiling)}: {compiling.done} of {compiling.of}"
