"""Which server to talk to: a named one, the one that this machine's players share, or one of our own.

The shared one keeps its games in the ordinary data file. Who needs it and finds none starts it; it outlives
the terminal that started it for as long as others are connected, and ends when the last has left. If it is
killed, that terminal starts it again while it is open. One of our own keeps nothing, and lives as long as its
standard input is open: even if we are killed, the system closes that pipe for us, and nothing is left behind.
"""

import importlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from parlour_client.sdk.data_file import (
    data_file,
    holder,
    in_the_users_folder,
    log_file,
    player_realm,
    usual_port,
    usual_server,
)
from parlour_client.sdk.errors import ServerStartFailed, UsageError
from parlour_client.sdk.identity import GuestIdentity, Identity, StoredIdentity, chosen_name, state_folder
from parlour_protocol.local.server_info import IN_MEMORY, LOCKED
from parlour_protocol.words import say

START_SECONDS = 30.0
STOP_SECONDS = 5.0
ANSWER_SECONDS = 2.0
RETRY_SECONDS = 0.1
LOOK_SECONDS = 0.2
"""How often we look whether a server that we have started is still there."""
SHORT_LIFE_SECONDS = 5.0
MOST_SHORT_LIVES = 4
"""A server that dies so often in a row, each time so soon after its start, is not started again."""
LARGEST_LOG = 1 << 20
"""Bytes: with a longer log a shared server begins it anew."""


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """The server to talk to."""

    server: str
    own: bool = False
    """Our child, which nobody else finds, and which ends with us."""
    named: bool = False
    """A command has to name it to find it."""
    pid: int | None = None
    """The process of our child."""
    host: bool = False
    """Others may be on it, and we have started it."""
    advice: Callable[[], str] = field(default=str, compare=False)
    """What to do where the connection to it is lost; empty where there is nothing to do but wait."""


class Child:
    """A server that we start. It starts at once; `address()` waits until it is ready.

    By default it is one of our own, which keeps nothing unless a file is named in `data`; a `shared` one is
    for all players of this machine, on the usual port unless another is named. Either lets a search take as
    long as it was asked to.
    """

    def __init__(self, *, shared: bool = False, port: int | None = None, data: str | None = None) -> None:
        if importlib.util.find_spec("parlour_server") is None:
            raise ServerStartFailed(say("error.none_to_play_on"))
        # -P: no file in the folder where we were started stands in for a module of the server's.
        command = [sys.executable, "-P", "-m", "parlour_server", "--host", "127.0.0.1", "--json"]
        command += ["--messages-per-second", "0", "--rooms-per-minute", "0", "--player-milliseconds", "0"]
        command += ["--longest-search-seconds", "0"]
        if shared:
            port = usual_port() if port is None else port
            command += ["--shared", "--port", str(port), "--data", data_file()]
        else:
            command += ["--with-parent", "--port", "0", "--data", data or ":memory:", "--no-admin"]
        # Its settings are these alone: what this shell sets is meant for a server that serves others.
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PARLOUR_") or name == "PARLOUR_CACHE"
        }
        self.log: Path | None = None
        """Where a shared one writes its log."""
        self._errors = self._open_log() if shared else tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        self._log_began = self._errors.tell()
        # A Ctrl-C is for us, and so is the end of this terminal: it has a session of its own.
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own arguments
            command,
            stdin=subprocess.DEVNULL if shared else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=os.name != "nt",
            creationflags=flags,
        )

    def _open_log(self) -> IO[bytes]:
        """Its log stands beside its data file, where there is a folder for it."""
        data = data_file()
        if data == IN_MEMORY:
            return tempfile.TemporaryFile()
        path = log_file(data)
        try:
            if in_the_users_folder(data):
                # As the server does: another folder may be a slip of the pen.
                path.parent.mkdir(parents=True, exist_ok=True)
            log = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b")
        except OSError:
            return tempfile.TemporaryFile()
        self.log = path
        if log.seek(0, os.SEEK_END) > LARGEST_LOG:
            log.truncate(0)
            log.seek(0)
        return log

    def address(self) -> str:
        """Where it listens, once it does. Raises `ServerStartFailed` with what it said where it doesn't.

        `DataFileTaken` where another server has its data file.
        """
        assert self._process.stdout is not None
        watchdog = threading.Timer(START_SECONDS, self._process.kill)
        watchdog.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        try:
            address = json.loads(line)["url"]
        except (ValueError, KeyError, TypeError):
            # Its output is at an end: so is it, in a moment.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
            taken = self._process.returncode == LOCKED
            self._end()
            raise (DataFileTaken if taken else ServerStartFailed)(
                say("error.not_started", said=self._said())
            ) from None
        return str(address)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def ended(self) -> int | None:
        """Its exit code, once it has ended; negative, or not zero, where it was killed."""
        return self._process.poll()

    def stop(self) -> None:
        """End it, and release its resources. May be called twice."""
        self._end()
        self._errors.close()

    def release(self) -> None:
        """Leave it running, where it has not ended, and release what we had of it."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()
        if self._process.poll() is None:
            # It will be the system's to reap: without this a warning says that we have lost a child.
            self._process.returncode = 0

    def _end(self) -> None:
        """Ask it to end, then force it."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _said(self) -> str:
        """The end of what it wrote to standard error."""
        self._errors.seek(self._log_began)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return " ".join(lines[-3:])[-600:] or say("error.said_nothing")


def _start_it_again() -> str:
    """Short, since it stands beside a board; elsewhere is in another terminal."""
    return say("error.start_it_again")


class DataFileTaken(ServerStartFailed):
    """Another server has the data file open, perhaps one that is ending."""


