"""The admin socket: a Unix socket for the server's own account alone, JSON lines to and fro."""

import asyncio
import os
import socket
import stat
import struct
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

from parlour_protocol.answers import Refused
from parlour_protocol.codec import BadMessage
from parlour_protocol.errors import Code
from parlour_protocol.local import admin
from parlour_protocol.local.admin import MAX_REQUEST_BYTES, encode_line
from parlour_protocol.words import Sentence
from parlour_server.store.port import Progress

log = structlog.get_logger()

LONGEST_PATH = 100
"""Bytes: a little less than the 104 to 108 that systems take in a socket's address."""
MOST_CONNECTIONS = 16
STOP_SECONDS = 2.0
"""How long a request that is being answered may go on when the server stops."""

Handle = Callable[[admin.AdminRequest[Any], int | None, Progress], Awaitable[Any]]
"""Answers a request of an account, whose number is None where the system doesn't say."""


class AdminListener:
    """Listens from `start` to `stop`; each connection's requests are answered one after the other."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._busy: set[asyncio.Task[None]] = set()
        """Those whose request is being answered."""
        self._stopping = False
        self.path: Path | None = None
        """Where it listens."""

    async def start(self, paths: Iterable[Path]) -> None:
        """Listen at the first of these paths where that can be.

        What stands there is replaced: the caller knows that it is no other server's. Raises `OSError`.
        """
        error = OSError("no path is short enough for a socket")
        for path in paths:
            if len(os.fsencode(path)) > LONGEST_PATH:
                continue
            try:
                listening = _bind(path)
            except OSError as failed:
                error = failed
                continue
            self._server = await asyncio.start_unix_server(
                self._converse, sock=listening, limit=MAX_REQUEST_BYTES
            )
            self.path = path
            return
        raise error

    async def stop(self) -> None:
        """End all conversations, and take the socket away."""
        if self._server is None:
            return
        self._server.close()
        self._stopping = True
        for task in self._connections - self._busy:
            task.cancel()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > MOST_CONNECTIONS:
                writer.write(encode_line(Refused(Code.BUSY, Sentence("admin.many_hosts"))))
            else:
                uid = _uid(writer)
                while not self._stopping and await self._answer(task, reader, writer, uid):
                    pass
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(
        self,
        task: asyncio.Task[None],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        uid: int | None,
    ) -> bool:
        """Answer a line; false: there will be no other."""
        try:
            line = await reader.readline()
        except ValueError:
            too_large = Sentence("admin.request_too_large", most=str(MAX_REQUEST_BYTES))
            writer.write(encode_line(Refused(Code.BAD_MESSAGE, too_large)))
            return False
        if not line:
            return False
        self._busy.add(task)
        try:
            loop = asyncio.get_running_loop()

            def progress(done: int, of: int) -> None:
                loop.call_soon_threadsafe(_write_progress, writer, done, of)

            answer = await self._handle(admin.decode_request(line), uid, progress)
        except BadMessage as error:
            answer = error.refused
        except Exception as error:
            log.error("an admin request failed", exc_info=error)
            answer = Refused(Code.INTERNAL, Sentence("admin.failed_see_log"))
        finally:
            self._busy.discard(task)
        writer.write(encode_line(answer))
        await writer.drain()
        return True


def _write_progress(writer: asyncio.StreamWriter, done: int, of: int) -> None:
    if not writer.is_closing():
        writer.write(encode_line(admin.Progress(done, of)))


def _bind(path: Path) -> socket.socket:
    """A socket that listens at a path, for its owner alone. Raises `OSError`."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(f"{path} is no socket")
        path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(path))
        # No one can have connected before this: it doesn't listen yet.
        path.chmod(0o600)
        listening.listen(MOST_CONNECTIONS)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def _uid(writer: asyncio.StreamWriter) -> int | None:
    """The account at the other end."""
    if sys.platform != "linux":
        return None
    peer = writer.get_extra_info("socket")
    _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(uid)
