"""The servers under test: how each is started on a core of its own, watched and ended.

What Parlour's command line has to offer for a measurement stands in `_parlour`, and nowhere else.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import urlsplit

from bench import BenchError

ServerName = Literal["echo", "memory", "durable"]

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, GENERATOR_CORE = CORES[0], CORES[-1]
"""The same core where the machine has only one: then server and generator share it."""

_START_SECONDS = 30
_STOP_SECONDS = 5
_ROOT = Path(__file__).parent.parent


def _echo(folder: Path) -> list[str]:
    return ["bench.echo"]


def _parlour(data: str) -> list[str]:
    options = {"--host": "127.0.0.1", "--port": "0", "--data": data}
    limits = {"--messages-per-second": "0", "--rooms-per-minute": "0"}
    words = [word for pair in (options | limits).items() for word in pair]
    return ["parlour_server", "--json", "--with-parent", *words]


@dataclass(frozen=True, slots=True)
class Kind:
    """A server that can be measured."""

    name: ServerName
    module: Callable[[Path], list[str]]
    """From an empty folder to the module to run there, with its arguments."""


ECHO = Kind("echo", _echo)
MEMORY = Kind("memory", lambda folder: _parlour(":memory:"))
DURABLE = Kind("durable", lambda folder: _parlour(str(folder / "bench.db")))
KINDS = (ECHO, MEMORY, DURABLE)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    kind: Kind
    pid: int
    host: str
    port: int

    def cpu_seconds(self) -> float:
        """CPU time that the process has used in all its threads, but not in its children.

        The kernel's clock of another process, as clock_getcpuclockid(3) names it: /proc/<pid>/stat
        counts the same time, but in ticks of 10 ms.
        """
        return time.clock_gettime((~self.pid << 3) | 2)


def pin_generator() -> None:
    """Keep this process off the server's core, where there is another."""
    os.sched_setaffinity(0, {GENERATOR_CORE})


@contextlib.asynccontextmanager
async def running(kind: Kind, folder: Path) -> AsyncIterator[Server]:
    """Run a server until the block is left, however it is left.

    `folder` takes its data and its log. A `BenchError` that passes through takes the log's end along.
    """
    with _log(folder) as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *kind.module(folder),
            cwd=_ROOT,
            # Never written to: it closes with this process, however that ends, and the server with it.
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
        )
    try:
        # Long before the interpreter is up, so its threads and children inherit it.
        os.sched_setaffinity(process.pid, {SERVER_CORE})
        yield await _ready(kind, process)
    except BenchError as broken:
        if words := _last_words(folder):
            broken.add_note(f"The server ({kind.name}) said last:\n{words}")
        raise
    finally:
        await _end(process)


def _log(folder: Path) -> BinaryIO:
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "stderr.log").open("wb")


def _last_words(folder: Path) -> str:
    return "\n".join((folder / "stderr.log").read_text(errors="replace").splitlines()[-12:])


async def _ready(kind: Kind, process: asyncio.subprocess.Process) -> Server:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_START_SECONDS):
            line = await process.stdout.readline()
    except TimeoutError:
        raise BenchError(f"The server ({kind.name}) was not ready after {_START_SECONDS} s.") from None
    try:
        url = urlsplit(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        raise BenchError(f"The server ({kind.name}) did not say where it listens, but {line!r}.") from None
    if not url.hostname or not url.port:
        raise BenchError(f"The server ({kind.name}) listens at {line!r}, which names no host and port.")
    return Server(kind, process.pid, url.hostname, url.port)


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
