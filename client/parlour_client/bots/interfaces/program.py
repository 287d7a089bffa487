"""A program that is spoken to line by line on its standard input and output.

It is a child of the bot's own process: its supervisor counts its memory and ends it.
"""

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from parlour_client.bots import guard
from parlour_protocol.words import say

LONGEST_LINE = 64 * 1024
LAST_LINES = 40
"""So many lines of what it complains of are looked through for what ended it."""
END_SECONDS = 2


class ProgramEnded(Exception):
    """A program is gone, or answers no more; `line` is that of its Python file, where it told one."""

    def __init__(self, said: str, line: int | None = None) -> None:
        super().__init__(said)
        self.line = line


def interpreter() -> Sequence[str]:
    """What runs a file of Python's here: guarded, where we are."""
    folder = os.environ.get(guard.GUARDED)
    within = () if folder is None else ("-m", guard.__name__, folder)
    return (sys.executable, "-u", *within)


class Program:
    """A program at work. `command` may be a file of Python's alone."""

    def __init__(self, command: Sequence[str]) -> None:
        if len(command) == 1 and command[0].endswith(".py"):
            command = (*interpreter(), os.path.abspath(command[0]))  # noqa: PTH100
        self._name = command[-1]
        self._complained: deque[str] = deque(maxlen=LAST_LINES)
        try:
            with guard.permitted():
                self._process = subprocess.Popen(  # noqa: S603 - what was named is to be run
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
        except OSError as error:
            raise ProgramEnded(say("error.bot.no_program", program=command[0], why=str(error))) from None
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def send(self, *lines: str) -> None:
        """Say these lines."""
        assert self._process.stdin is not None
        with suppress(OSError):
            # Who is gone shows by saying nothing.
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()

    def line(self) -> str:
        """What it says next. Raises `ProgramEnded`."""
        assert self._process.stdout is not None
        said = self._process.stdout.readline(LONGEST_LINE)
        if not said:
            raise self._end()
        return said.decode(errors="replace").strip()

    def until(self, found: Callable[[str], bool]) -> str:
        """The next line of its that is wanted; others are passed over. Raises `ProgramEnded`."""
        while not found(line := self.line()):
            pass
        return line

    def stop(self) -> None:
        """End it."""
        with guard.permitted():
            self._process.kill()
        self._process.wait()

    def _hear(self) -> None:
        """Pass on what it complains of, and remember the last of it."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._complained.append(line.decode(errors="replace").rstrip())
            sys.stderr.write(f"{self._complained[-1]}\n")

    def _end(self) -> ProgramEnded:
        try:
            how = say("error.bot.exit_code", number=str(self._process.wait(END_SECONDS)))
        except subprocess.TimeoutExpired:
            how = say("error.bot.closed_output")
        self._hearing.join(END_SECONDS)
        lines = [line for line in self._complained if line]
        places = [re.match(r'\s*File "(.+)", line (\d+)', line) for line in lines]
        own = [int(place[2]) for place in places if place is not None and place[1] == self._name]
        last = lines[-1] if lines else ""
        return ProgramEnded(say("error.bot.program_ended", how=how, last=last), own[-1] if own else None)