class ServerSupervisor:
    """Looks after a shared server that we have started, from `start` to `leave`: killed, it is started again.

    On the same data file and port, so that all who were connected find it. One that ended by itself, since it
    was closed or its last player left, stays so.
    """

    def __init__(self, child: Child, server: str) -> None:
        self._child, self._server = child, server
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._look_after, name="parlour-supervisor", daemon=True)
        self._advice = ""

    def start(self) -> None:
        """Look after it from now on."""
        self._thread.start()

    def leave(self) -> None:
        """Leave it running as it is. One that is just being started is waited for, since others may be."""
        self._leaving.set()
        self._thread.join()
        self._child.release()

    def advice(self) -> str:
        """What to do where it has gone: nothing, as long as it is started again from here."""
        return self._advice

    def _look_after(self) -> None:
        short_lives = 0
        began = time.monotonic()
        while not self._leaving.wait(LOOK_SECONDS):
            code = self._child.ended()
            if code is None:
                continue
            if code == 0:
                return
            short_lives = short_lives + 1 if time.monotonic() - began < SHORT_LIFE_SECONDS else 0
            if short_lives == MOST_SHORT_LIVES:
                log = str(self._child.log or "")
                why = (
                    say("error.died_log", count=short_lives, file=log)
                    if log
                    else say("error.died", count=short_lives)
                )
                self._advice = f"{_start_it_again()} {why}"
                return
            if not self._start_again():
                self._advice = _start_it_again()
                return
            began = time.monotonic()

    def _start_again(self) -> bool:
        """False: it can't be where it was. One that dies at once is another matter, which shows next."""
        try:
            self._child.release()
            self._child = Child(shared=True, port=urlsplit(self._server).port)
            if self._child.address() == self._server:
                return True
        except DataFileTaken:
            # Another terminal was faster.
            return False
        except (ServerStartFailed, OSError):
            return True
        # Another program has the port: nobody who was connected would find the server.
        self._child.stop()
        return False


@contextmanager
def shared_server(asked: str | None = None) -> Iterator[ServerTarget]:
    """The server that is named, as an option or in PARLOUR_SERVER, or else the one that this machine shares.

    That one is found, or started: it ends by itself when the last player has left. Raises `UsageError` for
    what is no address, and `ServerStartFailed`.
    """
    named = named_server(asked)
    if named is not None:
        yield ServerTarget(named, named=True)
        return
    child: Child | None = None
    deadline = time.monotonic() + START_SECONDS
    while (address := find()) is None:
        child = Child(shared=True)
        try:
            # While it starts, so may we: the rest of the client takes as long to import as a server to start.
            importlib.import_module("parlour_client.sdk.client")
            address = child.address()
            break
        except DataFileTaken:
            # Another terminal was first, and its server is not ready yet; or the one before is still closing.
            child.stop()
            child = None
            if (held := holder()) is not None and not held.url.startswith("ws:"):
                raise DataFileTaken(say("error.data_open_elsewhere", server=held.url)) from None
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        except BaseException:
            child.stop()
            raise
    if child is None:
        yield ServerTarget(address, advice=_start_it_again)
        return
    supervisor = ServerSupervisor(child, address)
    supervisor.start()
    try:
        yield ServerTarget(address, host=True, advice=supervisor.advice)
    finally:
        supervisor.leave()


@contextmanager
def own_server(
    asked: str | None = None, *, usual: bool = True, data: str | None = None
) -> Iterator[ServerTarget]:
    """The server that is named (where `usual`, also in PARLOUR_SERVER), or else a child.

    The child keeps nothing unless a file is named in `data`. Raises `UsageError` for what is no address, and
    `ServerStartFailed`.
    """
    named = named_server(asked) if usual or asked is not None else None
    if named is not None:
        yield ServerTarget(named, named=True)
        return
    child = Child(data=data)
    try:
        importlib.import_module("parlour_client.sdk.client")
        yield ServerTarget(child.address(), own=True, pid=child.pid)
    finally:
        child.stop()


def named_server(asked: str | None) -> str | None:
    """The address given as an option or in PARLOUR_SERVER. Raises `UsageError` where it is none."""
    text = asked if asked is not None else os.environ.get("PARLOUR_SERVER") or None
    if text is None:
        return None
    from parlour_protocol.ids import server_address

    address = server_address(text)
    if address is None:
        raise UsageError(say("error.no_address", text=repr(text)))
    return address


def identify(place: ServerTarget, name: str | None, say: Callable[[str], None]) -> Identity:
    """A person's identity on a server; `say` is called with what they should know. Raises `UsageError`."""
    chosen = chosen_name(name)
    if place.own:
        # Nobody else comes there, and nothing of it stays.
        return GuestIdentity(chosen)
    return StoredIdentity(state_folder(), player_realm(place.server), chosen, say)


def find() -> str | None:
    """The address of the server that this machine shares, which expects us now; None where there is none.

    It is the one on the usual port, or the one that has the ordinary data file.
    """
    held = holder()
    places = [usual_server()] if usual_port() else []
    if held is not None:
        places.append(held.url)
    return next((one for one in dict.fromkeys(places) if _expects_us(one)), None)


def _expects_us(server: str) -> bool:
    """Is a Parlour server there, and will it be for as long as we need to connect?

    Without asyncio and the wire, whose imports would keep a person waiting here.
    """
    parts = urlsplit(server)
    if parts.scheme != "ws" or parts.hostname is None or parts.port is None:
        return False
    request = f"GET /arriving HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((parts.hostname, parts.port), ANSWER_SECONDS) as line:
            line.sendall(request.encode())
            with line.makefile("rb") as answer:
                head = answer.read(4096)
    except OSError:
        return False
    return head.startswith(b"HTTP/1.1 200 ") and b"\r\nserver: parlour\r\n" in head.lower()
