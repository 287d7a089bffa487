"""What a load test found: tables with bars, and sentences that say how far to trust them."""

from collections import Counter
from functools import partial

from parlour_client.load.histogram import Histogram
from parlour_client.load.run import LoadResult
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.words import language, say

RANGES = 14
SHOWN_FAULTS = 5


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    number = seconds * 1000
    return language().number(number, 2 if number < 10 else 1 if number < 100 else 0)


Wait = tuple[str, Histogram]
"""What was waited for, and how long."""


def _percentile(share: float, wait: Wait) -> str:
    return _milliseconds(wait[1].percentile(share))


WAITS: Columns[Wait] = (
    Column("milliseconds", of=lambda wait: wait[0]),
    Column("count", "number", of=lambda wait: wait[1].count),
    *(
        Column(f"p{share}", "figure", head=f"p{share}", of=partial(_percentile, share))
        for share in (50, 90, 99, 99.9)
    ),
    Column("max", "figure", of=lambda wait: _milliseconds(wait[1].greatest)),
)
"""How long was waited for what, in milliseconds."""

SPREAD: Columns[tuple[float, int, float]] = (
    Column("up_to", "figure", of=lambda one: _milliseconds(one[0])),
    Column("moves", "number", of=lambda one: one[1]),
    Column("", "bar", of=lambda one: one[2]),
)
"""How many moves took how long."""


def waits(result: LoadResult) -> list[Wait]:
    """How long was waited for what."""
    outcome = result.outcome
    found = [
        (say("command.loadtest.move_seen"), outcome.latency),
        (say("command.loadtest.bot_answer"), outcome.bot_answers),
    ]
    if result.plan.moves_per_second is not None:
        found.append((say("command.loadtest.sent_late"), outcome.late))
    return [wait for wait in found if wait[1].count]


def spread(times: Histogram) -> list[tuple[float, int, float]]:
    """Ranges of times, by their ends, with how many moves there are in each, and beside the largest."""
    ranges = times.bars(RANGES)
    most = max((count for _, count in ranges), default=1)
    return [(end, count, count / most) for end, count in ranges]


def load_sentences(result: LoadResult) -> list[str]:
    """What was played, what was refused or lost, and what bound the figures."""
    outcome, plan = result.outcome, result.plan
    rate = outcome.moves / outcome.seconds if outcome.seconds else 0.0
    figures = {
        "moves": say("count.move", count=outcome.moves),
        "seconds": language().number(outcome.seconds, 1),
        "rate": language().number(rate, 0),
    }
    if plan.moves_per_second is None:
        played = say("command.loadtest.played", **figures)
    else:
        asked = language().number(plan.moves_per_second, 0)
        played = say("command.loadtest.played_asked", **figures, asked=asked)
    if plan.spectators:
        watched = outcome.spectators
        rooms = say("command.loadtest.rooms_watched", rooms=outcome.rooms, of=plan.rooms, count=watched)
    else:
        rooms = say("command.loadtest.rooms_played", rooms=outcome.rooms, of=plan.rooms)
    said = [f"{played} {rooms}"]
    if plan.moves_per_second is not None and rate < 0.95 * plan.moves_per_second:
        said.append(say("command.loadtest.behind"))
    if outcome.refused:
        said.append(say("command.loadtest.refused", counts=_counted(outcome.refused)))
    if outcome.lost:
        said.append(say("command.loadtest.lost", counts=_counted(outcome.lost)))
    if outcome.lost_on_time:
        said.append(say("command.loadtest.lost_on_time", number=outcome.lost_on_time))
    if outcome.missing:
        said.append(say("command.loadtest.unanswered", number=outcome.missing))
    said += [_checked(result), _busy(result)]
    if result.bottleneck is not None:
        said.append(say(f"command.loadtest.bottleneck.{result.bottleneck}"))
    return said


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{code} {language().number(count)}" for code, count in reasons.most_common())


def _checked(result: LoadResult) -> str:
    outcome = result.outcome
    if not outcome.faults:
        return say("command.loadtest.checked", count=outcome.checked_games)
    shown = " ".join(outcome.faults[:SHOWN_FAULTS])
    more = len(outcome.faults) - SHOWN_FAULTS
    if more > 0:
        return say("command.loadtest.wrong_more", faults=shown, count=more)
    return say("command.loadtest.wrong", faults=shown)


def _busy(result: LoadResult) -> str:
    share = _share(result.outcome.busiest)
    if result.server_busy is None:
        return say("command.loadtest.busy", count=result.processes, share=share)
    server = _share(result.server_busy)
    return say("command.loadtest.busy_server", count=result.processes, share=share, server=server)


def _share(share: float) -> str:
    return say("score.chance", percent=language().number(100 * share, 0))
