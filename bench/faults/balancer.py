"""One address before several servers: a load balancer for tests, as one runs before Parlour's nodes.

It does what HAProxy does with `option httpchk GET /readyz`, `inter 500ms fall 2 rise 1` and `on-marked-down
shutdown-sessions`: connections take turns among the servers that are ready, and those of a server that is no
longer ready are ended, so that their clients come back at another one.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

from tests.support.proxy import Proxy

CHECK_SECONDS = 0.5
ANSWER_SECONDS = 1.0
FALL = 2


class Backend:
    """One of the servers, behind a proxy."""

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.ready = False
        self._failures = 0

    async def check(self) -> None:
        """Ask it whether it is ready; end its lines when it is so no more."""
        if await self._answers():
            self.ready, self._failures = True, 0
            return
        self._failures += 1
        if self.ready and self._failures >= FALL:
            self.ready = False
            self.proxy.cut()

    async def _answers(self) -> bool:
        address = urlsplit(self.proxy.url)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                reader, writer = await asyncio.open_connection(address.hostname, address.port)
                try:
                    writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    return b" 200 " in await reader.readline()
                finally:
                    writer.transport.abort()
        except (OSError, TimeoutError):
            return False


class Balancer:
    """Leads each connection to the next server that is ready; to any, where none is."""

    def __init__(self, proxies: Sequence[Proxy]) -> None:
        self.backends = [Backend(proxy) for proxy in proxies]
        self.url = ""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Lead one connection."""
        # The next one is first the next time.
        self.backends.append(self.backends.pop(0))
        for backend in sorted(self.backends, key=lambda one: not one.ready):
            if await backend.proxy.lead(reader, writer):
                return
        writer.transport.abort()

    async def watch(self, backend: Backend) -> None:
        """Check one of the servers, again and again."""
        while True:
            await backend.check()
            await asyncio.sleep(CHECK_SECONDS)


@contextlib.asynccontextmanager
async def balancing(proxies: Sequence[Proxy]) -> AsyncIterator[Balancer]:
    """A balancer before servers, each behind a proxy of its own."""
    balancer = Balancer(proxies)
    listener = await asyncio.start_server(balancer.take, "127.0.0.1", 0)
    balancer.url = f"ws://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    watches = [asyncio.create_task(balancer.watch(backend)) for backend in balancer.backends]
    try:
        yield balancer
    finally:
        for watch in watches:
            watch.cancel()
        listener.close()
