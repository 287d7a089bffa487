"""Servers to talk to: one inside this process, and one that can be killed."""

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from parlour_server.app import App
from parlour_server.settings import ServerSettings
from tests.support.fork_server import SERVER, Spawned

ROOT = Path(__file__).parents[2]
READY_SECONDS = 30


def without_settings() -> dict[str, str]:
    """This environment, without anybody's settings, but for the cache: nothing is compiled twice."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PARLOUR_", "TEXTUAL_")) or name == "PARLOUR_CACHE"
    }


@contextlib.asynccontextmanager
async def serving(when_empty: Callable[[], None] | None = None, **settings: Any) -> AsyncIterator[str]:
    """A whole server on this loop: real sockets, plain searches in threads. Gives its address.

    With `when_empty` it is a shared one.
    """
    usual = {
        "data": ":memory:",
        "port": 0,
        "messages_per_second": 0.0,
        "rooms_per_minute": 0.0,
        "player_milliseconds": 0.0,
    }
    app = App(
        ServerSettings(**{**usual, "search_executor": "thread", "compiled": False, **settings}), when_empty
    )
    await app.start()
    try:
        yield f"ws://127.0.0.1:{app.port}"
    finally:
        await app.stop()


def free_port() -> int:
    """Below those that a system gives out by itself: nobody gets it while its server is away."""
    while True:
        port = random.SystemRandom().randrange(16_384, 32_768)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class ServerProcess:
    """`python -m parlour_server` on one port and one file, to be killed and started again."""

    program: tuple[str, ...] = ("parlour_server",)
    """The module that is run, and arguments before all others."""
    needs: tuple[str, ...] = SERVER
    """The modules that are loaded before its process is spawned."""

    def __init__(self, data: Path | str, *options: str, log: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"ws://127.0.0.1:{self.port}"
        self.log = log or Path(data).with_suffix(".log")
        self._options = [
            *("--data", str(data), "--port", str(self.port), "--json"),
            *("--messages-per-second", "0", "--rooms-per-minute", "0", "--player-milliseconds", "0"),
            *("--no-compiled", *options),
        ]
        self._process: Spawned | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> dict[str, Any]:
        """Start it, and wait for the line that says it is ready."""
        module, *first = self.program
        reading, writing = os.pipe()
        with self.log.open("a+b") as log, os.fdopen(reading, "rb") as said:
            files = (log.fileno(), writing, log.fileno())
            self._process = Spawned(module, [*first, *self._options], os.environ, files, self.needs)
            os.close(writing)
            async with asyncio.timeout(READY_SECONDS):
                line = await asyncio.to_thread(said.readline)
        assert line, self.log.read_text()
        ready: dict[str, Any] = json.loads(line)
        return ready

    async def ended(self) -> int:
        """Wait until it has ended by itself; gives its exit code."""
        assert self._process is not None
        while (code := self._process.poll()) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return code

    async def kill(self) -> None:
        """kill -9, with nothing said before; nothing where it does not run."""
        if self._process is not None:
            self._process.kill()
            await self.ended()

    async def stop(self) -> int:
        """Ask it to stop; gives its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return await self.ended()
