"""What a run says: tables for people, one JSON value for programs."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.results import (
    Idle,
    Latency,
    Played,
    Samples,
    Saturation,
    Thought,
    idles,
    latencies,
    played,
    saturations,
    sync_p99_ms,
    thoughts,
    verdicts,
)
from bench.run import GAME_ROOMS, PACED_RATE, PACED_ROOMS, Plan
from bench.servers import CORES, GENERATOR_CORE, SERVER_CORE
from bench.tables import lean, word


@dataclass(frozen=True, slots=True)
class Figures:
    """All that a run has to say."""

    saturation: list[Saturation]
    games: list[Played]
    latency: list[Latency]
    search: list[Thought]
    idle: list[Idle]
    sync_p99_ms: float
    yardstick: str
    notes: list[str]


def figures(samples: Samples, yardstick: str) -> Figures:
    """Sum the rounds up; rates are measured by the yardstick's."""
    saturation = saturations(samples, yardstick)
    latency = latencies(samples, PACED_ROOMS, PACED_RATE)
    return Figures(
        saturation,
        played(samples),
        latency,
        thoughts(samples),
        idles(samples),
        sync_p99_ms(samples),
        yardstick,
        _notes(saturation, latency, yardstick),
    )


def as_json(plan: Plan, found: Figures) -> dict[str, Any]:
    """The run as one JSON value."""
    machine = {
        "cores": len(CORES),
        "server_core": SERVER_CORE,
        "generator_core": GENERATOR_CORE,
        "python": platform.python_version(),
        "websockets": version("websockets"),
        "uvloop": version("uvloop"),
    }
    return {"machine": machine, "rounds": plan.rounds, "seconds": plan.seconds, **asdict(found)}


def show(console: Console, plan: Plan, found: Figures) -> None:
    """Print the tables, the doubts and the verdict."""
    tables = (
        _saturation_table(found.saturation, found.yardstick),
        _games_table(found.games),
        _latency_table(found.latency, found.sync_p99_ms),
        _idle_table(found.idle),
        _search_table(found.search),
    )
    for table in tables:
        if table.row_count:
            console.print(table, "")
    for note in found.notes:
        console.print(f"Note: {note}")
    met, goals = verdicts([*found.saturation, *found.latency, *found.search, *found.idle])
    console.print(
        f"{met} of {goals} goals met. Medians of {plan.rounds} interleaved rounds, {plan.seconds:g} s each."
    )


def _saturation_table(lines: Sequence[Saturation], yardstick: str) -> Table:
    numbers = ("rooms", "moves/s", "CPU us", f"of {yardstick}", "by CPU", "busy")
    table = lean("As many moves as one core of server can", "server", numbers=numbers, after=["goal"])
    for line in lines:
        low, high = line.ratio_range
        ours = line.server != yardstick
        table.add_row(
            line.server,
            str(line.rooms),
            f"{'≥' if line.lower_bound else ''}{line.moves_per_second:,.0f}",
            f"{line.cpu_us_per_move:.1f}",
            f"{line.ratio:.2f} ({low:.2f}-{high:.2f})" if ours else "",
            f"{line.cpu_ratio:.2f}" if ours else "",
            f"{line.server_busy * 100:.0f}/{line.generator_busy:.0%}",
            _verdict("{:.2f}", line.goal, line.met),
        )
    table.caption = (
        f"CPU us: the server's CPU time for each move. Of {yardstick}: in parts of its rate "
        "(lowest-highest round), and what the CPU times promise. Busy: the cores of server/generator."
    )
    return table


def _games_table(lines: Sequence[Played]) -> Table:
    title = f"Each game in memory, with {GAME_ROOMS} rooms"
    table = lean(title, "game", numbers=["moves/s", "CPU us", "of the first"])
    for line in lines:
        table.add_row(
            line.game, f"{line.moves_per_second:,.0f}", f"{line.cpu_us_per_move:.1f}", f"{line.ratio:.2f}"
        )
    return table


def _latency_table(lines: Sequence[Latency], sync: float) -> Table:
    title = f"Until the opponent hears, at {PACED_RATE:,.0f} moves/s over {PACED_ROOMS} rooms"
    numbers = ("p50 ms", "p99 ms", "sent late ms", "CPU us", "busy")
    table = lean(title, "server", numbers=numbers, after=["goal for p99"])
    for line in lines:
        table.add_row(
            line.server,
            f"{line.p50_ms:.2f}",
            f"{line.p99_ms:.2f}",
            f"{line.sent_late_p99_ms:.2f}",
            f"{line.cpu_us_per_move:.1f}",
            f"{line.server_busy:.0%}",
            _verdict("{:.2f} ms", line.goal_ms, line.met),
        )
    table.caption = (
        f"Sent late: the generator's own part in p99. The disk alone takes {sync:.2f} ms (p99 of fdatasync), "
        "and the goal is twice that."
    )
    return table


def _idle_table(lines: Sequence[Idle]) -> Table:
    table = lean("Memory for each idle connection", "server", numbers=["KiB"], after=["goal"])
    for line in lines:
        table.add_row(line.server, f"{line.kib:.1f}", _verdict("{:g} KiB", line.goal_kib, line.met))
    return table


def _search_table(lines: Sequence[Thought]) -> Table:
    table = lean("A bot's first move at tic-tac-toe", "bot", numbers=["ms", "nodes"], after=["goal"])
    for line in lines:
        goal = _verdict("{:,.0f} ms", line.goal_ms, line.met)
        table.add_row(line.bot, f"{line.milliseconds:,.1f}", f"{line.nodes:,}", goal)
    return table


def _verdict(goal_text: str, goal: float | None, met: bool | None) -> str:
    return "" if goal is None else f"{goal_text.format(goal)} {word(met)}"


def _notes(saturation: Sequence[Saturation], latency: Sequence[Latency], yardstick: str) -> list[str]:
    notes = []
    if len(CORES) < 2:
        notes.append(
            "server and generator shared this machine's only core, and every figure is worse for it."
        )
    doubts = [(line.note, f"{line.server} ({line.rooms} rooms)") for line in saturation]
    doubts += [(line.note, f"{line.server} (latency)") for line in latency]
    for doubt in dict.fromkeys(doubt for doubt, _ in doubts if doubt):
        notes.append(f"{', '.join(where for what, where in doubts if what == doubt)}: {doubt}.")
    if any(line.lower_bound for line in saturation if line.server == yardstick):
        notes.append(f"{yardstick} could do more, so ratios to it flatter; the CPU times do not.")
    return notes
