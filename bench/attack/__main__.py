"""Print the table: `python -m bench.attack [ROW ...]`; or watch memory: `soak --minutes M`."""

import argparse
import asyncio
import json
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.attack.probes import PROBES, Seen
from bench.attack.rows import ROUNDS, ROWS, Found, measure
from bench.attack.soak import soak
from parlour_client.load.histogram import Histogram

LONGEST_WORDS = 3


def main() -> int:
    options = _parser().parse_args()
    if options.rows == ["soak"]:
        return asyncio.run(soak(options.minutes, as_json=options.json))
    known = [row.name for row in ROWS] + list(PROBES)
    if unknown := [name for name in options.rows if name not in known]:
        print(f"There is no row {', '.join(unknown)}. Known: {', '.join(known)}, soak.", file=sys.stderr)
        return 2
    try:
        return asyncio.run(_all(options.rows or known, options.seconds, options.rounds, as_json=options.json))
    except RuntimeError as broken:
        print(f"The run broke: {broken}", file=sys.stderr)
        return 1


async def _all(names: list[str], seconds: float, rounds: int, *, as_json: bool) -> int:
    found: list[Found] = []
    seen: list[Seen] = []
    screen = Console(stderr=True)
    for row in ROWS:
        if row.name in names:
            screen.print(f"{row.title} ...", highlight=False, markup=False)
            found.append(await measure(row, seconds, rounds))
    for name, probe in PROBES.items():
        if name in names:
            screen.print(f"{name} ...", highlight=False, markup=False)
            seen.append(await probe())
    if as_json:
        print(
            json.dumps({"rows": [one.as_json() for one in found], "probes": [one.as_json() for one in seen]})
        )
    else:
        out = Console()
        if found:
            out.print(_table(found))
            for one in found:
                _explain(out, one)
        if seen:
            out.print(_probes(seen))
    return 0 if all(one.holds for one in found) and all(one.holds for one in seen) else 1


def _table(found: list[Found]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("attack", no_wrap=True, min_width=13)
    for title in ("p50", "p99", "times", "bot p99", "new p99", "lost", "CPU"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("holds")
    for one in found:
        quiet, attacked = one.quiet, one.attacked
        table.add_row(
            one.row.name,
            _pair(quiet.latency, attacked.latency, 50),
            _pair(quiet.latency, attacked.latency, 99),
            f"{one.ratio:.1f}",
            _pair(quiet.bot_answers, attacked.bot_answers, 99),
            _pair(*one.arrivals, 99),
            f"{sum(one.losses.values()):,}",
            f"{one.server_busy:.0%}",
            "yes" if one.holds else "NO",
        )
    table.caption = (
        "Each pair: quiet / under the attack; times: of p99, in the median round. Bot: until it answered. "
        "Newcomer: until their room stood."
    )
    return table


def _pair(quiet: Histogram, attacked: Histogram, percent: float) -> str:
    return f"{_ms(quiet.percentile(percent))}/{_ms(attacked.percentile(percent))}"


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f}" if seconds < 0.01 else f"{seconds * 1000:.0f}"


def _explain(out: Console, one: Found) -> None:
    def say(line: str) -> None:
        out.print(line, highlight=False, markup=False)

    did = ", ".join(f"{what} {count:,}" for what, count in one.did.items()) or "nothing"
    say(f"{one.row.name}: {one.row.title}. It did: {did}.")
    if one.losses:
        most = sorted(one.losses.items(), key=lambda item: -item[1])[:LONGEST_WORDS]
        out.print(
            f"  lost: {'; '.join(f'{what} ({count:,})' for what, count in most)}",
            highlight=False,
            markup=False,
        )
    if one.lost_quiet:
        say(f"  lost while it was quiet: {one.lost_quiet}")
    if one.tracebacks:
        say(f"  {one.tracebacks} tracebacks in the server's log")


def _probes(seen: list[Seen]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("right or wrong", "holds", "seen"):
        table.add_column(title, overflow="fold")
    for one in seen:
        table.add_row(one.title, "yes" if one.holds else "NO", Text(one.seen))
    return table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.attack", description="Attack a server, and see what honest people notice of it."
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help="these rows alone; soak: watch memory instead")
    parser.add_argument("--seconds", type=float, default=2.5, help="how long each turn is (2.5)")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"how often quiet and attack take turns ({ROUNDS})"
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to soak (10)")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
