"""A person at a terminal: `parlour` behind a real pty, or behind pipes."""

import fcntl
import io
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from parlour_client.cli.app import main
from tests.support.fork_server import Spawned, in_the_foreground
from tests.support.server import free_port, without_settings

PATIENCE = 60.0
"""Seconds, on a machine that does much else beside."""

TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the pty a process's controlling terminal, so that Ctrl-C is the terminal's own, and becomes it."""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "parlour_client", *arguments]


def environment(state: Path) -> dict[str, str]:
    return {
        **without_settings(),
        "PARLOUR_STATE": str(state),
        # A server that it starts is found by its data file alone: no other test's is, nor the machine's.
        "PARLOUR_DATA": str(state / "rooms.db"),
        "PARLOUR_PORT": "0",
        "PARLOUR_NAME": "Ada",
        "TERM": "xterm-256color",
        # Most tests read lines; those of the full screen take this out.
        "PARLOUR_PLAIN": "1",
        "COLUMNS": "80",
    }


def _parlour(
    arguments: Sequence[str], surroundings: Mapping[str, str], files: tuple[int, int, int]
) -> Spawned:
    return Spawned("parlour_client", arguments, surroundings, files, needs=("tests.client.everything",))


def piped(state: Path, *arguments: str, typed: str = "", code: int = 0, **settings: str) -> tuple[str, str]:
    """Run a command to its end; what it wrote to standard output and to standard error.

    `settings` are added to its environment.
    """
    with TemporaryFile() as said, TemporaryFile() as complained:
        reading, writing = os.pipe()
        surroundings = {**environment(state), **settings}
        process = _parlour(arguments, surroundings, (reading, said.fileno(), complained.fileno()))
        os.close(reading)
        with suppress(BrokenPipeError), os.fdopen(writing, "w") as keyboard:
            keyboard.write(typed)
        try:
            ended = process.wait(PATIENCE * 2)
        finally:
            process.kill()
            process.wait(PATIENCE)
        said.seek(0)
        complained.seek(0)
        out, err = said.read().decode(), complained.read().decode()
    assert "Traceback" not in out + err
    assert ended == code, err
    return out, err


def run(state: Path, *arguments: str, code: int = 0, **settings: str) -> tuple[str, str]:
    """As `piped`, in this process: for commands that read nothing, and start no server."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    surroundings = {**environment(state), **settings}
    with patch.dict(os.environ, surroundings, clear=True), redirect_stdout(out), redirect_stderr(err):
        ended = main(list(arguments))
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    assert "Traceback" not in "".join(texts)
    assert ended == code, texts[1]
    return texts[0], texts[1]


class Terminal:
    """A command that thinks it is talking to a person; `settings` are added to its environment.

    It is `parlour` unless another `program` is named.
    """

    def __init__(
        self, state: Path, *arguments: str, program: Sequence[str] | None = None, **settings: str
    ) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(theirs)
        """How the terminal was set before the command began: it is to be so again."""
        surroundings, files = {**environment(state), **settings}, (theirs, theirs, theirs)
        self.process = (
            _parlour(arguments, surroundings, files)
            if program is None
            else subprocess.Popen(
                [sys.executable, "-c", TAKE_TERMINAL, *program, *arguments],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=surroundings,
                start_new_session=True,
                preexec_fn=in_the_foreground,
            )
        )
        os.close(theirs)
        self.shown = ""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self._ours)

    def modes_now(self) -> list[Any]:
        return termios.tcgetattr(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, words: str) -> str:
        """Wait until these words are shown, after those waited for before; all that came with them."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.shown.find(words, self._seen)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} was not shown:\n{self.shown[self._seen :]}"
            if not self._read(left):
                raise AssertionError(f"it ended before {words!r}:\n{self.shown[self._seen :]}")
        came, self._seen = self.shown[self._seen : found + len(words)], found + len(words)
        return came

    def end(self) -> int:
        """Wait for it to end; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline - time.monotonic()):
            assert time.monotonic() < deadline, self.shown
        return self.process.wait(PATIENCE)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], max(seconds, 0))[0]:
            return True
        try:
            came = os.read(self._ours, 65536)
        except OSError:  # Linux's way to say that nobody is left at the other end
            return False
        self.shown += came.decode(errors="replace")
        return bool(came)


class Served:
    """`parlour serve`, with a log on disk unless told otherwise."""

    def __init__(self, folder: Path, port: int = 0, data: str = "") -> None:
        options = ["--port", str(port or free_port()), "--data", data or str(folder / "rooms.db"), "--json"]
        reading, writing = os.pipe()
        with Path(os.devnull).open("r+b") as nothing, os.fdopen(reading) as said:
            files = (nothing.fileno(), writing, nothing.fileno())
            self._process = Spawned("parlour_client", ["serve", *options], environment(folder), files)
            os.close(writing)
            self.port: int = json.loads(said.readline())["port"]

    def kill(self) -> None:
        """As the kernel kills: at once."""
        self._process.kill()
        self._process.wait(PATIENCE)
