"""Which server to talk to: a named one, one on this machine, or a child of our own.

A child lives as long as its standard input is open: even if we are killed, the system closes that
pipe for us, and nothing is left behind.
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from parlour_client.sdk.errors import ConnectionFailed, ServerStartFailed, UsageError
from parlour_client.sdk.identity import GuestIdentity, Identity, StoredIdentity, chosen_name, state_folder
from parlour_protocol import DEFAULT_PORT

DEFAULT_SERVER = f"ws://127.0.0.1:{DEFAULT_PORT}"
"""Where `parlour serve` listens by default."""

START_SECONDS = 30.0
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Place:
    """The server to talk to."""

    server: str
    own: bool = False
    """It is our child, and ends with us."""
    shared: bool = False
    """Ours, and yet others are to find it."""


class Child:
    """A server of our own, on loopback. It starts at once; `address()` waits until it is ready."""

    def __init__(self, port: int = 0, search_seconds: float | None = None) -> None:
        if importlib.util.find_spec("parlour_server") is None:
            raise ServerStartFailed(
                "There is no server here to play on: name one with --server, or install parlour-server."
            )
        # -P: no file in the folder where we were started stands in for a module of the server's.
        command = [sys.executable, "-P", "-m", "parlour_server", "--host", "127.0.0.1", "--port", str(port)]
        command += ["--json", "--data", ":memory:", "--with-parent"]
        command += ["--messages-per-second", "0", "--rooms-per-minute", "0"]
        if search_seconds is not None:
            command += ["--search-seconds", f"{search_seconds:g}"]
        # Its settings are these alone: what this shell sets is meant for a server that serves others.
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PARLOUR_") or name == "PARLOUR_CACHE"
        }
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        # A Ctrl-C is for us: a group of its own keeps the child from hearing it too, and dying first.
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own arguments
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=os.name != "nt",
            creationflags=flags,
        )

    def address(self) -> str:
        """Where it listens, once it does. Raises `ServerStartFailed` with what it said where it doesn't."""
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
            self._end()
            raise ServerStartFailed(f"A server of our own did not start. {self._said()}") from None
        return str(address)

    def stop(self) -> None:
        """End it, and release its resources. May be called twice."""
        self._end()
        self._errors.close()

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
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return " ".join(lines[-3:])[-600:] or "It said nothing."


@contextmanager
def place(
    asked: str | None,
    *,
    own: bool,
    port: int = 0,
    search_seconds: float | None = None,
    usual: bool = True,
) -> Iterator[Place]:
    """The server to talk to, for as long as the block runs.

    Asked for by name (or, where `usual`, in PARLOUR_SERVER), it is that one; else a child where `own`,
    which listens on `port` (0: any), or on any other if that one can't be had, and lets a search take so
    many seconds; else the one on this machine's usual port. Raises `UsageError` for what is no address,
    and `ServerStartFailed`.
    """
    named = named_server(asked) if usual or asked is not None else None
    if named is not None or not own:
        yield Place(named or DEFAULT_SERVER)
        return
    child = Child(port, search_seconds)
    try:
        # While it starts, so may we: the rest of the client takes as long to import as a server to start.
        importlib.import_module("parlour_client.sdk.client")
        try:
            address = child.address()
        except ServerStartFailed:
            if not port:
                raise
            child.stop()
            child = Child(search_seconds=search_seconds)
            address = child.address()
        yield Place(address, own=True, shared=bool(port))
    finally:
        child.stop()


@contextmanager
def meeting_place(asked: str | None) -> Iterator[Place]:
    """The server for a game between people: so that a friend's terminal on this machine finds it, it is
    the one on the usual port, or a child started there."""
    import asyncio

    own = named_server(asked) is None and not asyncio.run(answers(DEFAULT_SERVER))
    with place(asked, own=own, port=DEFAULT_PORT) as found:
        yield found


def named_server(asked: str | None) -> str | None:
    """The address given as an option or in PARLOUR_SERVER. Raises `UsageError` where it is none."""
    text = asked if asked is not None else os.environ.get("PARLOUR_SERVER") or None
    if text is None:
        return None
    from parlour_protocol.ids import server_address

    address = server_address(text)
    if address is None:
        raise UsageError(f"{text!r} is not a server's address: ws://host:port or host:port is.")
    return address


def identify(place: Place, name: str | None, say: Callable[[str], None]) -> Identity:
    """A person's identity on a server; `say` is called with what they should know. Raises `UsageError`."""
    chosen = chosen_name(name)
    if place.own and not place.shared:
        # Nobody else comes there, and nothing of it stays.
        return GuestIdentity(chosen)
    kept = StoredIdentity(state_folder(), place.server, chosen, say)
    if place.own and (stale := kept.token()) is not None:
        # A server that has just begun knows nobody, whichever server listened at its address before.
        kept.put_aside(stale)
    return kept


async def answers(server: str) -> bool:
    """Does a Parlour server listen there?"""
    from parlour_client.sdk.dial import probe

    try:
        await probe(server)
    except ConnectionFailed:
        return False
    return True
