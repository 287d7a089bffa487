"""A running server's admin socket, from its keeper's side: find it, ask, be answered."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

from parlour_client.sdk.data_file import LOOK_SECONDS, data_file, is_running, usual_port, wait_until_free
from parlour_client.sdk.errors import AdminFailed
from parlour_protocol.answers import Refused
from parlour_protocol.local.admin import (
    MAX_ANSWER_BYTES,
    AdminRequest,
    Progress,
    decode_answer,
    encode_line,
)
from parlour_protocol.local.server_info import IN_MEMORY, ServerInfo, is_database, port_file, read_note

AnswerT = TypeVar("AnswerT")

SILENT_SECONDS = 30.0
"""How long a server may say nothing, neither an answer nor how far it is."""
STOP_SECONDS = 10.0
"""How long a server that ends may take to close its data file."""


class AdminConnection:
    """A connection to a server's admin socket: one request at a time."""

    def __init__(
        self, holder: ServerInfo, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.holder = holder
        """The server."""
        self._reader, self._writer = reader, writer

    async def ask(
        self, request: AdminRequest[AnswerT], progress: Callable[[int, int], None] | None = None
    ) -> AnswerT:
        """Ask, and wait for the answer. `progress` is called with how much is done, and of how much.

        Raises `AdminFailed` with the server's sentence, or with one of ours where it is gone.
        """
        try:
            self._writer.write(encode_line(request))
            await self._writer.drain()
            while True:
                async with asyncio.timeout(SILENT_SECONDS):
                    line = await self._reader.readline()
                if not line:
                    raise AdminFailed("The server has ended the connection: it has stopped, or is about to.")
                answer = decode_answer(line)
                if isinstance(answer, Refused):
                    raise AdminFailed(answer.message)
                if not isinstance(answer, Progress):
                    return answer  # type: ignore[no-any-return]
                if progress is not None:
                    progress(answer.done, answer.of)
        except TimeoutError as error:
            raise AdminFailed(
                f"The server at {self.holder.url} (process {self.holder.pid}) has not answered for "
                f"{SILENT_SECONDS:.0f} s: it is paused, or has much to do. It may still do what was asked."
            ) from error
        except (OSError, ValueError) as error:
            raise AdminFailed(f"The server's answer can't be read: {error}") from error

    async def stopped(self, data: str) -> None:
        """Wait until the server has stopped: all its processes, and its data file is free."""
        with suppress(OSError, ValueError):
            while await self._reader.readline():
                pass
        if is_database(data):
            while is_running(self.holder.pid):  # noqa: ASYNC110 - another's process
                await asyncio.sleep(LOOK_SECONDS)
        elif data != IN_MEMORY:
            await asyncio.to_thread(wait_until_free, data, self.holder, STOP_SECONDS)

    async def close(self) -> None:
        """Disconnect."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


@asynccontextmanager
async def connected(data: str | None, port: int | None) -> AsyncIterator[AdminConnection]:
    """A connection to the server that has a data file open, or a port; the usual ones where none is named.

    Raises `AdminFailed`.
    """
    holder = find(data, port)
    if holder.admin is None:
        raise AdminFailed(f"The server at {holder.url} has no admin socket: it was started with --no-admin.")
    try:
        reader, writer = await asyncio.open_unix_connection(holder.admin, limit=MAX_ANSWER_BYTES)
    except PermissionError as error:
        raise AdminFailed(
            f"The server at {holder.url} belongs to another account: only that one, and root, may do this."
        ) from error
    except OSError as error:
        raise AdminFailed(
            f"The server at {holder.url} (process {holder.pid}) does not answer: it was probably killed. "
            "Start it again with `parlour serve`."
        ) from error
    connection = AdminConnection(holder, reader, writer)
    try:
        yield connection
    finally:
        await connection.close()


def find(data: str | None, port: int | None) -> ServerInfo:
    """The server that has a data file open, or a port; the usual ones where none is named.

    Raises `AdminFailed` where there is no note of one.
    """
    if sys.platform == "win32":
        raise AdminFailed("On Windows a server has no admin socket: stop it and start it again instead.")
    if data is not None and is_database(data):
        raise AdminFailed("Several servers may keep their games in one database: name one with --port.")
    if data is None and port is None and is_database(os.environ.get("PARLOUR_DATA", "")):
        port = usual_port()
    if data is not None:
        held = read_note(Path(data).absolute())
        if held is None:
            raise AdminFailed(_no_server_of(Path(data)))
        return held
    if port is not None:
        held = _at_port(port)
        if held is None:
            raise AdminFailed(
                f"No server of this account has port {port} open; name its data file with --data."
            )
        return held
    usual = data_file()
    held = None if usual == IN_MEMORY else read_note(Path(usual))
    held = held or _at_port(usual_port())
    if held is None:
        raise AdminFailed(
            f"No server is running here, neither on {usual} nor at port {usual_port()}: "
            "name one with --data or --port."
        )
    return held


def _at_port(port: int) -> ServerInfo | None:
    try:
        return read_note(port_file(port))
    except OSError:
        return None


def _no_server_of(data: Path) -> str:
    if not data.exists():
        return f"There is no file {data}: name the data file of a running server."
    if not os.access(data, os.R_OK):
        return f"{data} belongs to another account: only that one, and root, may do this."
    return f"No server has {data} open."
