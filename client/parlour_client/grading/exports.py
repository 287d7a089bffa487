"""Marks for other programs: Gradescope, Classroom 50, spreadsheets, and `--json`."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from parlour_client.bots.errors import kind_in_words
from parlour_client.grading.grader import Graded
from parlour_client.grading.trial import Result
from parlour_protocol.words import say


def sentences(result: Result) -> list[str]:
    """All that is to be said of a test: what was noticed, and its faults."""
    said = [*result.said]
    for kind, (count, first) in result.faults.items():
        said.append(say("grading.fault", kind=kind_in_words(kind), count=count, error=first))
    if result.share is None:
        said.append(say("grading.not_made"))
    return said


def title(result: Result) -> str:
    """What a test asks for, in words."""
    return say(f"grading.test.{result.test.name}")


def as_json(graded: Graded) -> dict[str, Any]:
    """What `parlour grade --json` prints of a file."""
    return {
        "file": graded.file,
        "name": graded.name,
        "interface": graded.interface or None,
        "points": graded.points,
        "of": graded.most,
        "right_moves": graded.right,
        "positions_a_move": graded.visited,
        "seconds_a_move": graded.seconds,
        "tests": [
            {
                "test": one.test.name,
                "points": one.points,
                "of": one.test.points,
                "applies": one.share is not None,
                "passed": one.passed,
                "hidden": one.test.hidden,
                "seconds": one.seconds,
                "said": one.said,
                "faults": [
                    {"kind": kind, "count": count, "first": first}
                    for kind, (count, first) in one.faults.items()
                ],
                "blunders": [
                    {"moves": list(lost.moves), "played": lost.played, "best": lost.best}
                    for lost in one.blunders
                ],
            }
            for one in graded.results
        ],
    }


def gradescope(graded: Graded) -> str:
    """`results.json` as Gradescope's autograder specification has it."""
    content = {
        "score": graded.points,
        "execution_time": round(sum(one.seconds for one in graded.results)),
        "output": say("grading.total", points=f"{graded.points:g}", of=f"{graded.most:g}"),
        "visibility": "visible",
        "tests": [
            {
                "score": one.points,
                "max_score": one.test.points,
                "status": "passed" if one.passed else "failed",
                "name": title(one),
                "output": "\n".join(sentences(one)),
                "visibility": "hidden" if one.test.hidden else "visible",
            }
            for one in graded.results
            if one.share is not None
        ],
        "leaderboard": [
            {"name": title(one), "value": one.points, "order": "desc"}
            for one in graded.results
            if one.share is not None and not one.test.hidden
        ],
    }
    return _written(content)


def classroom50(graded: Graded) -> str:
    """`result.json` as Classroom 50 reads it."""
    made = [one for one in graded.results if one.share is not None]
    content = {
        "score": graded.points,
        "max-score": graded.most,
        "tests": [
            {
                "test-name": one.test.name,
                "passed": one.passed,
                "score": one.points,
                "max-score": one.test.points,
            }
            for one in made
        ],
    }
    return _written(content)


def spreadsheet(all_graded: Sequence[Graded]) -> str:
    """A line for each file, a column for each test."""
    written = io.StringIO()
    table = csv.writer(written)
    tests = [one.test.name for one in all_graded[0].results]
    table.writerow(["file", "name", "points", "of", *tests])
    for graded in all_graded:
        # What begins like a formula is text.
        names = [f"'{name}" if name[:1] in "=+-@" else name for name in (graded.file, graded.name)]
        marks = ["" if one.share is None else one.points for one in graded.results]
        table.writerow([*names, graded.points, graded.most, *marks])
    return written.getvalue()


def _written(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
