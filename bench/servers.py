"""The servers under test: how each is started on a core of its own, watched and ended."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from bench import BenchError

if TYPE_CHECKING:
    from bench.rooms import Room, Tally

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, GENERATOR_CORE = CORES[0], CORES[-1]
"""The same core where the machine has only one: then server and generator share it."""

_START_SECONDS = 30
_STOP_SECONDS = 5
_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Kind:
    """A server that can be measured, and the rooms that are played there."""

    name: str
    command: Callable[[Path], list[str]]
    """From an empty folder to the command that serves, with its data there; it prints `{"url": ...}`."""
    room: Callable[["Tally"], "Room"]
    environment: Callable[[Path], dict[str, str]] = lambda folder: {}


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

    def store_seconds(self) -> float:
        """CPU time of another server that keeps the data of this one, if there is one."""
        return 0.0

    def memory_bytes(self) -> int:
        """What the process has resident in memory, without its children."""
        resident = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return resident * os.sysconf("SC_PAGE_SIZE")


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
            *kind.command(folder),
            cwd=_ROOT,
            env={**os.environ, **kind.environment(folder)},
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
