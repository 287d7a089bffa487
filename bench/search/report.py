"""What a run came to: tables for people, one JSON value for programs."""

import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.search.endings import EMPTY, Endings
from bench.search.lag import Delay
from bench.search.rivals import Rivalry
from bench.search.run import Found, Plan
from bench.search.solving import STAGES, Solving
from bench.search.speed import Speed
from bench.tables import lean, word


def as_json(plan: Plan, found: Found) -> dict[str, Any]:
    """The run as one JSON value."""
    packages = ("numba", "numpy", "easyAI", "open_spiel")
    return {
        "machine": {"python": platform.python_version(), **{name: version(name) for name in packages}},
        "plan": asdict(plan) | {"data": None if plan.data is None else str(plan.data)},
        "solving": [asdict(line) for line in found.solving],
        "speed": [asdict(line) | {"millions": line.millions, "met": line.met} for line in found.speed],
        "rivals": [asdict(line) | {"ratio": line.ratio, "met": line.met} for line in found.rivals],
        "endings": None if found.endings is None else asdict(found.endings),
        "live": [asdict(line) for line in found.live],
        "goals": dict(zip(("met", "missed"), map(list, verdicts(found)), strict=True)),
    }


def show(console: Console, plan: Plan, found: Found) -> None:
    """Print the tables and the verdict."""
    if found.solving:
        console.print(_solving(found.solving), "")
        console.print(
            "Without the opening book. "
            + ("Each position" if plan.fresh else "Each set")
            + " begins with an empty table"
            + ("." if plan.fresh else ", which its later positions share, as a server's do."),
            "",
        )
    if found.speed:
        console.print(_speed(found.speed, plan), "")
    if found.rivals:
        console.print(_rivals(found.rivals), "")
    if found.endings:
        console.print(_endings(found.endings), "")
    if found.live:
        console.print(_live(found.live), "")
    met, missed = verdicts(found)
    console.print(f"{len(met)} of {len(met) + len(missed)} goals met." + (" Missed:" if missed else ""))
    for what in missed:
        console.print(f"  {what}")


def verdicts(found: Found) -> tuple[list[str], list[str]]:
    """The goals that were met, and those that were missed, in words."""
    all_of: list[tuple[str, bool | None]] = [(f"solve {line.name}", line.met) for line in found.solving]
    all_of += [(f"nodes a second in {line.game}", line.met) for line in found.speed]
    all_of += [(f"{line.rival} in {line.game}", line.met) for line in found.rivals]
    if found.endings:
        all_of.append((f"reversi with {EMPTY} empty", found.endings.met))
    all_of += [(line.what, line.met) for line in found.live]
    return [what for what, met in all_of if met], [what for what, met in all_of if met is False]


def _solving(lines: Sequence[Solving]) -> Table:
    numbers = ("right", "mean ms", "longest", "nodes", "goal ms")
    table = lean("Connect Four solved, a position", "set", "", numbers=numbers)
    for line in lines:
        table.add_row(
            line.name,
            STAGES[line.name],
            f"{line.right}/{line.positions}",
            _ms(line.mean_ms),
            _ms(line.longest_ms),
            f"{line.mean_nodes:,.0f}",
            f"{line.goal_ms:,g}",
            word(line.met),
        )
    return table


def _speed(lines: Sequence[Speed], plan: Plan) -> Table:
    numbers = ("median", "lowest-highest", "depths", "goal")
    table = lean(
        f"The engine, million nodes a second, {plan.rounds} interleaved rounds", "game", numbers=numbers
    )
    for line in lines:
        table.add_row(
            line.game,
            f"{line.millions:.1f}",
            f"{min(line.rounds):.1f}-{max(line.rounds):.1f}",
            " ".join(map(str, line.depths)),
            "" if line.goal is None else f"{line.goal:g}",
            word(line.met),
        )
    return table


def _rivals(lines: Sequence[Rivalry]) -> Table:
    numbers = ("depth", "theirs ms", "ours ms", "ratio", "goal")
    table = lean(
        "Times as fast as others, to the same depth on the same positions", "", "game", numbers=numbers
    )
    for line in lines:
        table.add_row(
            line.rival,
            line.game,
            str(line.depth),
            _ms(min(line.theirs_ms)),
            _ms(min(line.ours_ms)),
            f"{line.ratio:,.0f}",
            f"{line.goal:g}",
            word(line.met),
        )
    return table


def _endings(line: Endings) -> Table:
    numbers = ("mean ms", "longest", "mean nodes", "goal ms")
    table = lean(f"Reversi with {EMPTY} cells empty, to the last disc", "positions", numbers=numbers)
    table.add_row(
        str(line.positions),
        _ms(line.mean_ms),
        _ms(line.longest_ms),
        f"{line.mean_nodes:,.0f}",
        f"{line.goal_ms:g}",
        word(line.met),
    )
    return table


def _live(lines: Sequence[Delay]) -> Table:
    numbers = ("times", "p50", "goal for", "it was", "worst", "goal")
    table = lean("At a server's desk, milliseconds", "", numbers=numbers)
    for line in lines:
        table.add_row(
            line.what,
            str(line.samples),
            _ms(line.p50_ms),
            f"p{line.percentile}",
            _ms(line.high_ms),
            _ms(line.worst_ms),
            f"{line.goal_ms:g}",
            word(line.met),
        )
    return table


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"
