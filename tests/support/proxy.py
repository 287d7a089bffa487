"""A line that can be cut, slowed, or that swallows what it is given, between clients and a server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit


class Proxy:
    """Passes bytes on, both ways, until it is told otherwise."""

    def __init__(self, server: str) -> None:
        self._target = urlsplit(server)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = asyncio.Event()
        self._open.set()
        self._answers = asyncio.Event()
        self._answers.set()
        self.url = ""
        self.lines = 0
        """How many were made."""
        self.refuse = False
        """Does it hang up on everybody who comes?"""
        self.late = 0.0
        """Seconds by which each piece is late."""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await self.lead(reader, writer):
            writer.transport.abort()

    async def lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Make a line to the server of one that has come; False: nobody takes it there."""
        self.lines += 1
        if self.refuse:
            return False
        try:
            there, back = await asyncio.open_connection(self._target.hostname, self._target.port)
        except OSError:
            return False
        self._writers |= {writer, back}
        ways = (reader, back, [self._open]), (there, writer, [self._open, self._answers])
        for source, sink, gates in ways:
            task = asyncio.create_task(self._pass_on(source, sink, gates))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return True

    async def _pass_on(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, gates: list[asyncio.Event]
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                for gate in gates:
                    await gate.wait()
                if self.late:
                    await asyncio.sleep(self.late)
                if sink.is_closing():
                    break
                sink.write(data)
        self._writers.discard(sink)
        sink.transport.abort()

    def lead_to(self, server: str) -> None:
        """Lead new connections to another server."""
        self._target = urlsplit(server)

    def cut(self) -> None:
        """End every line at once, without a farewell."""
        for writer in list(self._writers):
            writer.transport.abort()
        self._writers.clear()

    def swallow(self) -> None:
        """Pass nothing on any more, and say nothing of it: no farewell, no end."""
        self._open.clear()

    def hold_answers(self) -> None:
        """Pass on what clients say, and nothing of what the server answers."""
        self._answers.clear()

    def go_on(self) -> None:
        """Pass on again, what came meanwhile first."""
        self._open.set()
        self._answers.set()

    async def end(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        self.cut()


@contextlib.asynccontextmanager
async def between(server: str) -> AsyncIterator[Proxy]:
    """A proxy before a server's address."""
    proxy = Proxy(server)
    listener = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    proxy.url = f"ws://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        listener.close()
        await proxy.end()
