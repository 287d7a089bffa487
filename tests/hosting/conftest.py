"""A server without sockets for each test that asks for one, or several nodes."""

from collections.abc import AsyncIterator

import pytest

from tests.hosting.harness import HostingHarness, open_harness
from tests.hosting.nodes import nodes

__all__ = ["nodes"]


@pytest.fixture
async def harness() -> AsyncIterator[HostingHarness]:
    async with open_harness() as opened:
        yield opened
