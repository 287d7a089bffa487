"""Pools of workers that can't be started, in a server that goes on and in one that ends."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_server.analysis import pools
from parlour_server.analysis.pools import ProcessPool


def end_at_once(*_: Any) -> None:
    """A worker's beginning that is its end, as by a signal."""
    raise SystemExit(1)


@pytest.mark.parametrize("ending", [False, True])
async def test_workers_that_end_while_they_start_are_no_news_where_the_server_ends_too(
    ending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "start_worker", end_at_once)
    if not ending:
        monkeypatch.setattr(pools, "START_AGAIN_SECONDS", 0.0)
    up = asyncio.Event()
    pool = ProcessPool(1, lambda *_: None, up.set)
    with capture_logs() as logs:
        pool.start()
        if ending:
            pool.ending()
        else:
            await up.wait()
            assert not pool.up
        await pool.close()
    assert [line["event"] for line in logs] == (
        [] if ending else ["the search workers can't be started; trying again"]
    )
