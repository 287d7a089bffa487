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
from parlour_client.sdk.sanitize import clean_json
from parlour_protocol.answers import Refused
from parlour_protocol.local.admin import (
    MAX_ANSWER_BYTES,
    AdminRequest,
    Progress,
    decode_answer,
    encode_line,
)
from parlour_protocol.local.server_info import IN_MEMORY, ServerInfo, is_database, port_file, read_note
from parlour_protocol.words import language, say, translated

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
                    raise AdminFailed(say("error.admin.ended"))
                answer = decode_answer(clean_json(line))
                if isinstance(answer, Refused):
                    raise AdminFailed(translated(answer.said, answer.message, language()))
                if not isinstance(answer, Progress):
                    return answer  # type: ignore[no-any-return]
                if progress is not None:
                    progress(answer.done, answer.of)
        except TimeoutError as error:
            raise AdminFailed(
                say(
                    "error.admin.silent",
                    server=self.holder.url,
                    process=str(self.holder.pid),
                    seconds=round(SILENT_SECONDS),
                )
            ) from error
        except OSError as error:
            raise AdminFailed(say("error.admin.ended")) from error
        except ValueError as error:
            raise AdminFailed(say("error.admin.unreadable", why=str(error))) from error

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
        raise AdminFailed(say("error.admin.none", server=holder.url))
    try:
        reader, writer = await asyncio.open_unix_connection(holder.admin, limit=MAX_ANSWER_BYTES)
    except PermissionError as error:
        raise AdminFailed(say("error.admin.other_account", server=holder.url)) from error
    except OSError as error:
        raise AdminFailed(say("error.admin.killed", server=holder.url, process=str(holder.pid))) from error
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
        raise AdminFailed(say("error.admin.windows"))
    if data is not None and is_database(data):
        raise AdminFailed(say("error.admin.database"))
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
            raise AdminFailed(say("error.admin.no_port", port=str(port)))
        return held
    usual = data_file()
    held = None if usual == IN_MEMORY else read_note(Path(usual))
    held = held or _at_port(usual_port())
    if held is None:
        raise AdminFailed(say("error.admin.no_server", file=usual, port=str(usual_port())))
    return held


def _at_port(port: int) -> ServerInfo | None:
    try:
        return read_note(port_file(port))
    except OSError:
        return None


def _no_server_of(data: Path) -> str:
    if not data.exists():
        return say("error.admin.no_file", file=str(data))
    if not os.access(data, os.R_OK):
        return say("error.admin.other_accounts_file", file=str(data))
    return say("error.admin.not_open", file=str(data))
