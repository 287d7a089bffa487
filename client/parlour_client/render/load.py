"""What a load test found: tables with bars, and sentences that say how far to trust them."""

from collections import Counter

from rich.table import Table
from rich.text import Text

from parlour_client.load.histogram import Histogram
from parlour_client.load.run import LoadResult
from parlour_client.text.scores import PAST

BAR = 30
RANGES = 14
SHOWN_FAULTS = 5


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    number = seconds * 1000
    return f"{number:.2f}" if number < 10 else f"{number:,.1f}" if number < 100 else f"{number:,.0f}"


def waits_table(result: LoadResult) -> Table:
    """How long was waited for what, in milliseconds."""
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    table.add_column("milliseconds", overflow="fold")
    for title in ("count", "p50", "p90", "p99", "p99.9", "max"):
        table.add_column(title, justify="right", no_wrap=True)
    outcome = result.outcome
    rows = [("move seen by the other side", outcome.latency), ("bot's answer", outcome.bot_answers)]
    if result.plan.moves_per_second is not None:
        rows.append(("of that, sent late by us", outcome.late))
    for name, times in rows:
        if times.count:
            shares = [_milliseconds(times.percentile(one)) for one in (50, 90, 99, 99.9)]
            table.add_row(name, f"{times.count:,}", *shares, _milliseconds(times.greatest))
    return table


def spread_table(times: Histogram, *, ascii_only: bool = False) -> Table:
    """How many moves took how long, with a bar for each range."""
    table = Table(box=None, pad_edge=False, header_style=PAST, padding=(0, 2, 0, 0))
    table.add_column("up to ms", justify="right", no_wrap=True)
    table.add_column("moves", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    ranges = times.bars(RANGES)
    most = max((count for _, count in ranges), default=0)
    for end, count in ranges:
        length = max(1, round(count / most * BAR)) if count else 0
        table.add_row(_milliseconds(end), f"{count:,}", Text(("#" if ascii_only else "█") * length))
    return table


def load_sentences(result: LoadResult) -> list[str]:
    """What was played, what was refused or lost, and what bound the figures."""
    outcome, plan = result.outcome, result.plan
    rate = outcome.moves / outcome.seconds if outcome.seconds else 0.0
    asked = "" if plan.moves_per_second is None else f", {plan.moves_per_second:,.0f} were asked for"
    said = [
        f"{outcome.moves:,} moves in {outcome.seconds:.1f} s: {rate:,.0f} a second{asked}. "
        f"{outcome.rooms:,} of {plan.rooms:,} rooms played"
        + (f", with {outcome.spectators:,} spectators." if plan.spectators else ".")
    ]
    if plan.moves_per_second is not None and rate < 0.95 * plan.moves_per_second:
        said.append("The server did not keep up: moves waited ever longer.")
    if outcome.refused:
        said.append(f"Refused by the server: {_counted(outcome.refused)}.")
    if outcome.lost:
        said.append(f"Connections lost: {_counted(outcome.lost)}.")
    if outcome.lost_on_time:
        said.append(f"Games lost on time: {outcome.lost_on_time:,}.")
    if outcome.missing:
        said.append(f"Commands without an answer: {outcome.missing:,}.")
    said.append(_checked(result))
    return [*said, *_doubts(result)]


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in reasons.most_common())


def _checked(result: LoadResult) -> str:
    outcome = result.outcome
    games = "1 game" if outcome.checked_games == 1 else f"{outcome.checked_games:,} games"
    if not outcome.faults:
        return f"{games} checked: each accepted move stands there once, no version was left out or repeated."
    shown = " ".join(outcome.faults[:SHOWN_FAULTS])
    more = len(outcome.faults) - SHOWN_FAULTS
    return f"WRONG: {shown}" + (f" And {more:,} more." if more > 0 else "")


def _doubts(result: LoadResult) -> list[str]:
    outcome = result.outcome
    many = "1 process" if result.processes == 1 else f"{result.processes} processes"
    busy = f"The load ran in {many}, of which the busiest had {outcome.busiest:.0%} of a core"
    if result.server_busy is not None:
        busy += f"; the server had {result.server_busy:.0%} of one"
    said = [f"{busy}."]
    match result.bottleneck:
        case "load":
            said.append(
                "The load was the bottleneck: the server can do more than this, and is faster. Give it more "
                "--processes, or another machine."
            )
        case "lateness":
            said.append("The load itself sent moves late, which is part of the times: the server is faster.")
        case "machine":
            said.append(
                "The machine was full, and server and load took time from each other: run the load elsewhere."
            )
        case None:
            pass
    return said
