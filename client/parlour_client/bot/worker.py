"""The process in which a bot's file runs: `python -m parlour_client.bot.worker FILE`.

JSON lines on standard input and output. First it says `ready` or `broken`; then each position asked about is
answered by a `move` or a `fault`. What the file prints goes to standard error, for the person who wrote it.
"""

import asyncio
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from parlour_client.bot.file import BotFile, Unusable, is_awaitable, load, read, told, where
from parlour_client.bot.position import Position
from parlour_protocol.to_server import GivenReport

_REPORTS = TypeAdapter(GivenReport)


def main() -> None:
    """Load the file that is named, and answer until nobody asks any more."""
    # Our own lines go elsewhere: a file may print, and may even read.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(2, 1)
    # Shown as it is printed: this process may be ended at any moment.
    sys.stdout = os.fdopen(1, "w", 1, encoding="utf-8", errors="replace", closefd=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def say(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    try:
        bot = load(Path(sys.argv[1]))
    except Unusable as unusable:
        say(broken=str(unusable))
        return
    say(ready={"name": bot.name, "games": bot.games})
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in questions:
            asked.put(line)
        # Whoever asked is gone, even if we are in the middle of a thought.
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    with asyncio.Runner() as runner:
        while True:
            say(**answer(bot, Position.from_json(json.loads(asked.get())), runner))


def answer(bot: BotFile, position: Position, runner: asyncio.Runner) -> dict[str, Any]:
    """What the bot makes of a position: a move, or a fault."""
    begun = time.perf_counter()
    try:
        returned = bot.choose(position)
        if is_awaitable(returned):
            returned = runner.run(_await(returned))
    except BaseException as error:
        line, source = where(error, bot.path)
        return {"fault": {"file": bot.path.name, "line": line, "error": told(error), "source": source}}
    seconds = time.perf_counter() - begun
    found = read(returned)
    if found is None:
        return {"odd": f"{returned!r}, of type {type(returned).__name__}"}
    move, report = found
    given = None if report is None else _REPORTS.dump_python(report, mode="json", exclude_none=True)
    return {"move": move, "report": given, "seconds": seconds}


async def _await(awaitable: Any) -> Any:
    return await awaitable


if __name__ == "__main__":
    main()
