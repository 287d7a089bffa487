"""`python -m parlour_server` as a process: what it prints, how it ends, what it leaves."""

import asyncio
import contextlib
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.support.fork_server import Spawned, in_the_foreground
from tests.support.server import ROOT, without_settings

COMMAND = [sys.executable, "-m", "parlour_server"]
DEADLINE = 30.0


def environment(**more: str) -> dict[str, str]:
    """This one, without anybody's settings, on a wide terminal. Nothing is compiled unless asked for."""
    return {**without_settings(), "PARLOUR_COMPILED": "false", "COLUMNS": "250", "NO_COLOR": "1", **more}


@dataclass(slots=True)
class Ended:
    """How a command ended."""

    code: int
    said: str
    complained: str


class Forked:
    """The command in a process from the fork server: as much of asyncio's `Process` as is used here."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, options: Sequence[str], surroundings: Mapping[str, str]) -> None:
        pipes = [os.pipe() for _ in range(3)]
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = pipes
        self._spawned = Spawned("parlour_server", options, surroundings, (theirs_in, theirs_out, theirs_err))
        for file in (theirs_in, theirs_out, theirs_err):
            os.close(file)
        self.pid = self._spawned.pid
        self.stdin = os.fdopen(ours_in, "wb")
        self._outputs = [os.fdopen(file, "rb", buffering=0) for file in (ours_out, ours_err)]

    @classmethod
    async def start(cls, options: Sequence[str], surroundings: Mapping[str, str]) -> Self:
        process = cls(options, surroundings)
        process.stdout, process.stderr = [await _read_from(file) for file in process._outputs]
        return process

    @property
    def returncode(self) -> int | None:
        return self._spawned.poll()

    def send_signal(self, number: int) -> None:
        self._spawned.send_signal(number)

    def kill(self) -> None:
        self._spawned.kill()

    async def wait(self) -> int:
        while (code := self.returncode) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return code

    async def communicate(self) -> tuple[bytes, bytes]:
        self.stdin.close()
        said, complained = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return said, complained


async def _read_from(file: Any) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader


async def run(*options: str, **variables: str) -> Ended:
    """The command, which must end by itself."""
    return await ended(await Forked.start(options, environment(**variables)))


async def ended(process: Process | Forked, seconds: float = DEADLINE) -> Ended:
    """Wait for the end, and gather what was printed until then."""
    try:
        async with asyncio.timeout(seconds):
            said, complained = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return Ended(process.returncode, said.decode(), complained.decode())


@dataclass(slots=True)
class Started:
    """A server that is ready."""

    process: Process | Forked
    ready: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.ready["url"])

    async def end(self, signal_number: int, seconds: float = DEADLINE) -> Ended:
        self.process.send_signal(signal_number)
        return await ended(self.process, seconds)


@contextlib.asynccontextmanager
async def started(
    *options: str, command: Sequence[str] | None = None, folder: Path = ROOT, **variables: str
) -> AsyncIterator[Started]:
    """A server on a free port, in memory unless told otherwise, in a session of its own.

    It comes from the fork server, unless a command is named that starts it, and the folder to start it in.
    """
    process: Process | Forked
    options = ("--port", "0", "--json", "--data", ":memory:", *options)
    if command is None:
        process = await Forked.start(options, environment(**variables))
    else:
        process = await asyncio.create_subprocess_exec(
            *[*command, *options],
            cwd=folder,
            env=environment(**variables),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
            preexec_fn=in_the_foreground,
        )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            line = await process.stdout.readline()
        if not line:
            raise AssertionError((await ended(process)).complained)
        yield Started(process, json.loads(line))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def of_session(session: int) -> list[int]:
    """The processes that are left of a session, by number."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [number for number in numbers if _session(number) == session]


def _session(pid: int) -> int:
    try:
        # A process that has ended but was not waited for has nothing left to do.
        if ") Z " in Path(f"/proc/{pid}/stat").read_text():
            return -1
        return os.getsid(pid)
    except (OSError, ProcessLookupError):
        return -1


async def nobody_is_left(session: int) -> None:
    """All of a session's processes are gone, or soon will be."""
    end = time.monotonic() + DEADLINE
    while left := of_session(session):
        assert time.monotonic() < end, f"processes outlived their server: {left}"
        await asyncio.sleep(0.05)
