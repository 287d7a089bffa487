"""A server as seen from far away: a proxy that holds each byte for half a round trip, on either way.

Browsers' own throttling holds requests alone: neither a connection's handshake nor a WebSocket's messages.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from bench.servers import Server


@contextlib.asynccontextmanager
async def distant(server: Server, round_trip: float) -> AsyncIterator[str]:
    """The address of a server that is so many seconds away and back. Bandwidth has no bounds."""
    loop = asyncio.get_running_loop()
    connections: set[asyncio.Task[None]] = set()

    async def deliver(held: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter) -> None:
        data = b"-"
        while data:
            due, data = await held.get()
            await asyncio.sleep(due - loop.time())
            sink.write(data)
        sink.close()

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter, since: float) -> None:
        held: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            group.create_task(deliver(held, sink))
            data = b"-"
            while data:
                try:
                    data = await source.read(65_536)
                except ConnectionError:
                    data = b""
                held.put_nowait((max(loop.time(), since) + round_trip / 2, data))

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(server.host, server.port)
        # A real handshake takes a round trip before anything is sent; here it has taken none.
        since = loop.time() + round_trip
        await asyncio.gather(carry(reader, back, since), carry(there, writer, since))

    def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(task := loop.create_task(take(reader, writer)))
        task.add_done_callback(connections.discard)

    listener = await asyncio.start_server(come, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()
        for connection in connections:
            connection.cancel()
