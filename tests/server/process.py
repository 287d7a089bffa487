"""`python -m parlour_server` as a process: what it prints, how it ends, what it leaves."""

import asyncio
import contextlib
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


async def run(*options: str, **variables: str) -> Ended:
    """The command, which must end by itself."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *options, cwd=ROOT, env=environment(**variables), stdout=PIPE, stderr=PIPE
    )
    return await ended(process)


async def ended(process: Process, seconds: float = DEADLINE) -> Ended:
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

    process: Process
    ready: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.ready["url"])

    async def end(self, signal_number: int, seconds: float = DEADLINE) -> Ended:
        self.process.send_signal(signal_number)
        return await ended(self.process, seconds)


@contextlib.asynccontextmanager
async def started(
    *options: str, command: Sequence[str] = COMMAND, folder: Path = ROOT, **variables: str
) -> AsyncIterator[Started]:
    """A server on a free port, in memory unless told otherwise, in a session of its own."""
    process = await asyncio.create_subprocess_exec(
        *[*command, "--port", "0", "--json", "--data", ":memory:", *options],
        cwd=folder,
        env=environment(**variables),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
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
