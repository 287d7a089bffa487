"""Stops a command once its search has told something."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from parlour_client.sdk.in_process import InProcessClient
from parlour_protocol.notices import Progress
from parlour_protocol.views.reports import Report


async def stopped_once(
    told: Callable[[Report], object], run: Callable[[InProcessClient], Coroutine[Any, Any, object]]
) -> None:
    """Run a command in this process, and cancel it once a report on its way has that."""
    async with InProcessClient() as client, asyncio.timeout(60):
        notices = client.notices()
        running = asyncio.create_task(run(client))
        async for notice in notices:
            if isinstance(notice, Progress) and told(notice.report):
                break
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
