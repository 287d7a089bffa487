"""The process in which a bot runs: `python -m parlour_client.bots.worker ENTRANT`, as `entrant.own` reads it.

JSON lines on standard input and output. First it says `ready` or `broken`; then each `position` asked about
is answered by a `move` or a `fault`. A `seed` that comes with it is given to `random` first. What the file
prints goes to standard error, for the person who wrote it.
"""

import asyncio
import json
import os
import queue
import random
import sys
import threading
import time
import traceback
from types import FrameType
from typing import Any

from pydantic import TypeAdapter

from parlour_client.bots import entrant, guard
from parlour_client.bots.file import BotFile, Unusable, describe, is_awaitable, load_own, read, where
from parlour_client.bots.interfaces.base import WrongAnswer
from parlour_client.bots.interfaces.program import ProgramEnded
from parlour_client.bots.position import Position
from parlour_client.bots.trace import Trace
from parlour_protocol.views.reports import ProgramReport
from parlour_protocol.words import say

_REPORTS = TypeAdapter(ProgramReport)
LONGEST = 1000
"""So much of what a file returns or raises is passed on: no move is so long, and no sentence wants more."""
LONGEST_TRACEBACK = 4000
LONGEST_SHOWN = 100
"""The same for what is not a move."""


def main() -> None:
    """Load the file that is named, and answer until no more is asked."""
    # Our own lines go elsewhere: a file may print, and may even read.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(2, 1)
    # Shown as it is printed: this process may be ended at any moment.
    sys.stdout = os.fdopen(1, "w", 1, encoding="utf-8", errors="replace", closefd=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    pid = os.getpid()

    def forked() -> None:
        # A child that the file forks is not asked: with these in its hands nobody would notice our end.
        os.close(answers.fileno())
        os.close(questions.fileno())

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)

    def send(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    own = entrant.own(sys.argv[1])
    assert own is not None, "who starts this has looked"
    if guard.GUARDED in os.environ:
        # What it starts is held to the same.
        os.environ[guard.GUARDED] = os.path.dirname(os.path.abspath(own.path))  # noqa: PTH100, PTH120
        guard.install(os.environ[guard.GUARDED])
    try:
        bot = load_own(own)
    except Unusable as unusable:
        send(broken=str(unusable))
        return
    send(ready={"name": bot.name, "games": bot.games, "interface": bot.interface})
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in questions:
            asked.put(line)
        # Our parent is gone, even if we are in the middle of a thought. Our supervisor ends what we started.
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    with asyncio.Runner() as runner:
        while True:
            question = json.loads(asked.get())
            if question["seed"] is not None:
                random.seed(question["seed"])
            position = Position.from_json(question["position"])
            if "call" in question:
                found = called(bot, question["call"], position)
            elif "trace" in question:
                trace = Trace(str(bot.path), position, question["trace"])
                with trace.watching():
                    found = answer(bot, position, runner)
                found |= {"nodes": trace.nodes, "visited": trace.visited}
            else:
                found = answer(bot, position, runner)
            if os.getpid() != pid:
                # A forked child that came back out of `choose`.
                os._exit(0)
            send(**found)


def answer(bot: BotFile, position: Position, runner: asyncio.Runner) -> dict[str, Any]:
    """What the bot makes of a position: a move, or a fault."""
    begun = time.perf_counter()
    try:
        returned = bot.choose(position)
        if is_awaitable(returned):
            returned = runner.run(_await(returned))
        seconds = time.perf_counter() - begun
        found = read(returned)
        if found is None:
            kind = type(returned).__name__
            return {"odd": say("error.bot.odd", returned=repr(returned)[:LONGEST_SHOWN], type=kind)}
        move, report = found
        given = None if report is None else _as_json(report)
    except WrongAnswer as wrong:
        return {"wrong": str(wrong)[:LONGEST], "illegal": wrong.illegal}
    except BaseException as error:
        return _fault(bot, error)
    return {"move": move[:LONGEST], "report": given, "seconds": seconds}


def called(bot: BotFile, function: str, position: Position) -> dict[str, Any]:
    """What a function of the file gives for a position, and how many calls in the file that took."""
    calls = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename == str(bot.path)

    if bot.call is None or function not in bot.names:
        return {"missing": True}
    try:
        sys.setprofile(count)
        try:
            value = bot.call(function, position)
        finally:
            sys.setprofile(None)
        # Of numpy's numbers Python's; an array of several is none.
        number = value.item() if getattr(value, "size", None) == 1 else value
        shown = repr(value)[:LONGEST_SHOWN]
    except BaseException as error:
        return _fault(bot, error)
    known = isinstance(number, int | float | None)
    return {"value": number if known else None, "shown": shown, "calls": calls}


def _fault(bot: BotFile, error: BaseException) -> dict[str, Any]:
    line, source = where(error, bot.path)
    said = describe(error)
    if isinstance(error, ProgramEnded):
        said, line, source = str(error), error.line, ""
    fault = {"file": bot.path.name, "line": line, "error": said, "source": source}
    fault = {key: one[:LONGEST] if isinstance(one, str) else one for key, one in fault.items()}
    # Its end says most; what of it is ours is no help to who wrote the file.
    return {"fault": fault | {"trace": traceback.format_exc()[-LONGEST_TRACEBACK:]}}


def _as_json(report: ProgramReport) -> Any:
    """The report, checked once more: a list in it may have grown since. Raises `ValidationError`."""
    given = _REPORTS.dump_python(report, mode="json", exclude_none=True, warnings=False)
    _REPORTS.validate_json(json.dumps(given))
    return given


async def _await(awaitable: Any) -> Any:
    return await awaitable


if __name__ == "__main__":
    main()
