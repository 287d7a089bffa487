"""What a bench says at its end, whichever end that is."""

import asyncio
import json
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from bench import BenchError
from bench.frame import carry_out
from bench.tables import lean, word


def ended(run: Callable[[Progress], list[int]], *, as_json: bool = False) -> int:
    def show(console: Console, found: list[int]) -> None:
        table = lean("Squares", "set", numbers=["sum"], after=["goal"])
        table.add_row("small", str(sum(found)), word(sum(found) > 3))
        console.print(table)

    to_json = (lambda found: {"found": found}) if as_json else None
    return carry_out(run, time=TimeElapsedColumn(), alone=True, as_json=to_json, show=show)


def squares(bars: Progress) -> list[int]:
    return [number**2 for number in bars.track(range(3), description="squaring")]


def test_a_table_for_people_and_one_value_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(squares) == 0
    said = capsys.readouterr().out.split()
    assert said[:4] == ["Squares", "set", "sum", "goal"]
    assert said[-3:] == ["small", "5", "met"]
    assert ended(squares, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"found": [0, 1, 4]}


def test_a_run_that_breaks_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    def breaks(bars: Progress) -> list[int]:
        fault = BenchError("a server died.")
        fault.add_note("Its last words.")
        raise fault

    assert ended(breaks) == 1
    end = capsys.readouterr()
    assert end.out == ""
    assert end.err.endswith("The run broke: a server died.\nIts last words.\n")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, asyncio.CancelledError])
def test_a_run_that_is_interrupted_says_so(
    capsys: pytest.CaptureFixture[str], interruption: type[BaseException]
) -> None:
    def interrupted(bars: Progress) -> list[int]:
        raise interruption

    assert ended(interrupted) == 130
    end = capsys.readouterr()
    assert end.out == ""
    assert end.err.endswith("Interrupted; every process has been ended.\n")
