"""The yardstick: what the stock `websockets` server does when all it does is echo.

Nothing here is tuned, on purpose: it is the best that an ordinary server on this library can reach.
Compression is off, as it is in Parlour.
"""

import asyncio
import json
import signal
import sys

import uvloop
from websockets.asyncio.server import ServerConnection, serve


async def _echo(connection: ServerConnection) -> None:
    async for message in connection:
        await connection.send(message)


async def _serve() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    # Whoever started this holds the other end of its input, and ends without closing it only by dying.
    loop.add_reader(sys.stdin, stopped.set)
    async with serve(_echo, "127.0.0.1", 0, compression=None) as server:
        host, port = next(iter(server.sockets)).getsockname()
        print(json.dumps({"url": f"ws://{host}:{port}"}), flush=True)
        await stopped.wait()


if __name__ == "__main__":
    uvloop.run(_serve())
