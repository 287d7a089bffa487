"""The server under attack, and children that are driven by lines and answer with lines of JSON."""

import asyncio
import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlour_server.settings import ServerSettings

ROOT = Path(__file__).parents[2]
START_SECONDS = 40.0
END_SECONDS = 10.0
LINE_BYTES = 2**24


@dataclass(slots=True)
class Server:
    """A running server."""

    url: str
    pid: int
    log: Path
    process: asyncio.subprocess.Process

    def memory(self) -> int:
        """The bytes that it holds."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def cpu_seconds(self) -> float:
        """What it has used, in all its threads."""
        return time.clock_gettime((~self.pid << 3) | 2)

    async def kill(self) -> None:
        """kill -9."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    def tracebacks(self) -> int:
        """How often its log shows a traceback."""
        return self.log.read_text(errors="replace").count("Traceback")


def options(**settings: object) -> list[str]:
    """Command-line options, as far as this server has them."""
    words = []
    for name, value in {"trusted_proxy": "127.0.0.1", **settings}.items():
        if name in ServerSettings.model_fields:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


@contextlib.asynccontextmanager
async def serving(
    data: str, log: Path, *, port: int = 0, handles: int = 4096, **settings: object
) -> AsyncIterator[Server]:
    """A server with its own limits, `handles` files at most, until the block is left."""
    started = await start_server(data, log, port=port, handles=handles, **settings)
    try:
        yield started
    finally:
        await end(started.process)


async def start_server(
    data: str, log: Path, *, port: int = 0, handles: int = 4096, **settings: object
) -> Server:
    """The same, to be ended by the caller. Raises `RuntimeError` where it does not start, with why."""
    command = ["-P", "-m", "parlour_server", "--json", "--with-parent", "--port", str(port), "--data", data]
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            *options(**settings),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (handles, handles)),
        )
    assert process.stdout is not None
    async with asyncio.timeout(START_SECONDS):
        line = await process.stdout.readline()
    if not line:
        await process.wait()
        raise RuntimeError(log.read_text(errors="replace")[-800:])
    return Server(json.loads(line)["url"], process.pid, log, process)


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PARLOUR_") or name == "PARLOUR_CACHE"
    }


async def end(process: asyncio.subprocess.Process) -> None:
    """Ask it to end, then force it."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


class Child:
    """A module that runs in a process of its own; `tell` it a line, `receive` what it answers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, module: str, *arguments: str) -> "Child":
        """Start `python -m module`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            *arguments,
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
        )
        return cls(process)

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(word.encode() + b"\n")

    async def receive(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            line = await self.process.stdout.readline()
        if not line:
            raise RuntimeError("a process of the attack has ended before its time")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def end(self) -> None:
        if self.process.returncode is None:
            await end(self.process)


async def lines() -> AsyncIterator[str]:
    """The lines of this process's standard input."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.strip()


def say(what: dict[str, Any]) -> None:
    """Answer with a line."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()
