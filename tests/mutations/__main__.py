"""Put one bug after the other into a copy of the checkout, and see which test catches it.

    .venv/bin/python -m tests.mutations [NAME ...] [--list] [--json] [--likely]

Each mutation of `table.py` is tried with the tests that should catch it, then with its whole suite.
Exit code 1: one slipped through, or no longer applies.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutations.copy import Copy, Ran, Stale, mutated
from tests.mutations.table import CLIENT, MUTATIONS, SERVER, Mutation

SUITES = {
    f"{SERVER}/games": "games search analysis",
    f"{SERVER}/search": "games search analysis bench",
    f"{SERVER}/analysis": "search analysis sessions hosting server e2e",
    SERVER: "room hosting sessions store net server protocol client/sdk e2e sim",
    CLIENT: "client e2e sim docs",
    "protocol": "protocol sessions net room hosting client/sdk docs",
}
"""Where the tests stand that could catch a bug, by where the bug is."""
LIKELY_SECONDS, SUITE_SECONDS = 600, 1800
FLAKES = 3
"""So many tests may fail by chance."""


@dataclass(slots=True)
class Result:
    """What came of one mutation."""

    name: str
    outcome: str
    """`caught`, `SLIPPED` or `stale`."""
    by: str
    seconds: float


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser("tests.mutations", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone; a part of a name will do")
    parser.add_argument("--list", action="store_true", help="only list them, and whether they still apply")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each")
    parser.add_argument("--likely", action="store_true", help="run only the tests that should catch them")
    options = parser.parse_args()
    chosen = [
        one for one in MUTATIONS if not options.names or any(name in one.name for name in options.names)
    ]
    if not chosen:
        print("There is no such mutation: --list has their names.", file=sys.stderr)
        return 2
    results = []
    for result in _list(chosen) if options.list else _run(chosen, likely=options.likely):
        results.append(result)
        if options.json:
            print(json.dumps(asdict(result)), flush=True)
        else:
            print(f"{result.name:32} {result.outcome:8} {result.seconds:6.1f} s  {result.by}", flush=True)
    counts = {outcome: sum(one.outcome == outcome for one in results) for outcome in ("SLIPPED", "stale")}
    print(f"{len(results)} mutations: {counts}", file=sys.stderr)
    return 1 if any(counts.values()) else 0


def _list(chosen: list[Mutation]) -> Iterator[Result]:
    for mutation in chosen:
        try:
            mutated(mutation)
            yield Result(mutation.name, "applies", mutation.file, 0.0)
        except Stale as stale:
            yield Result(mutation.name, "stale", str(stale), 0.0)


def _run(chosen: list[Mutation], *, likely: bool) -> Iterator[Result]:
    sound: dict[str, Ran] = {}
    """What the tests that caught something come to without any bug."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = Copy(Path(folder))
        for mutation in chosen:
            began = time.monotonic()
            outcome, by = _try(copy, mutation, sound, likely=likely)
            yield Result(mutation.name, outcome, by, time.monotonic() - began)


def _try(copy: Copy, mutation: Mutation, sound: dict[str, Ran], *, likely: bool) -> tuple[str, str]:
    try:
        text = mutated(mutation, copy.root)
    except Stale as stale:
        return "stale", str(stale)
    before = (copy.root / mutation.file).read_text("utf-8")
    copy.write(mutation.file, text)
    try:
        copy.check_import(mutation.file)
        ran = _first_failure(copy, mutation.tests.split(), LIKELY_SECONDS)
        if ran == Ran() and not likely:
            suite = next(paths for start, paths in SUITES.items() if mutation.file.startswith(start))
            ran = _first_failure(copy, suite.split(), SUITE_SECONDS)
    finally:
        copy.write(mutation.file, before)
    if ran.failed is None:
        return "SLIPPED", ran.problem or ""
    if ran.failed not in sound:
        sound[ran.failed] = copy.test([ran.failed], LIKELY_SECONDS)
    if sound[ran.failed] != Ran():
        return "SLIPPED", f"{ran.failed} fails without it, too"
    return "caught", ran.failed


def _first_failure(copy: Copy, paths: list[str], seconds: float) -> Ran:
    """Run tests until one fails that fails again: what fails once in a while has caught nothing."""
    for _ in range(FLAKES):
        ran = copy.test(paths, seconds)
        if ran.failed is None or copy.test([ran.failed], seconds) != Ran():
            return ran
        paths = [*paths, f"--deselect=tests/{ran.failed}"]
    return Ran(problem=f"{FLAKES} tests failed but once: {' '.join(paths)}")


if __name__ == "__main__":
    sys.exit(main())
