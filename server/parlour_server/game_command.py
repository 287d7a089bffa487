"""The command `parlour game`: a game of one's own is tried before a server lists it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from parlour_protocol.words import language, say
from parlour_server.data_commands import fail, progress_bar

SECONDS, COMPILING_SECONDS = 30.0, 120.0
"""A step's timeouts, since a game may loop: compiling takes its time."""


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one step of one game's trial."""

    game: str
    step: str
    passed: bool
    detail: str | None
    """A figure, or why it failed."""
    line: int | None
    """The line of the file where it failed, if it was there."""
    seconds: float


def check_game(
    check: Annotated[Path, typer.Option("--check", metavar="FILE", help=say("trial.option.check"))],
    seconds: Annotated[
        float | None, typer.Option(min=1, max=3600, metavar="SECONDS", help=say("trial.option.seconds"))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=say("option.json"))] = False,
) -> None:
    """Try a game of one's own: its rules, views, moves, positions, searches and speed."""
    if not check.is_file():
        fail(say("trial.no_file", file=str(check)), code=2)
    done = []
    with progress_bar(say("trial.bar", file=check.name), shown=not as_json) as progress:
        for step in _steps(check, seconds):
            done.append(step)
            progress(len(done), len(done) + 1)
            if not as_json:
                print(_report_line(step, check), flush=True)
    if as_json:
        print(json.dumps([asdict(step) for step in done]))
    if not all(step.passed for step in done):
        raise SystemExit(1)


def _report_line(step: Step, file: Path) -> str:
    what = say(f"trial.step.{step.step}")
    if step.passed:
        detail = "" if step.detail is None else say(f"trial.detail.{step.step}", detail=step.detail)
        seconds = say("span.seconds", number=language().number(step.seconds, 1))
        passed = ", ".join(filter(None, [say("trial.passed"), detail]))
        return f"{step.game or file.name}: {what}: {passed} ({seconds})"
    where = str(file) if step.line is None else f"{file}:{step.line}"
    return f"{step.game or file.name}: {what}: {say('trial.failed')}\n  {where}: {step.detail}"


def _steps(file: Path, seconds: float | None) -> Iterator[Step]:
    """The results of the trial's process, which ends with a traceback where a step takes too long."""
    limits = (seconds or SECONDS, seconds or COMPILING_SECONDS)
    command = [sys.executable, "-m", "parlour_server.game_trial", str(file), *map(str, limits)]
    within = re.compile(rf'  File "{re.escape(str(file.resolve()))}", line (\d+) in ')
    started, stood, silent = {"started": "load", "game": ""}, None, False
    with subprocess.Popen(  # noqa: S603 - this interpreter, and the file that its owner names
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as trial:
        assert trial.stdout is not None
        for line in trial.stdout:
            if not line.startswith("{"):
                silent = True
                # The most recent call comes first.
                stood = stood or within.match(line)
                continue
            message = json.loads(line)
            if "started" in message:
                started = message
            else:
                yield Step(**message)
                started = {}
    if started:
        limit = limits[started["started"] == "kernel"]
        detail = (
            say("trial.silent", seconds=language().number(limit))
            if silent
            else say("trial.died", code=str(trial.returncode))
        )
        yield Step(
            started["game"],
            started["started"],
            passed=False,
            detail=detail,
            line=None if stood is None else int(stood[1]),
            seconds=limit if silent else 0,
        )
