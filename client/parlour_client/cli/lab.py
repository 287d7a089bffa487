"""The race of the searches that are taught: one position, one depth, one after the other."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import log10
from typing import Any, get_args

from rich.console import Console
from rich.table import Table
from rich.text import Text

from parlour_client.cli.reports import report_json
from parlour_client.render import tables
from parlour_client.render.board import BoardDrawing
from parlour_client.render.console import Screen
from parlour_client.render.progress import amount, shown_progress
from parlour_client.sdk.commands import command
from parlour_client.sdk.errors import Refused
from parlour_client.sdk.queries import QueryClient
from parlour_client.sdk.requests import new_id
from parlour_client.sdk.retry import with_retries
from parlour_client.text.scores import PAST, WIN, outlook
from parlour_protocol import LONGEST_RACE, commands
from parlour_protocol.answers import Raced
from parlour_protocol.errors import Code
from parlour_protocol.views.lists import Column, Columns
from parlour_protocol.views.reports import Entrant, Report, Score
from parlour_protocol.words import language, say

BAR = 12
SILENT_SECONDS = 2.0
"""After so many it is said how long the race may take."""
NARROW = 70
"""Below so many columns the table goes without its bars and hits."""


async def race(client: QueryClient, screen: Screen, game: str, moves: str, depth: int | None) -> None:
    """Run every search and show the results; if interrupted, show those that finished."""
    runs: list[Raced] = []
    may_take = say("command.lab.may_take", number=len(get_args(Entrant)), seconds=LONGEST_RACE)
    waiting = asyncio.get_running_loop().call_later(SILENT_SECONDS, screen.note, may_take)
    try:
        await _race(client, screen, game, moves, depth, runs)
    finally:
        waiting.cancel()
        if runs:
            _show(screen, runs)


async def _race(
    client: QueryClient, screen: Screen, game: str, moves: str, depth: int | None, runs: list[Raced]
) -> None:
    board = await client.request(command(commands.AskBoard, game=game, moves=moves))
    for entrant in get_args(Entrant):
        seen: list[Report] = []
        try:
            run = await _run(client, screen, game, moves, entrant, depth, seen.append)
        except asyncio.CancelledError:
            # As far as it has come.
            if seen and seen[-1].nodes:
                runs.append(Raced("", board.game, board.position, entrant, depth or seen[-1].depth, seen[-1]))
            raise
        except Refused as refused:
            if entrant == "engine" and refused.code is Code.UNKNOWN_BOT:
                continue  # a server without one
            raise
        depth = run.depth
        runs.append(run)
        if not screen.as_json and screen.err.is_terminal:
            screen.note(_line(run))


def _show(screen: Screen, runs: Sequence[Raced]) -> None:
    if screen.as_json:
        screen.emit(as_json(runs))
        return
    drawn = table(runs, screen.out.width, ascii_only=screen.ascii_only)
    screen.say("", BoardDrawing(runs[0].position), "", drawn, "")
    for sentence in verdict(runs):
        screen.say(sentence)
    if screen.out.width >= NARROW:
        screen.say(say("command.lab.bars", factor=language().number(_factor(runs), 1)))


async def _run(
    client: QueryClient,
    screen: Screen,
    game: str,
    moves: str,
    entrant: Entrant,
    depth: int | None,
    seen: Callable[[Report], None],
) -> Raced:
    asked = commands.Race(id=new_id(), game=game, moves=moves, entrant=entrant, depth=depth)
    async with shown_progress(client, screen, seen) as progress:
        return await with_retries(
            lambda: client.request(asked.model_copy(update={"id": new_id(), "progress": progress}))
        )


def as_json(runs: Sequence[Raced]) -> dict[str, Any]:
    """What `parlour lab --json` prints."""
    return {
        "game": runs[0].game,
        "depth": runs[0].depth,
        "same_value": same_value(runs),
        "runs": [
            {
                "search": run.entrant,
                "score": asdict(best) if (best := run.report.best_score) else None,
                "exact": best is not None and best.kind == "exact",
                "expected": run.expected,
                **report_json(run.report),
            }
            for run in runs
        ],
    }


def same_value(runs: Sequence[Raced]) -> bool:
    """Did all that came to their end find the same value? The engine counts where its value is proven."""
    counted = [run for run in runs if run.entrant != "engine" or _proven(run)]
    return (
        len({best.points for run in counted if run.report.finished and (best := run.report.best_score)}) <= 1
    )


def table(runs: Sequence[Raced], width: int = 80, *, ascii_only: bool = False) -> Table:
    """What each needed, with a bar for its positions. Numbers for which there is no room are rounded."""
    exact, rounded = (
        tables.table(_columns(runs, number, ascii_only=ascii_only), runs, width=width)
        for number in (language().number, amount)
    )
    return exact if Console(width=2 * width).measure(exact).maximum <= width else rounded


def _columns(runs: Sequence[Raced], number: Callable[[float], str], *, ascii_only: bool) -> Columns[Raced]:
    most = max(run.report.nodes for run in runs)

    def counted(name: str, field: str, from_width: int = 0) -> Column[Raced]:
        def value(run: Raced) -> int:
            count: int = getattr(run.report, field)
            return count

        return Column(
            name,
            "figure",
            of=lambda run: number(value(run)),
            tone=lambda run: "" if value(run) else "past",
            from_width=from_width,
        )

    return (
        Column(
            "search",
            of=lambda run: say(f"command.lab.name.{run.entrant}"),
            tone=lambda run: "strong" if run.entrant == "engine" else "",
        ),
        Column("value", "figure", of=_value),
        Column(
            "positions",
            "figure",
            of=lambda run: number(run.report.nodes) + ("" if run.report.finished else "+"),
        ),
        counted("cutoffs", "cutoffs"),
        counted("hits", "table_hits", NARROW),
        Column("time", "figure", of=lambda run: _time(run.report.seconds)),
        Column(
            "",
            head="command.lab.log_scale",
            from_width=NARROW,
            of=lambda run: _bar(run, most, ascii_only=ascii_only),
        ),
    )


def _value(run: Raced) -> str:
    best = run.report.best_score
    return outlook(best) if best is not None and run.report.finished else "?"


def _bar(run: Raced, most: int, *, ascii_only: bool) -> Text:
    """Its positions, and a mark at how many were expected."""

    def end(nodes: int) -> int:
        return max(1, round(log10(max(nodes, 1)) / log10(max(most, 2)) * BAR))

    solid, hatched, mark = ("#", "-", "|") if ascii_only else ("█", "░", "┃")
    drawn = Text((solid if run.report.finished else hatched) * end(run.report.nodes))
    drawn.stylize(WIN if run.report.finished else PAST)
    if run.expected is not None:
        at = min(BAR, end(run.expected)) - 1
        drawn.pad_right(max(0, at - len(drawn)))
        return drawn[:at] + Text(mark, "bold") + drawn[at + 1 :]
    return drawn


def verdict(runs: Sequence[Raced]) -> list[str]:
    """What the race shows, in sentences."""
    said = []
    finished = [run for run in runs if run.report.finished and run.entrant != "engine"]
    stopped = [run for run in runs if not run.report.finished]
    first = next((best for run in finished if (best := run.report.best_score)), None)
    if first is not None and len(finished) > 1:
        if same_value(runs):
            alone = any(run.entrant == "engine" and not _agrees(run, first) for run in runs)
            who = "lab.agree_but_engine" if alone else "lab.agree"
            said.append(say(who, depth=say("count.ply", count=runs[0].depth), worth=_worth(first)))
            if alone:
                said.append(say("lab.engine_differs"))
        else:
            said.append(say("lab.disagree"))
    by_name = {run.entrant: run for run in finished}
    plain, best_run = by_name.get("minimax"), min(finished, key=lambda run: run.report.nodes, default=None)
    most, fewest = (run.report.nodes if run is not None else 0 for run in (plain, best_run))
    times = most / max(fewest, 1)
    if best_run is not None and times >= 1.05:  # less is "1.0 times fewer"
        said.append(
            say(
                "lab.saving",
                positions=say("count.position", count=most),
                search=say(f"lab.phrase.{best_run.entrant}"),
                fewest=say("count.position", count=fewest),
                times=language().number(times, 0 if times >= 10 else 1),
            )
        )
    whole, half = (by_name[name].expected if name in by_name else None for name in ("minimax", "alphabeta"))
    if whole is not None and half is not None:
        moves = language().number(whole ** (1 / runs[0].depth), 1)
        said.append(say("lab.expected", moves=moves, depth=runs[0].depth, whole=whole, half=half))
    plain, ordered = by_name.get("alphabeta"), by_name.get("ordering")
    if plain is not None and ordered is not None and ordered.report.nodes > plain.report.nodes:
        said.append(say("lab.order_costs"))
    if stopped:
        names = [_name(run) for run in stopped]
        late = say("command.lab.too_long", count=len(names), names=names)
        said.append(f"{late[0].upper()}{late[1:]}")
    return said


def _agrees(run: Raced, first: Score) -> bool:
    best = run.report.best_score
    # What looks the same is not called different: estimates are shown rounded.
    return best is None or outlook(best) == outlook(first)


def _name(run: Raced) -> str:
    return say(f"command.lab.name.{run.entrant}").removeprefix("+ ")


def _factor(runs: Sequence[Raced]) -> float:
    most = max(max(run.report.nodes for run in runs), 2)
    factor: float = most ** (1 / BAR)
    return factor


def _line(run: Raced) -> str:
    report = run.report
    ended = "command.lab.run" if report.finished else "command.lab.run_stopped"
    positions = say("count.position", count=report.nodes)
    return say(
        ended,
        name=say(f"command.lab.name.{run.entrant}"),
        positions=positions,
        time=_time(report.seconds),
    )


def _worth(best: Score) -> str:
    if best.kind == "estimate":
        return say("lab.worth_estimate", outlook=outlook(best))
    if best.result == "draw":
        return say("lab.worth_draw")
    return say("lab.worth", outlook=outlook(best))


def _proven(run: Raced) -> bool:
    best = run.report.best_score
    return best is not None and best.kind == "exact"


def _time(seconds: float) -> str:
    if seconds < 0.1:
        return say("span.milliseconds", number=language().number(seconds * 1000, 1))
    return say("span.seconds", number=language().number(seconds, 2))
