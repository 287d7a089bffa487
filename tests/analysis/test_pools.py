"""Pools of workers that can't be started, in a server that goes on and in one that ends."""

import asyncio
import os
import signal
import threading
from typing import Any

import pytest
from structlog.testing import capture_logs

from parlour_server.analysis import pools
from parlour_server.analysis.pools import ProcessPool, ThreadPool
from parlour_server.analysis.worker import NICE, yield_to_the_loop


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


def interrupt_itself(*_: Any) -> None:
    """A worker's beginning in which somebody types Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


async def test_ctrl_c_does_not_reach_a_worker_that_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "start_worker", interrupt_itself)
    up = asyncio.Event()
    pool = ProcessPool(1, lambda *_: None, up.set)
    pool.start()
    await up.wait()
    assert pool.up
    await pool.close()


def test_who_has_stepped_back_further_is_not_called_forward() -> None:
    """Only root may do that: searches of a server that was started by `nice` failed."""
    found = []

    def step_back() -> None:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, NICE + 3)
        yield_to_the_loop()
        found.append(os.getpriority(os.PRIO_PROCESS, thread))

    worker = threading.Thread(target=step_back)
    worker.start()
    worker.join()
    assert found == [NICE + 3]


async def test_searches_step_back_where_the_loop_wants_the_core() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    pool = ThreadPool(1, lambda ticket, report: None, lambda: None, compiled=False)
    assert await asyncio.wrap_future(pool._executor.submit(niceness)) == NICE
    assert niceness() == before
    assert await pool.close()
