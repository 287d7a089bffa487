"""What a run says: tables for people, one JSON value for programs."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.results import Latency, Samples, Saturation, Thought, latencies, saturations, thoughts, verdicts
from bench.run import PACED_RATE, PACED_ROOMS, Plan
from bench.servers import CORES, GENERATOR_CORE, SERVER_CORE
from bench.tables import lean, word


@dataclass(frozen=True, slots=True)
class Figures:
    """All that a run has to say."""

    saturation: list[Saturation]
    latency: list[Latency]
    search: list[Thought]
    notes: list[str]


def figures(samples: Samples) -> Figures:
    """Sum the rounds up."""
    saturation = saturations(samples)
    latency = latencies(samples, PACED_ROOMS, PACED_RATE)
    return Figures(saturation, latency, thoughts(samples), _notes(saturation, latency))


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
    return {"machine": machine, **asdict(plan), **asdict(found)}


def show(console: Console, plan: Plan, found: Figures) -> None:
    """Print the tables, the doubts and the verdict."""
    tables = _saturation_table(found.saturation), _latency_table(found.latency), _search_table(found.search)
    for table in tables:
        console.print(table, "")
    for note in found.notes:
        console.print(f"Note: {note}")
    met, goals = verdicts([*found.saturation, *found.latency, *found.search])
    console.print(
        f"{met} of {goals} goals met. Medians of {plan.rounds} interleaved rounds, {plan.seconds:g} s each."
    )


def _saturation_table(lines: Sequence[Saturation]) -> Table:
    numbers = ("rooms", "moves/s", "CPU us", "of the echo", "by CPU", "busy")
    table = lean("As many moves as one core of server can", "server", numbers=numbers, after=["goal"])
    for line in lines:
        low, high = line.ratio_range
        ours = line.server != "echo"
        table.add_row(
            line.server,
            str(line.rooms),
            f"{'≥' if line.lower_bound else ''}{line.moves_per_second:,.0f}",
            f"{line.cpu_us_per_move:.1f}",
            f"{line.ratio_to_echo:.2f} ({low:.2f}-{high:.2f})" if ours else "",
            f"{line.cpu_ratio_to_echo:.2f}" if ours else "",
            f"{line.server_busy * 100:.0f}/{line.generator_busy:.0%}",
            _verdict("{:.2f}", line.goal, line.met),
        )
    table.caption = (
        "CPU us: the server's CPU time for each move. Of the echo: its rate (lowest-highest round), "
        "and what the CPU times promise. Busy: the cores of server/generator."
    )
    return table


def _latency_table(lines: Sequence[Latency]) -> Table:
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
            _verdict("{:g} ms", line.goal_ms, line.met),
        )
    table.caption = "Sent late: the generator's own part in p99."
    return table


def _search_table(lines: Sequence[Thought]) -> Table:
    table = lean("A bot's first move at tic-tac-toe", "bot", numbers=["ms", "nodes"], after=["goal"])
    for line in lines:
        goal = _verdict("{:,.0f} ms", line.goal_ms, line.met)
        table.add_row(line.bot, f"{line.milliseconds:,.1f}", f"{line.nodes:,}", goal)
    return table


def _verdict(goal_text: str, goal: float | None, met: bool | None) -> str:
    return "" if goal is None else f"{goal_text.format(goal)} {word(met)}"


def _notes(saturation: Sequence[Saturation], latency: Sequence[Latency]) -> list[str]:
    notes = []
    if len(CORES) < 2:
        notes.append(
            "server and generator shared this machine's only core, and every figure is worse for it."
        )
    doubts = [(line.note, f"{line.server} ({line.rooms} rooms)") for line in saturation]
    doubts += [(line.note, f"{line.server} (latency)") for line in latency]
    for doubt in dict.fromkeys(doubt for doubt, _ in doubts if doubt):
        notes.append(f"{', '.join(where for what, where in doubts if what == doubt)}: {doubt}.")
    if any(line.lower_bound for line in saturation if line.server == "echo"):
        notes.append("the echo could do more, so ratios to it flatter; the CPU times do not.")
    return notes
