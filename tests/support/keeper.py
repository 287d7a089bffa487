"""A server in its keeper's hands."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parlour_client.sdk.admin import AdminConnection, connected
from tests.support.server import serving


@asynccontextmanager
async def serving_to_its_keeper() -> AsyncIterator[tuple[str, AdminConnection]]:
    """A whole server on this loop: its address, and a connection to its admin socket."""
    async with serving() as url, connected(None, int(url.rpartition(":")[2])) as keeper:
        yield url, keeper
