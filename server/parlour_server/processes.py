"""One machine, more cores: a command whose server is several processes at one port.

The command's own process serves no one. It claims the port, starts the others, and starts another in place of
one that dies. Each of those is a whole server, a node of the cluster in PostgreSQL, and the kernel spreads
connections over them. They talk in lines of JSON over their standard input and output:

    to a process      its `Order` first of all; then numbers: drain within that many seconds
    from a process    its `Ready`, once; then numbers: all are to be drained within that many seconds

A process whose input ends has lost its command, and ends too.
"""

import asyncio
import json
import os
import secrets
import signal
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import structlog

from parlour_protocol.local.server_info import ServerInfo, port_file, remove_note, write_note
from parlour_server.settings import ServerSettings

log = structlog.get_logger()

LONG_LIFE_SECONDS = 60.0
"""After so long a process has not died of its start."""
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
SPREAD = sys.platform == "linux" and hasattr(socket, "SO_REUSEPORT")
"""Does the kernel spread connections over the processes that listen at one port?"""


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to be."""

    settings: dict[str, Any]
    command: str
    """What the names of all nodes of one command end with."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that listens."""

    url: str
    """Where programs on this machine reach it."""
    port: int
    games: int
    """How many games are under way."""
    addresses: list[str] = field(default_factory=list)
    """Where others on the network reach it, the likeliest first."""
    admin: str | None = None
    """The path of its admin socket."""


class ProcessFailed(Exception):
    """A process has ended before it was ready, and said why; `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Processes:
    """The processes of one command, from `start` to `stop`. `ended` is called when all of them have ended."""

    def __init__(self, settings: ServerSettings, ended: Callable[[], None]) -> None:
        self._settings = settings
        self._ended = ended
        self._command = secrets.token_hex(4)
        self._claims: list[socket.socket] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._running: dict[int, Process] = {}
        """By their place among all."""
        self._ready: dict[int, Ready] = {}
        """Those among them that are."""
        self._ending = asyncio.Event()
        """Set when nothing is to be started any more."""

    async def start(self) -> Ready:
        """Start all, and wait until they are ready. Raises `OSError`, `ProcessFailed`; then `stop`, too.

        The first one makes the tables, or says what is wrong, before there are others.
        """
        port, self._claims = claim(self._settings.host, self._settings.port)
        count = self._settings.processes
        # As many searches at once as one process would run, and one each at least.
        workers = -(-self._settings.search_workers // count)
        self._settings = self._settings.model_copy(update={"port": port, "search_workers": workers})
        await self._begin(0)
        await asyncio.gather(*(self._begin(place) for place in range(1, count)))
        if not self._ready:
            raise ProcessFailed(1)
        return replace(next(iter(self._ready.values())), games=sum(one.games for one in self._ready.values()))

    def terminate(self) -> None:
        """Have all end, each with its goodbyes."""
        self._ending.set()
        for process in self._running.values():
            _signal(process, signal.SIGTERM)

    async def stop(self) -> None:
        """Have all end, and wait until they have."""
        self.terminate()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for one in self._claims:
            one.close()
        with suppress(OSError):
            remove_note(port_file(self._settings.port))

    def reload_certificates(self) -> None:
        """Have all read the TLS certificate anew."""
        for place in self._ready:
            _signal(self._running[place], signal.SIGHUP)

    async def _begin(self, place: int) -> None:
        """Have a process in this place from now on, and wait for the first. Raises `ProcessFailed`."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        keeping = asyncio.create_task(self._keep(place, ready))
        self._tasks.append(keeping)
        keeping.add_done_callback(self._kept)
        await ready

    def _kept(self, keeping: asyncio.Task[None]) -> None:
        if all(task.done() for task in self._tasks):
            self._ended()

    async def _keep(self, place: int, ready: "asyncio.Future[None]") -> None:
        deaths = 0
        while True:
            began = time.monotonic()
            try:
                code = await self._run(place, ready)
            except OSError as error:
                # The machine may have no memory, or no process, to spare at present.
                if not ready.done():
                    ready.set_exception(error)
                    return
                log.error("a process can't be started", reason=error.strerror or str(error))
                code = 1
            if not ready.done():
                ready.set_exception(ProcessFailed(code if code > 0 else 1))
                return
            if self._ending.is_set():
                return
            deaths = 0 if time.monotonic() - began > LONG_LIFE_SECONDS else deaths
            pause = min(FIRST_PAUSE_SECONDS * 2**deaths, LONGEST_PAUSE_SECONDS)
            deaths += 1
            log.error("a process has ended, and another takes its place", code=code, seconds=pause)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), pause)
                return

    async def _run(self, place: int, ready: "asyncio.Future[None]") -> int:
        """Run a process until it ends; gives its exit code."""
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-P", "-m", "parlour_server", "--supervised"],
            stdin=PIPE,
            stdout=PIPE,
            # What a terminal signals is for the command's process alone.
            start_new_session=True,
        )
        self._running[place] = process
        _send(process, asdict(Order(self._settings.model_dump(mode="json"), self._command)))
        if self._ending.is_set():
            _signal(process, signal.SIGTERM)
        assert process.stdout is not None
        async for line in process.stdout:
            said = json.loads(line)
            if isinstance(said, dict):
                self._ready[place] = Ready(**said)
                self._leave_note()
                if not ready.done():
                    ready.set_result(None)
            else:
                self._drain_others(place, said)
        code = await process.wait()
        del self._running[place]
        self._gone(place)
        return code

    def _gone(self, place: int) -> None:
        was = self._ready.pop(place, None)
        if was is not None and was.admin is not None:
            # One that was killed leaves it.
            with suppress(OSError):
                Path(was.admin).unlink()
        self._leave_note()

    def _drain_others(self, place: int, seconds: float) -> None:
        self._ending.set()
        for other, process in self._running.items():
            if other != place:
                _send(process, seconds)

    def _leave_note(self) -> None:
        """Have `parlour admin` find one of those that are ready."""
        for one in self._ready.values():
            if one.admin is not None:
                with suppress(OSError):
                    held = ServerInfo(one.url, os.getpid(), addresses=one.addresses, admin=one.admin)
                    write_note(port_file(one.port), held)
                return


def _send(process: Process, what: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(what).encode() + b"\n")


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)


def claim(host: str, port: int) -> tuple[int, list[socket.socket]]:
    """Keep a port for processes of ours, as long as these sockets are open. Raises `OSError`.

    SO_REUSEPORT alone would let any two commands of one account share a port, and neither would know.
    """
    claims: list[socket.socket] = []
    try:
        infos = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, *_, address in dict.fromkeys(infos):
            one = _claim(family, (address[0], port, *address[2:]))
            claims.append(one)
            # Of port 0 the first address gives the number for all.
            port = one.getsockname()[1]
    except OSError:
        for one in claims:
            one.close()
        raise
    return port, claims


def _claim(family: int, address: tuple[Any, ...]) -> socket.socket:
    with _open(family) as first:
        first.bind(address)
        # Here it fails where anybody else listens, or has claimed.
        first.listen()
        first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # This one never listens, and so gets no connection. Without SO_REUSEADDR only sockets with
        # SO_REUSEPORT get past it; to bind it takes both, where connections of before are still in TIME_WAIT.
        claimed = _open(family)
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        claimed.bind(first.getsockname())
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    return claimed


def _open(family: int) -> socket.socket:
    one = socket.socket(family, socket.SOCK_STREAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        # As asyncio does.
        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    return one
