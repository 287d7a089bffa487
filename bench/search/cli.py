"""The command line: `python -m bench search`."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.progress import Progress, TimeElapsedColumn

from bench.frame import carry_out
from bench.options import count, end_on_sigterm, some
from bench.search import compare
from bench.search.report import as_json, show
from bench.search.run import PARTS, Found, Plan, run
from bench.search.solving import GOALS, VARIABLE

ROUNDS, NODES = 5, 5_000_000
QUICK_ROUNDS, QUICK_NODES, QUICK_LIMIT = 2, 3_000_000, 20
QUICK_SETS = ("L3_R1", "L2_R1", "L2_R2", "L1_R1")


def main(arguments: list[str]) -> int:
    """Measure and report. 0: measured, whatever the goals; 1: the run broke; 130: interrupted."""
    options = _parser().parse_args(arguments)
    end_on_sigterm()
    quick = options.quick
    if options.compare is not None:
        return _compare(options)
    plan = Plan(
        parts=options.parts,
        sets=options.sets or (QUICK_SETS if quick else tuple(GOALS)),
        limit=options.limit or (QUICK_LIMIT if quick else None),
        data=options.data,
        fresh=options.fresh,
        nodes=QUICK_NODES if quick else NODES,
        rounds=options.rounds or (QUICK_ROUNDS if quick else ROUNDS),
        quick=quick,
    )

    def measure(bars: Progress) -> Found:
        return run(plan, partial(_steps, bars))

    return carry_out(
        measure,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=partial(as_json, plan) if options.json else None,
        show=lambda console, found: show(console, plan, found),
    )


def _compare(options: argparse.Namespace) -> int:
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)

    def measure(bars: Progress) -> list[compare.Compared]:
        return compare.compare(options.compare, options.games, rounds, partial(_steps, bars))

    return carry_out(
        measure,
        time=TimeElapsedColumn(),
        alone=True,
        as_json=partial(compare.as_json, options.compare) if options.json else None,
        show=partial(compare.show, options.compare),
    )


def _steps(bars: Progress, what: str, steps: int) -> Callable[[], None]:
    """Show a bar of so many steps; what is given back is called after each."""
    task = bars.add_task(what, total=steps)
    bars.refresh()
    return lambda: bars.update(task, advance=1, refresh=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench search",
        description="Measure how fast the searches are; docs/benchmarks.md tells how to read it.",
        epilog="example: python -m bench search --parts solve --sets L3_R1,L2_R1 --limit 50",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="a short run, to see that all works")
    add(
        "--parts", type=some(PARTS), default=PARTS, metavar="A,B", help=f"of {', '.join(PARTS)} (default all)"
    )
    add("--sets", type=some(tuple(GOALS)), metavar="A,B", help=f"of {', '.join(GOALS)} (default all)")
    add("--limit", type=count, metavar="N", help="at most so many positions of each set, and endings")
    add("--data", type=Path, metavar="DIR", help=f"the folder of the sets (default {VARIABLE}, or beside us)")
    add("--fresh", action="store_true", help="empty the solver's table before each position, not each set")
    add("--rounds", type=count, metavar="N", help=f"interleaved rounds (default {ROUNDS})")
    add(
        "--compare",
        metavar="REV",
        help="measure this working tree beside a git revision instead: an idea for the search, in a minute",
    )
    add(
        "--games",
        type=some(tuple(compare.DEPTHS)),
        default=tuple(compare.DEPTHS),
        metavar="A,B",
        help=f"of {', '.join(compare.DEPTHS)}, for --compare (default all)",
    )
    add("--json", action="store_true", help="print one JSON value instead of tables")
    return parser
