"""What a report says, in plain words."""

from collections.abc import Collection

from parlour_client.text.names import localised
from parlour_client.text.scores import number, outlook
from parlour_protocol.views.reports import Compiling, Report, Score
from parlour_protocol.words import say

ABOUT_SECONDS = 10
"""How long a game takes to be compiled, roughly; it was 5 to 9 on the machine where it was measured."""


def expectation(report: Report) -> str:
    """What a bot makes of its position, in plain words."""
    best = report.best_score
    if best is None:
        return ""
    match best.result:
        case None:
            return say("search.expects.chance", worth=outlook(best))
        case "draw":
            return say("search.expects.draw")
        case result if best.margin is None and best.plies == 1:
            return say(f"search.expects.{result}_at_once")
        case "win":
            return _far(best, "search.expects.win")
        case "loss":
            return _far(best, "search.expects.loss")


def _far(score: Score, id_: str) -> str:
    """By how much, or in how many plies, where that is known."""
    exact = score.kind == "exact"
    if score.margin is not None:
        return say(f"{id_}_by{'' if exact else '_at_least'}", margin=abs(score.margin))
    if score.plies is None:
        return say(id_)
    return say(f"{id_}_in{'' if exact else '_at_most'}", plies=score.plies, count=score.plies)


def unfinished(report: Report, most: int = 3) -> str:
    """What the deeper round had found that the end of the search cut short; nothing where there was none."""
    deeper = report.unfinished
    if deeper is None:
        return ""
    found = ", ".join(f"{one.move} {outlook(one.score)}" for one in deeper.candidates[:most])
    if not deeper.chosen:
        return say("search.unfinished", depth=deeper.depth, found=found)
    move = report.best or ""
    return say("search.unfinished_chosen", move=move, depth=deeper.depth, found=found)


def from_book(report: Report) -> bool:
    """Did it know the worth of its moves without a search?"""
    return report.nodes <= 1 and bool(report.candidates) and report.candidates[0].score.kind == "exact"


def ran_as(report: Report) -> str:
    """How the search ran: `compiled` or `in plain Python`; nothing where there is no compiled code for it."""
    if report.compiled is None:
        return ""
    return say("search.ran_compiled") if report.compiled else say("search.ran_interpreted")


def ran_in_match(moves: Collection[bool | None]) -> str | None:
    """How a bot's moves of a match ran, from the `compiled` of their reports; None: there is one way."""
    known = {compiled for compiled in moves if compiled is not None}
    if len(known) > 1:
        return "partly compiled"
    return next(("compiled" if compiled else "plain Python" for compiled in known), None)


def caveats(report: Report) -> list[str]:
    """Why the move isn't the best that the bot could find, a sentence each."""
    said = [say("search.weakened", move=report.best or "")] if report.weakened else []
    if report.cut_after is not None:
        said.append(say("search.cut_after", seconds=number(report.cut_after)))
    if report.compiled is False and not report.finished:
        said.append(say("search.interpreted"))
    return said


def queued_line(queued: int, whom: str = "you") -> str:
    """Which place a search, of `you` or `it`, has in the server's queue."""
    if whom == "it":
        return say("search.it_waits", ahead=queued) if queued else say("search.it_waits_next")
    return say("search.you_wait", ahead=queued) if queued else say("search.you_wait_next")


def compiling_title(compiling: Compiling) -> str:
    """What a search waits for: `Compiling Connect Four (once; about 10 s)`."""
    return say("search.compiling", game=_compiled(compiling), seconds=ABOUT_SECONDS)


def _compiled(compiling: Compiling) -> str:
    return localised(compiling.title or compiling.game, compiling.title_said)


def compiling_line(compiling: Compiling) -> str:
    """What a search waits for, and how far that is: `Compiling Connect Four (...): 4 of 13`."""
    return say(
        "search.compiling_done",
        game=_compiled(compiling),
        seconds=ABOUT_SECONDS,
        done=compiling.done,
        of=compiling.of,
    )
