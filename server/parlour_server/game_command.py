"""The command `parlour game`: a game of one's own is tried before a server lists it."""

import json
import queue
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from parlour_protocol.words import language, say
from parlour_server.data_commands import fail, progress_bar

SECONDS = 120.0
"""A step's timeout: compiling takes its time, and a game may loop."""


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
        float, typer.Option(min=1, max=3600, metavar="SECONDS", help=say("trial.option.seconds"))
    ] = SECONDS,
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


def _steps(file: Path, seconds: float) -> Any:
    """The results of the trial's process; a step that sends none within `seconds` has failed."""
    command = [sys.executable, "-m", "parlour_server.game_trial", str(file)]
    with subprocess.Popen(  # noqa: S603 - this interpreter, and the file that its owner names
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as trial:
        assert trial.stdout is not None
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_read, args=(trial.stdout, lines), daemon=True).start()
        started = {"started": "load", "game": ""}
        try:
            while line := lines.get(timeout=seconds):
                message = json.loads(line)
                if "started" in message:
                    started = message
                else:
                    yield Step(**message)
                    started = {}
        except queue.Empty:
            detail = say("trial.silent", seconds=language().number(seconds))
            yield Step(
                started["game"], started["started"], passed=False, detail=detail, line=None, seconds=seconds
            )
            trial.kill()
        else:
            if started:
                detail = say("trial.died", code=str(trial.wait()))
                yield Step(
                    started["game"], started["started"], passed=False, detail=detail, line=None, seconds=0
                )


def _read(stream: IO[str], lines: "queue.Queue[str]") -> None:
    for line in stream:
        lines.put(line)
    lines.put("")
